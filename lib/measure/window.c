/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps of programs as subjects that are timed in parts: the calls of the step before run first, then those of the step itself with
 * one reading of the clock between them, on the program's own matrix. What both overwrite is put back before every run; all else
 * of the buffers stays as it was filled once, for all windows have one leading dimension and values that do not depend on n. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/blocks.h"
#include "measure/evict.h"
#include "measure/layout.h"
#include "measure/schedule.h"
#include "measure/stamps.h"

enum stage { OUTSIDE, LEAD, TIMED };

/* Elements of a buffer: rows [row, row_end) of columns [column, column_end); none where an end is 0. */
struct box {
  int64_t row, column, row_end, column_end;
};

/* What is kept of a buffer besides its memory. */
struct kept {
  int64_t rows, columns; /* most of any window */
  struct box box, dirty; /* what the selected window writes; what the last run wrote */
};

struct windows {
  struct ppi_layout layout; /* first: walks hand it on */
  const struct perfpred_program *program;
  const struct ppi_window *list;
  struct ppi_stamps stamps;
  struct kept *kept;        /* one for each memory of the layout */
  bool *met;                /* windows that have run */
  bool touched;             /* the steps before are not run: everything is evicted, and their operands are touched */
  struct ppi_area *touches; /* operands of the calls of the steps before the selected window's, in their order */
  size_t touch_count, touch_space;
  struct ppi_blocks blocks; /* of the selected window */
  size_t lead_count, selected;
  enum stage stage;
  const struct ppi_node *loop;
  bool ambiguous; /* there is a second loop */
  char what[300];
};

static void begin_block(void *data, const struct ppi_node *loop, int index) {
  struct windows *all = data;
  all->ambiguous = all->ambiguous || (all->loop != NULL && all->loop != loop);
  all->loop = loop;
  all->stage = index < 0 ? OUTSIDE : index + 1 < all->blocks.count ? LEAD : TIMED;
  if (all->stage == TIMED)
    all->lead_count = all->layout.frame_count;
}

static void extend(struct box *box, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  if (rows <= 0 || columns <= 0)
    return;
  if (box->row_end == 0)
    *box = (struct box){ row, column, row + rows, column + columns };
  box->row = row < box->row ? row : box->row;
  box->column = column < box->column ? column : box->column;
  box->row_end = row + rows > box->row_end ? row + rows : box->row_end;
  box->column_end = column + columns > box->column_end ? column + columns : box->column_end;
}

/* What a call writes joins the boxes of its buffers. */
static enum perfpred_status mark_written(struct windows *all, const struct perfpred_kernel *kernel,
                                         const struct ppi_value *values, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int i = 0; i < kernel->arg_count && status == PERFPRED_OK; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    const struct ppi_value *value = &values[i];
    if (arg->kind != PPI_ARG_DATA || !(arg->direction & PPI_OUT) || value->buffer < 0 ||
        !all->layout.memories[value->buffer].own)
      continue;
    int64_t rows = 0, columns = 0;
    status = ppi_kernel_extent(kernel, values, i, &rows, &columns, error);
    if (status == PERFPRED_OK)
      extend(&all->kept[value->buffer].box, value->row, value->column, value->by_row ? columns : rows,
             value->by_row ? rows : columns);
  }
  return status;
}

static enum perfpred_status add_touch(struct windows *all, const struct ppi_area *area, struct perfpred_error *error) {
  if (all->touch_count == all->touch_space) {
    size_t space = 2 * all->touch_space + 16;
    struct ppi_area *touches = realloc(all->touches, space * sizeof *touches);
    if (touches == NULL)
      return ppi_error_memory(error);
    all->touches = touches;
    all->touch_space = space;
  }
  all->touches[all->touch_count++] = *area;
  return PERFPRED_OK;
}

/* The part of a matrix that a call uses, where its flags say that it is a triangle. */
static char part_of(const struct ppi_arg *arg, const struct ppi_value *values) {
  if (arg->shape != PPI_SHAPE_TRIANGLE)
    return 0;
  int64_t letter = arg->uplo >= 0 ? values[arg->uplo].i : arg->uplo_letter;
  return letter == 'L' || letter == 'U' ? (char)letter : 0;
}

static enum perfpred_status mark_operand(struct windows *all, const struct perfpred_kernel *kernel,
                                         const struct ppi_value *values, int place, struct perfpred_error *error) {
  const struct ppi_value *value = &values[place];
  const struct ppi_area *whole = &all->layout.memories[value->buffer].area;
  struct ppi_area area = *whole;
  enum perfpred_status status = ppi_kernel_extent(kernel, values, place, &area.rows, &area.columns, error);
  if (status != PERFPRED_OK || area.rows <= 0 || area.columns <= 0)
    return status;
  area.base += (size_t)(value->row + value->column * whole->ld) * whole->element;
  area.part = part_of(&kernel->args[place], values);
  area.step = value->by_row ? whole->ld : 1;
  return add_touch(all, &area, error);
}

/* Operands that are only read come first: kernels are taken to access what they write last. */
static enum perfpred_status mark_touched(struct windows *all, const struct perfpred_kernel *kernel,
                                         const struct ppi_value *values, struct perfpred_error *error) {
  enum perfpred_status status = PERFPRED_OK;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < kernel->arg_count && status == PERFPRED_OK; i++) {
      const struct ppi_arg *arg = &kernel->args[i];
      bool written = (arg->direction & PPI_OUT) != 0;
      if (arg->kind == PPI_ARG_DATA && values[i].buffer >= 0 && written == (pass == 1))
        status = mark_operand(all, kernel, values, i, error);
    }
  return status;
}

static enum perfpred_status visit_call(void *data, const struct ppi_node *node, const struct ppi_value *values,
                                       struct perfpred_error *error) {
  struct windows *all = data;
  size_t before = all->layout.frame_count;
  if (all->stage == OUTSIDE)
    return PERFPRED_OK;
  if (all->stage == LEAD && all->touched && !all->layout.planning) {
    if (ppi_kernel_is_empty(node->kernel, values))
      return PERFPRED_OK;
    return mark_touched(all, node->kernel, values, error);
  }
  enum perfpred_status status = ppi_stamps_call(&all->stamps, &all->layout, node, values, error);
  if (status != PERFPRED_OK || all->layout.planning || all->layout.frame_count == before)
    return status;
  return mark_written(all, node->kernel, values, error);
}

static enum perfpred_status walk(struct windows *all, size_t index, struct perfpred_error *error) {
  const struct ppi_window *window = &all->list[index];
  const struct ppi_execution execution = { all->program, window->parameters, (size_t)all->program->parameter_count };
  int64_t ld = 0;
  enum perfpred_status status = ppi_blocks_find(&all->blocks, all->program, window, all->touched, error);
  if (status != PERFPRED_OK)
    return status;
  const struct ppi_walker walker = {
    .call = visit_call, .blocks = all->blocks.items, .block_count = all->blocks.count, .block = begin_block
  };
  all->stage = OUTSIDE;
  all->loop = NULL;
  all->lead_count = 0;
  all->touch_count = 0;
  status = ppi_layout_walk(&all->layout, &execution, walker, &ld, error);
  if (status == PERFPRED_OK && all->ambiguous)
    status = ppi_error_set(error, PERFPRED_UNSUPPORTED, "%s has several loops, expected one whose steps are timed",
                           all->program->name);
  return status;
}

static enum perfpred_status select_window(void *data, size_t index, struct perfpred_error *error) {
  struct windows *all = data;
  if (all->selected == index)
    return PERFPRED_OK;
  all->selected = SIZE_MAX;
  for (size_t i = 0; i < all->layout.memory_count; i++)
    all->kept[i].box = (struct box){ 0 };
  enum perfpred_status status = walk(all, index, error);
  if (status != PERFPRED_OK)
    return status;
  const struct ppi_window *window = &all->list[index];
  const struct ppi_execution execution = { all->program, window->parameters, (size_t)all->program->parameter_count };
  ppi_layout_describe(&execution, all->what, sizeof all->what);
  size_t length = strlen(all->what);
  snprintf(all->what + length, sizeof all->what - length, ", step at %" PRId64, window->step.start);
  all->selected = index;
  return PERFPRED_OK;
}

/* The whole of a buffer, whatever the selected window needs of it. */
static struct ppi_area whole_area(const struct windows *all, size_t number) {
  struct ppi_area area = all->layout.memories[number].area;
  area.rows = all->kept[number].rows;
  area.columns = all->kept[number].columns;
  return area;
}

static void fill_box(const struct windows *all, size_t number, const struct box *box) {
  const struct ppi_memory *memory = &all->layout.memories[number];
  const struct ppi_area area = whole_area(all, number);
  if (box->row_end > 0)
    ppi_area_fill_box(&area, &all->layout.arena.patterns[memory->pattern], box->row, box->column,
                      box->row_end - box->row, box->column_end - box->column, memory->streaming);
}

/* What the last run overwrote, and of a buffer that fits into the cache what this one will: as in an execution it is there then. */
static void restore_window(void *data) {
  struct windows *all = data;
  ppi_core_announce(all->layout.core, all->what);
  for (size_t i = 0; i < all->layout.memory_count; i++) {
    const struct ppi_memory *memory = &all->layout.memories[i];
    struct kept *kept = &all->kept[i];
    if (!memory->own || !memory->restored)
      continue;
    fill_box(all, i, &kept->dirty);
    if (!memory->streaming && memcmp(&kept->dirty, &kept->box, sizeof kept->box) != 0)
      fill_box(all, i, &kept->box);
    kept->dirty = kept->box;
  }
}

/* In place of running the steps before. Where there is none, in the first step, all is as it was restored. */
static void prepare_window(void *data) {
  const struct windows *all = data;
  const struct ppi_core *core = all->layout.core;
  if (!all->touched || all->list[all->selected].lead.width <= 0)
    return;
  for (size_t i = 0; i < all->layout.memory_count; i++) {
    const struct ppi_area *area = &all->layout.memories[i].area;
    ppi_evict_range(core->eviction, area->base, area->base + (size_t)ppi_area_span(area) * area->element);
  }
  ppi_evict_finish();
  for (size_t i = 0; i < all->touch_count; i++)
    ppi_touch_area(&all->touches[i]);
}

/* Runs are told call by call the first time, so that a crash has a name. */
static void run_window(void *data) {
  struct windows *all = data;
  const bool named = !all->met[all->selected];
  for (size_t i = 0; i < all->lead_count; i++) {
    if (named)
      ppi_layout_announce_call(&all->layout, &all->layout.frames[i]);
    ppi_frame_call(&all->layout.frames[i]);
  }
  ppi_stamps_run(&all->stamps, &all->layout, all->lead_count, named);
  all->met[all->selected] = true;
}

static const double *parts_of(void *data) {
  struct windows *all = data;
  return ppi_stamps_times(&all->stamps, &all->layout, all->lead_count);
}

static enum perfpred_status check_window(void *data, struct perfpred_error *error) {
  const struct windows *all = data;
  return ppi_layout_check(&all->layout, all->what, error);
}

static double window_overhead(void *data) {
  const struct windows *all = data;
  return ppi_layout_overhead(&all->layout);
}

/* --- Preparing ----------------------------------------------------------------------------------------------------- */

/* One leading dimension for all windows. */
static enum perfpred_status choose_ld(struct windows *all, size_t count, int64_t wanted, struct perfpred_error *error) {
  int64_t most = 0;
  enum perfpred_status status = PERFPRED_OK;
  for (size_t i = 0; i < count; i++)
    for (int k = 0; k < all->program->buffer_count && status == PERFPRED_OK; k++) {
      int64_t rows = 0, columns = 0;
      status = ppi_buffer_extent(all->program, k, all->list[i].parameters, &rows, &columns, error);
      most = rows > most ? rows : most;
    }
  all->layout.wanted_ld = wanted > most ? wanted : ppi_leading_dimension(most);
  return status;
}

static enum perfpred_status grow_kept(struct windows *all, size_t *kept_count, struct perfpred_error *error) {
  size_t count = all->layout.memory_count;
  if (count <= *kept_count)
    return PERFPRED_OK;
  struct kept *kept = realloc(all->kept, count * sizeof *kept);
  if (kept == NULL)
    return ppi_error_memory(error);
  memset(kept + *kept_count, 0, (count - *kept_count) * sizeof *kept);
  all->kept = kept;
  *kept_count = count;
  return PERFPRED_OK;
}

/* Collects what all windows need. */
static enum perfpred_status plan(struct windows *all, size_t count, struct perfpred_error *error) {
  size_t kept_count = 0;
  enum perfpred_status status = PERFPRED_OK;
  all->layout.planning = true;
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    status = ppi_program_check(all->program, all->list[i].parameters, (size_t)all->program->parameter_count, error);
    if (status == PERFPRED_OK)
      status = walk(all, i, error);
    if (status == PERFPRED_OK)
      status = grow_kept(all, &kept_count, error);
    for (size_t k = 0; k < kept_count && status == PERFPRED_OK; k++) {
      const struct ppi_area *area = &all->layout.memories[k].area;
      all->kept[k].rows = area->rows > all->kept[k].rows ? area->rows : all->kept[k].rows;
      all->kept[k].columns = area->columns > all->kept[k].columns ? area->columns : all->kept[k].columns;
    }
  }
  return status;
}

/* The values of all buffers, once. They are laid out where the first window has them, which is where all have them. */
static enum perfpred_status fill(struct windows *all, struct perfpred_error *error) {
  enum perfpred_status status = walk(all, 0, error);
  for (size_t i = 0; i < all->layout.memory_count && status == PERFPRED_OK; i++) {
    const struct ppi_memory *memory = &all->layout.memories[i];
    const struct ppi_area area = whole_area(all, i);
    if (memory->own)
      ppi_area_fill(&area, &all->layout.arena.patterns[memory->pattern], false);
    all->kept[i].box = (struct box){ 0 };
  }
  return status;
}

static enum perfpred_status prepare(struct windows *all, size_t count, int64_t ld, struct perfpred_error *error) {
  enum perfpred_status status = ppi_stamps_begin(&all->stamps, all->program, error);
  if (status == PERFPRED_OK)
    status = choose_ld(all, count, ld, error);
  if (status == PERFPRED_OK)
    status = plan(all, count, error);
  if (status == PERFPRED_OK)
    status = ppi_layout_allocate(&all->layout, error);
  if (status == PERFPRED_OK)
    status = ppi_stamps_allocate(&all->stamps, &all->layout, error);
  if (status != PERFPRED_OK)
    return status;
  all->met = calloc(count, sizeof *all->met);
  if (all->met == NULL)
    return ppi_error_memory(error);
  return fill(all, error);
}

static void release(struct windows *all) {
  free(all->touches);
  ppi_blocks_free(&all->blocks);
  free(all->met);
  free(all->kept);
  ppi_layout_free(&all->layout);
  ppi_stamps_free(&all->stamps);
}

enum perfpred_status ppi_core_windows(struct ppi_core *core, const struct perfpred_program *program,
                                      const struct ppi_window *windows, size_t count,
                                      const struct ppi_sampling *sampling, struct ppi_result *results,
                                      struct perfpred_error *error) {
  struct windows all = { .program = program, .list = windows, .selected = SIZE_MAX, .touched = sampling->touched };
  const struct ppi_bench *bench = NULL;
  struct ppi_level *level = NULL;
  if (count == 0)
    return PERFPRED_OK;
  if (sampling->touched && core->eviction == PPI_EVICT_NONE)
    return ppi_error_set(error, PERFPRED_UNSUPPORTED,
                         "this processor has no instruction that evicts a cache line: caches cannot be set up");
  if (ppi_window_is_whole(windows))
    return ppi_core_execute_parts(core, program, windows, count, sampling, results, error);
  all.layout.core = core;
  all.layout.kept = true;
  enum perfpred_status status = prepare(&all, count, sampling->ld, error);
  if (status == PERFPRED_OK)
    status = ppi_core_world(core, core->options.threads, &bench, &level, error);
  if (status == PERFPRED_OK) {
    const struct ppi_subjects subjects = { .count = count,
                                           .stage = "sampling",
                                           .select = select_window,
                                           .restore = restore_window,
                                           .run = run_window,
                                           .check = check_window,
                                           .overhead_s = window_overhead,
                                           .data = &all,
                                           .prepare = prepare_window,
                                           .unpaired = true,
                                           .part_count = all.stamps.calls.count,
                                           .parts_s = parts_of };
    status = ppi_schedule_run(bench, level, &subjects, sampling, results, error);
  }
  for (size_t i = 0; i < count * all.stamps.calls.count && status == PERFPRED_OK; i++)
    results[i].ld = all.layout.wanted_ld;
  release(&all);
  return status;
}
