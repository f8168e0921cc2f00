/* SPDX-License-Identifier: BSD-3-Clause */
/* Timings in and out of the algorithm as JSON (doc/json.md, "timings"). */
#include <stdio.h>

#include "api/timings.h"
#include "store/json.h"

static const char *const names[PPI_ESTIMATES] = { "repeated", "in",    "outer",    "out",
                                                  "initial",  "split", "smoothed", "fitted" };

static void put_head(struct ppi_json_out *out, const struct ppi_timings *timings) {
  struct ppi_json_out parameters;
  size_t copies = 0, empty = timings->list.count - timings->list.made;
  double measured_s = 0.0;
  for (size_t i = 0; i < timings->list.count; i++) {
    const size_t place = timings->list.kinds[i];
    copies += place != PPI_CALL_EMPTY && timings->list.kind[place].copies;
    measured_s += place == PPI_CALL_EMPTY ? 0.0 : timings->measured_s[i];
  }
  ppi_json_put_string(out, "name", timings->program->name);
  ppi_json_begin(&parameters);
  for (size_t i = 0; i < timings->parameter_count; i++)
    ppi_json_put_integer(&parameters, timings->program->slots[i], timings->parameters[i]);
  ppi_json_put_object(out, "parameters", &parameters);
  ppi_json_put_integer(out, "ld", timings->ld);
  ppi_json_put_integer(out, "calls", (int64_t)timings->list.count);
  ppi_json_put_integer(out, "empty", (int64_t)empty);
  ppi_json_put_integer(out, "copies", (int64_t)copies);
  ppi_json_put_integer(out, "different", (int64_t)timings->list.kind_count);
  ppi_json_put_integers(out, "level_bytes", timings->info.level_bytes, timings->info.level_count);
  ppi_json_put_integer(out, "line_bytes", timings->info.line_bytes);
  ppi_json_put_real(out, "measured_s", measured_s);
  ppi_json_put_real(out, "algorithm_wall_s", timings->algorithm_s);
  ppi_json_put_real(out, "alone_wall_s", timings->states_s);
}

static void put_smoothing(struct ppi_json_out *out, const char *key, const struct perfpred_cache_options *options) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_real(&object, "alpha", options->alpha);
  ppi_json_put_real(&object, "beta", options->beta);
  ppi_json_put_real(&object, "split_ratio", options->split_ratio);
  ppi_json_put_object(out, key, &object);
}

static void put_errors(struct ppi_json_out *out, const struct ppi_timings *timings,
                       const struct perfpred_kernel *kernel) {
  for (int k = 0; k < PPI_ESTIMATES; k++) {
    struct ppi_json_out object;
    const struct ppi_timings_error some = ppi_timings_error(timings, timings->estimates_s[k], false, kernel);
    const struct ppi_timings_error all = ppi_timings_error(timings, timings->estimates_s[k], true, kernel);
    ppi_json_begin(&object);
    ppi_json_put_string(&object, "estimate", names[k]);
    if (!kernel) {
      ppi_json_put_real(&object, "mean_are", some.mean);
      ppi_json_put_real(&object, "total_re", some.total);
    }
    ppi_json_put_real(&object, kernel ? "mean_are" : "mean_are_with_copies", all.mean);
    ppi_json_put_real(&object, kernel ? "total_re" : "total_re_with_copies", all.total);
    ppi_json_append(out, "errors", &object);
  }
}

static bool is_first_of_kernel(const struct ppi_call_list *list, size_t place) {
  for (size_t i = 0; i < place; i++)
    if (list->kind[i].kernel == list->kind[place].kernel)
      return false;
  return true;
}

static void put_kernel(struct ppi_json_out *out, const struct ppi_timings *timings,
                       const struct perfpred_kernel *kernel) {
  struct ppi_json_out object;
  double measured_s = 0.0;
  int64_t calls = 0;
  for (size_t i = 0; i < timings->list.count; i++) {
    const size_t place = timings->list.kinds[i];
    if (place == PPI_CALL_EMPTY || timings->list.kind[place].kernel != kernel)
      continue;
    measured_s += timings->measured_s[i];
    calls++;
  }
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "kernel", kernel->name);
  ppi_json_put_integer(&object, "calls", calls);
  ppi_json_put_real(&object, "measured_s", measured_s);
  put_errors(&object, timings, kernel);
  ppi_json_append(out, "kernels", &object);
}

static void put_call(struct ppi_json_out *out, const struct ppi_timings *timings, size_t i) {
  enum { EACH = PERFPRED_CACHE_LEVELS + 1 };
  struct ppi_json_out object;
  const size_t place = timings->list.kinds[i];
  if (place == PPI_CALL_EMPTY)
    return;
  ppi_json_begin(&object);
  ppi_json_put_integer(&object, "index", (int64_t)i);
  ppi_json_put_string(&object, "call", timings->list.kind[place].text);
  ppi_json_put_integer(&object, "step", (int64_t)timings->steps[i]);
  ppi_json_put_real(&object, "flops", timings->list.kind[place].flops);
  ppi_json_put_real(&object, "measured_s", timings->measured_s[i]);
  for (int k = 0; k < PPI_ESTIMATES; k++) {
    char key[32];
    snprintf(key, sizeof key, "%s_s", names[k]);
    ppi_json_put_real(&object, key, timings->estimates_s[k][i]);
  }
  ppi_json_put_reals(&object, "shares", timings->shares + i * EACH, timings->info.level_count + 1);
  ppi_json_append(out, "list", &object);
}

enum perfpred_status ppi_timings_print(const struct ppi_timings *timings, bool detail, char **json,
                                       struct perfpred_error *error) {
  struct ppi_text text = PPI_TEXT_INIT;
  struct ppi_json_out out;
  ppi_json_begin(&out);
  put_head(&out, timings);
  put_smoothing(&out, "smoothing", &timings->cache);
  put_smoothing(&out, "fitted", &timings->fitted);
  put_errors(&out, timings, NULL);
  for (size_t i = 0; i < timings->list.kind_count; i++)
    if (is_first_of_kernel(&timings->list, i))
      put_kernel(&out, timings, timings->list.kind[i].kernel);
  if (detail)
    ppi_json_put_empty_list(&out, "list");
  for (size_t i = 0; i < timings->list.count && detail; i++)
    put_call(&out, timings, i);
  ppi_json_end(&out, &text);
  char *taken = ppi_text_take(&text);
  if (!taken)
    return ppi_error_memory(error);
  *json = taken;
  return PERFPRED_OK;
}
