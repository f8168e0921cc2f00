/* SPDX-License-Identifier: BSD-3-Clause */
/* Integer expressions over named values: + - * / // % ( ) comparisons, `&&`, `||`, `?:`, min, max, floordiv, ceildiv.
 * / is exact (an error when it leaves a remainder), // rounds down. Immutable once parsed. */
#ifndef PPI_BASE_EXPR_H
#define PPI_BASE_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/scan.h"

struct ppi_expr;

/* Names that an expression may use. Value i of an evaluation is that of names[i]; later names hide earlier ones. */
struct ppi_scope {
  const char *const *names;
  size_t count;
  const char *letters; /* single upper-case letters that stand for themselves (flags), or NULL */
};

/* Reads one expression at the scanner's place. The caller owns it. */
enum perfpred_status ppi_expr_parse(struct ppi_scanner *scanner, const struct ppi_scope *scope, struct ppi_expr **expr);
enum perfpred_status ppi_expr_constant(int64_t value, struct ppi_expr **expr, struct perfpred_error *error);
void ppi_expr_destroy(struct ppi_expr *expr); /* NULL is fine */

/* Exact value; PERFPRED_OVERFLOW beyond 64 bits, PERFPRED_INVALID for a division by 0 or with a remainder. */
enum perfpred_status ppi_expr_eval(const struct ppi_expr *expr, const int64_t *values, int64_t *result,
                                   struct perfpred_error *error);
/* Value in floating point (costs, flop counts), / as real division; NaN for a division by 0. */
double ppi_expr_real(const struct ppi_expr *expr, const int64_t *values);

/* Whether the value is c[0]*v[0] + ... + c[count-1]*v[count-1] + *constant for all values; if so, gives the coefficients. */
bool ppi_expr_affine(const struct ppi_expr *expr, size_t count, int64_t *coefficients, int64_t *constant);
bool ppi_expr_is_constant(const struct ppi_expr *expr, int64_t *value);
bool ppi_expr_uses(const struct ppi_expr *expr, size_t slot);
/* Degree in values[slot] as a polynomial, with conditions decided by the given values of the other slots. -1: not a polynomial. */
int ppi_expr_degree(const struct ppi_expr *expr, size_t slot, const int64_t *values);
/* Whether it is a comparison by < <= > >= of two expressions that are linear in the slots of `variables` (bit i: slot i); conditions on
   other slots may choose between such. */
bool ppi_expr_is_inequality(const struct ppi_expr *expr, uint32_t variables);
/* Of such a comparison of integers: by how much it holds, negative where it does not. */
enum perfpred_status ppi_expr_slack(const struct ppi_expr *expr, const int64_t *values, int64_t *slack,
                                    struct perfpred_error *error);
/* Whether it is a comparison by < <= > >= whose slack is affine (as ppi_expr_affine) in at most PPI_EXPR_SLOTS values; if so, gives the
   coefficients: it holds where their sum is at least 0. Otherwise what they point to is undefined. */
#define PPI_EXPR_SLOTS 64
bool ppi_expr_affine_slack(const struct ppi_expr *expr, size_t count, int64_t *coefficients, int64_t *constant);
/* Prints with the fewest parentheses; names as in the scope that it was parsed with. c_style: / and // as C. */
void ppi_expr_print(const struct ppi_expr *expr, const struct ppi_scope *scope, bool c_style, struct ppi_text *text);
bool ppi_expr_equal(const struct ppi_expr *a, const struct ppi_expr *b);

#endif
