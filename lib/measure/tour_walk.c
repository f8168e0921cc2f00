/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/tour_walk.h"

#include <assert.h>
#include <string.h>

/* --- The innermost loop ---------------------------------------------------------------------------------------------- */

#define C (PPI_TOUR_OPERANDS - 1)
#define NOTHING(walk)
/* NOLINTBEGIN(bugprone-macro-parentheses): types cannot stand in parentheses */

/* Adds what the kernel returned to C's element, or puts it there, in the parts that the type has. */
#define TAKE(walk, type, parts)                                                                                        \
  do {                                                                                                                 \
    type *to = *(walk)->at[C], value[parts];                                                                           \
    memcpy(value, &(walk)->call.returned, sizeof value);                                                               \
    for (int part = 0; part < (parts); part++)                                                                         \
      to[part] = (walk)->tour->added ? to[part] + value[part] : value[part];                                           \
  } while (0)
#define TAKE_S(walk) TAKE(walk, float, 1)
#define TAKE_D(walk) TAKE(walk, double, 1)
#define TAKE_C(walk) TAKE(walk, float, 2)
#define TAKE_Z(walk) TAKE(walk, double, 2)

/* Calls that differ in the innermost loop alone. The addresses are kept here as well, so that none is read back between two calls. */
#define DEFINE_ROW(name, take)                                                                                         \
  static void name(struct ppi_tour_walk *walk, int64_t count, const int64_t step[PPI_TOUR_OPERANDS]) {                 \
    void **const at_a = walk->at[0], **const at_b = walk->at[1], **const at_c = walk->at[2];                           \
    unsigned char *a = *at_a, *b = *at_b, *c = *at_c;                                                                  \
    for (;;) {                                                                                                         \
      ppi_frame_call(&walk->call);                                                                                     \
      take(walk);                                                                                                      \
      if (--count == 0)                                                                                                \
        return;                                                                                                        \
      *at_a = a += step[0];                                                                                            \
      *at_b = b += step[1];                                                                                            \
      *at_c = c += step[2];                                                                                            \
    }                                                                                                                  \
  }
DEFINE_ROW(row, NOTHING)
DEFINE_ROW(row_s, TAKE_S)
DEFINE_ROW(row_d, TAKE_D)
DEFINE_ROW(row_c, TAKE_C)
DEFINE_ROW(row_z, TAKE_Z)
/* NOLINTEND(bugprone-macro-parentheses) */

static void choose_row(struct ppi_tour_walk *walk) {
  walk->row = row;
  if (walk->tour->operands[C].place >= 0)
    return;
  switch (walk->tour->kernel->return_type) {
  case PPI_TYPE_S:
    walk->row = row_s;
    break;
  case PPI_TYPE_C:
    walk->row = row_c;
    break;
  case PPI_TYPE_Z:
    walk->row = row_z;
    break;
  default:
    walk->row = row_d;
    break;
  }
}

/* --- Making one ------------------------------------------------------------------------------------------------------ */

static bool is_sliced(const struct ppi_tour_copy *copy) {
  return copy->loops >= 0 && copy->rank == 0;
}

/* Strides of the odometer. */
static void measure_steps(struct ppi_tour_walk *walk, const int64_t elements[PPI_TOUR_OPERANDS]) {
  const struct ppi_tour *tour = walk->tour;
  const bool runs = ppi_tour_body(tour, 0) > 0;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    int64_t back = 0; /* from the last iteration of all loops further in to their first */
    for (int l = tour->loop_count - 1; l >= 0; l--) {
      walk->step[l][o] = elements[o] > 0 ? tour->operands[o].step[l] * (int64_t)walk->element : 0;
      walk->move[l][o] = walk->step[l][o] - back;
      back += walk->step[l][o] * (runs ? tour->length[l] - 1 : 0);
    }
  }
}

/* The call gets the address of a packed copy once and for all. */
static enum perfpred_status fill_call(struct ppi_tour_walk *walk, const struct ppi_tour_routines *routines,
                                      struct perfpred_error *error) {
  const struct ppi_tour *tour = walk->tour;
  void *addresses[PPI_ARG_MAX] = { NULL };
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    if (tour->operands[o].place >= 0)
      addresses[tour->operands[o].place] = is_sliced(&tour->operands[o].copy) ? walk->packed[o] : walk->tensor[o];
  enum perfpred_status status =
      ppi_frame_fill(&walk->call, tour->kernel, routines->call, routines->call_ilp64, tour->values, addresses, error);
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    const bool direct = tour->operands[o].place >= 0 && !is_sliced(&tour->operands[o].copy);
    walk->at[o] = direct ? &walk->call.words[tour->operands[o].place] : &walk->own[o];
  }
  return status;
}

static enum perfpred_status fill_copy(struct ppi_tour_walk *walk, int operand, const struct ppi_tour_routines *routines,
                                      struct perfpred_error *error) {
  const struct ppi_tour *tour = walk->tour;
  const struct ppi_tour_copy *copy = &tour->operands[operand].copy;
  const struct ppi_value in[] = {
    { .i = copy->length }, { .buffer = 0 }, { .i = copy->inc }, { .buffer = 1 }, { .i = 1 }
  };
  const struct ppi_value out[] = {
    { .i = copy->length }, { .buffer = 0 }, { .i = 1 }, { .buffer = 1 }, { .i = copy->inc }
  };
  void *const from_tensor[] = { NULL, walk->tensor[operand], NULL, walk->packed[operand], NULL };
  void *const to_tensor[] = { NULL, walk->packed[operand], NULL, walk->tensor[operand], NULL };
  enum perfpred_status status =
      ppi_frame_fill(&walk->in[operand], tour->copier, routines->copy, routines->copy_ilp64, in, from_tensor, error);
  return status == PERFPRED_OK ? ppi_frame_fill(&walk->out[operand], tour->copier, routines->copy, routines->copy_ilp64,
                                                out, to_tensor, error)
                               : status;
}

enum perfpred_status ppi_tour_walk_make(struct ppi_tour_walk *walk, const struct ppi_tour *tour,
                                        const struct ppi_tour_routines *routines,
                                        unsigned char *const tensors[PPI_TOUR_OPERANDS],
                                        unsigned char *const packed[PPI_TOUR_OPERANDS],
                                        const int64_t elements[PPI_TOUR_OPERANDS], struct perfpred_error *error) {
  int64_t rooms[PPI_TOUR_OPERANDS];
  walk->tour = tour;
  walk->element = ppi_type_bytes(
      tour->operands[0].place >= 0 ? tour->kernel->args[tour->operands[0].place].type : tour->kernel->type, false);
  walk->innermost_copy = -1;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    const struct ppi_tour_operand *operand = &tour->operands[o];
    const bool whole = ppi_tour_is_whole(&operand->copy);
    rooms[o] = whole ? operand->copy.length : elements[o];
    walk->tensor[o] = (whole ? packed : tensors)[o] + (rooms[o] > 0 ? (size_t)operand->start * walk->element : 0);
    walk->packed[o] = packed[o];
    walk->origin[o] = tensors[o];
    if (whole)
      ppi_transposition_plan(operand->copy.dimensions, operand->copy.rank, &walk->moved[o]);
    else if (operand->copy.loops > walk->innermost_copy)
      walk->innermost_copy = operand->copy.loops;
  }
  measure_steps(walk, rooms);
  enum perfpred_status status = fill_call(walk, routines, error);
  for (int o = 0; o < PPI_TOUR_OPERANDS && status == PERFPRED_OK; o++)
    if (is_sliced(&tour->operands[o].copy))
      status = fill_copy(walk, o, routines, error);
  if (status != PERFPRED_OK)
    return status;
  choose_row(walk);
  memset(walk->index, 0, sizeof walk->index);
  ppi_tour_walk_seek(walk, 0);
  return PERFPRED_OK;
}

/* --- On the way ------------------------------------------------------------------------------------------------------ */

void ppi_tour_walk_seek(struct ppi_tour_walk *walk, int64_t iteration) {
  int64_t places[PPI_TOUR_OPERANDS] = { 0 };
  for (int l = walk->tour->loop_count - 1; l >= 0; l--) {
    const int64_t length = walk->tour->length[l] > 0 ? walk->tour->length[l] : 1;
    walk->index[l] = iteration % length;
    iteration /= length;
    for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
      places[o] += walk->index[l] * walk->step[l][o];
  }
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    *walk->at[o] = walk->tensor[o] + places[o];
  walk->behind = false;
}

int ppi_tour_walk_advance(struct ppi_tour_walk *walk) {
  int l = walk->tour->loop_count - 1;
  while (l >= 0 && walk->index[l] + 1 == walk->tour->length[l])
    walk->index[l--] = 0;
  assert(l >= 0);
  walk->index[l]++;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    *walk->at[o] = (unsigned char *)*walk->at[o] + walk->move[l][o];
  walk->behind = false;
  return l;
}

void ppi_tour_walk_call(struct ppi_tour_walk *walk, int64_t count) {
  static const int64_t nowhere[PPI_TOUR_OPERANDS] = { 0 };
  walk->row(walk, count, nowhere);
}

/* Arguments of the copier: n, x, incx, y, incy. */
void ppi_tour_walk_copy(struct ppi_tour_walk *walk, int operand, bool out) {
  const struct ppi_tour_copy *copy = &walk->tour->operands[operand].copy;
  struct ppi_frame *frame = out ? &walk->out[operand] : &walk->in[operand];
  if (ppi_tour_is_whole(copy)) {
    ppi_transposition_run(&walk->moved[operand], walk->element, walk->origin[operand], walk->packed[operand], out);
    return;
  }
  unsigned char *tensor = *walk->at[operand], *packed = walk->packed[operand];
  void **const from = &frame->words[1], **const to = &frame->words[3];
  for (int64_t i = 0; i < copy->count; i++) {
    *from = out ? packed : tensor;
    *to = out ? tensor : packed;
    ppi_frame_call(frame);
    tensor += copy->step * (int64_t)walk->element;
    packed += copy->length * (int64_t)walk->element;
  }
}

void ppi_tour_walk_transpose(struct ppi_tour_walk *walk, bool out) {
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++) {
    const struct ppi_tour_copy *copy = &walk->tour->operands[o].copy;
    if (ppi_tour_is_whole(copy) && (out ? copy->out : copy->in))
      ppi_tour_walk_copy(walk, o, out);
  }
}

/* A copy of a slice. */
static bool stands_at(const struct ppi_tour_walk *walk, int operand, int level) {
  const struct ppi_tour_copy *copy = &walk->tour->operands[operand].copy;
  return copy->loops == level && copy->rank == 0;
}

void ppi_tour_walk_enter(struct ppi_tour_walk *walk, int from, int end) {
  for (int level = from; level < end && level <= walk->innermost_copy; level++)
    for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
      if (stands_at(walk, o, level) && walk->tour->operands[o].copy.in)
        ppi_tour_walk_copy(walk, o, false);
}

void ppi_tour_walk_leave(struct ppi_tour_walk *walk, int from) {
  for (int level = walk->innermost_copy; level >= from; level--)
    for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
      if (stands_at(walk, o, level) && walk->tour->operands[o].copy.out)
        ppi_tour_walk_copy(walk, o, true);
}

/* The loop that goes on at the next advance. */
static int next_loop(const struct ppi_tour_walk *walk) {
  int l = walk->tour->loop_count - 1;
  while (l >= 0 && walk->index[l] + 1 == walk->tour->length[l])
    l--;
  return l;
}

/* To the next iteration, with the copies on the way. */
static void go_on(struct ppi_tour_walk *walk) {
  const int level = next_loop(walk) + 1;
  ppi_tour_walk_leave(walk, level);
  ppi_tour_walk_advance(walk);
  ppi_tour_walk_enter(walk, level, PPI_TOUR_LOOPS_MAX + 1);
}

void ppi_tour_walk_run(struct ppi_tour_walk *walk, int64_t count) {
  const int last = walk->tour->loop_count - 1;
  const bool rows = last >= 0 && walk->innermost_copy <= last;
  for (int64_t left = count; left > 0;) {
    int64_t length = 1;
    if (walk->behind)
      go_on(walk);
    if (rows) {
      const int64_t rest = walk->tour->length[last] - walk->index[last];
      length = rest < left ? rest : left;
      walk->index[last] += length - 1;
    }
    walk->row(walk, length, walk->step[rows ? last : 0]);
    walk->behind = true;
    left -= length;
  }
}

void ppi_tour_walk_area(const struct ppi_tour_walk *walk, const struct ppi_tour_item *item, struct ppi_area *area) {
  const struct ppi_tour_operand *operand = &walk->tour->operands[item->operand];
  int64_t extent[2] = { operand->extent[0], operand->extent[1] },
          stride[2] = { operand->stride[0], operand->stride[1] };
  if (item->packed) {
    extent[0] = operand->copy.length;
    extent[1] = operand->copy.count;
    stride[0] = 1;
    stride[1] = operand->copy.length;
  }
  for (int d = 0; d < 2; d++)
    if (item->extent[d] > 0 && item->extent[d] < extent[d])
      extent[d] = item->extent[d];
  *area = (struct ppi_area){ .base = item->packed ? walk->packed[item->operand] : *walk->at[item->operand],
                             .element = walk->element,
                             .rows = extent[0],
                             .columns = extent[1],
                             .step = stride[0],
                             .ld = stride[1] };
}
