% SPDX-License-Identifier: BSD-3-Clause
% Prints numbers that do not depend on how they were computed.
n = 300;
A = 43758.5453 * sin (12.9898 * (1:n)' + 78.233 * (1:n));
A = A - floor (A) - 0.5;
S = A + A' + 4 * n * eye (n);
printf ("chol %.15e\n", sum (log (diag (chol (S)))));
[L, U, P] = lu (A);
printf ("lu %.15e\n", sum (log (abs (diag (U)))));
printf ("lu_residual %.3f\n", norm (P * A - L * U, 1) < 1e-9);
[Q, R] = qr (A);
printf ("qr %.15e\n", sum (log (abs (diag (R)))));
printf ("qr_residual %.3f\n", norm (Q * R - A, 1) < 1e-9);
printf ("inv %.15e\n", log (abs (det (inv (A + n * eye (n))))));
printf ("eig_symmetric %.15e\n", sum (abs (eig (A + A'))));
[V, D] = eig (A + A');
printf ("eig_residual %.3f\n", norm ((A + A') * V - V * D, 1) < 1e-8);
printf ("eig %.15e\n", sum (abs (eig (A))));
printf ("svd %.15e\n", sum (svd (A)));
printf ("solve %.15e\n", sum (S \ ones (n, 1)) * n);
