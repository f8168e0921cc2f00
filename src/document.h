/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON: the one object that --json prints, and reports that are read back. */
#ifndef COMMAND_DOCUMENT_H
#define COMMAND_DOCUMENT_H

#include <perfpred/common.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of a document; borrowed from it. */
struct node;

#define DOCUMENT_DEPTH 16

/* An object that is being written. An error sticks until document_print tells it. */
struct document {
  struct node *open[DOCUMENT_DEPTH]; /* innermost last */
  int depth;
  bool failed;
};

void document_begin(struct document *document);
/* key is NULL inside an array. */
void document_open_object(struct document *document, const char *key);
void document_open_array(struct document *document, const char *key);
void document_close(struct document *document);
void document_string(struct document *document, const char *key, const char *value);
void document_integer(struct document *document, const char *key, int64_t value);
void document_number(struct document *document, const char *key, double value); /* null where it is not finite */
void document_boolean(struct document *document, const char *key, bool value);
void document_statistics(struct document *document, const char *key, const struct perfpred_statistics *value);
/* A copy of a node that was read; null for NULL. */
void document_copy(struct document *document, const char *key, const struct node *node);
/* Prints the object and releases it; returns an exit code. */
int document_print(struct document *document);
/* Releases without printing. */
void document_discard(struct document *document);

/* Reading. node_read says what is wrong with the file and returns NULL. */
struct node *node_read(const char *path);
struct node *node_parse(const char *text);
void node_release(struct node *node);
/* All tolerate NULL and answer NULL, 0, NaN or "" where there is nothing of that kind. */
const struct node *node_member(const struct node *node, const char *key);
const struct node *node_element(const struct node *node, size_t index);
size_t node_count(const struct node *node); /* elements of an array */
double node_number(const struct node *node);
bool node_integer(const struct node *node, int64_t *value); /* false: it is none */
const char *node_string(const struct node *node);
bool node_true(const struct node *node);

#endif
