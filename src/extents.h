/* SPDX-License-Identifier: BSD-3-Clause */
/* Extents of indices as the command line has them. */
#ifndef COMMAND_EXTENTS_H
#define COMMAND_EXTENTS_H

#include "options.h"

#define EXTENTS_MAX 52 /* as many letters as there are */

struct extents {
  const char *names[EXTENTS_MAX]; /* static */
  int64_t values[EXTENTS_MAX];
  size_t count;
  const char *source;           /* where they stand, for messages; NULL: on the command line */
  char varied[EXTENTS_MAX + 1]; /* letters that have the range; their values are its lower end */
  struct range range;           /* upper 0: nothing varies */
};

/* "a=b=c=400" and "i=8"; "a=400;i=8" says the same in one word. With `ranges` one value may be LO:HI:STEP. Prints a message and returns an
   exit code on failure. Whether the contraction has these indices is not known here. */
int extents_read(const struct words *words, bool ranges, struct extents *extents);
/* The same of one text, added to what is there. */
int extents_add(const char *text, bool ranges, struct extents *extents);
/* "a=b=c=400 i=8", indices of the same extent together. */
#define EXTENTS_TEXT 400
const char *extents_describe(const struct extents *extents, char text[EXTENTS_TEXT]);

#endif
