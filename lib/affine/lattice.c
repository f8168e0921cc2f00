/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>

#include "affine/nest.h"

/* References to one array of the program. */
struct group {
  struct ppi_nest *nest;
  int buffer, dimensions, inner;
  int64_t per_line; /* elements, as they are numbered now */
  int64_t stride[PPI_ARRAY_DIMENSIONS];
};

static bool is_of(const struct group *group, int index) {
  return group->nest->references[index].node->buffer == group->buffer;
}

/* What the coefficients of a subscript share over all references; 0: it is a number in all of them. */
static int64_t common_stride(const struct group *group, int subscript) {
  int64_t common = 0;
  for (int i = 0; i < group->nest->count; i++)
    for (int loop = 0; loop < PPI_LOOPS && is_of(group, i); loop++)
      common = ppi_gcd(common, group->nest->references[i].subscripts[subscript].c[loop]);
  return common;
}

/* Numbers by strides, rounded down. */
static void divide(const struct group *group, int subscript, int64_t stride) {
  for (int i = 0; i < group->nest->count && stride > 1; i++) {
    struct ppi_affine *affine = &group->nest->references[i].subscripts[subscript];
    if (!is_of(group, i))
      continue;
    for (int loop = 0; loop < PPI_LOOPS; loop++)
      affine->c[loop] /= stride;
    affine->constant = ppi_floor_div(affine->constant, stride);
  }
}

__extension__ typedef __int128 wide;

/* Splits an affine form into whole multiples of `row` and a rest that lies in 0 .. row - 1 for all counters of a reference. False: it
   does not. */
static bool split_form(const struct ppi_nest_reference *reference, const struct ppi_affine *form, int64_t row,
                       struct ppi_affine *rows, struct ppi_affine *rest) {
  wide least = form->constant, most = form->constant;
  *rest = *form;
  memset(rows, 0, sizeof *rows);
  for (int i = 0; i < reference->depth; i++) {
    const int64_t factor = form->c[i];
    if (factor % row == 0) {
      rows->c[i] = factor / row;
      rest->c[i] = 0;
      continue;
    }
    least += (wide)factor * (factor > 0 ? reference->low[i] : reference->high[i]);
    most += (wide)factor * (factor > 0 ? reference->high[i] : reference->low[i]);
  }
  if (least > INT64_MAX / 2 || least < INT64_MIN / 2)
    return false;
  rows->constant = ppi_floor_div((int64_t)least, row);
  rest->constant = form->constant - rows->constant * row;
  return most - (wide)rows->constant * row < row;
}

/* Subscripts along lines of the form row * (...) + rest, as of matrices that a program keeps in one-dimensional arrays, become two. */
static bool split_by(struct group *group, int64_t row, bool apply) {
  for (int i = 0; i < group->nest->count; i++) {
    struct ppi_nest_reference *reference = &group->nest->references[i];
    struct ppi_affine rows, rest;
    if (!is_of(group, i) || reference->empty)
      continue;
    if (!split_form(reference, &reference->subscripts[group->inner], row, &rows, &rest))
      return false;
    if (apply) {
      reference->subscripts[group->inner] = rest;
      reference->subscripts[group->dimensions] = rows;
    }
  }
  return true;
}

/* The largest length of a row, below a given one, that a coefficient suggests; 0: none. */
static int64_t next_row(const struct group *group, int64_t below) {
  int64_t found = 0;
  for (int i = 0; i < group->nest->count; i++)
    for (int loop = 0; loop < PPI_LOOPS && is_of(group, i); loop++) {
      const int64_t factor = group->nest->references[i].subscripts[group->inner].c[loop];
      const int64_t size = factor < 0 ? -factor : factor;
      if (size > found && size < below && size >= group->per_line && size > 1 && size % group->per_line == 0)
        found = size;
    }
  return found;
}

static void split_rows(struct group *group) {
  int64_t row = next_row(group, INT64_MAX);
  for (; row > 0 && group->dimensions < PPI_ARRAY_DIMENSIONS; row = next_row(group, row))
    if (split_by(group, row, false)) {
      split_by(group, row, true);
      group->dimensions++;
    }
}

/* Elements of which a line has a whole number are as good as one. */
static void join_elements(struct group *group) {
  const int64_t stride = ppi_gcd(common_stride(group, group->inner), group->per_line);
  assert(stride >= 1); /* as per_line is */
  divide(group, group->inner, stride);
  group->per_line /= stride;
}

static int64_t rest_of(const struct group *group, int index, int subscript) {
  const int64_t constant = group->nest->references[index].subscripts[subscript].constant,
                stride = group->stride[subscript];
  return constant - ppi_floor_div(constant, stride) * stride;
}

/* Whether two references may meet: they have the same rests by the strides. */
static bool may_meet(const struct group *group, int a, int b) {
  for (int i = 0; i < group->dimensions; i++)
    if (rest_of(group, a, i) != rest_of(group, b, i))
      return false;
  return true;
}

/* Gives each reference the array of the first that it may meet, or a new one. False: too many; there is room for one for each array of
   the program whose turn comes. */
static bool assign_arrays(struct group *group) {
  struct ppi_nest *nest = group->nest;
  for (int i = 0; i < nest->count; i++) {
    int with = 0;
    if (!is_of(group, i))
      continue;
    while (with < i && !(is_of(group, with) && may_meet(group, with, i)))
      with++;
    if (with == i && nest->array_count >= PPI_NEST_ARRAYS - group->buffer)
      return false;
    if (with == i)
      nest->arrays[nest->array_count] =
          (struct ppi_nest_array){ group->buffer, group->dimensions, group->inner, group->per_line };
    nest->references[i].array = with == i ? nest->array_count++ : nest->references[with].array;
  }
  return true;
}

static void find_strides(struct group *group, bool split) {
  for (int i = 0; i < group->dimensions; i++) {
    const int64_t stride = i == group->inner && group->per_line > 1 ? 1 : common_stride(group, i);
    group->stride[i] = split && stride > 1 ? stride : 1;
  }
}

static void find_arrays_of(struct group *group) {
  const int before = group->nest->array_count;
  split_rows(group);
  join_elements(group);
  find_strides(group, true);
  if (!assign_arrays(group)) { /* as one array, for which there is room */
    group->nest->array_count = before;
    find_strides(group, false);
    assign_arrays(group);
  }
  for (int i = 0; i < group->dimensions; i++)
    divide(group, i, group->stride[i]);
}

void ppi_nest_find_arrays(struct ppi_nest *nest) {
  for (int i = 0; i < nest->count; i++)
    memcpy(nest->references[i].subscripts, nest->references[i].given, sizeof nest->references[i].given);
  for (int buffer = nest->layout.count - 1; buffer >= 0; buffer--) {
    const struct ppi_layout_array *array = &nest->layout.arrays[buffer];
    struct group group = { nest, buffer, array->dimensions, array->inner, array->per_line, { 0 } };
    find_arrays_of(&group);
  }
}
