/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and macros in the manner of benchmark suites: a declaration of an array and a bound are macros. */
#ifndef SIZES_H
#define SIZES_H

#ifndef N
#define N 40
#endif
typedef double number;
#define MATRIX(name, rows, columns) number name[rows + 0][columns + 0]
#define VECTOR(name, length) number name[length + 0]
#ifdef SIZES_ARE_PARAMETERS
#define BOUND(size, parameter) parameter
#else
#define BOUND(size, parameter) size
#endif
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
