# SPDX-License-Identifier: BSD-3-Clause
"""Prints numbers that do not depend on how they were computed."""

import numpy as np

n = 300
i = np.arange(1, n + 1)
a = 43758.5453 * np.sin(12.9898 * i[:, None] + 78.233 * i[None, :])
a = a - np.floor(a) - 0.5
s = a + a.T + 4 * n * np.eye(n)
print(f"chol {np.log(np.diag(np.linalg.cholesky(s))).sum():.15e}")
print(f"solve {np.abs(np.linalg.solve(s, a)).sum():.15e}")
print(f"inv {np.trace(np.linalg.inv(s)) * n:.15e}")
q, r = np.linalg.qr(a)
print(f"qr {np.log(np.abs(np.diag(r))).sum():.15e}")
print(f"qr_residual {float(np.abs(q @ r - a).max() < 1e-10):.1f}")
print(f"svd {np.linalg.svd(a)[1].sum():.15e}")
print(f"eigh {np.abs(np.linalg.eigh(a + a.T)[0]).sum():.15e}")
print(f"eig {np.abs(np.linalg.eig(a)[0]).sum():.15e}")
print(f"lstsq {np.abs(np.linalg.lstsq(s, a, rcond=None)[0]).sum():.15e}")
