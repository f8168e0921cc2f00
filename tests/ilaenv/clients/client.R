# SPDX-License-Identifier: BSD-3-Clause
# Prints numbers that do not depend on how they were computed.
n <- 300
A <- outer(1:n, 1:n, function(i, j) 43758.5453 * sin(12.9898 * i + 78.233 * j))
A <- A - floor(A) - 0.5
S <- A + t(A) + 4 * n * diag(n)
show <- function(name, value) cat(sprintf("%s %.15e\n", name, value))
show("chol", sum(log(diag(chol(S)))))
decomposition <- qr(A, LAPACK = TRUE)
show("qr", sum(log(abs(diag(qr.R(decomposition))))))
show("qr_solve", sum(abs(qr.qy(decomposition, A))) / n)
show("solve", sum(abs(solve(S, A))))
values <- svd(A)
show("svd", sum(values$d))
show("svd_residual", max(abs(values$u %*% diag(values$d) %*% t(values$v) - A)) < 1e-9)
show("eigen", sum(abs(eigen(A + t(A))$values)))
