/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "kernel/kernel.h"

/* In a case the arguments that select code paths: flags, scalars, increments. */
static bool is_part(const struct ppi_arg *arg) {
  return arg->kind == PPI_ARG_FLAG || arg->kind == PPI_ARG_SCALAR || arg->kind == PPI_ARG_INC;
}

static const char *scalar_class(const struct ppi_value *value) {
  if (value->im != 0)
    return "x";
  return value->re == -1 ? "-1" : value->re == 0 ? "0" : value->re == 1 ? "1" : "x";
}

static bool is_large(const struct ppi_value *increment, const struct ppi_value *vector) {
  return increment->i == 0 ? vector->by_row : increment->i != 1;
}

void ppi_case_format(const struct perfpred_kernel *kernel, const struct ppi_value *values, char text[PPI_CASE_MAX]) {
  size_t length = 0;
  for (int i = 0; i < kernel->arg_count; i++) {
    const struct ppi_arg *arg = &kernel->args[i];
    const char flag[2] = { (char)values[i].i, '\0' };
    const char *part;
    if (!is_part(arg))
      continue;
    if (arg->kind == PPI_ARG_FLAG)
      part = flag;
    else if (arg->kind == PPI_ARG_SCALAR)
      part = scalar_class(&values[i]);
    else
      part = is_large(&values[i], &values[arg->of]) ? "x" : "1";
    if (length > 0)
      text[length++] = ',';
    assert(length + strlen(part) < PPI_CASE_MAX);
    memcpy(text + length, part, strlen(part));
    length += strlen(part);
  }
  text[length] = '\0';
}

static bool parse_scalar(const char *part, struct ppi_value *value) {
  static const struct {
    const char *text;
    double value;
  } classes[] = { { "-1", -1 }, { "0", 0 }, { "1", 1 }, { "x", PPI_SCALAR_OTHER } };
  for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
    if (strcmp(part, classes[i].text) == 0) {
      value->re = classes[i].value;
      return true;
    }
  return false;
}

static bool parse_increment(const char *part, struct ppi_value *increment, struct ppi_value *vector) {
  increment->i = part[0] == '1';
  vector->by_row = part[0] == 'x';
  return (part[0] == '1' || part[0] == 'x') && !part[1];
}

static enum perfpred_status parse_part(const struct perfpred_kernel *kernel, int place, const char *part,
                                       struct ppi_value *values, struct perfpred_error *error) {
  const struct ppi_arg *arg = &kernel->args[place];
  const char *expected = "1 or x";
  bool good;
  if (arg->kind == PPI_ARG_FLAG) {
    good = part[0] && !part[1] && strchr(arg->flags, part[0]);
    values[place].i = (unsigned char)part[0];
    expected = arg->flags;
  } else if (arg->kind == PPI_ARG_SCALAR) {
    good = parse_scalar(part, &values[place]);
    expected = "-1, 0, 1 or x";
  } else {
    good = parse_increment(part, &values[place], &values[arg->of]);
  }
  if (good)
    return PERFPRED_OK;
  return ppi_error_set(error, PERFPRED_SYNTAX, "case of %s: '%s' for argument '%s'; expected %s%s", kernel->name, part,
                       arg->name, arg->kind == PPI_ARG_FLAG ? "one of " : "", expected);
}

/* Takes the text up to the next comma. */
static bool next_part(const char **text, char *part, size_t size) {
  size_t length = strcspn(*text, ",");
  if (length >= size)
    return false;
  memcpy(part, *text, length);
  part[length] = '\0';
  *text += length;
  return true;
}

static enum perfpred_status wrong_count(const struct perfpred_kernel *kernel, const char *text,
                                        struct perfpred_error *error) {
  int count = 0;
  for (int i = 0; i < kernel->arg_count; i++)
    count += is_part(&kernel->args[i]);
  return ppi_error_set(error, PERFPRED_SYNTAX, "case '%.90s' of %s; expected %d parts with commas between", text,
                       kernel->name, count);
}

enum perfpred_status ppi_case_parse(const struct perfpred_kernel *kernel, const char *text, struct ppi_value *values,
                                    struct perfpred_error *error) {
  struct ppi_value parsed[PPI_ARG_MAX] = { { .i = 0 } };
  const char *at = text;
  bool first = true;

  for (int i = 0; i < kernel->arg_count; i++)
    parsed[i].buffer = -1;
  for (int i = 0; i < kernel->arg_count; i++) {
    char part[8];
    if (!is_part(&kernel->args[i]))
      continue;
    if (!first && *at++ != ',')
      return wrong_count(kernel, text, error);
    first = false;
    if (!next_part(&at, part, sizeof part))
      return wrong_count(kernel, text, error);
    enum perfpred_status status = parse_part(kernel, i, part, parsed, error);
    if (status != PERFPRED_OK)
      return status;
  }
  if (*at)
    return wrong_count(kernel, text, error);
  memcpy(values, parsed, (size_t)kernel->arg_count * sizeof *values);
  return PERFPRED_OK;
}
