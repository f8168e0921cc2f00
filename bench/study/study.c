/* SPDX-License-Identifier: BSD-3-Clause */
/* The study of configurations (dissertation, Section 9.2) on recorded measurements: all 2880 configurations of the published
 * generator on each recording, the pruning, the default that it leads to; then the generators side by side, and beyond the
 * domain. Deterministic: nothing is measured.
 *
 *   study [--jobs N] [--out FOLDER] [--beyond RECORDING] RECORDING...
 *
 * FOLDER gets a table error/cost for each recording, for study.gnuplot. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "compare.h"
#include "sweep.h"

#define ONLY_MAX 64

static const char usage[] =
    "usage: study [--jobs N] [--out FOLDER] [--beyond RECORDING]... RECORDING...\n"
    "  --jobs N     threads (2)\n"
    "  --quick      without the 2880 configurations\n"
    "  --apart N    hold models against N samples of each call that generators do not get\n"
    "  --gross      costs with all runs that were thrown away\n"
    "  --only N     the table line of configuration N alone, of the first recording; may be given again\n";

struct study {
  struct ppi_kernels *kernels;
  int set_count, beyond_count;
  struct recording sets[STUDY_SETS], beyond[STUDY_SETS];
  const char *names[STUDY_SETS], *beyond_names[STUDY_SETS];
  size_t filled[STUDY_SETS]; /* samples that are missing in the recordings */
  const char *folder;
  int64_t jobs, apart;
  bool quick, gross;
  int only_count;
  int64_t only[ONLY_MAX];
};

/* The name of a file without its folder and ending. */
static void short_name(const char *path, char name[64]) {
  const char *base = strrchr(path, '/');
  char *dot;

  snprintf(name, 64, "%.63s", base ? base + 1 : path);
  dot = strrchr(name, '.');
  if (dot)
    *dot = '\0';
}

/* Counts each sample with its warm run and nothing else: how many more were thrown away depends on what else the machine was doing
   when it recorded the call, and would make costs a matter of luck. */
static void charge_net(struct recording *recording) {
  for (size_t i = 0; i < recording->samples.count; i++) {
    struct ppi_record *record = recording->samples.records[i];

    record->measure_s = 0.0;
    for (size_t k = 0; k < record->count; k++)
      record->measure_s += 2.0 * record->times_s[k];
  }
}

static enum perfpred_status load(struct study *study, struct perfpred_error *error) {
  enum perfpred_status status = ppi_kernels_create(&study->kernels, error);

  for (int i = 0; !status && i < study->set_count; i++)
    status = recording_read(study->kernels, study->names[i], &study->sets[i], error);
  for (int i = 0; !status && i < study->set_count; i++)
    status = recording_fill(&study->sets[i], &study->filled[i], error);
  for (int i = 0; !status && study->apart > 0 && i < study->set_count; i++)
    status = recording_set_apart(&study->sets[i], (int)study->apart, error);
  for (int i = 0; !status && !study->gross && i < study->set_count; i++)
    charge_net(&study->sets[i]);
  for (int i = 0; !status && i < study->beyond_count; i++)
    status = recording_read(study->kernels, study->beyond_names[i], &study->beyond[i], error);
  return status;
}

/* How far single samples lie above the smallest one of their call. */
static enum perfpred_status print_noise(const struct recording *set, struct perfpred_error *error) {
  size_t count = 0;
  double *excess;

  for (size_t i = 0; i < set->samples.count; i++)
    count += set->samples.records[i]->count;
  excess = malloc((count + 1) * sizeof *excess);
  if (!excess || count == 0) {
    free(excess);
    return count == 0 ? PERFPRED_OK : ppi_error_memory(error);
  }
  count = 0;
  for (size_t i = 0; i < set->samples.count; i++) {
    const struct ppi_record *record = set->samples.records[i];
    double least = record->times_s[0];

    for (size_t k = 1; k < record->count; k++)
      least = record->times_s[k] < least ? record->times_s[k] : least;
    for (size_t k = 0; k < record->count; k++)
      excess[count++] = record->times_s[k] / least - 1.0;
  }
  printf("  a sample is above the smallest one of its call by %.1f %% in the median, by %.0f %% in one case of ten\n",
         100.0 * ppi_stats_percentile(excess, count, 0.5), 100.0 * ppi_stats_percentile(excess, count, 0.9));
  free(excess);
  return PERFPRED_OK;
}

static void print_set(const struct recording *set, const char *name, size_t filled) {
  int64_t lower[PPI_SIZE_MAX], upper[PPI_SIZE_MAX];
  double all_s = 0.0;

  trial_domain(set, 1.0, lower, upper);
  for (size_t i = 0; i < set->samples.count; i++)
    all_s += set->samples.records[i]->measure_s;
  printf("%s: %s %s, %d thread%s, ", name, set->kernel->name, set->case_text, set->threads,
         set->threads > 1 ? "s" : "");
  for (int d = 0; d < set->kernel->size_count; d++)
    printf("%s %lld..%lld, ", set->kernel->args[set->kernel->sizes[d]].name, (long long)lower[d], (long long)upper[d]);
  printf("multiples of %lld: %zu calls, %d samples each, %.1f s of timed calls\n", (long long)set->grain,
         set->samples.count, set->repetitions, all_s);
  for (int i = 0; i < set->note_count; i++)
    printf("  %s\n", set->notes[i]);
  if (filled > 0)
    printf("  %zu samples are missing, the median of their call stands in\n", filled);
}

static enum perfpred_status write_table(const struct study *study, const char *name, const struct outcome *results,
                                        const struct pruning *pruning, struct perfpred_error *error) {
  char path[1024];
  FILE *file;

  snprintf(path, sizeof path, "%s/%s.tsv", study->folder, name);
  file = fopen(path, "w");
  if (!file)
    return ppi_error_set(error, PERFPRED_IO, "%s: cannot be written: %m", path);
  sweep_print(results, pruning, file);
  return fclose(file) ? ppi_error_set(error, PERFPRED_IO, "%s: cannot be written: %m", path) : PERFPRED_OK;
}

static enum perfpred_status run_sweep(struct study *study, outcomes *const *all, struct perfpred_error *error) {
  static struct pruning pruning;
  enum perfpred_status status = PERFPRED_OK;

  for (int i = 0; !status && i < study->set_count; i++)
    status = sweep(&study->sets[i], (int)study->jobs, *all[i], error);
  if (status)
    return status;
  prune(all, study->set_count, &pruning);
  sweep_print_pruning(&pruning);
  for (int i = 0; !status && i < study->set_count; i++) {
    char name[64];

    short_name(study->names[i], name);
    sweep_print_chosen(name, *all[i], &pruning, study->sets[i].repetitions);
    if (study->folder)
      status = write_table(study, name, *all[i], &pruning, error);
  }
  return status;
}

static enum perfpred_status run(struct study *study, struct perfpred_error *error) {
  static outcomes store[STUDY_SETS];
  outcomes *all[STUDY_SETS] = { NULL };
  enum perfpred_status status = load(study, error);
  char name[64];

  for (int i = 0; !status && i < study->set_count; i++) {
    all[i] = &store[i];
    short_name(study->names[i], name);
    print_set(&study->sets[i], name, study->filled[i]);
    status = print_noise(&study->sets[i], error);
  }
  if (!status && !study->quick)
    status = run_sweep(study, all, error);
  for (int i = 0; !status && i < study->set_count; i++) {
    short_name(study->names[i], name);
    status = compare_generators(&study->sets[i], name, study->quick ? NULL : *all[i], study->beyond,
                                study->beyond_count, error);
  }
  return status;
}

static enum perfpred_status run_only(struct study *study, struct perfpred_error *error) {
  struct solver solver = { .entries = NULL };
  enum perfpred_status status = load(study, error);

  sweep_print_head(stdout);
  for (int i = 0; !status && i < study->only_count; i++) {
    struct outcome outcome;

    status = sweep_one(&study->sets[0], (int)study->only[i], &solver, &outcome, error);
    if (!status)
      sweep_print_line((int)study->only[i], &outcome, false, stdout);
  }
  solver_forget(&solver);
  return status;
}

static bool parse_only(struct study *study, const char *text) {
  int64_t index = 0;

  if (study->only_count == ONLY_MAX || !ppi_text_parse_integer(text, &index) || index < 0 ||
      index >= CONFIGURATION_COUNT)
    return false;
  study->only[study->only_count++] = index;
  return true;
}

static bool parse_number(const char *text, int64_t *number) {
  return ppi_text_parse_integer(text, number) && *number >= 1 && *number <= 64;
}

static bool parse_option(struct study *study, int option, char *text) {
  switch (option) {
  case 'j':
    return parse_number(text, &study->jobs);
  case 'a':
    return parse_number(text, &study->apart);
  case 'n':
    return parse_only(study, text);
  case 'o':
    study->folder = text;
    return true;
  case 'b':
    if (study->beyond_count == STUDY_SETS)
      return false;
    study->beyond_names[study->beyond_count++] = text;
    return true;
  default:
    study->quick = study->quick || option == 'q';
    study->gross = study->gross || option == 'g';
    return option != '?';
  }
}

static bool parse(struct study *study, int argc, char **argv) {
  static const struct option options[] = {
    { "jobs", 1, NULL, 'j' }, { "out", 1, NULL, 'o' },   { "beyond", 1, NULL, 'b' }, { "quick", 0, NULL, 'q' },
    { "only", 1, NULL, 'n' }, { "gross", 0, NULL, 'g' }, { "apart", 1, NULL, 'a' },  { 0 },
  };
  int option;

  while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
    if (!parse_option(study, option, optarg))
      return false;
  for (; optind < argc && study->set_count < STUDY_SETS; optind++)
    study->names[study->set_count++] = argv[optind];
  return optind == argc && study->set_count > 0;
}

int main(int argc, char **argv) {
  static struct study study = { .jobs = 2 };
  struct perfpred_error error = { .status = PERFPRED_OK };
  enum perfpred_status status;

  if (!parse(&study, argc, argv)) {
    fputs(usage, stderr);
    return 2;
  }
  status = study.only_count > 0 ? run_only(&study, &error) : run(&study, &error);
  if (status)
    fprintf(stderr, "study: %s\n", error.text);
  for (int i = 0; i < STUDY_SETS; i++) {
    recording_release(&study.sets[i]);
    recording_release(&study.beyond[i]);
  }
  ppi_kernels_destroy(study.kernels);
  return status ? 1 : 0;
}
