/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache/touches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int ppi_touch_arguments(const struct perfpred_kernel *kernel, int arguments[PPI_ARG_MAX]) {
  int count = 0;
  for (int i = 0; i < kernel->arg_count; i++)
    if (kernel->args[i].kind == PPI_ARG_DATA)
      arguments[count++] = i;
  return count;
}

/* More than so many data arguments are only touched as they are. */
#define ORDERED_MAX 8

size_t ppi_touch_orders(const struct perfpred_kernel *kernel) {
  int arguments[PPI_ARG_MAX];
  const int count = ppi_touch_arguments(kernel, arguments);
  size_t orders = 1;
  for (int i = 2; i <= count && count <= ORDERED_MAX; i++)
    orders *= (size_t)i;
  return orders;
}

static char flag_of(const struct perfpred_kernel *kernel, const struct ppi_value *values, const char *name) {
  const int place = ppi_kernel_argument(kernel, name);
  return place >= 0 && kernel->args[place].kind == PPI_ARG_FLAG ? (char)values[place].i : '\0';
}

bool ppi_touch_is_backward(const struct perfpred_kernel *kernel, const struct ppi_value *values) {
  const char side = flag_of(kernel, values, "side"), uplo = flag_of(kernel, values, "uplo");
  const char trans = flag_of(kernel, values, "transa");
  const size_t length = strlen(kernel->name);
  if (length != 5 || !side || !uplo || !trans)
    return false;
  const bool upper = (uplo == 'U') == (trans == 'N'); /* of op(A) */
  if (strcmp(kernel->name + 1, "trsm") == 0)          /* L X = B begins at the top left, U X = B at the bottom right */
    return upper == (side == 'L');
  if (strcmp(kernel->name + 1, "trmm") == 0) /* in place: rows that are still needed come last */
    return upper != (side == 'L');
  return false;
}

/* The order-th permutation in the order of a dictionary. */
static void permute(int *items, int count, size_t order) {
  size_t block = 1;
  for (int i = 2; i < count; i++)
    block *= (size_t)i;
  for (int i = 0; i < count - 1; i++) {
    const size_t place = order / block;
    const int chosen = items[(size_t)i + place];
    memmove(items + i + 1, items + i, place * sizeof *items);
    items[i] = chosen;
    order %= block;
    block /= (size_t)(count - 1 - i);
  }
}

static void cut(const struct ppi_touch_kind *kind, struct ppi_touch *touch) {
  const bool rows = kind->part == PPI_TOUCH_ROW_PANEL || kind->part == PPI_TOUCH_SQUARE_BLOCK;
  const bool columns = kind->part == PPI_TOUCH_COLUMN_PANEL || kind->part == PPI_TOUCH_SQUARE_BLOCK;
  if ((double)touch->rows * (double)touch->columns <= (double)kind->large)
    return;
  if (rows && touch->rows > kind->width) {
    touch->row = kind->mirrored ? touch->rows - kind->width : 0;
    touch->rows = kind->width;
  }
  if (columns && touch->columns > kind->width) {
    touch->column = kind->mirrored ? touch->columns - kind->width : 0;
    touch->columns = kind->width;
  }
}

enum perfpred_status ppi_touches_of_kind(const struct perfpred_kernel *kernel, const struct ppi_value *values,
                                         const struct ppi_touch_kind *kind, struct ppi_touch touches[PPI_TOUCHES_MAX],
                                         int *count, struct perfpred_error *error) {
  int arguments[PPI_ARG_MAX], made = 0;
  const int total = ppi_touch_arguments(kernel, arguments);
  if (kind->order >= ppi_touch_orders(kernel))
    return ppi_error_set(error, PERFPRED_INVALID, "order %zu of the operands of %s: expected less than %zu",
                         kind->order, kernel->name, ppi_touch_orders(kernel));
  if (kind->part != PPI_TOUCH_WHOLE && kind->width < 1)
    return ppi_error_set(error, PERFPRED_INVALID, "width %lld of a part: expected at least 1", (long long)kind->width);
  if (total > 1 && kind->order > 0)
    permute(arguments, total, kind->order);
  for (int i = 0; i < total; i++) {
    struct ppi_touch touch = { .argument = arguments[i] };
    enum perfpred_status status = ppi_kernel_extent(kernel, values, arguments[i], &touch.rows, &touch.columns, error);
    if (status)
      return status;
    if (touch.rows <= 0 || touch.columns <= 0)
      continue;
    cut(kind, &touch);
    touches[made++] = touch;
  }
  *count = made;
  return PERFPRED_OK;
}

/* An operand and how much is accessed between it and the call. */
struct distant {
  const struct ppi_cache_operand *operand;
  double bytes;
};

static int by_distance(const void *a, const void *b) {
  const struct distant *x = a, *y = b;
  return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* What was accessed since the part of the operand that lies farthest back, without that access itself. */
static double since(const struct perfpred_cache *cache, const struct ppi_cache_operand *operand) {
  double lines = 0.0;
  for (size_t i = 0; i < operand->part_count; i++) {
    const struct ppi_part *part = &cache->parts.items[operand->part_first + i];
    if (part->access == 0)
      return (double)INFINITY;
    lines = (double)part->after > lines ? (double)part->after : lines;
  }
  return lines * (double)cache->options.line_bytes;
}

static int64_t bytes_of(double bytes) {
  return bytes >= (double)(INT64_MAX / 2) ? INT64_MAX / 2 : (int64_t)bytes;
}

void ppi_touches_of_call(const struct perfpred_cache *cache, size_t call, double limit_bytes,
                         struct ppi_touch touches[PPI_TOUCHES_MAX], int *count) {
  const struct ppi_cache_call *of = &cache->calls[call];
  struct ppi_touch reverse[PPI_TOUCHES_MAX] = { { .argument = -1 } }; /* from the call backwards */
  struct distant list[PPI_ARG_MAX] = { { .operand = NULL } };
  int made = 0, known = 0;
  double filled = 0.0;
  for (int i = 0; i < of->operand_count; i++) {
    const struct ppi_cache_operand *operand = &cache->operands[of->operand_first + (size_t)i];
    list[known++] = (struct distant){ operand, since(cache, operand) };
  }
  qsort(list, (size_t)known, sizeof *list, by_distance);
  for (int i = 0; i < known; i++) {
    const struct ppi_cache_operand *operand = list[i].operand;
    const bool beyond = list[i].bytes >= limit_bytes;
    const double gap = (beyond ? limit_bytes : list[i].bytes) - filled;
    if (gap > 0.0) {
      reverse[made++] = (struct ppi_touch){ .argument = -1, .bytes = bytes_of(gap) };
      filled += gap;
    }
    if (beyond)
      break;
    reverse[made++] = (struct ppi_touch){ .argument = operand->argument,
                                          .rows = operand->region.rows,
                                          .columns = operand->region.columns };
    filled += (double)operand->lines * (double)cache->options.line_bytes;
  }
  for (int i = 0; i < made; i++)
    touches[i] = reverse[made - 1 - i];
  *count = made;
}
