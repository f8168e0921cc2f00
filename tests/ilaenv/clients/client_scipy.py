# SPDX-License-Identifier: BSD-3-Clause
"""Prints numbers that do not depend on how they were computed."""

import numpy as np
from scipy import linalg

n = 300
i = np.arange(1, n + 1)
a = np.cos(1.7 * i[:, None] + 0.3 * i[None, :] ** 2)
s = a + a.T + 4 * n * np.eye(n)
print(f"chol {np.log(np.diag(linalg.cho_factor(s)[0])).sum():.15e}")
print(f"lu {np.log(np.abs(np.diag(linalg.lu_factor(a)[0]))).sum():.15e}")
print(f"inv {np.trace(linalg.inv(s)) * n:.15e}")
print(f"gelsy {np.abs(linalg.lstsq(s, a, lapack_driver='gelsy')[0]).sum():.15e}")
print(f"eigh {np.abs(linalg.eigh(a + a.T)[0]).sum():.15e}")
print(f"eigvals {np.abs(linalg.eigvals(a)).sum():.15e}")
print(f"svd {linalg.svdvals(a).sum():.15e}")
