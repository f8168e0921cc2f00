/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocations fail in turn while model files are joined, added to and brought to the present version, while a journal is written and
   read, and while models are refitted; what is on disk is whole whatever happens. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clockwork.h"
#include "fault.h"

static struct perfpred_context *context;
static struct perfpred_program *program;
static struct perfpred_sampler *sampler;
static struct perfpred_models *first, *second; /* first with samples */
static char *first_text, *old_text;            /* files of the present and of the first version */
static char folder[] = "perfpred-fault-XXXXXX", path[64], journal[80];
static char sentinel;
#define UNTOUCHED(type) ((type *)(void *)&sentinel)

/* jansson's own do not fail: it takes a failed one for a fault of the text while it reads. */
static void *allocate(size_t size) {
  fault_pause();
  void *pointer = malloc(size);
  fault_resume();
  return pointer;
}

static void deallocate(void *pointer) {
  free(pointer);
}

static void release(enum perfpred_status status, struct perfpred_models *models) {
  if (!status)
    perfpred_models_unref(models);
  else if (models != UNTOUCHED(struct perfpred_models))
    fault_touched("models");
}

static enum perfpred_status merge(struct perfpred_error *error) {
  struct perfpred_models *merged = UNTOUCHED(struct perfpred_models);
  enum perfpred_status status = perfpred_models_merge(first, second, NULL, &merged, error);
  release(status, merged);
  return status;
}

static void write_file(const char *text) {
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0)
    fault_touched("the disk");
}

/* Loads what an update left; after a failure it has to be what was there. */
static void check_file(bool failed, const char *before) {
  struct perfpred_models *there = NULL;
  char *text = NULL;
  fault_pause();
  if (perfpred_models_load(context, path, NULL, &there, NULL) || perfpred_models_print(there, &text, NULL))
    fault_touched("the file is spoilt");
  else if (failed != (strcmp(text, before) == 0))
    fault_touched(failed ? "the file is changed" : "the file is as it was");
  perfpred_free(text);
  perfpred_models_unref(there);
  fault_resume();
}

static enum perfpred_status update(struct perfpred_error *error) {
  fault_pause();
  write_file(first_text);
  fault_resume();
  enum perfpred_status status = perfpred_models_update(context, second, path, NULL, error);
  check_file(status != PERFPRED_OK, first_text);
  return status;
}

/* What is read of it is as of the present version, so a failure shows in the bytes alone. */
static enum perfpred_status migrate(struct perfpred_error *error) {
  fault_pause();
  write_file(old_text);
  fault_resume();
  enum perfpred_status status = perfpred_models_update(context, second, path, NULL, error);
  char bytes[80] = "";
  FILE *file = fopen(path, "r");
  if (!file || !fgets(bytes, sizeof bytes, file) || !strstr(bytes, status ? "\"version\": 1" : "\"version\": 2"))
    fault_touched("the file");
  if (file)
    fclose(file);
  return status;
}

static enum perfpred_status make(const struct perfpred_generate_options *options, struct perfpred_models **models,
                                 struct perfpred_error *error) {
  const struct perfpred_program *const programs[] = { program };
  return perfpred_generate(context, sampler, programs, 1, options, models, NULL, error);
}

/* Twice: the first one is stopped by what fails or by us, and the second one takes up what it left. */
static enum perfpred_status keep_journal(struct perfpred_error *error) {
  struct perfpred_generate_options options = clockwork_options();
  struct perfpred_models *models = UNTOUCHED(struct perfpred_models);
  options.journal = journal;
  options.keep_samples = 1;
  options.known = second;
  enum perfpred_status status = make(&options, &models, error);
  release(status, models); /* not saved: the journal stays */
  if (!status) {
    models = UNTOUCHED(struct perfpred_models);
    status = make(&options, &models, error);
    release(status, models);
  }
  fault_pause();
  options.known = NULL;
  struct perfpred_models *again = NULL;
  if (make(&options, &again, NULL))
    fault_touched("the journal cannot be taken up");
  perfpred_models_unref(again);
  unlink(journal);
  fault_resume();
  return status;
}

static enum perfpred_status generate_adaptively(struct perfpred_error *error) {
  struct perfpred_generate_options options = clockwork_options();
  struct perfpred_models *models = UNTOUCHED(struct perfpred_models);
  options.generator = PERFPRED_GENERATOR_ADAPTIVE;
  options.keep_samples = 1;
  enum perfpred_status status = make(&options, &models, error);
  release(status, models);
  return status;
}

/* The knobs ask for points that are not there. */
static enum perfpred_status refit(enum perfpred_generator generator, struct perfpred_error *error) {
  struct perfpred_generate_options options = clockwork_options();
  struct perfpred_models *models = UNTOUCHED(struct perfpred_models);
  struct perfpred_generate_report report = PERFPRED_GENERATE_REPORT_INIT;
  options.generator = generator;
  options.overfitting = 1;
  enum perfpred_status status = perfpred_models_refit(first, sampler, &options, &models, &report, error);
  if (!status && report.missing == 0)
    fault_touched("nothing is missing");
  release(status, models);
  return status;
}

static enum perfpred_status refit_published(struct perfpred_error *error) {
  return refit(PERFPRED_GENERATOR_PUBLISHED, error);
}

static enum perfpred_status refit_adaptively(struct perfpred_error *error) {
  return refit(PERFPRED_GENERATOR_ADAPTIVE, error);
}

/* A file of one setup as the first version had it. */
static char *as_version_1(const char *text) {
  char *old = strdup(text), *version = strstr(old, "\"version\": 2"), *setups = strstr(old, "\"setups\": ["),
       *end = setups ? strstr(setups, "],\n") : NULL;
  if (!version || !end)
    return old;
  version[strlen("\"version\": ")] = '1';
  memcpy(setups, "\"setup\":   ", strlen("\"setups\": ["));
  *end = ' ';
  for (char *model = old; (model = strstr(model, "{\"setup\": 0, "));)
    memcpy(model, "{            ", strlen("{\"setup\": 0, "));
  return old;
}

static enum perfpred_status set_up(struct perfpred_error *error) {
  struct perfpred_generate_options options = clockwork_options();
  options.generator = PERFPRED_GENERATOR_PUBLISHED; /* another asks for points that it does not have */
  enum perfpred_status status = perfpred_context_create(&context, error);
  if (!status)
    status = perfpred_program_find(context, "chol-l-3", &program, error);
  if (!status)
    status = perfpred_sampler_create_virtual(context, clockwork_cost, NULL, clockwork_dgelsy, &sampler, error);
  options.keep_samples = 1;
  if (!status)
    status = make(&options, &first, error);
  if (!status)
    status = clockwork_models(context, "chol-l-2", &second, error);
  if (!status)
    status = perfpred_models_print(first, &first_text, error);
  if (!status) {
    char *text = NULL;
    status = perfpred_models_print(second, &text, error);
    old_text = status ? NULL : as_version_1(text);
    perfpred_free(text);
  }
  return status;
}

static const struct {
  const char *name;
  fault_scenario *run;
} scenarios[] = {
  { "models: merge", merge },
  { "models: update", update },
  { "models: update a file of version 1", migrate },
  { "models: generate with a journal", keep_journal },
  { "models: generate adaptively", generate_adaptively },
  { "models: refit", refit_published },
  { "models: refit adaptively", refit_adaptively },
};

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  json_set_alloc_funcs(allocate, deallocate);
  const bool made = mkdtemp(folder) != NULL;
  snprintf(path, sizeof path, "%s/models.json", folder);
  snprintf(journal, sizeof journal, "%s.journal", path);
  const enum perfpred_status status = set_up(&error);
  tap_case(&tap, made && !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0] && made && !status; i++)
    fault_check(&tap, scenarios[i].name, scenarios[i].run);
  unlink(path);
  rmdir(folder);
  free(old_text);
  perfpred_free(first_text);
  perfpred_models_unref(second);
  perfpred_models_unref(first);
  perfpred_sampler_destroy(sampler);
  perfpred_program_unref(program);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
