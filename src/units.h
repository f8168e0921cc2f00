/* SPDX-License-Identifier: BSD-3-Clause */
/* Units that people read: chosen once for a table, so that its numbers can be compared. */
#ifndef COMMAND_UNITS_H
#define COMMAND_UNITS_H

#include <stddef.h>
#include <stdint.h>

struct unit {
  double scale; /* a value in base units times scale is a value in this one */
  const char *name;
  int decimals;
};

/* For times of about `typical` seconds: us, ms or s. */
struct unit unit_time(double typical_s);
struct unit unit_bytes(double bytes);
struct unit unit_rate(double per_s); /* M, G or T; the caller writes "flop/s" or "B/s" behind it */

/* Text of a value in a unit, without the unit's name; "-" for NaN. The buffer is the caller's. */
#define UNIT_TEXT 32
const char *unit_format(char *text, double value, const struct unit *unit);
/* A relative number as percent, with sign if wanted; "-" for NaN. */
const char *unit_percent(char *text, double value, const char *format);
/* What a word gets behind so many: "s", but "" for one. */
const char *unit_plural(uint64_t count);

#endif
