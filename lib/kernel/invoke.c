/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/invoke.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"

/* --- One cast per return type -------------------------------------------------------------------------------------- */

/* Fortran routines get addresses only, so one prototype with enough words serves all of them: surplus words are not looked at
 * and are the caller's to remove. Routines of few words get by with fewer of them on the stack. */
#define FEW_WORDS 16
#define TYPES_8 void *, void *, void *, void *, void *, void *, void *, void *
#define TYPES_16 TYPES_8, TYPES_8
#define TYPES_32 TYPES_16, TYPES_16
#define WORDS_8(w, i)                                                                                                  \
  (w)[(i)], (w)[(i) + 1], (w)[(i) + 2], (w)[(i) + 3], (w)[(i) + 4], (w)[(i) + 5], (w)[(i) + 6], (w)[(i) + 7]
#define WORDS_16(w) WORDS_8(w, 0), WORDS_8(w, 8)
#define WORDS_32(w) WORDS_16(w), WORDS_8(w, 16), WORDS_8(w, 24)

/* How gfortran returns a value of each type: name, C type, member of union ppi_returned. */
#define RETURNS(X)                                                                                                     \
  X(int32, int32_t, narrow)                                                                                            \
  X(int64, int64_t, wide)                                                                                              \
  X(float, float, real)                                                                                                \
  X(double, double, real8)                                                                                             \
  X(cfloat, float _Complex, complex8)                                                                                  \
  X(cdouble, double _Complex, complex16)

#define CALLERS(name, type, member)                                                                                    \
  typedef type few_##name##_fn(TYPES_16);                                                                              \
  typedef type many_##name##_fn(TYPES_32);                                                                             \
  static void few_##name(struct ppi_frame *frame) {                                                                    \
    const type value = ((few_##name##_fn *)frame->function)(WORDS_16(frame->words));                                   \
    memcpy(&frame->returned.member, &value, sizeof value);                                                             \
  }                                                                                                                    \
  static void many_##name(struct ppi_frame *frame) {                                                                   \
    const type value = ((many_##name##_fn *)frame->function)(WORDS_32(frame->words));                                  \
    memcpy(&frame->returned.member, &value, sizeof value);                                                             \
  }                                                                                                                    \
  static type nothing_##name(void) {                                                                                   \
    return 0;                                                                                                          \
  }
RETURNS(CALLERS)

typedef void few_fn(TYPES_16);
typedef void many_fn(TYPES_32);

static void few_plain(struct ppi_frame *frame) {
  ((few_fn *)frame->function)(WORDS_16(frame->words));
}

static void many_plain(struct ppi_frame *frame) {
  ((many_fn *)frame->function)(WORDS_32(frame->words));
}

static void nothing_plain(void) {
}

static void free_form(struct ppi_frame *frame) {
  frame->returned.narrow = frame->free_form(frame->free_form_data, frame->words);
}

static int nothing_free_form(void *data, void *const args[]) {
  (void)data;
  (void)args;
  return 0;
}

struct convention {
  ppi_caller *few, *many;
  perfpred_fortran_fn *nothing;
};
#define CONVENTION(name, type, member) { few_##name, many_##name, (perfpred_fortran_fn *)nothing_##name },
static const struct convention conventions[] = { { few_plain, many_plain, nothing_plain }, RETURNS(CONVENTION) };

static const struct convention *convention_of(const struct perfpred_kernel *kernel, bool ilp64) {
  if (!kernel->returns_value)
    return &conventions[0];
  switch (kernel->return_type) {
  case PPI_TYPE_S:
    return &conventions[3];
  case PPI_TYPE_D:
    return &conventions[4];
  case PPI_TYPE_C:
    return &conventions[5];
  case PPI_TYPE_Z:
    return &conventions[6];
  default:
    return &conventions[ilp64 ? 2 : 1];
  }
}

/* --- Laying out the words ------------------------------------------------------------------------------------------ */

struct filling {
  struct ppi_frame *frame;
  const struct ppi_value *values;
  void *const *data;
  struct perfpred_error *error;
};

static enum perfpred_status fault(const struct filling *filling, int place, enum perfpred_status status, int64_t value,
                                  const char *expected) {
  const struct perfpred_kernel *kernel = filling->frame->kernel;
  return ppi_error_set(filling->error, status, "%s: argument '%s' is %lld; expected %s", kernel->name,
                       kernel->args[place].name, (long long)value, expected);
}

static enum perfpred_status put_integer(const struct filling *filling, int place, int64_t value) {
  struct ppi_frame *frame = filling->frame;
  frame->wide[place] = value;
  frame->words[place] = &frame->wide[place];
  if (frame->ilp64)
    return PERFPRED_OK;
  if (value < INT32_MIN || value > INT32_MAX)
    return fault(filling, place, PERFPRED_OVERFLOW, value, "an integer of 32 bits");
  frame->narrow[place] = (int32_t)value;
  frame->words[place] = &frame->narrow[place];
  return PERFPRED_OK;
}

static enum perfpred_status put_flag(const struct filling *filling, int place) {
  struct ppi_frame *frame = filling->frame;
  const struct ppi_arg *arg = &frame->kernel->args[place];
  int64_t letter = filling->values[place].i;
  if (letter <= 0 || letter > 127 || !strchr(arg->flags, (int)letter))
    return ppi_error_set(filling->error, PERFPRED_INVALID, "%s: flag '%s' is no letter of '%s'", frame->kernel->name,
                         arg->name, arg->flags);
  if (arg->option)
    return put_integer(filling, place, letter - '0');
  frame->flags[place] = (char)letter;
  frame->words[place] = &frame->flags[place];
  return PERFPRED_OK;
}

static void put_scalar(const struct filling *filling, int place) {
  struct ppi_frame *frame = filling->frame;
  const struct ppi_value *value = &filling->values[place];
  const float narrow[2] = { (float)value->re, (float)value->im };
  const double wide[2] = { value->re, value->im };
  enum ppi_type type = frame->kernel->args[place].type;
  bool single = type == PPI_TYPE_S || type == PPI_TYPE_C;

  memcpy(&frame->scalars[2 * place], single ? (const void *)narrow : (const void *)wide,
         single ? sizeof narrow : sizeof wide);
  frame->words[place] = &frame->scalars[2 * place];
}

static enum perfpred_status put_data(const struct filling *filling, int place) {
  const struct ppi_frame *frame = filling->frame;
  int64_t rows = 0, columns = 0;
  enum perfpred_status status =
      ppi_kernel_extent(frame->kernel, filling->values, place, &rows, &columns, filling->error);
  if (status == PERFPRED_OK && !filling->data[place] && rows > 0 && columns > 0)
    status = ppi_error_set(filling->error, PERFPRED_INVALID, "%s: no address for argument '%s'", frame->kernel->name,
                           frame->kernel->args[place].name);
  filling->frame->words[place] = filling->data[place];
  return status;
}

static enum perfpred_status put_ld(const struct filling *filling, int place) {
  const struct perfpred_kernel *kernel = filling->frame->kernel;
  int64_t rows = 0, columns = 0, ld = filling->values[place].i;
  enum perfpred_status status =
      ppi_kernel_extent(kernel, filling->values, kernel->args[place].of, &rows, &columns, filling->error);
  if (status != PERFPRED_OK)
    return status;
  if (rows < 1)
    rows = 1;
  if (ld != 0 && ld < rows)
    return fault(filling, place, PERFPRED_INVALID, ld, "at least the number of rows");
  return put_integer(filling, place, ld ? ld : rows);
}

static enum perfpred_status put_lwork(const struct filling *filling, int place) {
  int64_t length = 0, columns = 0;
  enum perfpred_status status =
      ppi_kernel_extent(filling->frame->kernel, filling->values, place, &length, &columns, filling->error);
  return status == PERFPRED_OK ? put_integer(filling, place, length) : status;
}

static enum perfpred_status put_word(const struct filling *filling, int place) {
  int64_t i = filling->values[place].i;
  switch (filling->frame->kernel->args[place].kind) {
  case PPI_ARG_FLAG:
    return put_flag(filling, place);
  case PPI_ARG_SIZE:
    return i < 0 ? fault(filling, place, PERFPRED_INVALID, i, "a size >= 0") : put_integer(filling, place, i);
  case PPI_ARG_SCALAR:
    put_scalar(filling, place);
    return PERFPRED_OK;
  case PPI_ARG_DATA:
  case PPI_ARG_WORK:
    return put_data(filling, place);
  case PPI_ARG_LD:
    return put_ld(filling, place);
  case PPI_ARG_INC:
    return put_integer(filling, place, i ? i : 1);
  case PPI_ARG_LWORK:
    return put_lwork(filling, place);
  default:
    return put_integer(filling, place, 0); /* info */
  }
}

static enum perfpred_status choose_target(struct ppi_frame *frame, perfpred_fortran_fn *function, bool ilp64,
                                          struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = frame->kernel;
  frame->function = function ? function : kernel->function;
  frame->free_form = frame->function ? NULL : kernel->free_form;
  frame->free_form_data = kernel->free_form_data;
  frame->ilp64 = function ? ilp64 : kernel->ilp64 || frame->free_form;
  if (!frame->function && !frame->free_form)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED, "kernel '%s' has no address in this process", kernel->name);
  return PERFPRED_OK;
}

enum perfpred_status ppi_frame_fill(struct ppi_frame *frame, const struct perfpred_kernel *kernel,
                                    perfpred_fortran_fn *function, bool ilp64, const struct ppi_value *values,
                                    void *const *data, struct perfpred_error *error) {
  memset(frame, 0, sizeof *frame);
  frame->kernel = kernel;
  enum perfpred_status status = choose_target(frame, function, ilp64, error);
  if (status != PERFPRED_OK)
    return status;

  const struct filling filling = { frame, values, data, error };
  for (int i = 0; i < kernel->arg_count; i++) {
    status = put_word(&filling, i);
    if (status != PERFPRED_OK)
      return status;
  }
  status = ppi_kernel_check(kernel, values, error);
  if (status != PERFPRED_OK)
    return status;
  frame->word_count = kernel->arg_count;
  if (frame->free_form) {
    frame->call = free_form;
    return PERFPRED_OK;
  }
  const size_t length = 1; /* of a flag; travels by value in a word of its own */
  for (int i = 0; i < kernel->flag_count; i++)
    if (!kernel->args[kernel->flags[i]].option)
      memcpy(&frame->words[frame->word_count++], &length, sizeof length);
  assert(frame->word_count <= PPI_WORDS_MAX);
  const struct convention *convention = convention_of(kernel, frame->ilp64);
  frame->call = frame->word_count <= FEW_WORDS ? convention->few : convention->many;
  return PERFPRED_OK;
}

int64_t ppi_frame_info(const struct ppi_frame *frame) {
  if (frame->free_form)
    return frame->returned.narrow;
  for (int i = 0; i < frame->kernel->arg_count; i++)
    if (frame->kernel->args[i].kind == PPI_ARG_INFO)
      return frame->ilp64 ? frame->wide[i] : frame->narrow[i];
  return 0;
}

void ppi_frame_empty(const struct ppi_frame *frame, struct ppi_frame *empty) {
  *empty = *frame;
  empty->function = frame->function ? convention_of(frame->kernel, frame->ilp64)->nothing : NULL;
  empty->free_form = frame->free_form ? nothing_free_form : NULL;
}
