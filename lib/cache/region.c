/* SPDX-License-Identifier: BSD-3-Clause */
#include "cache/region.h"

#include <assert.h>
#include <string.h>

static int flag_of(const struct perfpred_kernel *kernel, const struct ppi_value *values, const char *name) {
  const int place = ppi_kernel_argument(kernel, name);
  return place >= 0 && kernel->args[place].kind == PPI_ARG_FLAG ? (int)values[place].i : 0;
}

/* Reflectors: the v-th starts with an implicit 1 and zeros before it (direct F), or ends so (B), in columns or rows. */
static void outline_reflectors(bool forward, bool in_columns, struct ppi_region *region) {
  const int64_t over = region->rows - region->columns;
  region->outline = in_columns == forward ? PPI_OUTLINE_LOWER : PPI_OUTLINE_UPPER;
  if (forward)
    region->diagonal = in_columns ? 1 : -1;
  else
    region->diagonal = in_columns ? over - 1 : over + 1;
}

void ppi_region_outline(const struct perfpred_kernel *kernel, const struct ppi_value *values, int place, int64_t rows,
                        int64_t columns, struct ppi_region *region) {
  const struct ppi_arg *arg = &kernel->args[place];
  const int direct = flag_of(kernel, values, "direct"), storev = flag_of(kernel, values, "storev");
  region->rows = rows;
  region->columns = columns;
  region->outline = PPI_OUTLINE_FULL;
  region->diagonal = 0;
  if (arg->shape == PPI_SHAPE_TRIANGLE) {
    const int letter = arg->uplo >= 0 ? (int)values[arg->uplo].i : arg->uplo_letter;
    const bool implicit = arg->diag >= 0 && values[arg->diag].i == 'U';
    region->outline = letter == 'U' ? PPI_OUTLINE_UPPER : PPI_OUTLINE_LOWER;
    region->diagonal = !implicit ? 0 : letter == 'U' ? -1 : 1;
  } else if (arg->shape == PPI_SHAPE_MATRIX && direct && storev && strcmp(arg->name, "v") == 0) {
    outline_reflectors(direct == 'F', storev == 'C', region);
  }
}

void ppi_region_column(const struct ppi_region *region, int64_t column, int64_t *first, int64_t *end) {
  const int64_t at = column + region->diagonal;
  int64_t from = 0, to = region->rows;
  if (region->outline == PPI_OUTLINE_LOWER && at > 0)
    from = at;
  if (region->outline == PPI_OUTLINE_UPPER && at + 1 < to)
    to = at + 1;
  *first = from < to ? from : 0;
  *end = from < to ? to : 0;
}

void ppi_region_lines(const struct ppi_region *region, int shift, ppi_region_visit *visit, void *data) {
  int64_t open = 0, end = 0; /* the run that is not told yet */
  assert(region->columns <= 1 || region->ld >= region->rows);
  for (int64_t column = 0; column < region->columns; column++) {
    int64_t row = 0, row_end = 0;
    ppi_region_column(region, column, &row, &row_end);
    if (row == row_end)
      continue;
    const int64_t start = region->base + column * region->ld * region->element;
    const int64_t first = (start + row * region->element) >> shift;
    const int64_t last = (start + row_end * region->element - 1) >> shift;
    if (end > open && first > end) {
      visit(data, open, end);
      open = first;
    } else if (end == open) {
      open = first;
    }
    end = last + 1;
  }
  if (end > open)
    visit(data, open, end);
}

static void add_run(void *data, int64_t first, int64_t end) {
  *(int64_t *)data += end - first;
}

int64_t ppi_region_line_count(const struct ppi_region *region, int shift) {
  int64_t count = 0;
  ppi_region_lines(region, shift, add_run, &count);
  return count;
}
