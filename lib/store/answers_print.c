/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of answers as text: an answer on each line. */
#include <math.h>
#include <stdlib.h>

#include "store/answers.h"
#include "store/parts.h"

static void put_statistics(struct ppi_json_out *out, const struct perfpred_statistics *statistics) {
  const double values[] = { statistics->min, statistics->med, statistics->max, statistics->mean, statistics->std };
  ppi_json_put_reals(out, "time_s", values, sizeof values / sizeof values[0]);
}

static void put_group(struct ppi_json_out *out, const struct ppi_answer_group *group) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "call", group->call);
  ppi_json_put_string(&object, "bound", ppi_answer_bounds[group->bound]);
  ppi_json_put_real(&object, "bound_s", group->bound_s);
  ppi_json_put_real(&object, "call_s", group->call_s);
  ppi_json_put_real(&object, "best_s", group->best_s);
  ppi_json_put_integer(&object, "predicted", (int64_t)group->predicted);
  ppi_json_append(out, "groups", &object);
}

static void put_entry(struct ppi_json_out *out, const struct ppi_answer_entry *entry) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "name", entry->name);
  ppi_json_put_string(&object, "source", ppi_answer_sources[entry->source]);
  put_statistics(&object, &entry->time_s);
  ppi_json_put_real(&object, "copy_s", entry->copy_s);
  ppi_json_put_real(&object, "zero_s", entry->zero_s);
  ppi_json_put_real(&object, "cost_s", entry->cost_s);
  ppi_json_append(out, "algorithms", &object);
}

static void write_answer(struct ppi_text *text, const struct ppi_answer *answer) {
  struct ppi_json_out out;
  ppi_json_begin(&out);
  ppi_json_put_integer(&out, "setup", answer->setup);
  ppi_json_put_string(&out, "contraction", answer->contraction);
  ppi_json_put_string(&out, "asked", answer->asked);
  ppi_json_put_string(&out, "made", answer->made);
  ppi_json_put_real(&out, "made_s", answer->made_s);
  ppi_json_put_real(&out, "calibration_s", answer->calibration_s);
  ppi_json_put_real(&out, "budget_s", answer->budget_s);
  ppi_json_put_integer(&out, "benchmarks", (int64_t)answer->benchmarks);
  ppi_json_put_bool(&out, "bounded", answer->bounded);
  ppi_json_put_integer(&out, "cache_bytes", answer->cache_bytes);
  ppi_json_put_empty_list(&out, "groups");
  for (size_t i = 0; i < answer->group_count; i++)
    put_group(&out, &answer->groups[i]);
  ppi_json_put_empty_list(&out, "algorithms");
  for (size_t i = 0; i < answer->entry_count; i++)
    put_entry(&out, &answer->entries[i]);
  ppi_json_end(&out, text);
}

static void write_caches(struct ppi_text *text, const struct ppi_answer_caches *caches) {
  struct ppi_json_out out;
  ppi_json_begin(&out);
  ppi_json_put_integer(&out, "setup", caches->setup);
  ppi_json_put_string(&out, "made", caches->made);
  ppi_json_put_real(&out, "found_s", caches->found_s);
  ppi_store_put_levels(&out, caches->levels, caches->count);
  ppi_json_end(&out, text);
}

static void write_head(struct ppi_text *text, const struct ppi_answers *answers) {
  struct ppi_json_out out, machine;
  ppi_json_begin(&out);
  ppi_json_put_string(&out, "format", PPI_ANSWERS_FORMAT);
  ppi_json_put_integer(&out, "version", PPI_ANSWERS_VERSION);
  ppi_json_begin(&machine);
  ppi_store_put_machine(&machine, &answers->machine);
  ppi_json_put_object(&out, "machine", &machine);
  ppi_json_put_empty_list(&out, "setups");
  for (int i = 0; i < answers->setup_count; i++) {
    struct ppi_json_out setup;
    ppi_json_begin(&setup);
    ppi_store_put_setup(&setup, &answers->setups[i]);
    ppi_json_append(&out, "setups", &setup);
  }
  ppi_json_end(&out, text);
  if (!text->failed)
    text->data[--text->length] = '\0'; /* lists follow */
}

char *ppi_answers_print(const struct ppi_answers *answers) {
  struct ppi_text text = PPI_TEXT_INIT;
  write_head(&text, answers);
  ppi_text_append(&text, ",\n\"caches\": [");
  for (size_t i = 0; i < answers->caches_count; i++) {
    ppi_text_append(&text, i > 0 ? ",\n" : "\n");
    write_caches(&text, &answers->caches[i]);
  }
  ppi_text_append(&text, "],\n\"answers\": [");
  for (size_t i = 0; i < answers->count; i++) {
    ppi_text_append(&text, i > 0 ? ",\n" : "\n");
    write_answer(&text, &answers->answers[i]);
  }
  ppi_text_append(&text, "]}\n");
  return ppi_text_take(&text);
}
