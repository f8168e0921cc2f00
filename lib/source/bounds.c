/* SPDX-License-Identifier: BSD-3-Clause */
/* Heads of loops: what `for (i = first; condition; i += step)` runs through, as a range of the text form. */
#include <inttypes.h>
#include <string.h>

#include "source/region.h"

struct head {
  const struct ppi_c_token *counter;
  const struct ppi_c_expr *first, *condition, *advance;
  struct ppi_text start;  /* the first value; of a loop downwards by one, the value above it */
  struct ppi_text limits; /* bounds of the side to which it runs: "a" or "a, b" */
  int limit_count;
  bool nonnegative_limit; /* of a loop downwards: no bound is negative */
  int64_t step;           /* != 0; of a step that is a size: 1, and its text in step_text */
  struct ppi_text step_text;
};

static void free_head(struct head *head) {
  ppi_text_free(&head->step_text);
  ppi_text_free(&head->limits);
  ppi_text_free(&head->start);
}

static bool is_counter(const struct head *head, const struct ppi_c_expr *expr) {
  return expr->op == PPI_C_IDENTIFIER && ppi_c_same_name(expr->first, head->counter);
}

/* `i = first`, with or without a type. */
static enum perfpred_status parse_first(struct ppi_region *region, struct head *head) {
  struct ppi_c_parser *parser = region->parser;
  struct ppi_c_expr *expr = NULL;
  if (ppi_c_is(parser, ";"))
    return ppi_c_expected(parser, "'i = FIRST' in the head of the loop");
  while ((ppi_c_starts_type(parser, parser->at) || parser->at[0].kind == PPI_C_NAME) &&
         parser->at[1].kind == PPI_C_NAME)
    parser->at++; /* a type */
  enum perfpred_status status = ppi_c_parse_expr(parser, &expr);
  if (status)
    return status;
  if (expr->op != PPI_C_ASSIGN || strcmp(expr->mark, "=") != 0 || expr->a->op != PPI_C_IDENTIFIER)
    return ppi_region_error(region, expr, "expected 'i = FIRST' in the head of the loop");
  head->counter = expr->a->first;
  head->first = expr->b;
  return ppi_c_expect(parser, ";");
}

static enum perfpred_status parse_head(struct ppi_region *region, struct head *head) {
  struct ppi_c_parser *parser = region->parser;
  struct ppi_c_expr *expr = NULL;
  enum perfpred_status status = ppi_c_expect(parser, "(");
  if (!status)
    status = parse_first(region, head);
  if (!status && ppi_c_is(parser, ";"))
    status = ppi_c_expected(parser, "a condition on the counter");
  if (!status)
    status = ppi_c_parse_expr(parser, &expr);
  head->condition = expr;
  if (!status)
    status = ppi_c_expect(parser, ";");
  if (!status)
    status = ppi_c_parse_expr(parser, &expr);
  head->advance = expr;
  return status ? status : ppi_c_expect(parser, ")");
}

/* sign * step: a number, or upwards a size. */
static enum perfpred_status set_step(struct ppi_region *region, struct head *head, const struct ppi_c_expr *step,
                                     int sign) {
  int64_t value = 0;
  if (ppi_c_value(region->parser, step, &value)) {
    if (value == 0 || value < -INT32_MAX || value > INT32_MAX)
      return ppi_region_error(region, head->advance, "a step that is 0 or beyond 31 bits");
    head->step = sign * value;
    return PERFPRED_OK;
  }
  if (sign < 0 || !ppi_region_is_index(region, step) || ppi_region_depends(region, step) ||
      !ppi_region_is_nonnegative(region, step))
    return ppi_region_error(region, head->advance, "a step that is neither a number nor upwards by a size");
  head->step = 1;
  return ppi_region_index(region, step, &head->step_text);
}

static bool is_mark(const struct ppi_c_expr *expr, enum ppi_c_op op, const char *mark) {
  return expr->op == op && !strcmp(expr->mark, mark);
}

/* What is added to (*sign 1) or taken from the counter by `i += s`, `i -= s`, `i = i + s`, `i = s + i`, `i = i - s`; else NULL. */
static const struct ppi_c_expr *find_step(const struct head *head, const struct ppi_c_expr *expr, int *sign) {
  const struct ppi_c_expr *right = expr->b;
  *sign = 1;
  if (expr->op != PPI_C_ASSIGN || !is_counter(head, expr->a))
    return NULL;
  if (is_mark(expr, PPI_C_ASSIGN, "+="))
    return right;
  if (is_mark(expr, PPI_C_ASSIGN, "=") && is_mark(right, PPI_C_BINARY, "+"))
    return is_counter(head, right->a) ? right->b : is_counter(head, right->b) ? right->a : NULL;
  *sign = -1;
  if (is_mark(expr, PPI_C_ASSIGN, "-="))
    return right;
  const bool less = is_mark(expr, PPI_C_ASSIGN, "=") && is_mark(right, PPI_C_BINARY, "-");
  return less && is_counter(head, right->a) ? right->b : NULL;
}

static enum perfpred_status read_advance(struct ppi_region *region, struct head *head) {
  const struct ppi_c_expr *expr = head->advance;
  int sign = 1;
  if ((expr->op == PPI_C_PREFIX || expr->op == PPI_C_POSTFIX) && expr->mark[1] && is_counter(head, expr->a)) {
    head->step = expr->mark[0] == '+' ? 1 : -1;
    return PERFPRED_OK;
  }
  const struct ppi_c_expr *step = find_step(head, expr, &sign);
  return step ? set_step(region, head, step, sign)
              : ppi_region_error(region, expr, "expected i++, i--, i += STEP or i -= STEP");
}

/* One more bound: the text, plus a number. */
static void add_limit(struct head *head, const struct ppi_text *text, int plus) {
  ppi_text_append(&head->limits, head->limit_count++ > 0 ? ", " : "");
  if (text->data)
    ppi_text_append_n(&head->limits, text->data, text->length);
  if (plus != 0)
    ppi_text_printf(&head->limits, " %c %d", plus > 0 ? '+' : '-', plus > 0 ? plus : -plus);
  head->limits.failed = head->limits.failed || text->failed;
}

/* number * something, so that factor times that fits. */
static bool is_multiple(const struct ppi_c_expr *expr, int64_t factor) {
  return expr->op == PPI_C_BINARY && !strcmp(expr->mark, "*") && expr->a->op == PPI_C_INTEGER &&
         expr->a->value <= INT32_MAX && factor >= -INT32_MAX && factor <= INT32_MAX;
}

/* How often the counter is in a sum, and the rest of it as text: terms "+(a)" and "-(b)". False: it is in something else. */
static bool split(const struct head *head, const struct ppi_c_expr *expr, int64_t factor, int64_t *often) {
  if (is_counter(head, expr))
    return !__builtin_add_overflow(*often, factor, often);
  if (expr->op == PPI_C_BINARY && !strcmp(expr->mark, "+"))
    return split(head, expr->a, factor, often) && split(head, expr->b, factor, often);
  if (expr->op == PPI_C_BINARY && !strcmp(expr->mark, "-"))
    return split(head, expr->a, factor, often) && split(head, expr->b, -factor, often);
  if (is_multiple(expr, factor))
    return split(head, expr->b, factor * expr->a->value, often);
  return true;
}

static bool mentions(const struct head *head, const struct ppi_c_expr *expr) {
  if (!expr)
    return false;
  if (is_counter(head, expr))
    return true;
  for (const struct ppi_c_expr *part = expr->b; part; part = part->next)
    if (mentions(head, part))
      return true;
  return mentions(head, expr->a) || mentions(head, expr->c);
}

/* factor * expr without the counter, as a sum. */
static enum perfpred_status write_rest(struct ppi_region *region, const struct head *head,
                                       const struct ppi_c_expr *expr, int64_t factor, struct ppi_text *text) {
  if (is_counter(head, expr))
    return PERFPRED_OK;
  const bool sum = expr->op == PPI_C_BINARY && (!strcmp(expr->mark, "+") || !strcmp(expr->mark, "-"));
  if (mentions(head, expr) && sum) {
    enum perfpred_status status = write_rest(region, head, expr->a, factor, text);
    return status ? status : write_rest(region, head, expr->b, expr->mark[0] == '+' ? factor : -factor, text);
  }
  if (mentions(head, expr)) {
    if (is_multiple(expr, factor))
      return write_rest(region, head, expr->b, factor * expr->a->value, text);
    return ppi_region_error(region, expr, "a condition on the counter that no bound follows from");
  }
  ppi_text_printf(text, " + (%" PRId64 ") * (", factor);
  enum perfpred_status status = ppi_region_index(region, expr, text);
  ppi_text_append(text, ")");
  return status;
}

/* How often the counter is in a - b, if a bound on the side to which the loop runs follows from that; else 0. */
static int64_t count_counter(const struct head *head, const struct ppi_c_expr *a, const struct ppi_c_expr *b) {
  int64_t often = 0;
  if (!split(head, a, 1, &often) || !split(head, b, -1, &often))
    return 0;
  return (often > 0) == (head->step > 0) && often <= INT32_MAX && often >= -INT32_MAX ? often : 0;
}

/* i < rest / often, or i > -rest / -often */
static void add_quotient(struct head *head, const struct ppi_text *rest, int64_t often) {
  struct ppi_text bound = PPI_TEXT_INIT;
  const char *text = rest->data ? rest->data : "";
  if (often > 0)
    ppi_text_printf(&bound, often == 1 ? "(%s)" : "ceildiv(%s, %" PRId64 ")", text, often);
  else
    ppi_text_printf(&bound, often == -1 ? "(-(%s))" : "floordiv(-(%s), %" PRId64 ")", text, -often);
  bound.failed = bound.failed || rest->failed;
  add_limit(head, &bound, often > 0 ? 0 : 1);
  ppi_text_free(&bound);
}

/* a < b + slack, where the counter may stand anywhere: often * i < rest. */
static enum perfpred_status read_general(struct ppi_region *region, struct head *head, const struct ppi_c_expr *a,
                                         const struct ppi_c_expr *b, int slack) {
  struct ppi_text rest = PPI_TEXT_INIT;
  const int64_t often = count_counter(head, a, b);
  if (often == 0)
    return ppi_region_error(region, head->condition, "expected a bound for the counter, on the side to which it runs");
  ppi_text_printf(&rest, "%d", slack);
  enum perfpred_status status = write_rest(region, head, b, 1, &rest);
  if (!status)
    status = write_rest(region, head, a, -1, &rest);
  if (!status)
    add_quotient(head, &rest, often);
  head->nonnegative_limit = false;
  ppi_text_free(&rest);
  return status;
}

/* n of `n - 1`, so that `i <= n - 1` becomes a bound that people would write; else NULL. */
static const struct ppi_c_expr *next_lower(const struct ppi_c_expr *expr) {
  const bool less = expr->op == PPI_C_BINARY && !strcmp(expr->mark, "-") && expr->b->op == PPI_C_INTEGER;
  return less && expr->b->value == 1 ? expr->a : NULL;
}

/* i < b + slack upwards, i > b - slack downwards. */
static enum perfpred_status read_simple(struct ppi_region *region, struct head *head, const struct ppi_c_expr *b,
                                        int slack) {
  struct ppi_text bound = PPI_TEXT_INIT;
  int plus = head->step > 0 ? slack : 1 - slack;
  const struct ppi_c_expr *lower = plus == 1 ? next_lower(b) : NULL;
  plus -= lower ? 1 : 0;
  ppi_text_append(&bound, "(");
  enum perfpred_status status = ppi_region_index(region, lower ? lower : b, &bound);
  ppi_text_append(&bound, ")");
  if (!status)
    add_limit(head, &bound, plus);
  head->nonnegative_limit = head->nonnegative_limit && ppi_region_is_nonnegative(region, b);
  ppi_text_free(&bound);
  return status;
}

/* a < b (+ 1 where they may be equal). */
static enum perfpred_status read_less(struct ppi_region *region, struct head *head, const struct ppi_c_expr *a,
                                      const struct ppi_c_expr *b, int slack) {
  if (head->step > 0 && is_counter(head, a) && !mentions(head, b))
    return read_simple(region, head, b, slack);
  if (head->step < 0 && is_counter(head, b) && !mentions(head, a))
    return read_simple(region, head, a, slack);
  return read_general(region, head, a, b, slack);
}

static bool is_comparison(const struct ppi_c_expr *expr) {
  return expr->op == PPI_C_BINARY && (expr->mark[0] == '<' || expr->mark[0] == '>') && expr->mark[1] != expr->mark[0];
}

/* i != END, with steps of 1 */
static bool is_end(const struct head *head, const struct ppi_c_expr *expr) {
  return is_mark(expr, PPI_C_BINARY, "!=") && (head->step == 1 || head->step == -1) && is_counter(head, expr->a);
}

/* A comparison as a < b, or a <= b (*slack 1); a `!=` as what ends the loop. False: it is none. */
static bool turn_comparison(const struct head *head, const struct ppi_c_expr *expr, const struct ppi_c_expr **a,
                            const struct ppi_c_expr **b, int *slack) {
  const bool compares = is_comparison(expr);
  if (!compares && !is_end(head, expr))
    return false;
  const bool upwards = compares ? expr->mark[0] == '<' : head->step > 0;
  *a = upwards ? expr->a : expr->b;
  *b = upwards ? expr->b : expr->a;
  *slack = compares && expr->mark[1] ? 1 : 0;
  return true;
}

static enum perfpred_status read_condition(struct ppi_region *region, struct head *head,
                                           const struct ppi_c_expr *expr) {
  const struct ppi_c_expr *a = NULL, *b = NULL;
  int slack = 0;
  if (is_mark(expr, PPI_C_BINARY, "&&")) {
    enum perfpred_status status = read_condition(region, head, expr->a);
    return status ? status : read_condition(region, head, expr->b);
  }
  if (!ppi_region_is_index(region, expr) && !mentions(head, expr))
    return ppi_region_error(region, expr, "a condition that depends on data");
  return turn_comparison(head, expr, &a, &b, &slack)
             ? read_less(region, head, a, b, slack)
             : ppi_region_error(region, expr, "expected a bound for the counter, on the side to which it runs");
}

static enum perfpred_status write_start(struct ppi_region *region, struct head *head) {
  const struct ppi_c_expr *above = head->step == -1 ? next_lower(head->first) : NULL;
  if (head->step != -1 || above)
    return ppi_region_index(region, above ? above : head->first, &head->start);
  ppi_text_append(&head->start, "(");
  enum perfpred_status status = ppi_region_index(region, head->first, &head->start);
  ppi_text_append(&head->start, ") + 1");
  return status;
}

static enum perfpred_status read_head(struct ppi_region *region, struct head *head) {
  enum perfpred_status status = parse_head(region, head);
  if (!status)
    status = read_advance(region, head);
  if (!status)
    status = write_start(region, head);
  head->nonnegative_limit = true;
  return status ? status : read_condition(region, head, head->condition);
}

static void append(struct ppi_text *text, const struct ppi_text *part) {
  if (part->data)
    ppi_text_append_n(text, part->data, part->length);
  text->failed = text->failed || part->failed;
}

/* name in START:LIMIT [by STEP] */
static void write_upwards(const struct head *head, const char *name, struct ppi_text *text) {
  ppi_text_printf(text, "for %s in ", name);
  append(text, &head->start);
  ppi_text_append(text, head->limit_count > 1 ? ":min(" : ":");
  append(text, &head->limits);
  ppi_text_append(text, head->limit_count > 1 ? ")" : "");
  if (head->step_text.length > 0) {
    ppi_text_append(text, " by ");
    append(text, &head->step_text);
  } else if (head->step != 1) {
    ppi_text_printf(text, " by %" PRId64, head->step);
  }
}

static void write_lowest(const struct head *head, struct ppi_text *text) {
  ppi_text_append(text, head->limit_count > 1 ? "max(" : "(");
  append(text, &head->limits);
  ppi_text_append(text, ")");
}

/* LOWEST:START+1 down */
static void write_downwards(const struct head *head, const char *name, struct ppi_text *text) {
  ppi_text_printf(text, "for %s in ", name);
  write_lowest(head, text);
  ppi_text_append(text, ":");
  append(text, &head->start);
  ppi_text_append(text, " down");
}

/* Downwards by more than one: a loop over the number of the step, and the counter from it. */
static void write_numbered(const struct head *head, const char *name, struct ppi_text *text) {
  ppi_text_printf(text, "for %s in 0:((", name);
  append(text, &head->start);
  ppi_text_append(text, ") - ");
  write_lowest(head, text);
  ppi_text_printf(text, ") // %" PRId64 " + 1", -head->step);
}

static enum perfpred_status open_numbered(struct ppi_region *region, const struct head *head,
                                          struct ppi_region_name **counter, int line) {
  struct ppi_region_name *number = NULL;
  struct ppi_text text = PPI_TEXT_INIT;
  char name[PPI_NAME_MAX];
  static const struct ppi_c_token word = { .kind = PPI_C_NAME, .text = "t_", .length = 2 };
  region->level++;
  enum perfpred_status status = ppi_region_add_name(region, &word, PPI_REGION_COUNTER, &number);
  if (!status) {
    strcpy(name, number->text);
    status = ppi_region_add_name(region, head->counter, PPI_REGION_LET, counter);
  }
  region->level--;
  if (status)
    return status;
  write_numbered(head, name, &text);
  status = ppi_region_open(region, line, &text);
  if (status)
    return status;
  ppi_text_printf(&text, "let %s = (", (*counter)->text);
  append(&text, &head->start);
  ppi_text_printf(&text, ") - %" PRId64 " * %s", -head->step, name);
  status = ppi_region_open(region, line, &text);
  region->level--; /* a let opens no block */
  return status;
}

static enum perfpred_status open_plain(struct ppi_region *region, const struct head *head,
                                       struct ppi_region_name **counter, int line) {
  struct ppi_text text = PPI_TEXT_INIT;
  region->level++;
  enum perfpred_status status = ppi_region_add_name(region, head->counter, PPI_REGION_COUNTER, counter);
  region->level--;
  if (status)
    return status;
  if (head->step > 0)
    write_upwards(head, (*counter)->text, &text);
  else
    write_downwards(head, (*counter)->text, &text);
  return ppi_region_open(region, line, &text);
}

enum perfpred_status ppi_region_loop(struct ppi_region *region) {
  struct head head = { .step = 1 };
  struct ppi_region_name *counter = NULL;
  const int line = region->parser->at->line;
  enum perfpred_status status = read_head(region, &head);
  if (!status && ppi_region_varies(region, head.counter))
    status = ppi_c_error(region->parser->error, &region->parser->tokens, head.counter, PERFPRED_UNSUPPORTED,
                         "not affine: %.*s (the counter of a loop changes in its body)", head.counter->length,
                         head.counter->text);
  if (!status)
    status = head.step < -1 ? open_numbered(region, &head, &counter, line) : open_plain(region, &head, &counter, line);
  if (!status)
    counter->nonnegative = head.step > 0 ? ppi_region_is_nonnegative(region, head.first) : head.nonnegative_limit;
  free_head(&head);
  if (!status)
    status = ppi_region_statement(region);
  return status ? status : ppi_region_close(region);
}
