/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/json.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL)
#define WRITE_FLAGS (JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY)

enum perfpred_status ppi_json_parse(const char *text, size_t length, const char *source, struct ppi_json_node *root,
                                    struct perfpred_error *error) {
  struct ppi_json_node made = { NULL, NULL, 0, NULL, source, error };
  json_error_t fault;

  made.value = json_loadb(text, length, READ_FLAGS, &fault);
  if (!made.value) {
    if (json_error_code(&fault) == json_error_out_of_memory || fault.text[0] == '\0')
      return ppi_error_memory(error);
    return ppi_error_at(error, PERFPRED_CORRUPT, source, fault.line, fault.column, "%s", fault.text);
  }
  if (!json_is_object((const json_t *)made.value)) {
    ppi_json_release(&made);
    return ppi_error_set(error, PERFPRED_CORRUPT, "%s: expected a JSON object", source);
  }
  *root = made;
  return PERFPRED_OK;
}

void ppi_json_release(struct ppi_json_node *root) {
  json_decref(root->value);
  root->value = NULL;
}

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...) {
  size_t used = strlen(text);
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

static void path(const struct ppi_json_node *node, char *text, size_t size) {
  if (!node->parent)
    return;
  path(node->parent, text, size);
  if (node->key)
    append(text, size, "%s%s", text[0] ? "." : "", node->key);
  else
    append(text, size, "[%zu]", node->index);
}

void ppi_json_where(const struct ppi_json_node *node, char *where, size_t size) {
  char way[200] = "";

  path(node, way, sizeof way);
  snprintf(where, size, "%s: %s", node->source, way);
}

enum perfpred_status ppi_json_fail(const struct ppi_json_node *node, const char *key, enum perfpred_status status,
                                   const char *format, ...) {
  char way[200] = "", message[300];
  va_list arguments;

  path(node, way, sizeof way);
  if (key)
    append(way, sizeof way, "%s%s", way[0] ? "." : "", key);
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return ppi_error_set(node->error, status, "%s: %s%s%s", node->source, way, way[0] ? ": " : "", message);
}

/* What there is instead of what was expected. */
static const char *found(const json_t *value, char *text, size_t size) {
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    snprintf(text, size, "a list of %zu", json_array_size(value));
    return text;
  case JSON_STRING:
    snprintf(text, size, "\"%.60s\"", json_string_value(value));
    return text;
  case JSON_INTEGER:
  case JSON_REAL:
    snprintf(text, size, "%.17g", json_number_value(value));
    return text;
  case JSON_TRUE:
    return "true";
  case JSON_FALSE:
    return "false";
  default:
    return "null";
  }
}

static enum perfpred_status expected(const struct ppi_json_node *node, const json_t *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum perfpred_status expected(const struct ppi_json_node *node, const json_t *value, const char *format, ...) {
  char what[160], there[80];
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return ppi_json_fail(node, NULL, PERFPRED_CORRUPT, "expected %s, found %s", what, found(value, there, sizeof there));
}

bool ppi_json_has(const struct ppi_json_node *node, const char *key) {
  return json_object_get((const json_t *)node->value, key) != NULL;
}

/* The member as a node; an error where there is none. */
static enum perfpred_status member(const struct ppi_json_node *node, const char *key, struct ppi_json_node *child) {
  struct ppi_json_node made = { node, key, 0, NULL, node->source, node->error };

  made.value = json_object_get((const json_t *)node->value, key);
  *child = made;
  return made.value ? PERFPRED_OK : ppi_json_fail(child, NULL, PERFPRED_CORRUPT, "is missing");
}

static void item(const struct ppi_json_node *list, size_t index, struct ppi_json_node *child) {
  struct ppi_json_node made = { list, NULL, index, NULL, list->source, list->error };

  made.value = json_array_get((const json_t *)list->value, index);
  *child = made;
}

enum perfpred_status ppi_json_object(const struct ppi_json_node *node, const char *key, struct ppi_json_node *child) {
  enum perfpred_status status = member(node, key, child);

  if (!status && !json_is_object((const json_t *)child->value))
    status = expected(child, child->value, "an object");
  return status;
}

enum perfpred_status ppi_json_list(const struct ppi_json_node *node, const char *key, size_t least, size_t most,
                                   struct ppi_json_node *child, size_t *count) {
  enum perfpred_status status = member(node, key, child);
  size_t size;

  if (status)
    return status;
  size = json_array_size((const json_t *)child->value); /* 0 for what is no list */
  if (!json_is_array((const json_t *)child->value) || size < least || size > most) {
    if (least == most)
      return expected(child, child->value, "a list of %zu", least);
    return expected(child, child->value, "a list of %zu to %zu", least, most);
  }
  *count = size;
  return PERFPRED_OK;
}

enum perfpred_status ppi_json_item(const struct ppi_json_node *list, size_t index, struct ppi_json_node *child) {
  item(list, index, child);
  return json_is_object((const json_t *)child->value) ? PERFPRED_OK : expected(child, child->value, "an object");
}

static enum perfpred_status string_of(const struct ppi_json_node *node, char *text, size_t size) {
  const json_t *value = node->value;

  if (!json_is_string(value) || json_string_length(value) >= size)
    return expected(node, value, "a string of at most %zu bytes", size - 1);
  memcpy(text, json_string_value(value), json_string_length(value) + 1);
  return PERFPRED_OK;
}

enum perfpred_status ppi_json_string(const struct ppi_json_node *node, const char *key, char *text, size_t size) {
  struct ppi_json_node child;
  enum perfpred_status status = member(node, key, &child);

  return status ? status : string_of(&child, text, size);
}

enum perfpred_status ppi_json_item_string(const struct ppi_json_node *list, size_t index, char *text, size_t size) {
  struct ppi_json_node child;

  item(list, index, &child);
  return string_of(&child, text, size);
}

static enum perfpred_status integer_of(const struct ppi_json_node *node, int64_t least, int64_t most,
                                       int64_t *integer) {
  const json_t *value = node->value;
  double number = json_number_value(value); /* 0 for what is no number */

  if (!json_is_number(value) || number < (double)least || number > (double)most || floor(number) != number)
    return expected(node, value, "an integer from %lld to %lld", (long long)least, (long long)most);
  *integer = (int64_t)number;
  return PERFPRED_OK;
}

enum perfpred_status ppi_json_integer(const struct ppi_json_node *node, const char *key, int64_t least, int64_t most,
                                      int64_t *integer) {
  struct ppi_json_node child;
  enum perfpred_status status = member(node, key, &child);

  return status ? status : integer_of(&child, least, most, integer);
}

enum perfpred_status ppi_json_int(const struct ppi_json_node *node, const char *key, int least, int most,
                                  int *integer) {
  int64_t wide = 0;
  enum perfpred_status status = ppi_json_integer(node, key, least, most, &wide);

  if (!status)
    *integer = (int)wide;
  return status;
}

static enum perfpred_status real_of(const struct ppi_json_node *node, double least, double most, double *real) {
  const json_t *value = node->value;
  double number = json_number_value(value);

  if (!json_is_number(value) || !(number >= least && number <= most))
    return expected(node, value, "a number from %g to %g", least, most);
  *real = number;
  return PERFPRED_OK;
}

enum perfpred_status ppi_json_real(const struct ppi_json_node *node, const char *key, double least, double most,
                                   bool may_be_null, double *real) {
  struct ppi_json_node child;
  enum perfpred_status status = member(node, key, &child);

  if (status)
    return status;
  if (may_be_null && json_is_null((const json_t *)child.value)) {
    *real = NAN;
    return PERFPRED_OK;
  }
  return real_of(&child, least, most, real);
}

enum perfpred_status ppi_json_bool(const struct ppi_json_node *node, const char *key, bool *truth) {
  struct ppi_json_node child;
  enum perfpred_status status = member(node, key, &child);

  if (status)
    return status;
  if (!json_is_boolean((const json_t *)child.value))
    return expected(&child, child.value, "true or false");
  *truth = json_is_true((const json_t *)child.value);
  return PERFPRED_OK;
}

enum perfpred_status ppi_json_integers(const struct ppi_json_node *node, const char *key, size_t count, int64_t least,
                                       int64_t most, int64_t *integers) {
  struct ppi_json_node list, child;
  enum perfpred_status status = ppi_json_list(node, key, count, count, &list, &count);

  for (size_t i = 0; !status && i < count; i++) {
    item(&list, i, &child);
    status = integer_of(&child, least, most, integers + i);
  }
  return status;
}

enum perfpred_status ppi_json_sizes(const struct ppi_json_node *node, const char *key, size_t count, size_t least,
                                    size_t most, size_t *sizes) {
  struct ppi_json_node list, child;
  enum perfpred_status status = ppi_json_list(node, key, count, count, &list, &count);

  for (size_t i = 0; !status && i < count; i++) {
    int64_t size = 0;

    item(&list, i, &child);
    status = integer_of(&child, (int64_t)least, (int64_t)most, &size);
    sizes[i] = (size_t)size;
  }
  return status;
}

enum perfpred_status ppi_json_reals(const struct ppi_json_node *node, const char *key, size_t count, double least,
                                    double most, double *reals) {
  struct ppi_json_node list, child;
  enum perfpred_status status = ppi_json_list(node, key, count, count, &list, &count);

  for (size_t i = 0; !status && i < count; i++) {
    item(&list, i, &child);
    status = real_of(&child, least, most, reals + i);
  }
  return status;
}

void ppi_json_begin(struct ppi_json_out *out) {
  out->value = json_object();
  out->failed = !out->value;
}

/* Takes the value. */
static void put(struct ppi_json_out *out, const char *key, json_t *value) {
  if (out->failed || !value) {
    json_decref(value);
    out->failed = true;
    return;
  }
  if (json_object_set_new(out->value, key, value))
    out->failed = true;
}

/* A path may hold any bytes, JSON only UTF-8. */
static json_t *text_value(const char *string) {
  json_t *value = json_string(string);
  char *plain;

  if (value)
    return value;
  plain = strdup(string);
  if (!plain)
    return NULL;
  for (char *c = plain; *c; c++)
    if ((unsigned char)*c >= 0x80)
      *c = '?';
  value = json_string(plain);
  free(plain);
  return value;
}

static json_t *real_value(double real) {
  return isfinite(real) ? json_real(real) : json_null();
}

void ppi_json_put_string(struct ppi_json_out *out, const char *key, const char *string) {
  put(out, key, text_value(string));
}

void ppi_json_put_integer(struct ppi_json_out *out, const char *key, int64_t integer) {
  put(out, key, json_integer(integer));
}

void ppi_json_put_real(struct ppi_json_out *out, const char *key, double real) {
  put(out, key, real_value(real));
}

void ppi_json_put_bool(struct ppi_json_out *out, const char *key, bool truth) {
  put(out, key, json_boolean(truth));
}

void ppi_json_put_null(struct ppi_json_out *out, const char *key) {
  put(out, key, json_null());
}

/* A list that grows by values it takes; one that failed becomes NULL. */
static json_t *with(json_t *list, json_t *value) {
  if (list && json_array_append_new(list, value) == 0)
    return list;
  if (!list)
    json_decref(value);
  json_decref(list);
  return NULL;
}

void ppi_json_put_integers(struct ppi_json_out *out, const char *key, const int64_t *integers, size_t count) {
  json_t *list = json_array();

  for (size_t i = 0; i < count; i++)
    list = with(list, json_integer(integers[i]));
  put(out, key, list);
}

void ppi_json_put_sizes(struct ppi_json_out *out, const char *key, const size_t *sizes, size_t count) {
  json_t *list = json_array();

  for (size_t i = 0; i < count; i++)
    list = with(list, json_integer((json_int_t)sizes[i]));
  put(out, key, list);
}

void ppi_json_put_reals(struct ppi_json_out *out, const char *key, const double *reals, size_t count) {
  json_t *list = json_array();

  for (size_t i = 0; i < count; i++)
    list = with(list, real_value(reals[i]));
  put(out, key, list);
}

void ppi_json_put_strings(struct ppi_json_out *out, const char *key, const char *const *strings, size_t count) {
  json_t *list = json_array();

  for (size_t i = 0; i < count; i++)
    list = with(list, text_value(strings[i]));
  put(out, key, list);
}

void ppi_json_put_object(struct ppi_json_out *out, const char *key, struct ppi_json_out *child) {
  out->failed = out->failed || child->failed;
  put(out, key, child->value);
  child->value = NULL;
}

void ppi_json_put_empty_list(struct ppi_json_out *out, const char *key) {
  put(out, key, json_array());
}

void ppi_json_append(struct ppi_json_out *out, const char *key, struct ppi_json_out *child) {
  json_t *list = out->failed ? NULL : json_object_get(out->value, key);

  if (!list) {
    ppi_json_put_empty_list(out, key);
    list = out->failed ? NULL : json_object_get(out->value, key);
  }
  if (child->failed || !list || json_array_append(list, child->value))
    out->failed = true;
  json_decref(child->value);
  child->value = NULL;
}

/* A buffer of the JSON library's own (json_dumps) would miss a key that it had no memory for, and nobody would know. */
static int append_part(const char *part, size_t length, void *data) {
  struct ppi_text *text = data;

  ppi_text_append_n(text, part, length);
  return text->failed ? -1 : 0;
}

void ppi_json_end(struct ppi_json_out *out, struct ppi_text *text) {
  if (out->failed || json_dump_callback(out->value, append_part, text, WRITE_FLAGS) != 0)
    text->failed = true;
  json_decref(out->value);
  out->value = NULL;
}
