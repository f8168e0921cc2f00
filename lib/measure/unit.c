/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/evict.h"

#define COPIES_MAX 65536
#define COPIES_BYTES ((size_t)256 << 20) /* of all copies of fresh operands together, where that is two of them */
#define PAGE ((size_t)4096)
#define HUGE_PAGE ((size_t)2 << 20)
#define STAGGER ((size_t)1088) /* a multiple of 64, so that operands do not all start in the same set of a cache */

/* --- Memory -------------------------------------------------------------------------------------------------------- */

/* What the system hands out beyond this ends with somebody being killed. */
static bool is_beyond_machine(size_t bytes) {
#ifdef _SC_PHYS_PAGES
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 && bytes / (size_t)page >= (size_t)pages;
#else
  (void)bytes;
  return false;
#endif
}

/* Zeroed memory; base is a multiple of align, and of no larger power of two. align 0: of 64, staggered by number. */
static enum perfpred_status allocate(size_t bytes, size_t align, size_t number, unsigned char **memory,
                                     unsigned char **base, struct perfpred_error *error) {
  size_t offset = align > 0 ? align : number % 32 * STAGGER;
  size_t whole = bytes + offset + PPI_YARDSTICK_LENGTH, page = whole >= HUGE_PAGE ? HUGE_PAGE : PAGE;
  if (page < 2 * align)
    page = 2 * align;
  whole = (whole + page - 1) / page * page;
  unsigned char *made = is_beyond_machine(whole) ? NULL : aligned_alloc(page, whole);
  if (made == NULL)
    return ppi_error_set(error, PERFPRED_NO_MEMORY, "no memory for an operand of %zu bytes", bytes);
  memset(made, 0, whole);
  *memory = made;
  *base = made + offset;
  return PERFPRED_OK;
}

void ppi_buffers_free(struct ppi_buffers *buffers) {
  for (size_t i = 0; i < buffers->count; i++)
    free(buffers->memory[i]);
  free(buffers->memory);
  free(buffers->base);
  *buffers = (struct ppi_buffers){ 0 };
}

static enum perfpred_status make_table(struct ppi_buffers *buffers, const struct ppi_script *script,
                                       struct perfpred_error *error) {
  if (buffers->memory != NULL)
    return PERFPRED_OK;
  buffers->memory = calloc(script->buffer_count + 1, sizeof *buffers->memory);
  buffers->base = calloc(script->buffer_count + 1, sizeof *buffers->base);
  if (buffers->memory == NULL || buffers->base == NULL) {
    ppi_buffers_free(buffers);
    return ppi_error_memory(error);
  }
  buffers->count = script->buffer_count;
  return PERFPRED_OK;
}

/* Elements have the width that the unit's library gives integers; a buffer of them is made for the wider one. */
static size_t buffer_bytes(const struct ppi_script_buffer *buffer) {
  return (size_t)buffer->length * ppi_type_bytes(buffer->type, true);
}

/* From one copy to the next, so that each is aligned as the first one is. */
static size_t stride_of(size_t bytes, size_t align) {
  size_t unit_of = align > 32 ? 2 * align : 64;
  return (bytes + unit_of - 1) / unit_of * unit_of;
}

static enum perfpred_status need_ring(struct ppi_placed_unit *unit, size_t number, struct perfpred_error *error) {
  const struct ppi_script_buffer *buffer = &unit->script->buffers[number];
  struct ppi_unit_ring *ring = &unit->rings[number];
  if (ring->memory != NULL)
    return PERFPRED_OK;
  ring->stride = stride_of(buffer_bytes(buffer), (size_t)buffer->align);
  return allocate(ring->stride * (size_t)unit->copies, (size_t)buffer->align, number, &ring->memory, &ring->base,
                  error);
}

static enum perfpred_status need_buffer(struct ppi_placed_unit *unit, size_t number, struct perfpred_error *error) {
  const struct ppi_script_buffer *buffer = &unit->script->buffers[number];
  struct ppi_buffers *buffers = unit->buffers;
  if (unit->rings != NULL)
    return need_ring(unit, number, error);
  if (buffers->memory[number] != NULL)
    return PERFPRED_OK;
  return allocate(buffer_bytes(buffer), (size_t)buffer->align, number, &buffers->memory[number], &buffers->base[number],
                  error);
}

const unsigned char *ppi_unit_buffer(const struct ppi_placed_unit *unit, size_t buffer) {
  if (unit->rings == NULL)
    return unit->buffers->base[buffer];
  return unit->rings[buffer].base + unit->rings[buffer].stride * (size_t)unit->copy;
}

/* Releases the buffers that the text has freed before this unit, and makes those that are touched before its calls. */
static enum perfpred_status ready_buffers(struct ppi_placed_unit *unit, size_t number, struct perfpred_error *error) {
  const struct ppi_script_settings *settings = &unit->text->settings;
  enum perfpred_status status = make_table(unit->buffers, unit->script, error);
  for (size_t i = 0; i < unit->script->buffer_count && status == PERFPRED_OK; i++) {
    if (unit->script->buffers[i].end > number)
      continue;
    free(unit->buffers->memory[i]);
    unit->buffers->memory[i] = unit->buffers->base[i] = NULL;
  }
  for (size_t i = 0; i < settings->access_count && status == PERFPRED_OK; i++)
    status = need_buffer(unit, unit->script->accesses[settings->access_first + i].buffer, error);
  return status;
}

/* --- Operands ------------------------------------------------------------------------------------------------------ */

static const struct ppi_script_call *call_of(const struct ppi_placed_unit *unit, size_t call) {
  return &unit->script->calls[unit->first_call + call];
}

static char part_of(const struct ppi_arg *arg, const struct ppi_value *values) {
  if (arg->shape != PPI_SHAPE_TRIANGLE)
    return 0;
  int64_t letter = arg->uplo >= 0 ? values[arg->uplo].i : arg->uplo_letter;
  return letter == 'L' || letter == 'U' ? (char)letter : 0;
}

static size_t own_bytes(const struct ppi_script_operand *operand, size_t element) {
  size_t bytes = (size_t)operand->length * element;
  return bytes > 0 ? bytes : element;
}

/* Bytes of one copy of everything that the unit uses; used: room for one of each buffer of the script, all false. */
static size_t copy_bytes(const struct ppi_placed_unit *unit, bool *used) {
  const struct ppi_script_settings *settings = &unit->text->settings;
  size_t bytes = 0;
  for (size_t i = 0; i < settings->access_count; i++)
    used[unit->script->accesses[settings->access_first + i].buffer] = true;
  for (size_t c = 0; c < unit->call_count; c++) {
    const struct ppi_script_call *call = call_of(unit, c);
    for (int i = 0; i < call->operand_count; i++) {
      const struct ppi_script_operand *operand = &call->operands[i];
      if (operand->place == PPI_PLACE_BUFFER)
        used[operand->buffer] = true;
      else
        bytes += stride_of(own_bytes(operand, ppi_type_bytes(call->kernel->args[operand->argument].type, true)),
                           (size_t)settings->align);
    }
  }
  for (size_t i = 0; i < unit->script->buffer_count; i++)
    bytes += used[i] ? stride_of(buffer_bytes(&unit->script->buffers[i]), (size_t)unit->script->buffers[i].align) : 0;
  return bytes;
}

/* One copy of everything, or as many fresh ones as are sensible. They come round again, so all together they have to be larger than the
   caches. */
static enum perfpred_status plan_copies(struct ppi_placed_unit *unit, struct perfpred_error *error) {
  unit->copies = 1;
  if (!unit->text->settings.fresh)
    return PERFPRED_OK;
  bool *used = calloc(unit->script->buffer_count + 1, sizeof *used);
  unit->rings = calloc(unit->script->buffer_count + 1, sizeof *unit->rings);
  if (used == NULL || unit->rings == NULL) {
    free(used);
    return ppi_error_memory(error);
  }
  size_t copies = COPIES_BYTES / (copy_bytes(unit, used) + 1);
  free(used);
  unit->copies = copies < 2 ? 2 : copies > COPIES_MAX ? COPIES_MAX : (int)copies;
  return PERFPRED_OK;
}

static enum perfpred_status find_memory(struct ppi_placed_unit *unit, const struct ppi_script_operand *operand,
                                        struct ppi_unit_place *place, struct perfpred_error *error) {
  size_t element = place->area.element, align = (size_t)unit->text->settings.align;
  if (operand->place == PPI_PLACE_BUFFER) {
    enum perfpred_status status = need_buffer(unit, operand->buffer, error);
    if (status != PERFPRED_OK)
      return status;
    unsigned char *base =
        unit->rings != NULL ? unit->rings[operand->buffer].base : unit->buffers->base[operand->buffer];
    place->area.base = base + (size_t)operand->offset * element;
    place->stride = unit->rings != NULL ? unit->rings[operand->buffer].stride : 0;
    return PERFPRED_OK;
  }
  place->stride = stride_of(own_bytes(operand, element), align);
  size_t all = place->stride * (size_t)unit->copies;
  return allocate(all, align, unit->place_count, &place->memory, &place->area.base, error);
}

/* Whether an argument of a call lies in the buffer of an operand. */
static bool shares_buffer(const struct ppi_script_call *call, int argument, const struct ppi_script_operand *operand) {
  for (int i = 0; i < call->operand_count; i++)
    if (call->operands[i].argument == argument && call->operands[i].place == PPI_PLACE_BUFFER)
      return call->operands[i].buffer == operand->buffer;
  return false;
}

/* Integers that a call writes in one width are none to a call that reads them in another one. */
static enum perfpred_status agree_on_width(const struct ppi_placed_unit *unit, size_t number,
                                           const struct ppi_script_operand *operand, bool ilp64,
                                           struct perfpred_error *error) {
  const struct perfpred_kernel *kernel = call_of(unit, number)->kernel;
  if (operand->place != PPI_PLACE_BUFFER || kernel->args[operand->argument].type != PPI_TYPE_INT)
    return PERFPRED_OK;
  for (size_t i = 0; i < unit->place_count; i++) {
    const struct ppi_unit_place *place = &unit->places[i];
    const struct ppi_script_call *other = call_of(unit, place->call);
    if (place->memory == NULL && place->type == PPI_TYPE_INT && place->ilp64 != ilp64 &&
        shares_buffer(other, place->argument, operand))
      return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                           "%s: integers of argument '%s' have %d bits, %s uses buffer '%s' with %d bits beside it; "
                           "expected one width",
                           kernel->name, kernel->args[operand->argument].name, ilp64 ? 64 : 32, other->kernel->name,
                           unit->script->buffers[operand->buffer].name, ilp64 ? 32 : 64);
  }
  return PERFPRED_OK;
}

static enum perfpred_status add_place(struct ppi_placed_unit *unit, size_t number,
                                      const struct ppi_script_operand *operand, bool ilp64,
                                      struct perfpred_error *error) {
  const struct ppi_script_call *call = call_of(unit, number);
  const struct ppi_arg *arg = &call->kernel->args[operand->argument];
  struct ppi_unit_place *place = &unit->places[unit->place_count];
  *place = (struct ppi_unit_place){
    .call = number,
    .argument = operand->argument,
    .area = { .element = ppi_type_bytes(arg->type, ilp64),
              .rows = operand->rows,
              .columns = operand->columns,
              .step = operand->step,
              .ld = operand->ld,
              .part = part_of(arg, call->values) },
    .property = arg->property,
    .type = arg->type,
    .ilp64 = ilp64,
    .work = arg->kind == PPI_ARG_WORK,
    .written = arg->kind == PPI_ARG_WORK || (arg->direction & PPI_OUT) != 0,
  };
  place->streaming = ppi_area_exceeds(&place->area, unit->core->options.stream_bytes);
  if (arg->property != PPI_GENERAL && arg->property != PPI_ZERO) {
    ppi_arena_plan_extent(&unit->arena, operand->rows);
    ppi_arena_plan_extent(&unit->arena, operand->columns);
  }
  enum perfpred_status status = agree_on_width(unit, number, operand, ilp64, error);
  if (status == PERFPRED_OK)
    status = find_memory(unit, operand, place, error);
  unit->place_count++;
  return status;
}

static bool overlap(const struct ppi_unit_place *a, const struct ppi_unit_place *b) {
  const unsigned char *a_end = a->area.base + (size_t)ppi_area_span(&a->area) * a->area.element;
  const unsigned char *b_end = b->area.base + (size_t)ppi_area_span(&b->area) * b->area.element;
  return a->area.base < b_end && b->area.base < a_end;
}

/* What a run overwrites has to be restored, by whatever name it is known. */
static void mark_again(struct ppi_placed_unit *unit) {
  for (size_t i = 0; i < unit->place_count; i++) {
    struct ppi_unit_place *place = &unit->places[i];
    for (size_t j = 0; j < unit->place_count && !place->work && !place->again; j++)
      place->again = unit->places[j].written && overlap(place, &unit->places[j]);
  }
}

static void fill_place(const struct ppi_placed_unit *unit, const struct ppi_unit_place *place) {
  struct ppi_area whole = place->area;
  whole.part = 0;
  /* Some routines look at the first subdiagonal of a triangle that they only read. */
  if (place->property == PPI_TRIANGULAR && !place->written && place->area.part != 0)
    ppi_area_fill(&whole, &unit->arena.patterns[place->zero], place->streaming);
  ppi_area_fill(&place->area, &unit->arena.patterns[place->pattern], place->streaming);
}

/* From the last operand to the first: where several share elements, the values are such as the first one needs. */
static void fill_all(const struct ppi_placed_unit *unit, bool everything) {
  for (size_t i = unit->place_count; i-- > 0;)
    if (!unit->places[i].work && (everything || unit->places[i].again))
      fill_place(unit, &unit->places[i]);
}

static enum perfpred_status make_patterns(struct ppi_placed_unit *unit, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < unit->place_count && status == PERFPRED_OK; i++) {
    struct ppi_unit_place *place = &unit->places[i];
    status = ppi_arena_pattern(&unit->arena, place->property, place->type, place->ilp64, &place->pattern, error);
    if (status == PERFPRED_OK)
      status = ppi_arena_pattern(&unit->arena, PPI_ZERO, place->type, place->ilp64, &place->zero, error);
  }
  return status;
}

static void move_to_copy(struct ppi_placed_unit *unit, int copy) {
  for (size_t i = 0; i < unit->place_count; i++) {
    struct ppi_unit_place *place = &unit->places[i];
    if (place->stride == 0)
      continue;
    place->area.base += (ptrdiff_t)place->stride * (copy - unit->copy);
    unit->frames[place->call].words[place->argument] = place->area.base;
  }
  unit->copy = copy;
}

/* --- Calls --------------------------------------------------------------------------------------------------------- */

static enum perfpred_status set_lwork(struct ppi_frame *frame, const struct ppi_script_call *call,
                                      struct perfpred_error *error) {
  for (int i = 0; i < call->kernel->arg_count && call->lwork >= 0; i++) {
    if (call->kernel->args[i].kind != PPI_ARG_LWORK || call->kernel->args[i].constant)
      continue;
    if (!frame->ilp64 && call->lwork > INT32_MAX)
      return ppi_error_set(error, PERFPRED_OVERFLOW, "%s: '%s' is %" PRId64 ", the library's integers have 32 bits",
                           call->kernel->name, call->kernel->args[i].name, call->lwork);
    frame->wide[i] = call->lwork;
    frame->narrow[i] = (int32_t)call->lwork;
  }
  return PERFPRED_OK;
}

static enum perfpred_status make_call(struct ppi_placed_unit *unit, size_t number, struct perfpred_error *error) {
  const struct ppi_script_call *call = call_of(unit, number);
  void *addresses[PPI_ARG_MAX] = { NULL };
  perfpred_fortran_fn *function = NULL;
  bool ilp64 = false;
  size_t first = unit->place_count;
  enum perfpred_status status = ppi_core_address(unit->core, call->kernel, &function, &ilp64, error);
  for (int i = 0; i < call->operand_count && status == PERFPRED_OK; i++)
    status = add_place(unit, number, &call->operands[i], ilp64, error);
  if (status != PERFPRED_OK)
    return status;
  for (size_t i = first; i < unit->place_count; i++)
    addresses[unit->places[i].argument] = unit->places[i].area.base;
  status = ppi_frame_fill(&unit->frames[number], call->kernel, function, ilp64, call->values, addresses, error);
  return status == PERFPRED_OK ? set_lwork(&unit->frames[number], call, error) : status;
}

static enum perfpred_status make_tables(struct ppi_placed_unit *unit, struct perfpred_error *error) {
  size_t operands = 0;
  const struct ppi_script_lane *lanes = &unit->script->lanes[unit->text->lane_first];
  unit->first_call = lanes[0].call_first;
  for (size_t i = 0; i < unit->text->lane_count; i++)
    unit->call_count += lanes[i].call_count;
  for (size_t i = 0; i < unit->call_count; i++)
    operands += (size_t)call_of(unit, i)->operand_count;
  unit->places = calloc(operands + 1, sizeof *unit->places);
  unit->frames = calloc(unit->call_count, sizeof *unit->frames);
  return unit->places != NULL && unit->frames != NULL ? PERFPRED_OK : ppi_error_memory(error);
}

enum perfpred_status ppi_unit_place(struct ppi_placed_unit *unit, struct ppi_core *core,
                                    const struct ppi_script *script, size_t number, struct ppi_buffers *buffers,
                                    struct perfpred_error *error) {
  *unit =
      (struct ppi_placed_unit){ .core = core, .script = script, .text = &script->units[number], .buffers = buffers };
  ppi_script_describe(script, number, unit->what, sizeof unit->what);
  if (unit->text->region)
    unit->marks = core->options.marks;
  enum perfpred_status status = make_tables(unit, error);
  if (status == PERFPRED_OK)
    status = plan_copies(unit, error);
  if (status == PERFPRED_OK)
    status = ready_buffers(unit, number, error);
  for (size_t i = 0; i < unit->call_count && status == PERFPRED_OK; i++)
    status = make_call(unit, i, error);
  if (status == PERFPRED_OK)
    status = make_patterns(unit, error);
  if (status != PERFPRED_OK) {
    ppi_unit_free(unit);
    return status;
  }
  mark_again(unit);
  for (int copy = unit->copies - 1; copy >= 0; copy--) {
    move_to_copy(unit, copy);
    fill_all(unit, true);
  }
  return PERFPRED_OK;
}

void ppi_unit_free(struct ppi_placed_unit *unit) {
  for (size_t i = 0; i < unit->place_count; i++)
    free(unit->places[i].memory);
  for (size_t i = 0; i < unit->script->buffer_count && unit->rings != NULL; i++)
    free(unit->rings[i].memory);
  free(unit->rings);
  free(unit->places);
  free(unit->frames);
  ppi_arena_free(&unit->arena);
  unit->rings = NULL;
  unit->places = NULL;
  unit->frames = NULL;
  unit->place_count = 0;
}

void ppi_unit_restore(struct ppi_placed_unit *unit) {
  fill_all(unit, false);
  if (unit->copies > 1)
    move_to_copy(unit, (unit->copy + 1) % unit->copies);
}

void ppi_unit_evict(struct ppi_placed_unit *unit) {
  for (size_t i = 0; i < unit->place_count; i++)
    ppi_evict_area(unit->core->eviction, &unit->places[i].area);
  ppi_evict_finish();
}
