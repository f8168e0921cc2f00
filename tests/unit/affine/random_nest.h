/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of made-up affine nests: loops up to four deep with constant, triangular and stepped bounds in both directions, conditions,
   arrays of up to three dimensions, and subscripts that are near each other so that there is reuse of all kinds. */
#ifndef RANDOM_NEST_H
#define RANDOM_NEST_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define RANDOM_TEXT 8000

struct random_nest {
  uint64_t state;
  char text[RANDOM_TEXT];
  int length, loops, statements, depth, arrays, dimensions[3];
  int hard; /* 0: easy subscripts and bounds; 1: all kinds */
};

static inline int random_below(struct random_nest *nest, int limit) {
  nest->state = nest->state * 6364136223846793005u + 1442695040888963407u;
  return (int)((nest->state >> 33) % (uint64_t)limit);
}

__attribute__((format(printf, 2, 3))) static inline void random_say(struct random_nest *nest, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int room = RANDOM_TEXT - nest->length;
  const int written = vsnprintf(nest->text + nest->length, (size_t)room, format, list);
  va_end(list);
  nest->length += written < room ? written : room - 1;
}

static inline void random_indent(struct random_nest *nest) {
  random_say(nest, "%*s", 2 * nest->depth + 2, "");
}

static inline void random_subscript(struct random_nest *nest) {
  const int offset = 40 + random_below(nest, 4) - 1;
  const int kind = random_below(nest, nest->hard ? 13 : 8);
  if (nest->depth == 0 || kind == 0) {
    random_say(nest, "%d", offset);
    return;
  }
  const int a = random_below(nest, nest->depth), b = random_below(nest, nest->depth);
  if (kind == 8 && a != b)
    random_say(nest, "i%d + i%d + %d", a, b, offset);
  else if (kind == 9 && a != b)
    random_say(nest, "i%d - i%d + %d", a, b, offset);
  else if (kind == 10)
    random_say(nest, "2*i%d + %d", a, offset);
  else if (kind == 11)
    random_say(nest, "%d - i%d", offset, a);
  else if (kind == 12)
    random_say(nest, "16*i%d + i%d + %d", a, b, offset);
  else
    random_say(nest, "i%d + %d", a, offset);
}

static inline void random_access(struct random_nest *nest) {
  static const char *const words[] = { "read", "read", "write", "update" };
  const int array = random_below(nest, nest->arrays);
  random_say(nest, "%s %c[", words[random_below(nest, 4)], 'A' + array);
  for (int i = 0; i < nest->dimensions[array]; i++) {
    random_say(nest, "%s", i ? ", " : "");
    random_subscript(nest);
  }
  random_say(nest, "]");
}

static inline void random_statement(struct random_nest *nest) {
  const int count = 1 + random_below(nest, 3);
  random_indent(nest);
  for (int i = 0; i < count; i++) {
    random_say(nest, "%s", i ? "; " : "");
    random_access(nest);
  }
  random_say(nest, "\n");
  nest->statements++;
}

static inline void random_block(struct random_nest *nest);

static inline void random_loop(struct random_nest *nest) {
  const int kind = random_below(nest, 8);
  const int length = nest->depth == 0 ? 2 + random_below(nest, 9) : 1 + random_below(nest, 22 - 4 * nest->depth);
  const int outer = nest->depth ? random_below(nest, nest->depth) : 0;
  random_indent(nest);
  if (nest->depth > 0 && kind == 1)
    random_say(nest, "for i%d in i%d:%d", nest->depth, outer, length);
  else if (nest->depth > 0 && kind == 2)
    random_say(nest, "for i%d in 0:i%d", nest->depth, outer);
  else if (nest->depth > 0 && kind == 3)
    random_say(nest, "for i%d in i%d - 2:i%d + %d", nest->depth, outer, outer, random_below(nest, 7));
  else if (nest->depth > 0 && kind == 4)
    random_say(nest, "for i%d in %d:%d - i%d", nest->depth, random_below(nest, 3), length, outer);
  else
    random_say(nest, "for i%d in %d:%d", nest->depth, random_below(nest, 3), length);
  if (random_below(nest, 6) == 0)
    random_say(nest, " down");
  if (random_below(nest, nest->hard ? 6 : 20) == 0)
    random_say(nest, " by %d", 2 + random_below(nest, 2));
  random_say(nest, "\n");
  nest->depth++;
  nest->loops++;
  random_block(nest);
  nest->depth--;
  random_indent(nest);
  random_say(nest, "end\n");
}

static inline void random_if(struct random_nest *nest) {
  static const char *const signs[] = { "<", "<=", ">", ">=", "==" };
  const int a = random_below(nest, nest->depth), b = random_below(nest, nest->depth);
  random_indent(nest);
  if (a != b && random_below(nest, 2))
    random_say(nest, "if i%d %s i%d + %d\n", a, signs[random_below(nest, 5)], b, random_below(nest, 3));
  else
    random_say(nest, "if i%d %s %d\n", a, signs[random_below(nest, 5)], random_below(nest, 9));
  random_statement(nest);
  random_indent(nest);
  random_say(nest, "end\n");
}

static inline void random_block(struct random_nest *nest) {
  const int count = 1 + random_below(nest, 2);
  for (int i = 0; i < count; i++) {
    const int kind = random_below(nest, 10);
    if (kind < 6 && nest->depth < 4 && nest->loops < 6)
      random_loop(nest);
    else if (kind == 6 && nest->depth > 0)
      random_if(nest);
    else
      random_statement(nest);
  }
}

static inline void random_nest_make(struct random_nest *nest, uint64_t seed, int hard) {
  static const char *const types[] = { "double", "double", "float" };
  nest->state = seed * 0x9e3779b97f4a7c15u + 1;
  nest->length = nest->loops = nest->statements = nest->depth = 0;
  nest->hard = hard;
  for (int i = 0; i < 4; i++)
    random_below(nest, 2);
  nest->arrays = 1 + random_below(nest, 3);
  random_say(nest, "perfpred-text 1\nnest made(n)\n");
  for (int i = 0; i < nest->arrays; i++) {
    nest->dimensions[i] = 1 + random_below(nest, 3);
    random_say(nest, "  %s %s %c[", types[random_below(nest, 3)], random_below(nest, 5) ? "row-major" : "column-major",
               'A' + i);
    for (int j = 0; j < nest->dimensions[i]; j++)
      random_say(nest, "%s960", j ? ", " : "");
    random_say(nest, "]\n");
  }
  random_loop(nest);
  if (random_below(nest, 2))
    random_loop(nest);
  random_say(nest, "end\n");
}

#endif
