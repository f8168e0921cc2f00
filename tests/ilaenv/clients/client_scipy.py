# SPDX-License-Identifier: BSD-3-Clause
"""Prints numbers that do not depend on how they were computed."""

import numpy as np
from scipy import linalg

n = 300
i = np.arange(1, n + 1)
a = 43758.5453 * np.sin(12.9898 * i[:, None] + 78.233 * i[None, :])
a = a - np.floor(a) - 0.5
s = a + a.T + 4 * n * np.eye(n)
print(f"chol {np.log(np.diag(linalg.cho_factor(s)[0])).sum():.15e}")
print(f"lu {np.log(np.abs(np.diag(linalg.lu_factor(a)[0]))).sum():.15e}")
print(f"inv {np.trace(linalg.inv(s)) * n:.15e}")
print(f"gelsy {np.abs(linalg.lstsq(s, a, lapack_driver='gelsy')[0]).sum():.15e}")
print(f"eigh {np.abs(linalg.eigh(a + a.T)[0]).sum():.15e}")
print(f"eigvals {np.abs(linalg.eigvals(a)).sum():.15e}")
print(f"svd {linalg.svdvals(a).sum():.15e}")
