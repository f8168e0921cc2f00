/* SPDX-License-Identifier: BSD-3-Clause */
#include <perfpred/models.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "store/parts.h"
#include "store/store.h"

#define MODELS_MAX 100000
#define SETUPS_MAX 1000
#define SAMPLES_MAX 10000000

static enum perfpred_status check_format(const struct ppi_json_node *root, int64_t *found) {
  char format[sizeof PPI_STORE_FORMAT + 32];
  int64_t version = 0;
  enum perfpred_status status = ppi_json_string(root, "format", format, sizeof format);

  if (status)
    return status;
  if (strcmp(format, PPI_STORE_FORMAT) != 0)
    return ppi_json_fail(root, "format", PERFPRED_CORRUPT, "expected \"%s\", found \"%s\"", PPI_STORE_FORMAT, format);
  status = ppi_json_integer(root, "version", 0, PPI_JSON_INTEGER_MAX, &version);
  if (status)
    return status;
  if (version > PPI_FORMAT_VERSION)
    return ppi_json_fail(root, "version", PERFPRED_VERSION,
                         "%lld is newer than this release, which reads up to version %d: use a newer libperfpred, "
                         "or generate the models again",
                         (long long)version, PPI_FORMAT_VERSION);
  if (version < 1)
    return ppi_json_fail(root, "version", PERFPRED_VERSION, "%lld: expected 1 to %d: generate the models again",
                         (long long)version, PPI_FORMAT_VERSION);
  *found = version;
  return PERFPRED_OK;
}

static bool all_virtual(const struct perfpred_models *models) {
  for (int i = 0; i < models->setup_count; i++)
    if (strcmp(models->setups[i].clock, "virtual") != 0)
      return false;
  return true;
}

/* Models from a virtual clock describe no machine. */
static enum perfpred_status check_machine(const struct ppi_json_node *root, struct perfpred_models *models,
                                          bool force) {
  struct ppi_machine here;
  struct perfpred_error why;
  enum perfpred_status status;

  if (all_virtual(models))
    return PERFPRED_OK;
  memset(&here, 0, sizeof here);
  ppi_error_clear(&why);
  ppi_machine_here(&here);
  status = ppi_machine_compare(&models->machine, &here, &why);
  if (!status)
    return PERFPRED_OK;
  if (!force)
    return ppi_json_fail(root, "machine", status, "%s", why.text);
  models->notes |= PERFPRED_NOTE_OTHER_MACHINE | PERFPRED_NOTE_FORCED;
  return PERFPRED_OK;
}

/* Times of a later protocol may mean something else. */
static enum perfpred_status check_protocols(const struct ppi_json_node *root, struct perfpred_models *models,
                                            bool force) {
  for (int i = 0; i < models->setup_count; i++) {
    if (models->setups[i].protocol <= PPI_PROTOCOL)
      continue;
    if (!force)
      return ppi_json_fail(root, NULL, PERFPRED_VERSION,
                           "setups[%d].protocol: %d is newer than this release, which measures by protocol %d: use a "
                           "newer libperfpred, or generate the models again",
                           i, models->setups[i].protocol, PPI_PROTOCOL);
    models->notes |= PERFPRED_NOTE_FORCED;
  }
  return PERFPRED_OK;
}

/* Files of the first version have one setup, as a member of that name. */
static enum perfpred_status get_setups(const struct ppi_json_node *root, bool one_setup,
                                       struct perfpred_models *models) {
  struct ppi_json_node list, node;
  size_t count = 0;
  enum perfpred_status status;

  if (one_setup) {
    status = ppi_json_object(root, "setup", &node);
    return status ? status : ppi_store_get_setup(&node, models->setups);
  }
  status = ppi_json_list(root, "setups", 1, SETUPS_MAX, &list, &count);
  for (size_t i = 0; !status && i < count; i++) {
    int place = 0;

    if (i > 0)
      status = ppi_models_add_setup(models, NULL, &place, root->error);
    if (!status)
      status = ppi_json_item(&list, i, &node);
    if (!status)
      status = ppi_store_get_setup(&node, models->setups + place);
  }
  return status;
}

static enum perfpred_status get_models(const struct perfpred_context *context, const struct ppi_json_node *root,
                                       bool one_setup, struct perfpred_models *models) {
  struct ppi_json_node list;
  size_t count = 0;
  enum perfpred_status status = ppi_json_list(root, "models", 0, MODELS_MAX, &list, &count);

  for (size_t i = 0; !status && i < count; i++)
    status = ppi_store_get_submodel(context, &list, i, one_setup, models);
  return status;
}

static enum perfpred_status get_sample(const struct perfpred_context *context, const struct ppi_json_node *list,
                                       size_t index, struct perfpred_models *models) {
  struct ppi_json_node node;
  size_t place = 0;
  int setup = 0;
  enum perfpred_status status = ppi_json_item(list, index, &node);

  if (!status)
    status = ppi_json_int(&node, "setup", 0, models->setup_count - 1, &setup);
  if (status)
    return status;
  if (!models->samples[setup])
    models->samples[setup] = calloc(1, sizeof *models->samples[setup]);
  if (!models->samples[setup])
    return ppi_error_memory(node.error);
  return ppi_store_get_record(context, &node, models->samples[setup], &place);
}

static enum perfpred_status get_samples(const struct perfpred_context *context, const struct ppi_json_node *root,
                                        const char *name, struct perfpred_models *models) {
  struct ppi_json_node list;
  size_t count = 0;
  enum perfpred_status status;

  if (!ppi_json_has(root, name))
    return PERFPRED_OK;
  status = ppi_json_list(root, name, 0, SAMPLES_MAX, &list, &count);
  for (size_t i = 0; !status && i < count; i++)
    status = get_sample(context, &list, i, models);
  return status;
}

static enum perfpred_status get_marks(const struct ppi_json_node *root, struct ppi_marks *marks) {
  struct ppi_json_node list;
  size_t count = 0;
  enum perfpred_status status = PERFPRED_OK;

  if (ppi_json_has(root, "journals"))
    status = ppi_json_list(root, "journals", 0, PPI_MARKS, &list, &count);
  for (size_t i = 0; !status && i < count; i++) {
    char mark[PPI_MARK_MAX];

    status = ppi_json_item_string(&list, i, mark, sizeof mark);
    if (!status)
      ppi_marks_add(marks, mark);
  }
  return status;
}

static enum perfpred_status fill(const struct perfpred_context *context, const struct ppi_json_node *root, bool force,
                                 struct perfpred_models *models) {
  int64_t version = 0;
  enum perfpred_status status = check_format(root, &version);

  if (!status)
    status = ppi_json_string(root, "created", models->created, sizeof models->created);
  if (!status)
    status = get_marks(root, &models->marks);
  if (!status)
    status = ppi_store_get_machine(root, &models->machine);
  if (!status)
    status = get_setups(root, version == 1, models);
  if (!status)
    status = ppi_store_get_options(root, &models->options);
  if (!status)
    status = get_models(context, root, version == 1, models);
  if (!status)
    status = get_samples(context, root, "samples", models);
  if (!status)
    status = get_samples(context, root, "step_samples", models);
  if (!status)
    status = check_protocols(root, models, force);
  return status ? status : check_machine(root, models, force);
}

static bool forced(const struct perfpred_load_options *options) {
  return options && options->size >= offsetof(struct perfpred_load_options, force) + sizeof options->force &&
         options->force;
}

static enum perfpred_status read_text(const struct perfpred_context *context, const char *text, size_t length,
                                      const char *name, const struct perfpred_load_options *options,
                                      struct perfpred_models **models, struct perfpred_error *error) {
  struct perfpred_models *made = NULL;
  struct ppi_json_node root;
  enum perfpred_status status;

  if (length == 0)
    return ppi_error_set(error, PERFPRED_CORRUPT, "%s: is empty: expected a model file", name);
  status = ppi_json_parse(text, length, name, &root, error);
  if (status)
    return status;
  status = ppi_models_create(&made, error);
  if (!status)
    status = fill(context, &root, forced(options), made);
  ppi_json_release(&root);
  if (status) {
    perfpred_models_unref(made);
    return status;
  }
  *models = made;
  return PERFPRED_OK;
}

static enum perfpred_status check_arguments(const struct perfpred_context *context,
                                            const struct perfpred_load_options *options,
                                            struct perfpred_models *const *models, struct perfpred_error *error) {
  if (!context)
    return ppi_error_set(error, PERFPRED_INVALID, "context: expected a context, found NULL");
  if (!models)
    return ppi_error_set(error, PERFPRED_INVALID, "models: expected a place for the models, found NULL");
  if (options && options->size < sizeof options->size)
    return ppi_error_set(error, PERFPRED_INVALID, "options.size: %zu: expected PERFPRED_LOAD_OPTIONS_INIT",
                         options->size);
  return PERFPRED_OK;
}

enum perfpred_status perfpred_models_load_memory(const struct perfpred_context *context, const char *text,
                                                 size_t length, const char *name,
                                                 const struct perfpred_load_options *options,
                                                 struct perfpred_models **models, struct perfpred_error *error) {
  enum perfpred_status status;

  ppi_error_clear(error);
  status = check_arguments(context, options, models, error);
  if (status)
    return status;
  if (!text)
    return ppi_error_set(error, PERFPRED_INVALID, "text: expected a text, found NULL");
  return read_text(context, text, length, name ? name : "memory", options, models, error);
}

enum perfpred_status perfpred_models_load(const struct perfpred_context *context, const char *path,
                                          const struct perfpred_load_options *options, struct perfpred_models **models,
                                          struct perfpred_error *error) {
  enum perfpred_status status;
  char *text = NULL;
  size_t length = 0;

  ppi_error_clear(error);
  status = check_arguments(context, options, models, error);
  if (status)
    return status;
  if (!path || !path[0])
    return ppi_error_set(error, PERFPRED_INVALID, "path: expected the name of a file");
  status = ppi_store_read_file(path, &text, &length, error);
  if (!status)
    status = read_text(context, text, length, path, options, models, error);
  free(text);
  return status;
}
