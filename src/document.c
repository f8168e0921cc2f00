/* SPDX-License-Identifier: BSD-3-Clause */
#include "document.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

#define DECODE JSON_REJECT_DUPLICATES

/* A node is a jansson value under another name. */
static json_t *value_of(const struct node *node) {
  return (json_t *)node;
}

static struct node *node_of(json_t *value) {
  return (struct node *)value;
}

void document_begin(struct document *document) {
  json_t *root = json_object();
  document->open[0] = node_of(root);
  document->depth = 1;
  document->failed = root == NULL;
}

/* Takes value over; NULL is a failed allocation. */
static void add(struct document *document, const char *key, json_t *value) {
  if (document->failed || value == NULL) {
    json_decref(value);
    document->failed = true;
    return;
  }
  json_t *parent = value_of(document->open[document->depth - 1]);
  assert(json_is_object(parent) == (key != NULL));
  int result = key != NULL ? json_object_set_new(parent, key, value) : json_array_append_new(parent, value);
  if (result != 0)
    document->failed = true;
}

static void open_value(struct document *document, const char *key, json_t *value) {
  add(document, key, value);
  assert(document->depth < DOCUMENT_DEPTH);
  document->open[document->depth++] = document->failed ? NULL : node_of(value);
}

void document_open_object(struct document *document, const char *key) {
  open_value(document, key, json_object());
}

void document_open_array(struct document *document, const char *key) {
  open_value(document, key, json_array());
}

void document_close(struct document *document) {
  assert(document->depth > 1);
  document->depth--;
}

/* Names of files need not be UTF-8, JSON has to be. */
static json_t *plain_string(const char *value) {
  json_t *string = NULL;
  char *copy = strdup(value);
  if (copy == NULL)
    return NULL;
  for (char *c = copy; *c != '\0'; c++) {
    if ((unsigned char)*c >= 0x80)
      *c = '?';
  }
  string = json_string(copy);
  free(copy);
  return string;
}

void document_string(struct document *document, const char *key, const char *value) {
  json_t *string = value != NULL ? json_string(value) : json_null();
  if (string == NULL && value != NULL)
    string = plain_string(value);
  add(document, key, string);
}

void document_integer(struct document *document, const char *key, int64_t value) {
  add(document, key, json_integer(value));
}

void document_number(struct document *document, const char *key, double value) {
  add(document, key, isfinite(value) ? json_real(value) : json_null());
}

void document_boolean(struct document *document, const char *key, bool value) {
  add(document, key, json_boolean(value));
}

void document_statistics(struct document *document, const char *key, const struct perfpred_statistics *value) {
  document_open_object(document, key);
  document_number(document, "min", value->min);
  document_number(document, "med", value->med);
  document_number(document, "max", value->max);
  document_number(document, "mean", value->mean);
  document_number(document, "std", value->std);
  document_close(document);
}

void document_copy(struct document *document, const char *key, const struct node *node) {
  add(document, key, node == NULL ? json_null() : json_deep_copy(value_of(node)));
}

void document_discard(struct document *document) {
  json_decref(value_of(document->open[0]));
  document->open[0] = NULL;
}

static int append_part(const char *part, size_t length, void *stream) {
  return fwrite(part, 1, length, stream) == length ? 0 : -1;
}

/* NULL: out of memory. A buffer of the JSON library's own (json_dumps) would miss a key that it had no memory for; a stream
   remembers. */
static char *text_of(const json_t *value) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL)
    return NULL;
  bool whole = json_dump_callback(value, append_part, stream, JSON_INDENT(2)) == 0 && ferror(stream) == 0;
  whole = fclose(stream) == 0 && whole;
  if (!whole) {
    free(text);
    return NULL;
  }
  return text;
}

int document_print(struct document *document) {
  char *text = document->failed ? NULL : text_of(value_of(document->open[0]));
  assert(document->depth == 1);
  document_discard(document);
  if (text == NULL)
    return message_fail("out of memory");
  puts(text); /* a full disk shows when main closes the stream */
  free(text);
  return COMMAND_OK;
}

struct node *node_read(const char *path) {
  json_error_t error;
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    message_fail("%s: cannot be read: %m", path);
    return NULL;
  }
  int first = fgetc(file); /* a folder can be opened, but not read */
  if (first == EOF && ferror(file)) {
    message_fail("%s: cannot be read: %m", path);
    fclose(file);
    return NULL;
  }
  ungetc(first, file);
  json_t *value = json_loadf(file, DECODE, &error);
  fclose(file);
  if (value == NULL)
    message_fail("%s:%d:%d: not JSON: %s", path, error.line, error.column, error.text);
  return node_of(value);
}

struct node *node_parse(const char *text) {
  return node_of(json_loads(text, DECODE, NULL));
}

void node_release(struct node *node) {
  json_decref(value_of(node));
}

const struct node *node_member(const struct node *node, const char *key) {
  return node_of(json_object_get(value_of(node), key));
}

const struct node *node_element(const struct node *node, size_t index) {
  return node_of(json_array_get(value_of(node), index));
}

size_t node_count(const struct node *node) {
  return json_array_size(value_of(node));
}

double node_number(const struct node *node) {
  return json_is_number(value_of(node)) ? json_number_value(value_of(node)) : (double)NAN;
}

bool node_integer(const struct node *node, int64_t *value) {
  if (!json_is_integer(value_of(node)))
    return false;
  *value = json_integer_value(value_of(node));
  return true;
}

const char *node_string(const struct node *node) {
  const char *string = json_string_value(value_of(node));
  return string != NULL ? string : "";
}

bool node_true(const struct node *node) {
  return json_is_true(value_of(node));
}
