/* SPDX-License-Identifier: BSD-3-Clause */
/* Every line's last touch is a bit on a time axis; a distance is the number of bits from there on. A Fenwick tree counts the bits of
   whole words. Times of old touches are bits that are gone, so the axis is closed up when it has run full. */
#include "base/stack_distance.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64
#define FIRST_SLOTS 256 /* of the table */
#define FIRST_WORDS 16
#define AXIS_PER_LINE 4 /* length of the axis per line: closing up costs a third of a touch each */
#define LINES_MAX (UINT32_C(1) << 29)
#define NEAR_WORDS 6 /* so many words are summed up faster than the tree is asked */

struct entry {
  uint64_t line;
  uint32_t time; /* of its last touch, from 1 on; 0: the entry is free */
};

struct ppi_stack_distance {
  uint64_t limit_bytes;
  struct entry *table; /* open addressing, at most half full */
  uint32_t slots, lines;
  uint64_t *words;        /* bit t: the touch at time t is the last one of its line */
  uint32_t *tree, *owner; /* tree: bits of the words before the open one; owner: slot of the line touched at a time */
  uint32_t word_count;
  uint32_t now; /* time of the last touch; its word is the open one, which the tree does not know yet */
};

/* Bits in a word; the compiler's own is a call where the instruction cannot be taken for granted. */
static uint32_t bits_in(uint64_t word) {
  word -= word >> 1 & UINT64_C(0x5555555555555555);
  word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
  word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

/* Eight neighbouring lines stay neighbours: arrays are walked line by line. */
static uint32_t home_of(uint64_t line, uint32_t slots) {
  uint64_t mixed = (line >> 3) * UINT64_C(0x9e3779b97f4a7c15);
  mixed ^= mixed >> 32;
  return (uint32_t)(mixed << 3 | (line & 7)) & (slots - 1);
}

/* The line's entry, or the free one where it belongs. */
static uint32_t find_slot(const struct entry *table, uint32_t slots, uint64_t line) {
  uint32_t slot = home_of(line, slots);
  while (table[slot].time && table[slot].line != line)
    slot = (slot + 1) & (slots - 1);
  return slot;
}

static void tree_add(struct ppi_stack_distance *sim, uint32_t word, uint32_t value) {
  for (uint32_t i = word + 1; i <= sim->word_count; i += i & -i)
    sim->tree[i] += value;
}

/* Bits in the words before `word`. */
static uint32_t tree_sum(const struct ppi_stack_distance *sim, uint32_t word) {
  uint32_t sum = 0;
  for (uint32_t i = word; i > 0; i -= i & -i)
    sum += sim->tree[i];
  return sum;
}

static uint64_t bytes_of(uint32_t slots, uint32_t word_count) {
  return slots * (uint64_t)sizeof(struct entry) +
         word_count * (uint64_t)(sizeof(uint64_t) + sizeof(uint32_t) + WORD_BITS * sizeof(uint32_t));
}

static bool is_too_large(const struct ppi_stack_distance *sim, uint32_t slots, uint32_t word_count) {
  return sim->limit_bytes > 0 && bytes_of(slots, word_count) > sim->limit_bytes;
}

static enum perfpred_status grow_table(struct ppi_stack_distance *sim) {
  const uint32_t slots = sim->slots * 2;
  if (sim->lines >= LINES_MAX || is_too_large(sim, slots, sim->word_count))
    return PERFPRED_LIMIT;
  struct entry *table = calloc(slots, sizeof *table);
  if (!table)
    return PERFPRED_NO_MEMORY;
  for (uint32_t i = 0; i < sim->slots; i++)
    if (sim->table[i].time) {
      const uint32_t slot = find_slot(table, slots, sim->table[i].line);
      table[slot] = sim->table[i];
      sim->owner[table[slot].time] = slot;
    }
  free(sim->table);
  sim->table = table;
  sim->slots = slots;
  return PERFPRED_OK;
}

/* The tree is as good as the words; the open word stays out of it. */
static void rebuild_tree(struct ppi_stack_distance *sim) {
  memset(sim->tree, 0, (sim->word_count + (size_t)1) * sizeof *sim->tree);
  for (uint32_t word = 0; word < sim->now / WORD_BITS; word++)
    sim->tree[word + 1] = bits_in(sim->words[word]);
  for (uint32_t i = 1; i <= sim->word_count; i++) {
    const uint32_t parent = i + (i & -i);
    if (parent <= sim->word_count)
      sim->tree[parent] += sim->tree[i];
  }
}

/* Gives the last touches the times 1, 2, ... in their order. */
static void close_up(struct ppi_stack_distance *sim) {
  uint32_t time = 0;
  for (uint32_t word = 0; word <= sim->now / WORD_BITS; word++) {
    for (uint64_t bits = sim->words[word]; bits; bits &= bits - 1) {
      const uint32_t slot = sim->owner[word * WORD_BITS + (uint32_t)__builtin_ctzll(bits)];
      sim->owner[++time] = slot; /* never ahead of the place that is read */
      sim->table[slot].time = time;
    }
    sim->words[word] = 0;
  }
  assert(time == sim->lines);
  for (uint32_t i = 1; i <= time; i++)
    sim->words[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
  sim->now = time;
  rebuild_tree(sim);
}

static enum perfpred_status stretch_axis(struct ppi_stack_distance *sim, uint32_t word_count) {
  if (is_too_large(sim, sim->slots, word_count))
    return PERFPRED_LIMIT;
  uint64_t *words = realloc(sim->words, word_count * sizeof *words);
  if (words)
    sim->words = words;
  uint32_t *tree = words ? realloc(sim->tree, (word_count + (size_t)1) * sizeof *tree) : NULL;
  if (tree)
    sim->tree = tree;
  uint32_t *owner = tree ? realloc(sim->owner, (size_t)word_count * WORD_BITS * sizeof *owner) : NULL;
  if (!owner)
    return PERFPRED_NO_MEMORY;
  sim->owner = owner;
  memset(words + sim->word_count, 0, (word_count - sim->word_count) * sizeof *words);
  sim->word_count = word_count;
  return PERFPRED_OK;
}

/* Room on the axis for the next touch. */
static enum perfpred_status make_room(struct ppi_stack_distance *sim) {
  const uint32_t wanted = sim->lines / WORD_BITS * AXIS_PER_LINE;
  if (wanted > sim->word_count / 2) {
    enum perfpred_status status = stretch_axis(sim, wanted > sim->word_count ? wanted : sim->word_count * 2);
    if (status)
      return status;
  }
  close_up(sim);
  return PERFPRED_OK;
}

/* Bits from `time` to now, both included. */
static uint32_t count_from(const struct ppi_stack_distance *sim, uint32_t time) {
  const uint32_t word = time / WORD_BITS, open = sim->now / WORD_BITS;
  uint32_t count = bits_in(sim->words[word] >> time % WORD_BITS);
  if (open - word <= NEAR_WORDS) {
    for (uint32_t i = word + 1; i <= open; i++)
      count += bits_in(sim->words[i]);
    return count;
  }
  return count + sim->lines - tree_sum(sim, word) - bits_in(sim->words[word]);
}

/* The touch at `time` is no longer the last one of its line. */
static void forget(struct ppi_stack_distance *sim, uint32_t time) {
  sim->words[time / WORD_BITS] &= ~(UINT64_C(1) << time % WORD_BITS);
  if (time / WORD_BITS != sim->now / WORD_BITS)
    tree_add(sim, time / WORD_BITS, UINT32_MAX); /* minus one */
}

/* The next time, as the last touch of the slot's line. */
static void touch(struct ppi_stack_distance *sim, uint32_t slot) {
  const uint32_t open = sim->now / WORD_BITS, time = ++sim->now;
  if (time / WORD_BITS != open)
    tree_add(sim, open, bits_in(sim->words[open]));
  sim->words[time / WORD_BITS] |= UINT64_C(1) << time % WORD_BITS;
  sim->owner[time] = slot;
  sim->table[slot].time = time;
}

static enum perfpred_status touch_first(struct ppi_stack_distance *sim, uint64_t line, uint32_t slot) {
  if (sim->lines >= sim->slots / 2) {
    enum perfpred_status status = grow_table(sim);
    if (status)
      return status;
    slot = find_slot(sim->table, sim->slots, line);
  }
  sim->table[slot].line = line;
  sim->lines++;
  touch(sim, slot);
  return PERFPRED_OK;
}

enum perfpred_status ppi_stack_distance_access(struct ppi_stack_distance *sim, uint64_t line, uint64_t *distance) {
  if (sim->now + 1 == sim->word_count * WORD_BITS) {
    enum perfpred_status status = make_room(sim);
    if (status)
      return status;
  }
  const uint32_t slot = find_slot(sim->table, sim->slots, line), time = sim->table[slot].time;
  if (!time) {
    enum perfpred_status status = touch_first(sim, line, slot);
    if (!status)
      *distance = 0;
    return status;
  }
  if (time == sim->now) {
    *distance = 1;
    return PERFPRED_OK;
  }
  *distance = count_from(sim, time);
  forget(sim, time);
  touch(sim, slot);
  return PERFPRED_OK;
}

enum perfpred_status ppi_stack_distance_create(uint64_t limit_bytes, struct ppi_stack_distance **sim,
                                               struct perfpred_error *error) {
  struct ppi_stack_distance *made = calloc(1, sizeof *made);
  if (!made)
    return ppi_error_memory(error);
  made->slots = FIRST_SLOTS;
  made->table = calloc(FIRST_SLOTS, sizeof *made->table);
  if (!made->table || stretch_axis(made, FIRST_WORDS) != PERFPRED_OK) {
    ppi_stack_distance_destroy(made);
    return ppi_error_memory(error);
  }
  rebuild_tree(made);
  made->limit_bytes = limit_bytes; /* what it starts with is always granted */
  *sim = made;
  return PERFPRED_OK;
}

uint64_t ppi_stack_distance_lines(const struct ppi_stack_distance *sim) {
  return sim->lines;
}

void ppi_stack_distance_clear(struct ppi_stack_distance *sim) {
  memset(sim->table, 0, sim->slots * sizeof *sim->table);
  memset(sim->words, 0, sim->word_count * sizeof *sim->words);
  sim->lines = sim->now = 0;
  rebuild_tree(sim);
}

void ppi_stack_distance_destroy(struct ppi_stack_distance *sim) {
  if (!sim)
    return;
  free(sim->owner);
  free(sim->tree);
  free(sim->words);
  free(sim->table);
  free(sim);
}
