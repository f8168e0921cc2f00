/* SPDX-License-Identifier: BSD-3-Clause */
#include "units.h"

#include <math.h>
#include <stdio.h>

struct unit unit_time(double typical_s) {
  if (typical_s >= 1.0)
    return (struct unit){ 1.0, "s", 3 };
  if (typical_s >= 1e-3 || !(typical_s > 0.0))
    return (struct unit){ 1e3, "ms", 3 };
  return (struct unit){ 1e6, "us", 3 };
}

struct unit unit_bytes(double bytes) {
  if (bytes >= 0x1p30)
    return (struct unit){ 0x1p-30, "GiB", 1 };
  if (bytes >= 0x1p20)
    return (struct unit){ 0x1p-20, "MiB", 1 };
  if (bytes >= 0x1p10)
    return (struct unit){ 0x1p-10, "KiB", 1 };
  return (struct unit){ 1.0, "B", 0 };
}

struct unit unit_rate(double per_s) {
  if (per_s >= 1e12)
    return (struct unit){ 1e-12, "T", 2 };
  if (per_s >= 1e7 || !(per_s > 0.0)) /* below 10 M the digits of G run out */
    return (struct unit){ 1e-9, "G", 2 };
  return (struct unit){ 1e-6, "M", 2 };
}

const char *unit_format(char *text, double value, const struct unit *unit) {
  if (isnan(value))
    snprintf(text, UNIT_TEXT, "-");
  else
    snprintf(text, UNIT_TEXT, "%.*f", unit->decimals, value * unit->scale);
  return text;
}

const char *unit_percent(char *text, double value, const char *format) {
  if (isnan(value))
    snprintf(text, UNIT_TEXT, "-");
  else
    snprintf(text, UNIT_TEXT, format, 100.0 * value);
  return text;
}

const char *unit_plural(uint64_t count) {
  return count == 1 ? "" : "s";
}
