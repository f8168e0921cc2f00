/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Units whose last reference went are put on a list instead of being released at once: a chain of a thousand texts, each
   calling the one before, must not need a thousand stack frames. */
static void drop(struct ppi_unit *unit, struct ppi_unit **dead) {
  if (unit && atomic_fetch_sub_explicit(&unit->references, 1, memory_order_acq_rel) == 1) {
    unit->next = *dead;
    *dead = unit;
  }
}

static void destroy_operands(struct ppi_operand *operands, int count) {
  if (!operands)
    return;
  for (int i = 0; i < count; i++) {
    ppi_expr_destroy(operands[i].integer);
    ppi_expr_destroy(operands[i].row);
    ppi_expr_destroy(operands[i].column);
  }
  free(operands);
}

static void destroy_block(struct ppi_node *node, struct ppi_unit *unit, struct ppi_unit **dead);

static void destroy_node(struct ppi_node *node, struct ppi_unit *unit, struct ppi_unit **dead) {
  destroy_block(node->body, unit, dead);
  destroy_block(node->otherwise, unit, dead);
  ppi_expr_destroy(node->lower);
  ppi_expr_destroy(node->upper);
  ppi_expr_destroy(node->step);
  ppi_expr_destroy(node->value);
  for (int i = 0; i < 8; i++)
    ppi_expr_destroy(node->subscripts[i]);
  destroy_operands(node->operands, node->operand_count);
  destroy_operands(node->result, 1);
  ppi_kernel_unref(node->kernel);
  if (node->callee && node->callee->unit != unit)
    drop(node->callee->unit, dead);
  free(node);
}

/* As deep as the blocks of the text, which are limited. */
static void destroy_block(struct ppi_node *node, struct ppi_unit *unit, struct ppi_unit **dead) {
  while (node) {
    struct ppi_node *next = node->next;
    destroy_node(node, unit, dead);
    node = next;
  }
}

static void clear_buffer(struct ppi_buffer *buffer) {
  ppi_expr_destroy(buffer->rows);
  ppi_expr_destroy(buffer->columns);
  for (int i = 0; i < 8; i++)
    ppi_expr_destroy(buffer->extent[i]);
}

static void destroy_program(struct perfpred_program *program) {
  ppi_expr_destroy(program->cost_multiplications);
  ppi_expr_destroy(program->cost_additions);
  for (int i = 0; i < program->buffer_count; i++)
    clear_buffer(&program->buffers[i]);
  free(program->buffers);
  free(program->slots);
  free(program);
}

static void release(struct ppi_unit *dead) {
  while (dead) {
    struct ppi_unit *unit = dead;
    dead = unit->next;
    for (int i = 0; i < unit->count; i++) /* all bodies first: their calls lead to programs of this unit */
      destroy_block(unit->programs[i]->body, unit, &dead);
    for (int i = 0; i < unit->count; i++)
      destroy_program(unit->programs[i]);
    free(unit->programs);
    free(unit);
  }
}

void ppi_unit_unref(struct ppi_unit *unit) {
  struct ppi_unit *dead = NULL;
  drop(unit, &dead);
  release(dead);
}

struct ppi_unit *ppi_unit_create(void) {
  struct ppi_unit *unit = calloc(1, sizeof *unit);
  if (unit)
    atomic_init(&unit->references, 1);
  return unit;
}

/* Doubles an array once it is full. */
static bool grow(void **array, int count, int capacity, size_t size, int *new_capacity) {
  *new_capacity = capacity;
  if (count < capacity)
    return true;
  const int wanted = capacity ? 2 * capacity : 4;
  void *larger = realloc(*array, (size_t)wanted * size);
  if (!larger)
    return false;
  *array = larger;
  *new_capacity = wanted;
  return true;
}

struct perfpred_program *ppi_unit_add(struct ppi_unit *unit, const char *name) {
  void *array = unit->programs;
  if (!grow(&array, unit->count, unit->capacity, sizeof(struct perfpred_program *), &unit->capacity))
    return NULL;
  unit->programs = array;
  struct perfpred_program *program = calloc(1, sizeof *program);
  if (!program)
    return NULL;
  program->unit = unit;
  assert(strlen(name) < PPI_NAME_MAX);
  strcpy(program->name, name);
  unit->programs[unit->count++] = program;
  return program;
}

/* Slots and buffers are few: their capacity is the next power of two, not kept. */
static int rounded(int count) {
  int capacity = 0;
  while (capacity < count)
    capacity = capacity ? 2 * capacity : 4;
  return capacity;
}

bool ppi_program_grow_slots(struct perfpred_program *program) {
  void *array = program->slots;
  int capacity = 0;
  if (!grow(&array, program->slot_count, rounded(program->slot_count), sizeof *program->slots, &capacity))
    return false;
  program->slots = array;
  return true;
}

bool ppi_program_grow_buffers(struct perfpred_program *program) {
  void *array = program->buffers;
  int capacity = 0;
  if (!grow(&array, program->buffer_count, rounded(program->buffer_count), sizeof *program->buffers, &capacity))
    return false;
  program->buffers = array;
  memset(&program->buffers[program->buffer_count], 0, sizeof *program->buffers);
  return true;
}

struct perfpred_program *perfpred_program_ref(struct perfpred_program *program) {
  if (program)
    atomic_fetch_add_explicit(&program->unit->references, 1, memory_order_relaxed);
  return program;
}

void perfpred_program_unref(struct perfpred_program *program) {
  if (program)
    ppi_unit_unref(program->unit);
}

const char *perfpred_program_name(const struct perfpred_program *program) {
  return program ? program->name : "";
}

const char *perfpred_program_operation(const struct perfpred_program *program) {
  return program ? program->operation : "";
}

size_t perfpred_program_parameter_count(const struct perfpred_program *program) {
  return program ? (size_t)program->parameter_count : 0;
}

const char *perfpred_program_parameter_name(const struct perfpred_program *program, size_t index) {
  return index < perfpred_program_parameter_count(program) ? program->slots[index] : NULL;
}

int64_t perfpred_program_parameter_default(const struct perfpred_program *program, size_t index) {
  return index < perfpred_program_parameter_count(program) ? program->defaults[index] : -1;
}

int perfpred_program_parameter(const struct perfpred_program *program, const char *name) {
  if (!program || !name)
    return -1;
  for (int i = 0; i < program->parameter_count; i++)
    if (!strcmp(program->slots[i], name))
      return i;
  return -1;
}
