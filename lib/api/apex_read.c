/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of applications, and reports of Apex-MAP that are read again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/apex.h"
#include "base/context.h"
#include "kernel/call.h"

#define REAL_MAX 1e300

/* --- Samples ----------------------------------------------------------------------------------------------------------- */

/* Flops, and the bytes that a call moves when all of its data come from memory and go there. */
static enum perfpred_status call_work(void *data, const char *call, double *flops, double *bytes,
                                      struct perfpred_error *error) {
  const struct perfpred_context *context = data;
  const struct perfpred_kernel *kernel = NULL;
  struct ppi_value values[PPI_ARG_MAX];
  struct ppi_scanner scanner;
  if (context == NULL)
    return ppi_error_set(error, PERFPRED_INVALID, "context is NULL, expected one where '%.40s' is looked up", call);
  ppi_scan_init(&scanner, call, strlen(call), "call", error);
  enum perfpred_status status = ppi_call_parse(&scanner, context->kernels, &kernel, values);
  if (status == PERFPRED_OK && scanner.token.kind != PPI_TOKEN_END && scanner.token.kind != PPI_TOKEN_LINE)
    status = ppi_scan_expected(&scanner, "the end of the call");
  if (status == PERFPRED_OK)
    status = ppi_kernel_check(kernel, values, error);
  if (status != PERFPRED_OK)
    return status;
  *flops = ppi_kernel_flops(kernel, values);
  *bytes = ppi_kernel_movement_bytes(kernel, values);
  return PERFPRED_OK;
}

/* Whatever is wrong with a text in a file, the file is: unless it is no fault of the text. */
static enum perfpred_status fault_of(enum perfpred_status status) {
  return status == PERFPRED_NO_MEMORY ? status : PERFPRED_CORRUPT;
}

static enum perfpred_status read_call(const struct perfpred_context *context, const struct ppi_json_node *node,
                                      struct ppi_apex_sample *sample) {
  char call[512];
  struct perfpred_error wrong = { .status = PERFPRED_OK };
  enum perfpred_status status = ppi_json_string(node, "call", call, sizeof call);
  if (status != PERFPRED_OK)
    return status;
  status = call_work((void *)context, call, &sample->flops, &sample->bytes, &wrong);
  return status == PERFPRED_OK ? status : ppi_json_fail(node, "call", fault_of(status), "%s", wrong.text);
}

static enum perfpred_status read_sample(const struct perfpred_context *context, const struct ppi_json_node *node,
                                        struct ppi_apex_sample *sample) {
  struct perfpred_error wrong = { .status = PERFPRED_OK };
  enum perfpred_status status;
  *sample = (struct ppi_apex_sample){ .cycles = (double)NAN };
  if (ppi_json_has(node, "call"))
    status = read_call(context, node, sample);
  else {
    status = ppi_json_real(node, "flops", 0.0, REAL_MAX, false, &sample->flops);
    if (status == PERFPRED_OK)
      status = ppi_json_real(node, "bytes", 0.0, REAL_MAX, false, &sample->bytes);
  }
  if (status == PERFPRED_OK)
    status = ppi_json_real(node, "time_s", 0.0, REAL_MAX, false, &sample->time_s);
  if (status == PERFPRED_OK && ppi_json_has(node, "cycles"))
    status = ppi_json_real(node, "cycles", 0.0, REAL_MAX, true, &sample->cycles);
  if (status == PERFPRED_OK && ppi_apex_sample_check(sample, &wrong) != PERFPRED_OK)
    status = ppi_json_fail(node, NULL, PERFPRED_CORRUPT, "%s", wrong.text);
  return status;
}

static enum perfpred_status read_json(const struct perfpred_context *context, const struct perfpred_apex_text *text,
                                      const char *name, struct ppi_apex_samples *samples,
                                      struct perfpred_error *error) {
  struct ppi_json_node root, list, item;
  size_t count = 0;
  enum perfpred_status status = ppi_json_parse(text->text, text->length, name, &root, error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_json_list(&root, "samples", 1, PPI_APEX_SAMPLES_MAX, &list, &count);
  for (size_t i = 0; i < count && status == PERFPRED_OK; i++) {
    struct ppi_apex_sample sample;
    status = ppi_json_item(&list, i, &item);
    if (status == PERFPRED_OK)
      status = read_sample(context, &item, &sample);
    if (status == PERFPRED_OK)
      status = ppi_apex_samples_add(samples, &sample, error);
  }
  ppi_json_release(&root);
  return status;
}

enum perfpred_status ppi_apex_read_samples(const struct perfpred_context *context,
                                           const struct perfpred_apex_text *text, struct ppi_apex_samples *samples,
                                           struct perfpred_error *error) {
  const char *name = ppi_apex_text_name(text, "samples");
  size_t first = 0;
  while (first < text->length && strchr(" \t\r\n", text->text[first]) != NULL && text->text[first] != '\0')
    first++;
  if (first < text->length && text->text[first] == '{')
    return read_json(context, text, name, samples, error);
  return ppi_apex_csv(text->text, text->length, name, call_work, (void *)context, samples, error);
}

/* --- Reports ----------------------------------------------------------------------------------------------------------- */

enum perfpred_status ppi_apex_open(const struct perfpred_apex_text *text, const char *kind, const char *name,
                                   struct ppi_json_node *root, struct perfpred_error *error) {
  char report[64] = "";
  int version = 0;
  enum perfpred_status status = ppi_json_parse(text->text, text->length, ppi_apex_text_name(text, name), root, error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_json_string(root, "report", report, sizeof report);
  if (status == PERFPRED_OK && strcmp(report, kind) != 0)
    status = ppi_json_fail(root, "report", PERFPRED_CORRUPT, "expected \"%s\", found \"%s\"", kind, report);
  if (status == PERFPRED_OK)
    status = ppi_json_int(root, "version", 0, 1000000, &version);
  if (status == PERFPRED_OK && version != PPI_APEX_VERSION)
    status = ppi_json_fail(root, "version", PERFPRED_VERSION, "expected %d, found %d", PPI_APEX_VERSION, version);
  if (status != PERFPRED_OK)
    ppi_json_release(root);
  return status;
}

enum perfpred_status ppi_apex_read_run(const struct ppi_json_node *node, struct ppi_apex_run *run) {
  char text[PPI_APEX_NAME_MAX];
  struct perfpred_error wrong = { .status = PERFPRED_OK };
  struct ppi_apex_run *read = NULL;
  size_t count = 0;
  enum perfpred_status status = ppi_json_string(node, "run", text, sizeof text);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_apex_parse(text, strlen(text), "run", 1, &read, &count, &wrong);
  if (status != PERFPRED_OK)
    return ppi_json_fail(node, "run", fault_of(status), "%s", wrong.text);
  *run = *read;
  free(read);
  return PERFPRED_OK;
}

static enum perfpred_status read_point(const struct ppi_json_node *node, struct ppi_apex_point *point) {
  const struct {
    const char *key;
    double least, *value;
  } members[] = { { "time_s", 1e-300, &point->time_s },
                  { "flops", 0.0, &point->flops },
                  { "bytes", 0.0, &point->bytes },
                  { "bytes_per_cycle", 0.0, &point->x },
                  { "flops_per_cycle", 0.0, &point->y } };
  enum perfpred_status status = ppi_apex_read_run(node, &point->run);
  for (size_t i = 0; i < sizeof members / sizeof members[0] && status == PERFPRED_OK; i++)
    status = ppi_json_real(node, members[i].key, members[i].least, REAL_MAX, false, members[i].value);
  return status;
}

enum perfpred_status ppi_apex_read_place(const struct ppi_json_node *node, struct ppi_apex_points *points) {
  enum perfpred_status status = ppi_json_string(node, "cpu", points->cpu, sizeof points->cpu);
  if (status == PERFPRED_OK)
    status = ppi_json_string(node, "instruction_set", points->instruction_set, sizeof points->instruction_set);
  if (status == PERFPRED_OK)
    status = ppi_json_int(node, "threads", 1, PPI_APEX_THREADS_MAX, &points->threads);
  if (status == PERFPRED_OK)
    status = ppi_json_real(node, "clock_hz", 1e3, 1e13, false, &points->clock_hz);
  if (status == PERFPRED_OK)
    status = ppi_json_real(node, "cache_bytes", 1.0, REAL_MAX, false, &points->cache.bytes);
  if (status == PERFPRED_OK)
    status = ppi_json_real(node, "line_bytes", 8.0, 65536.0, false, &points->cache.line_bytes);
  return status;
}

enum perfpred_status ppi_apex_read_points(const struct perfpred_apex_text *text, struct ppi_apex_points *points,
                                          struct perfpred_error *error) {
  struct ppi_apex_points made = { .count = 0 };
  struct ppi_json_node root, list, item;
  enum perfpred_status status = ppi_apex_open(text, PPI_APEX_POINTS, "points", &root, error);
  if (status != PERFPRED_OK)
    return status;
  status = ppi_apex_read_place(&root, &made);
  if (status == PERFPRED_OK)
    status = ppi_json_list(&root, "points", 1, 1000000, &list, &made.count);
  if (status == PERFPRED_OK && (made.items = calloc(made.count, sizeof *made.items)) == NULL)
    status = ppi_error_memory(error);
  for (size_t i = 0; i < made.count && status == PERFPRED_OK; i++) {
    status = ppi_json_item(&list, i, &item);
    if (status == PERFPRED_OK)
      status = read_point(&item, &made.items[i]);
  }
  ppi_json_release(&root);
  if (status == PERFPRED_OK)
    *points = made;
  else
    free(made.items);
  return status;
}

void ppi_apex_points_free(struct ppi_apex_points *points) {
  free(points->items);
  points->items = NULL;
  points->count = 0;
}
