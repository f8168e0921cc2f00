/* SPDX-License-Identifier: BSD-3-Clause */
#include "affine/marks.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_LINES 64 /* numbers of neighbouring lines lie together */
#define FIRST_PAGES 64
#define FIRST_NODES 256
#define NODES_MAX (UINT32_C(1) << 31)

/* A line in the stack, by the order of first touches from 1 on; node 0 stands before the newest and behind the oldest one. */
struct node {
  uint32_t newer, older;
  uint32_t missed; /* caches that it has fallen out of */
};

struct page {
  uint64_t number;
  uint32_t *nodes; /* of its lines, 0: not touched; NULL: the page is free */
};

struct ppi_marks {
  uint32_t levels;
  uint64_t lines[PPI_MARKS_MAX];
  uint32_t at[PPI_MARKS_MAX]; /* the last line within each cache, once there are so many */
  uint64_t limit_bytes, page_bytes;
  struct page *pages; /* open addressing, at most half full */
  uint32_t page_slots, page_count;
  struct node *nodes;
  uint32_t count, capacity; /* of nodes, node 0 apart */
};

static uint32_t home_of(uint64_t number, uint32_t slots) {
  const uint64_t mixed = number * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(mixed >> 32) & (slots - 1);
}

/* The page of that number, or the free one where it belongs. */
static struct page *find_page(struct page *pages, uint32_t slots, uint64_t number) {
  uint32_t slot = home_of(number, slots);
  while (pages[slot].nodes && pages[slot].number != number)
    slot = (slot + 1) & (slots - 1);
  return &pages[slot];
}

static bool is_too_large(const struct ppi_marks *marks, uint64_t more) {
  const uint64_t bytes = marks->page_bytes + marks->page_slots * (uint64_t)sizeof(struct page) +
                         ((uint64_t)marks->capacity + 1) * sizeof(struct node);
  return marks->limit_bytes > 0 && bytes + more > marks->limit_bytes;
}

static enum perfpred_status grow_pages(struct ppi_marks *marks) {
  const uint32_t slots = marks->page_slots * 2;
  if (marks->page_count >= NODES_MAX / 4 || is_too_large(marks, marks->page_slots * (uint64_t)sizeof(struct page)))
    return PERFPRED_LIMIT;
  struct page *pages = calloc(slots, sizeof *pages);
  if (!pages)
    return PERFPRED_NO_MEMORY;
  for (uint32_t i = 0; i < marks->page_slots; i++)
    if (marks->pages[i].nodes)
      *find_page(pages, slots, marks->pages[i].number) = marks->pages[i];
  free(marks->pages);
  marks->pages = pages;
  marks->page_slots = slots;
  return PERFPRED_OK;
}

static enum perfpred_status add_page(struct ppi_marks *marks, uint64_t number, struct page **page) {
  const size_t bytes = PAGE_LINES * sizeof(uint32_t);
  if (marks->page_count >= marks->page_slots / 2) {
    enum perfpred_status status = grow_pages(marks);
    if (status)
      return status;
  }
  if (is_too_large(marks, bytes))
    return PERFPRED_LIMIT;
  uint32_t *nodes = calloc(PAGE_LINES, sizeof *nodes);
  if (!nodes)
    return PERFPRED_NO_MEMORY;
  struct page *added = find_page(marks->pages, marks->page_slots, number);
  added->number = number;
  added->nodes = nodes;
  *page = added;
  marks->page_count++;
  marks->page_bytes += bytes;
  return PERFPRED_OK;
}

static enum perfpred_status grow_nodes(struct ppi_marks *marks) {
  const uint32_t capacity = marks->capacity * 2;
  if (capacity > NODES_MAX || is_too_large(marks, marks->capacity * (uint64_t)sizeof(struct node)))
    return PERFPRED_LIMIT;
  struct node *nodes = realloc(marks->nodes, ((size_t)capacity + 1) * sizeof *nodes);
  if (!nodes)
    return PERFPRED_NO_MEMORY;
  marks->nodes = nodes;
  marks->capacity = capacity;
  return PERFPRED_OK;
}

static void put_on_top(struct node *nodes, uint32_t at) {
  const uint32_t top = nodes[0].older;
  nodes[at].newer = 0;
  nodes[at].older = top;
  nodes[at].missed = 0;
  nodes[top].newer = at;
  nodes[0].older = at;
}

/* The last line within a cache falls out of it, as another one came to lie above. */
static void push_out(struct ppi_marks *marks, uint32_t level) {
  struct node *last = &marks->nodes[marks->at[level]];
  last->missed++;
  marks->at[level] = last->newer;
}

static enum perfpred_status touch_first(struct ppi_marks *marks, uint32_t *place) {
  if (marks->count == marks->capacity) {
    enum perfpred_status status = grow_nodes(marks);
    if (status)
      return status;
  }
  *place = ++marks->count;
  put_on_top(marks->nodes, *place);
  for (uint32_t i = 0; i < marks->levels; i++) {
    if (marks->count > marks->lines[i])
      push_out(marks, i);
    else if (marks->count == marks->lines[i])
      marks->at[i] = marks->nodes[0].newer;
  }
  return PERFPRED_OK;
}

/* Of a line that is not on top. */
static uint32_t touch_again(struct ppi_marks *marks, uint32_t at) {
  struct node *nodes = marks->nodes;
  const uint32_t missed = nodes[at].missed, newer = nodes[at].newer, older = nodes[at].older;
  nodes[newer].older = older;
  nodes[older].newer = newer;
  put_on_top(nodes, at);
  for (uint32_t i = 0; i < missed; i++)
    push_out(marks, i);
  for (uint32_t i = missed; i < marks->levels; i++)
    if (marks->at[i] == at)
      marks->at[i] = newer;
  return missed;
}

enum perfpred_status ppi_marks_touch(struct ppi_marks *marks, uint64_t line, uint32_t *missed) {
  const uint64_t number = line / PAGE_LINES;
  struct page *page = find_page(marks->pages, marks->page_slots, number);
  enum perfpred_status status = page->nodes ? PERFPRED_OK : add_page(marks, number, &page);
  if (status)
    return status;
  uint32_t *place = &page->nodes[line % PAGE_LINES];
  if (*place == 0) {
    status = touch_first(marks, place);
    if (!status)
      *missed = marks->levels + 1;
    return status;
  }
  *missed = marks->nodes[0].older == *place ? 0 : touch_again(marks, *place);
  return PERFPRED_OK;
}

uint64_t ppi_marks_lines(const struct ppi_marks *marks) {
  return marks->count;
}

enum perfpred_status ppi_marks_create(const uint64_t *lines, size_t levels, uint64_t limit_bytes,
                                      struct ppi_marks **marks, struct perfpred_error *error) {
  assert(levels <= PPI_MARKS_MAX);
  struct ppi_marks *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->levels = (uint32_t)levels;
  for (size_t i = 0; i < levels; i++) {
    assert(lines[i] >= 1 && (i == 0 || lines[i] >= lines[i - 1]));
    made->lines[i] = lines[i];
  }
  made->page_slots = FIRST_PAGES;
  made->capacity = FIRST_NODES;
  made->pages = calloc(FIRST_PAGES, sizeof *made->pages);
  made->nodes = calloc(FIRST_NODES + 1, sizeof *made->nodes);
  if (!made->pages || !made->nodes) {
    ppi_marks_destroy(made);
    return ppi_error_memory(error);
  }
  made->limit_bytes = limit_bytes; /* what it starts with is always granted */
  *marks = made;
  return PERFPRED_OK;
}

void ppi_marks_destroy(struct ppi_marks *marks) {
  if (!marks)
    return;
  for (uint32_t i = 0; marks->pages && i < marks->page_slots; i++)
    free(marks->pages[i].nodes);
  free(marks->nodes);
  free(marks->pages);
  free(marks);
}
