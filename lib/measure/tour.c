/* SPDX-License-Identifier: BSD-3-Clause */
/* Tours: what fits together, how much memory it takes, how a whole is made of windows. */
#include "measure/tour.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "base/error.h"

#define BYTES_MAX (INT64_C(1) << 46)
#define REMOTE_MAX (INT64_C(1) << 30)
#define ITERATIONS_MAX (INT64_C(1) << 62)
#define SHARE_OF_MEMORY 2 /* a batch takes at most one part in so many, where nobody says otherwise */
#define COPIER_ARGUMENTS 5
#define RARE 100.0

static const char *const names[PPI_TOUR_OPERANDS] = { "A", "B", "C" };

/* --- Checks ---------------------------------------------------------------------------------------------------------- */

/* The tour that is looked at; messages name it. */
struct look {
  const struct ppi_tour_batch *batch;
  const struct ppi_tour *tour;
  size_t number;
  bool runs; /* no loop has 0 iterations */
  struct perfpred_error *error;
};

static enum perfpred_status wrong(const struct look *look, const char *what, const char *expected) {
  return ppi_error_set(look->error, PERFPRED_INVALID, "tour %zu: %s, expected %s", look->number, what, expected);
}

static enum perfpred_status wrong_operand(const struct look *look, int operand, const char *what,
                                          const char *expected) {
  return ppi_error_set(look->error, PERFPRED_INVALID, "tour %zu: operand %s %s, expected %s", look->number,
                       names[operand], what, expected);
}

/* *sum += a * b; false: too large, or something is negative. */
static bool add_product(int64_t *sum, int64_t a, int64_t b) {
  int64_t product = 0;
  return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

/* Places from the first to the last element of a slice; -1: it has none; -2: too many. */
static int64_t reach(int64_t n, int64_t inc, int64_t count, int64_t step) {
  int64_t sum = 0;
  if (n < 0 || count < 0)
    return -2;
  if (n == 0 || count == 0)
    return -1;
  return add_product(&sum, n - 1, inc) && add_product(&sum, count - 1, step) ? sum : -2;
}

/* What the kernel goes through, from the address that it gets. */
static int64_t kernel_reach(const struct ppi_tour *tour, int place) {
  const struct ppi_arg *arg = &tour->kernel->args[place];
  int64_t rows = 0, columns = 0;
  if (arg->kind == PPI_ARG_SCALAR)
    return 0;
  if (ppi_kernel_extent(tour->kernel, tour->values, place, &rows, &columns, NULL) != PERFPRED_OK)
    return -2;
  const int64_t inc = arg->inc >= 0 && tour->values[arg->inc].i != 0 ? tour->values[arg->inc].i : 1;
  const int64_t ld = arg->ld >= 0 && tour->values[arg->ld].i != 0 ? tour->values[arg->ld].i : rows;
  return arg->shape == PPI_SHAPE_TRIANGLE ? -2 : reach(rows, inc, columns, ld);
}

/* Elements that an operand walks through. */
static int64_t room_of(const struct look *look, int number) {
  const struct ppi_tour_copy *copy = &look->tour->operands[number].copy;
  return ppi_tour_is_whole(copy) ? copy->length : look->batch->elements[number];
}

/* The farthest place of an operand in its tensor. */
static enum perfpred_status check_range(const struct look *look, int number, int64_t within) {
  const struct ppi_tour_operand *operand = &look->tour->operands[number];
  int64_t last = operand->start;
  bool fine = last >= 0;
  for (int l = 0; l < look->tour->loop_count && fine; l++)
    fine = operand->step[l] >= 0 && operand->step[l] <= BYTES_MAX &&
           (!look->runs || add_product(&last, look->tour->length[l] - 1, operand->step[l]));
  if (!fine)
    return wrong_operand(look, number, "goes nobody knows where", "steps that are not negative");
  /* a tensor without elements has no places to be at */
  const int64_t room = room_of(look, number);
  if (look->runs && room > 0 && (last >= room || within >= room - last))
    return wrong_operand(look, number, "leaves its tensor", "places inside of it");
  return PERFPRED_OK;
}

/* The slice that a copy goes through lies in its tensor, and has a size; *packed: elements of the copy. */
static bool is_copy(const struct look *look, int number, int64_t far, int64_t *packed) {
  const struct ppi_tour_operand *operand = &look->tour->operands[number];
  const struct ppi_tour_copy *copy = &operand->copy;
  *packed = 0;
  return copy->loops <= look->tour->loop_count && far >= -1 && copy->step <= BYTES_MAX &&
         add_product(packed, copy->length, copy->count) && *packed <= BYTES_MAX && operand->place >= 0 &&
         look->tour->kernel->args[operand->place].kind == PPI_ARG_DATA;
}

/* Of a whole tensor. */
static enum perfpred_status check_transposition(const struct look *look, int number) {
  const struct ppi_tour_operand *operand = &look->tour->operands[number];
  const struct ppi_tour_copy *copy = &operand->copy;
  const bool fine = copy->loops == 0 && copy->rank <= PPI_TRANSPOSED_RANK_MAX && copy->count == 1 &&
                    copy->length >= 0 && copy->length <= BYTES_MAX && operand->place >= 0 &&
                    look->tour->kernel->args[operand->place].kind == PPI_ARG_DATA &&
                    ppi_transposition_fits(copy->dimensions, copy->rank, look->batch->elements[number], copy->length);
  return fine ? PERFPRED_OK
              : wrong_operand(look, number, "has a senseless copy", "one of its whole tensor, before all loops");
}

static enum perfpred_status check_copy(const struct look *look, int number) {
  const struct ppi_tour_operand *operand = &look->tour->operands[number];
  const struct ppi_tour_copy *copy = &operand->copy;
  int64_t packed = 0;
  if (copy->loops < 0)
    return copy->loops == -1 ? PERFPRED_OK : wrong_operand(look, number, "has a senseless copy", "-1 for none");
  if (copy->rank != 0)
    return copy->rank > 0 ? check_transposition(look, number)
                          : wrong_operand(look, number, "has a senseless copy", "dimensions, or none");
  const int64_t far = reach(copy->length, copy->inc, copy->count, copy->step);
  if (!is_copy(look, number, far, &packed))
    return wrong_operand(look, number, "has a senseless copy", "one of a slice of its tensor, inside of a loop");
  for (int l = copy->loops; l < look->tour->loop_count; l++)
    if (operand->step[l] != 0)
      return wrong_operand(look, number, "moves behind its copy", "a copy inside of all loops that move it");
  if (kernel_reach(look->tour, operand->place) >= packed)
    return wrong_operand(look, number, "is larger than its copy", "a kernel that stays inside of it");
  return check_range(look, number, far > 0 ? far : 0);
}

static bool is_integer(const struct ppi_arg *arg) {
  return arg->kind == PPI_ARG_SIZE || arg->kind == PPI_ARG_LD || arg->kind == PPI_ARG_INC;
}

static bool is_sliced(const struct ppi_tour_copy *copy) {
  return copy->loops >= 0 && !ppi_tour_is_whole(copy);
}

/* xcopy, or something that is called as it is. */
static enum perfpred_status check_copier(const struct look *look) {
  static const enum ppi_arg_kind kinds[COPIER_ARGUMENTS] = { PPI_ARG_SIZE, PPI_ARG_DATA, PPI_ARG_INC, PPI_ARG_DATA,
                                                             PPI_ARG_INC };
  const struct perfpred_kernel *copier = look->tour->copier;
  bool copied = false, fine = copier != NULL && copier->arg_count == COPIER_ARGUMENTS;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    copied = copied || is_sliced(&look->tour->operands[o].copy);
  for (int i = 0; i < COPIER_ARGUMENTS && fine; i++)
    fine = copier->args[i].kind == kinds[i] &&
           (kinds[i] != PPI_ARG_DATA || copier->args[i].type == look->batch->type) &&
           (kinds[i] != PPI_ARG_INC || copier->args[i].of == i - 1);
  return !copied || fine ? PERFPRED_OK
                         : wrong(look, "operands are copied by no kernel for that", "one with (n, x, incx, y, incy)");
}

/* A and B are read, C is written; a scalar is not written. */
static bool fits_argument(const struct look *look, const struct ppi_arg *arg, bool written) {
  if (arg->type != look->batch->type)
    return false;
  if (arg->kind == PPI_ARG_SCALAR)
    return !written;
  return arg->kind == PPI_ARG_DATA && ((arg->direction & PPI_OUT) != 0) == written;
}

static enum perfpred_status check_place(const struct look *look, int number) {
  const struct perfpred_kernel *kernel = look->tour->kernel;
  const int place = look->tour->operands[number].place;
  const bool written = number == PPI_TOUR_OPERANDS - 1;
  if (place == -1 && written && kernel->returns_value && kernel->return_type == look->batch->type)
    return PERFPRED_OK;
  if (place < 0 || place >= kernel->arg_count)
    return wrong_operand(look, number, "is no argument of the kernel", "one");
  if (!fits_argument(look, &kernel->args[place], written))
    return wrong_operand(look, number, "is an argument of another kind", "data that the kernel reads, writes for C");
  return PERFPRED_OK;
}

static enum perfpred_status check_operand(const struct look *look, int number) {
  const struct ppi_tour_operand *operand = &look->tour->operands[number];
  const int64_t slice = reach(operand->extent[0], operand->stride[0], operand->extent[1], operand->stride[1]);
  const int64_t used = operand->place < 0 ? 0 : kernel_reach(look->tour, operand->place);
  if (slice < -1 || used < -1)
    return wrong_operand(look, number, "has a senseless shape", "a vector or a matrix");
  if ((operand->copy.loops == -1 || ppi_tour_is_whole(&operand->copy)) && used > slice)
    return wrong_operand(look, number, "is larger than its slice", "a kernel that stays inside of it");
  enum perfpred_status status = check_copy(look, number);
  return status == PERFPRED_OK ? check_range(look, number, slice > 0 ? slice : 0) : status;
}

/* All data arguments are operands, each of them one. */
static enum perfpred_status check_arguments(const struct look *look) {
  const struct perfpred_kernel *kernel = look->tour->kernel;
  for (int i = 0; i < kernel->arg_count; i++) {
    const enum ppi_arg_kind kind = kernel->args[i].kind;
    int uses = 0;
    for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
      uses += look->tour->operands[o].place == i;
    if (uses > 1 || (kind == PPI_ARG_DATA && uses == 0) || kind == PPI_ARG_WORK || kind == PPI_ARG_LWORK)
      return wrong(look, "the kernel has other arguments than the operands", "those alone");
    if (is_integer(&kernel->args[i]) && look->tour->values[i].i < 0)
      return wrong(look, "a size, leading dimension or increment is negative", "at least 0");
  }
  return PERFPRED_OK;
}

static enum perfpred_status check_loops(struct look *look) {
  const struct ppi_tour *tour = look->tour;
  int64_t iterations = 1;
  look->runs = true;
  if (tour->loop_count < 0 || tour->loop_count > PPI_TOUR_LOOPS_MAX)
    return wrong(look, "there are too many loops", "at most 24");
  for (int l = 0; l < tour->loop_count; l++) {
    if (tour->length[l] < 0)
      return wrong(look, "a loop has a negative number of iterations", "at least 0");
    look->runs = look->runs && tour->length[l] > 0;
  }
  for (int l = 0; l < tour->loop_count && look->runs; l++)
    if (__builtin_mul_overflow(iterations, tour->length[l], &iterations) || iterations > ITERATIONS_MAX)
      return wrong(look, "there are too many iterations", "at most 2^62");
  return PERFPRED_OK;
}

static enum perfpred_status check_tour(const struct ppi_tour_batch *batch, size_t number,
                                       struct perfpred_error *error) {
  struct look look = { .batch = batch, .tour = &batch->tours[number], .number = number, .error = error };
  enum perfpred_status status = check_loops(&look);
  for (int o = 0; o < PPI_TOUR_OPERANDS && status == PERFPRED_OK; o++)
    status = check_place(&look, o);
  if (status == PERFPRED_OK)
    status = ppi_kernel_check(look.tour->kernel, look.tour->values, error);
  if (status == PERFPRED_OK)
    status = check_copier(&look);
  if (status == PERFPRED_OK)
    status = check_arguments(&look);
  for (int o = 0; o < PPI_TOUR_OPERANDS && status == PERFPRED_OK; o++)
    status = check_operand(&look, o);
  return status;
}

static bool is_operand(int number) {
  return number >= 0 && number < PPI_TOUR_OPERANDS;
}

/* Operands of a whole are the tensors: no item is about those. */
static bool fits_item(const struct ppi_tour *tour, enum ppi_tour_subject subject, const struct ppi_tour_item *item) {
  if (item->kind == PPI_TOUR_REMOTE)
    return item->bytes >= 0 && item->bytes <= REMOTE_MAX;
  return subject != PPI_TOUR_WHOLE && subject != PPI_TOUR_ZERO &&
         (item->kind == PPI_TOUR_TOUCH || item->kind == PPI_TOUR_FLUSH) && is_operand(item->operand) &&
         item->extent[0] >= 0 && item->extent[1] >= 0 &&
         (!item->packed || tour->operands[item->operand].copy.loops >= 0);
}

static bool fits_copy(const struct ppi_tour *tour, const struct ppi_tour_request *request) {
  if (request->subject != PPI_TOUR_COPY_IN && request->subject != PPI_TOUR_COPY_OUT)
    return true;
  return is_operand(request->operand) && tour->operands[request->operand].copy.loops >= 0;
}

static bool fits_request(const struct ppi_tour_batch *batch, const struct ppi_tour_request *request) {
  if (request->tour >= batch->tour_count || (unsigned)request->subject >= PPI_TOUR_SUBJECTS ||
      request->item_count > PPI_TOUR_ITEMS_MAX)
    return false;
  const struct ppi_tour *tour = &batch->tours[request->tour];
  for (size_t i = 0; i < request->item_count; i++)
    if (!fits_item(tour, request->subject, &request->items[i]))
      return false;
  return request->timed >= 0 && request->lead >= 0 && request->level >= PPI_TOUR_ANYWHERE &&
         request->level <= tour->loop_count && request->repetitions >= 0 && request->limit_s >= 0.0 &&
         fits_copy(tour, request);
}

static enum perfpred_status check_requests(const struct ppi_tour_batch *batch, struct perfpred_error *error) {
  for (size_t i = 0; i < batch->request_count; i++)
    if (!fits_request(batch, &batch->requests[i]))
      return ppi_error_set(error, PERFPRED_INVALID,
                           "request %zu of tours is senseless, expected one that its tour can answer", i);
  return PERFPRED_OK;
}

/* A tensor has elements unless one of its indices is empty, and room for all of them. */
static bool fits_tensor(const struct ppi_tour_batch *batch, int number) {
  int64_t last = 0;
  bool empty = false;
  for (int i = 0; i < batch->index_count; i++) {
    const int64_t length = batch->indices[i].length, stride = batch->indices[i].stride[number];
    if (length < 0 || stride < 0 || (length > 0 && !add_product(&last, length - 1, stride)))
      return false;
    empty = empty || (length == 0 && stride > 0);
  }
  const int64_t elements = batch->elements[number];
  return empty ? elements == 0 : last < elements && elements <= BYTES_MAX / 16;
}

static enum perfpred_status check_tensors(const struct ppi_tour_batch *batch, struct perfpred_error *error) {
  bool fine = batch->index_count >= 0 && batch->index_count <= PPI_TOUR_INDICES_MAX &&
              (batch->type == PPI_TYPE_S || batch->type == PPI_TYPE_D || batch->type == PPI_TYPE_C ||
               batch->type == PPI_TYPE_Z);
  for (int o = 0; o < PPI_TOUR_OPERANDS && fine; o++)
    fine = fits_tensor(batch, o);
  return fine ? PERFPRED_OK
              : ppi_error_set(error, PERFPRED_INVALID,
                              "the tensors of tours are senseless, expected room for all of their indices");
}

/* --- Memory ---------------------------------------------------------------------------------------------------------- */

int64_t ppi_tour_tensor_bytes(const struct ppi_tour_batch *batch) {
  int64_t sum = 0;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    sum += batch->elements[o] * (int64_t)ppi_type_bytes(batch->type, false);
  return sum;
}

int64_t ppi_tour_packed_bytes(const struct ppi_tour *tour, enum ppi_type type) {
  int64_t sum = 0;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    if (tour->operands[o].copy.loops >= 0)
      sum += tour->operands[o].copy.length * tour->operands[o].copy.count * (int64_t)ppi_type_bytes(type, false);
  return sum;
}

int64_t ppi_tour_most_bytes(void) {
  return (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE) / SHARE_OF_MEMORY;
}

static enum perfpred_status check_memory(const struct ppi_tour_batch *batch, struct perfpred_error *error) {
  int64_t packed = 0;
  for (size_t i = 0; i < batch->tour_count; i++) {
    int64_t own = ppi_tour_packed_bytes(&batch->tours[i], batch->type);
    packed = own > packed ? own : packed;
  }
  const int64_t bytes = ppi_tour_tensor_bytes(batch) + packed;
  const int64_t most = batch->memory_bytes > 0 ? batch->memory_bytes : ppi_tour_most_bytes();
  if (bytes <= most)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_LIMIT,
                       "tensors and packed copies take %" PRId64 " bytes, expected at most %" PRId64 "%s", bytes, most,
                       batch->memory_bytes > 0 ? "" : ", half of the memory");
}

enum perfpred_status ppi_tour_check(const struct ppi_tour_batch *batch, struct perfpred_error *error) {
  enum perfpred_status status = check_tensors(batch, error);
  for (size_t i = 0; i < batch->tour_count && status == PERFPRED_OK; i++)
    status = check_tour(batch, i, error);
  if (status == PERFPRED_OK)
    status = check_requests(batch, error);
  return status == PERFPRED_OK ? check_memory(batch, error) : status;
}

void ppi_tour_results_free(struct ppi_tour_result *results, size_t count) {
  for (size_t i = 0; i < count; i++)
    ppi_results_free(&results[i].timing, 1);
}

/* --- A whole from windows -------------------------------------------------------------------------------------------- */

static double product(const struct ppi_tour *tour, int first, int end) {
  double value = 1.0;
  for (int l = first; l < end; l++)
    value *= (double)tour->length[l];
  return value;
}

double ppi_tour_iterations(const struct ppi_tour *tour) {
  return product(tour, 0, tour->loop_count);
}

static bool has_copy(const struct ppi_tour *tour, int level) {
  bool found = false;
  for (int o = 0; o < PPI_TOUR_OPERANDS; o++)
    found = found || (tour->operands[o].copy.loops == level && !ppi_tour_is_whole(&tour->operands[o].copy));
  return found;
}

int ppi_tour_unit(const struct ppi_tour *tour, int64_t most) {
  int unit = tour->loop_count;
  while (unit > 0 && product(tour, unit - 1, tour->loop_count) <= (double)most)
    unit--;
  return unit;
}

/* Copies further in than the unit are in every window. What begins less often than in one iteration of a hundred is left out where it has no
   copy (dissertation, Section 23.6), and so is the first iteration of all, before which there is nothing that belongs to it. */
void ppi_tour_divide(const struct ppi_tour *tour, int64_t most, struct ppi_tour_strata *strata) {
  const int unit = ppi_tour_unit(tour, most);
  const double inner = product(tour, unit, tour->loop_count), all = ppi_tour_iterations(tour);
  *strata = (struct ppi_tour_strata){ .window = (int64_t)inner, .count = 1, .strata = { { PPI_TOUR_ANYWHERE, all } } };
  if (unit == 0 || all <= 0.0)
    return;
  strata->window *= (int64_t)floor((double)most / inner);
  for (int level = unit - 1; level >= 0; level--) {
    const double begun = product(tour, 0, level);
    const bool counts = level == unit - 1 && level > 0 && begun >= all / RARE;
    if (!counts && !has_copy(tour, level))
      continue;
    if (strata->count > 1)
      strata->strata[strata->count - 1].count -= begun;
    assert(strata->count < PPI_TOUR_STRATA_MAX);
    strata->strata[strata->count++] = (struct ppi_tour_stratum){ level, begun };
  }
}

double ppi_tour_total(const struct ppi_tour_strata *strata, const double *iteration_s, const int64_t *timed) {
  double sum = strata->strata[0].count * iteration_s[0];
  for (int i = 1; i < strata->count; i++)
    sum += strata->strata[i].count * (double)timed[i] * (iteration_s[i] - iteration_s[0]);
  return sum;
}
