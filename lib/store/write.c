/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "store/journal.h"
#include "store/parts.h"
#include "store/store.h"

const char *const ppi_store_statistics[PPI_STATISTICS] = { "min", "med", "max", "mean", "std" };

static void put_degrees(struct ppi_json_out *out, const struct ppi_piece *piece, int dimensions) {
  int64_t degrees[PPI_SIZE_MAX];

  for (int d = 0; d < dimensions; d++)
    degrees[d] = piece->degrees[d];
  ppi_json_put_integers(out, "degrees", degrees, (size_t)dimensions);
}

/* Only where there are tiles. */
static void put_tiles(struct ppi_json_out *out, const struct ppi_tiles *tiles, int dimensions) {
  bool any = false;

  for (int d = 0; d < dimensions; d++)
    any = any || tiles->tile[d] > 1;
  if (!any)
    return;
  ppi_json_put_integers(out, "tiles", tiles->tile, (size_t)dimensions);
  ppi_json_put_reals(out, "padding", tiles->padding, (size_t)dimensions);
}

static void write_piece(struct ppi_text *text, const struct ppi_piece *piece, int dimensions) {
  struct ppi_json_out out, coefficients;

  ppi_json_begin(&out);
  ppi_json_put_integers(&out, "lower", piece->lower, (size_t)dimensions);
  ppi_json_put_integers(&out, "upper", piece->upper, (size_t)dimensions);
  put_degrees(&out, piece, dimensions);
  put_tiles(&out, &piece->tiles, dimensions);
  ppi_json_put_real(&out, "error", piece->error);
  ppi_json_put_reals(&out, "floors", piece->floors, PPI_STATISTICS);
  ppi_json_begin(&coefficients);
  for (int s = 0; s < PPI_STATISTICS; s++)
    ppi_json_put_reals(&coefficients, ppi_store_statistics[s], piece->coefficients + s * piece->count,
                       (size_t)piece->count);
  ppi_json_put_object(&out, "coefficients", &coefficients);
  ppi_json_end(&out, text);
}

static void write_split(struct ppi_text *text, const struct ppi_submodel *submodel, const struct ppi_split *split) {
  struct ppi_json_out out;

  ppi_json_begin(&out);
  if (split->dimension < 0) {
    ppi_json_put_integer(&out, "piece", split->piece);
  } else {
    ppi_json_put_string(&out, "size", ppi_submodel_size_name(submodel, split->dimension));
    ppi_json_put_integer(&out, "at", split->at);
    ppi_json_put_integer(&out, "left", split->left);
    ppi_json_put_integer(&out, "right", split->right);
  }
  ppi_json_end(&out, text);
}

/* Ends an object without its closing brace: lists follow, one item per line. */
static void end_open(struct ppi_json_out *out, struct ppi_text *text) {
  ppi_json_end(out, text);
  if (!text->failed)
    text->data[--text->length] = '\0';
}

/* What the kernel's own sizes are in those of the step: of each the coefficients, and what is added. */
static void put_step(struct ppi_json_out *out, const struct ppi_submodel *submodel) {
  const struct ppi_basis *basis = submodel->basis;
  int64_t arguments[PPI_SIZE_MAX * (PPI_SIZE_MAX + 1)], sharing[PPI_SIZE_MAX];
  struct ppi_json_out step;
  size_t count = 0;

  for (int k = 0; k < submodel->kernel->size_count; k++) {
    for (int d = 0; d < basis->dimensions; d++)
      arguments[count++] = basis->matrix[k][d];
    arguments[count++] = basis->constants[k];
  }
  for (int d = 0; d < basis->dimensions; d++)
    sharing[d] = basis->sharing[d];
  ppi_json_begin(&step);
  ppi_json_put_integers(&step, "arguments", arguments, count);
  ppi_json_put_integer(&step, "limit", basis->limit);
  ppi_json_put_integers(&step, "sharing", sharing, (size_t)basis->dimensions);
  if (basis->least > 0)
    ppi_json_put_integer(&step, "least", basis->least);
  ppi_json_put_object(out, "step", &step);
}

static void write_head(struct ppi_text *text, const struct ppi_submodel *submodel) {
  const struct perfpred_kernel *kernel = submodel->kernel;
  size_t dimensions = (size_t)submodel->dimensions;
  const char *names[PPI_SIZE_MAX];
  struct ppi_json_out out, domain;

  for (size_t d = 0; d < dimensions; d++)
    names[d] = ppi_submodel_size_name(submodel, (int)d);
  ppi_json_begin(&out);
  ppi_json_put_integer(&out, "setup", submodel->setup);
  ppi_json_put_string(&out, "kernel", kernel->name);
  ppi_json_put_string(&out, "case", submodel->case_text);
  ppi_json_put_string(&out, "context", submodel->context);
  ppi_json_put_strings(&out, "sizes", names, dimensions);
  if (submodel->basis)
    put_step(&out, submodel);
  ppi_json_begin(&domain);
  ppi_json_put_integers(&domain, "lower", submodel->lower, dimensions);
  ppi_json_put_integers(&domain, "upper", submodel->upper, dimensions);
  ppi_json_put_object(&out, "domain", &domain);
  ppi_json_put_integer(&out, "ld", submodel->ld);
  ppi_json_put_integer(&out, "points", (int64_t)submodel->points);
  ppi_json_put_integer(&out, "samples", (int64_t)submodel->samples);
  ppi_json_put_integer(&out, "disturbed", (int64_t)submodel->disturbed);
  ppi_store_put_anchors(&out, submodel);
  end_open(&out, text);
}

static void write_submodel(struct ppi_text *text, const struct ppi_submodel *submodel) {
  write_head(text, submodel);
  ppi_text_append(text, ",\n   \"splits\": [");
  for (int i = 0; i < submodel->split_count; i++) {
    ppi_text_append(text, i ? ",\n    " : "\n    ");
    write_split(text, submodel, submodel->splits + i);
  }
  ppi_text_append(text, "],\n   \"pieces\": [");
  for (int i = 0; i < submodel->piece_count; i++) {
    ppi_text_append(text, i ? ",\n    " : "\n    ");
    write_piece(text, submodel->pieces + i, submodel->dimensions);
  }
  ppi_text_append(text, "]}");
}

static void write_object(struct ppi_text *text, const char *key, struct ppi_json_out *out) {
  ppi_text_printf(text, " \"%s\": ", key);
  ppi_json_end(out, text);
  ppi_text_append(text, ",\n");
}

static void put_marks(struct ppi_json_out *out, const struct ppi_marks *marks) {
  const char *list[PPI_MARKS];

  for (int i = 0; i < marks->count; i++)
    list[i] = marks->texts[i];
  if (marks->count > 0)
    ppi_json_put_strings(out, "journals", list, (size_t)marks->count);
}

static void write_setups(struct ppi_text *text, const struct perfpred_models *models) {
  ppi_text_append(text, " \"setups\": [");
  for (int i = 0; i < models->setup_count; i++) {
    struct ppi_json_out out;

    ppi_text_append(text, i ? ",\n  " : "\n  ");
    ppi_json_begin(&out);
    ppi_store_put_setup(&out, models->setups + i);
    ppi_json_end(&out, text);
  }
  ppi_text_append(text, "],\n");
}

/* Samples of calls alone, or those of calls in an algorithm, which a reader that does not know them passes over. Only where samples were
   kept: the members before it end the object otherwise. */
static void write_samples(struct ppi_text *text, const struct perfpred_models *models, bool alone) {
  bool any = false;

  for (int i = 0; i < models->setup_count; i++)
    for (size_t k = 0; models->samples[i] && k < models->samples[i]->count; k++) {
      const struct ppi_record *record = models->samples[i]->records[k];
      struct ppi_json_out out;

      if ((record->context[0] == '\0') != alone)
        continue;
      ppi_text_append(text, any ? ",\n  " : ",\n \"");
      ppi_text_append(text, any ? "" : alone ? "samples\": [\n  " : "step_samples\": [\n  ");
      ppi_json_begin(&out);
      ppi_json_put_integer(&out, "setup", i);
      ppi_store_put_record(&out, record, 0, record->disturbed, record->measure_s);
      ppi_json_end(&out, text);
      any = true;
    }
  ppi_text_append(text, any ? "]" : "");
}

/* One line per part and per piece: a reader can look at it, and a difference of two files shows what changed. */
static void write_models(struct ppi_text *text, const struct perfpred_models *models) {
  struct ppi_json_out out;

  ppi_json_begin(&out);
  ppi_json_put_string(&out, "format", PPI_STORE_FORMAT);
  ppi_json_put_integer(&out, "version", PPI_FORMAT_VERSION);
  ppi_json_put_string(&out, "created", models->created);
  put_marks(&out, &models->marks);
  end_open(&out, text);
  ppi_text_append(text, ",\n");
  ppi_json_begin(&out);
  ppi_store_put_machine(&out, &models->machine);
  write_object(text, "machine", &out);
  write_setups(text, models);
  ppi_json_begin(&out);
  ppi_store_put_options(&out, &models->options);
  write_object(text, "options", &out);
  ppi_text_append(text, " \"models\": [");
  for (int i = 0; i < models->count; i++) {
    ppi_text_append(text, i ? ",\n  " : "\n  ");
    write_submodel(text, models->submodels + i);
  }
  ppi_text_append(text, "]");
  write_samples(text, models, true);
  write_samples(text, models, false);
  ppi_text_append(text, "}\n");
}

/* NULL: out of memory. */
static char *print(const struct perfpred_models *models) {
  struct ppi_text text = PPI_TEXT_INIT;

  write_models(&text, models);
  return ppi_text_take(&text);
}

enum perfpred_status perfpred_models_print(const struct perfpred_models *models, char **json,
                                           struct perfpred_error *error) {
  char *text;

  ppi_error_clear(error);
  if (!models)
    return ppi_error_set(error, PERFPRED_INVALID, "models: expected models, found NULL");
  if (!json)
    return ppi_error_set(error, PERFPRED_INVALID, "json: expected a place for the text, found NULL");
  text = print(models);
  if (!text)
    return ppi_error_memory(error);
  *json = text;
  return PERFPRED_OK;
}

enum perfpred_status perfpred_models_save(const struct perfpred_models *models, const char *path,
                                          struct perfpred_error *error) {
  enum perfpred_status status;
  char *text;

  ppi_error_clear(error);
  if (!models)
    return ppi_error_set(error, PERFPRED_INVALID, "models: expected models, found NULL");
  if (!path || !path[0])
    return ppi_error_set(error, PERFPRED_INVALID, "path: expected the name of a file");
  text = print(models);
  if (!text)
    return ppi_error_memory(error);
  status = ppi_store_replace_file(path, text, strlen(text), error);
  if (!status)
    ppi_journal_finish(models->journal);
  free(text);
  return status;
}
