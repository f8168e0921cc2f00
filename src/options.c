/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "suggest.h"

enum kind {
  KIND_FLAG,
  KIND_WORD,
  KIND_WORDS,
  KIND_INTEGER,
  KIND_REAL,
  KIND_GATE,
  KIND_RANGE,
  KIND_ASSIGNMENTS,
  KIND_COUNTS
};

struct rule {
  const char *name;     /* with its dashes */
  const char *argument; /* as shown in the help; NULL for a flag */
  const char *help;
  enum kind kind;
  uint64_t takes; /* 0: every subcommand has it */
  size_t offset;
  double lower, upper;
};

#define AT(member) offsetof(struct options, member)

static const struct rule rules[] = {
  { "-m", "FILE", "model file", KIND_WORD, TAKES_MODELS, AT(models), 0, 0 },
  { "--models", "KIND",
    "'auto' (the default): of calls in the steps of the algorithm where there are such, else of calls alone; "
    "'context': "
    "there have to be such; 'warm': of calls alone; 'cache': blended by what calls find in the caches, of calls by the "
    "state of the caches",
    KIND_WORD, TAKES_MODELS, AT(kind), 0, 0 },
  { "-o", "FILE", "file to write; it changes as a whole, once everything is done", KIND_WORD, TAKES_OUTPUT, AT(output),
    0, 0 },
  { "-n", "LO:HI[:STEP]", "sizes", KIND_RANGE, TAKES_N, AT(n), 0, 0 },
  { "-b", "LO:HI[:STEP]", "block sizes", KIND_RANGE, TAKES_B, AT(b), 0, 0 },
  { "--for", "NAME[,NAME]", "algorithms, or operations for all their algorithms", KIND_WORD, TAKES_FOR, AT(algorithms),
    0, 0 },
  { "--types", "LETTERS", "data types of the routines, letters of s d c z; default: d", KIND_WORD, TAKES_TYPES,
    AT(types), 0, 0 },
  { "--table", "FILE",
    "decision table to write with --for lapack; default: the one that 'perfpred run' gives to programs", KIND_WORD,
    TAKES_TABLE, AT(table), 0, 0 },
  { "--emit", "c-table", "the decision table as a C file", KIND_WORD, TAKES_EMIT, AT(emit), 0, 0 },
  { "--name", "NAME", "what names in the C file begin with; default: perfpred_lapack", KIND_WORD, TAKES_EMIT, AT(name),
    0, 0 },
  { "--budget", "SECONDS", "wall time to stay within", KIND_REAL, TAKES_BUDGET, AT(budget_s), 1e-3, 1e7 },
  { "--set", "KNOB=VALUE", "how models are made; may be repeated", KIND_ASSIGNMENTS, TAKES_SET, AT(settings), 0, 0 },
  { "--context", NULL,
    "model calls where they stand in the algorithm, in the steps of its loop, where that can be done", KIND_FLAG,
    TAKES_CONTEXT, AT(context), 0, 0 },
  { "--cache", "STATE[,STATE]", "states of the caches that calls are modelled in: warm (the default), in, outer, out",
    KIND_WORD, TAKES_STATES, AT(states), 0, 0 },
  { "--mode", "MODE",
    "'models' (the default); without models, from a few steps that are measured: 'replay', each after the step before "
    "it, or 'setup', each with the caches brought into that state by touching memory",
    KIND_WORD, TAKES_MODE, AT(mode), 0, 0 },
  { "--steps", "K", "steps that --mode replay or setup measures at most; default: 8", KIND_INTEGER, TAKES_MODE,
    AT(steps), 2, 100000 },
  { "--caches", NULL, "measure latency and bandwidth of each level of the caches, and how much of it there is",
    KIND_FLAG, TAKES_CACHES, AT(caches), 0, 0 },
  { "--detail", NULL, "with --json: every call", KIND_FLAG, TAKES_TIMINGS, AT(detail), 0, 0 },
  { "--fit", NULL, "with -m: fit smoothing and weights of the levels to what is measured", KIND_FLAG, TAKES_TIMINGS,
    AT(fit), 0, 0 },
  { "--keep", NULL, "with --fit: keep what is fitted in the model file, where --models cache finds it", KIND_FLAG,
    TAKES_TIMINGS, AT(keep), 0, 0 },
  { "--reps", "R", "timed executions", KIND_INTEGER, TAKES_REPS, AT(repetitions), 1, 1000000 },
  { "--gate", "X", "widest relative deviation of the yardstick, such as 0.05, or 'off'", KIND_GATE, TAKES_GATE,
    AT(gate), 1e-6, 10 },
  { "--ld", "N", "leading dimension of matrices", KIND_INTEGER, TAKES_LD, AT(ld), 1, 2147483647.0 },
  { "--measured", "FILE", "what 'perfpred validate --json' printed", KIND_WORD, TAKES_MEASURED, AT(measured), 0, 0 },
  { "--kernels", NULL, "break errors down by kernels, each timed in the running algorithm", KIND_FLAG, TAKES_KERNELS,
    AT(kernels), 0, 0 },
  { "--blas", "PATH", "BLAS library to measure", KIND_WORD, TAKES_SETUP, AT(blas), 0, 0 },
  { "--lapack", "PATH", "LAPACK library to measure", KIND_WORD, TAKES_SETUP, AT(lapack), 0, 0 },
  { "--threads", "T", "threads of the BLAS", KIND_INTEGER, TAKES_SETUP, AT(threads), 1, 4096 },
  { "--blas", "NAME", "models of this BLAS: its family, such as blis, its path or its build id", KIND_WORD,
    TAKES_CHOICE | TAKES_COUNTS, AT(blas), 0, 0 },
  { "--threads", "T", "models for so many threads", KIND_INTEGER, TAKES_CHOICE, AT(threads), 1, 4096 },
  { "--threads", "T[,T]", "models for so many threads; of several numbers the best one is chosen", KIND_COUNTS,
    TAKES_COUNTS, AT(thread_counts), 1, 4096 },
  { "--setup", "K", "models of the setup of this number in the file ('perfpred model' lists them)", KIND_INTEGER,
    TAKES_NUMBER, AT(setup), 1, 100000 },
  { "--replace", NULL, "write the file of -o anew instead of adding to it", KIND_FLAG, TAKES_TARGET, AT(replace), 0,
    0 },
  { "--restart", NULL, "measure again what an interrupted run has left in FILE.journal", KIND_FLAG, TAKES_TARGET,
    AT(restart), 0, 0 },
  { "--samples", NULL, "keep every sample in the file", KIND_FLAG, TAKES_TARGET, AT(samples), 0, 0 },
  { "--blas", "PATH", "BLAS library that COMMAND loads; default: BLIS where it is installed", KIND_WORD, TAKES_RUN,
    AT(blas), 0, 0 },
  { "--lapack", "PATH", "LAPACK library that it loads; default: reference LAPACK where it is installed", KIND_WORD,
    TAKES_RUN, AT(lapack), 0, 0 },
  { "--keep-libraries", NULL, "COMMAND loads the BLAS and LAPACK that it would load anyway", KIND_FLAG, TAKES_RUN,
    AT(keep_libraries), 0, 0 },
  { "--preload-libraries", NULL, "preload them, for a COMMAND whose start script overrules LD_LIBRARY_PATH (R)",
    KIND_FLAG, TAKES_RUN, AT(preload_libraries), 0, 0 },
  { "--table", "FILE", "decision table; default: $PERFPRED_TABLE, else lapack.table in the user's data", KIND_WORD,
    TAKES_RUN, AT(decisions), 0, 0 },
  { "--force", NULL, "use a table made on another CPU", KIND_FLAG, TAKES_RUN, AT(force), 0, 0 },
  { "--env", "NAME=VALUE", "environment of the measured libraries, such as BLIS_ARCH_TYPE=0; may be repeated",
    KIND_ASSIGNMENTS, TAKES_SETUP, AT(environment), 0, 0 },
  { "--yardstick", "SECONDS",
    "reading of the yardstick that times are brought to; default: the models', or the run's best one", KIND_REAL,
    TAKES_SETUP, AT(yardstick_s), 1e-9, 1 },
  { "--worker", "PATH", "the program that measures, perfpred-worker", KIND_WORD, TAKES_SETUP, AT(worker), 0, 0 },
  { "--extrapolate", NULL, "answer beyond the sizes that were modelled, and say so", KIND_FLAG, TAKES_EXTRAPOLATE,
    AT(extrapolate), 0, 0 },
  { "--force", NULL, "use models of another machine or BLAS, and say so", KIND_FLAG, TAKES_FORCE, AT(force), 0, 0 },
  { "-f", "FILE", "kernels and algorithms of your own (the text form); may be repeated", KIND_WORDS, TAKES_FILES,
    AT(files), 0, 0 },
  { "--program", "PATH", "a program, by its path or found in PATH; it is not run", KIND_WORD, TAKES_DOCTOR, AT(program),
    0, 0 },
  { "--pid", "N", "a running process", KIND_INTEGER, TAKES_DOCTOR, AT(pid), 1, 2147483647.0 },
  { "--no-measure", NULL, "time nothing", KIND_FLAG, TAKES_DOCTOR, AT(no_measure), 0, 0 },
  { "--table", "FILE", "decision table to look at; default: the one that the override reads", KIND_WORD, TAKES_DOCTOR,
    AT(decisions), 0, 0 },
  { "--cache", "BYTES[,BYTES]",
    "sizes of the caches, rising, with K, M or G behind them for powers of 1024; default: those of the models' "
    "machine, "
    "else this one's second level and its last",
    KIND_WORD, TAKES_EMULATED, AT(cache), 0, 0 },
  { "--line", "BYTES", "size of a cache line; default: 64", KIND_INTEGER, TAKES_EMULATED | TAKES_MISSES, AT(line), 8,
    65536 },
  { "--residency", "MODE",
    "how distances become shares: 'smoothed' (the default), 'split', 'initial', or 'shared' by lines that an LRU cache "
    "holds",
    KIND_WORD, TAKES_EMULATED, AT(residency), 0, 0 },
  { "--distance", "KIND", "count different 'lines' (the default) or 'sums' of sizes", KIND_WORD, TAKES_EMULATED,
    AT(distance), 0, 0 },
  { "--first", "KIND",
    "data not accessed before are 'cold' (the default), 'total' buffers away, or as in a 'repeated' execution",
    KIND_WORD, TAKES_EMULATED, AT(first), 0, 0 },
  { "--history", "STEPS", "forget what lies more steps of the outermost loop back; default: nothing is forgotten",
    KIND_INTEGER, TAKES_EMULATED, AT(history), 1, 1000000 },
  { "--split", "RATIO", "a call is split where its outputs are smaller than its inputs by this factor; default: 0.125",
    KIND_REAL, TAKES_EMULATED, AT(split), 1e-9, 1e9 },
  { "--alpha", "X", "smoothing below the size of a cache; default: 4", KIND_REAL, TAKES_EMULATED, AT(alpha), 1e-3,
    1e3 },
  { "--beta", "X", "smoothing above it; default: 4", KIND_REAL, TAKES_EMULATED, AT(beta), 1e-3, 1e3 },
  { "--weights", "W,W[,W]",
    "factors of the times with operands in each cache, then in memory, as 'timings --fit' finds them; default: 1",
    KIND_WORD, TAKES_EMULATED, AT(weights), 0, 0 },
  { "--calls", "LO:HI", "show these calls, counted from 1, with their operands", KIND_RANGE, TAKES_CALLS, AT(calls), 0,
    0 },
  { "--script", "SETUP",
    "print the calls as a text for 'perfpred sample', with the caches set up: as 'found' in the algorithm, or by "
    "operands "
    "in all orders, 'whole', or panels of 'columns', of 'rows' or a 'block' of large ones",
    KIND_WORD, TAKES_CALLS, AT(script), 0, 0 },
  { "--width", "W", "of these panels and blocks; default: 64", KIND_INTEGER, TAKES_CALLS, AT(width), 1, 1000000 },
  { "--for", "WEIGHTS", "make the runs that stand for rectangles of 'apex weights --json', and no others", KIND_WORD,
    TAKES_APEX, AT(representatives), 0, 0 },
  { "--mix", "SAMPLES", "an application, CSV or JSON: more runs are made that aim at its rectangles", KIND_WORD,
    TAKES_APEX, AT(mix), 0, 0 },
  { "--points", "FILE", "what 'perfpred apex points' wrote", KIND_WORD, TAKES_APEX, AT(points), 0, 0 },
  { "--measured", "SAMPLES", "the application on the machine that is asked about, CSV or JSON", KIND_WORD, TAKES_APEX,
    AT(measured), 0, 0 },
  { "--isa", "NAME", "instruction set of the computing: avx512, avx2, sse2; default: the widest one", KIND_WORD,
    TAKES_APEX, AT(instruction_set), 0, 0 },
  { "--cache", "BYTES", "outermost cache; default: the largest one reported, at most 64 MiB", KIND_INTEGER, TAKES_APEX,
    AT(cache_bytes), 64, 1099511627776.0 },
  { "--clock", "HZ", "clock of a core; default: measured", KIND_REAL, TAKES_APEX, AT(clock_hz), 1e3, 1e13 },
  { "--cell", "X,Y", "sides of a rectangle in bytes and flops per cycle; default 0.5,0.5", KIND_WORD, TAKES_APEX,
    AT(cell), 0, 0 },
  { "--threshold", "W", "least weight of a rectangle that is represented; default 0.005", KIND_REAL, TAKES_APEX,
    AT(threshold), 1e-12, 1 },
  { "--blocks", "I", "blocks of a random run of the design; default 50", KIND_INTEGER, TAKES_APEX, AT(blocks), 1,
    1000000 },
  { "--pid", "N", "a running process to watch", KIND_INTEGER, TAKES_APEX, AT(pid), 1, 2147483647.0 },
  { "--interval", "SECONDS", "between two samples of a process; default 0.1", KIND_REAL, TAKES_APEX, AT(interval_s),
    1e-3, 3600 },
  { "--events", "F,C,M",
    "events that count flops, cycles and lines from memory; default PAPI_DP_OPS,PAPI_TOT_CYC,PAPI_L3_TCM", KIND_WORD,
    TAKES_APEX, AT(events), 0, 0 },
  { "--max-runs", "N", "most runs; default 500", KIND_INTEGER, TAKES_APEX, AT(runs_max), 1, 100000 },
  { "--cache", "BYTES[,BYTES]", "sizes of the caches, with K, M or G behind them for powers of 1024; default: 32K,1M",
    KIND_WORD, TAKES_MISSES, AT(cache), 0, 0 },
  { "--engine", "ENGINE", "'auto' (the default); 'analytic': from the text alone; 'simulate': every access is executed",
    KIND_WORD, TAKES_MISSES, AT(engine), 0, 0 },
  { "--pieces", NULL, "show the parts of the iterations in which the distance is one polynomial", KIND_FLAG,
    TAKES_MISSES, AT(pieces), 0, 0 },
  { "--curve", NULL, "show the misses of caches of all sizes", KIND_FLAG, TAKES_MISSES, AT(curve), 0, 0 },
  { "-D", "NAME[=VALUE]", "define a macro of the C file; may be repeated", KIND_WORDS, TAKES_MISSES, AT(defines), 0,
    0 },
  { "-I", "PATH", "look for the C file's includes here; may be repeated", KIND_WORDS, TAKES_MISSES, AT(includes), 0,
    0 },
  { "--cc", "COMPILER", "the C compiler, whose preprocessor reads C files; default: cc", KIND_WORD, TAKES_MISSES,
    AT(compiler), 0, 0 },
  { "--region", "K", "which region of the C file, from 1; default: the only one", KIND_INTEGER, TAKES_MISSES,
    AT(region), 1, 1000000 },
  { "--json", NULL, "print one JSON object", KIND_FLAG, 0, AT(json), 0, 0 },
  { "--help", NULL, "print this help", KIND_FLAG, 0, AT(help), 0, 0 },
};
#define RULES (sizeof rules / sizeof rules[0])

static bool taken(const struct rule *rule, const struct command *command) {
  return rule->takes == 0 || (command->takes & rule->takes) != 0;
}

static bool is_name(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool inner = (c >= '0' && c <= '9') || c == '-';
    if (!letter && !(i > 0 && inner))
      return false;
  }
  return length > 0;
}

static int wrong_value(const struct rule *rule, const char *value) {
  switch (rule->kind) {
  case KIND_RANGE:
    return message_misuse(
        "option %s: '%s' is no range: expected %s or a single number, with 1 <= LO <= HI <= 2147483647 and STEP >= 1",
        rule->name, value, rule->argument);
  case KIND_ASSIGNMENTS:
    return message_misuse("option %s: '%s' is not of the form %s", rule->name, value, rule->argument);
  case KIND_COUNTS:
    return message_misuse(
        "option %s: '%s': expected different integers from %.0f to %.0f, at most %d of them, with commas", rule->name,
        value, rule->lower, rule->upper, COUNTS_MAX);
  case KIND_GATE:
    return message_misuse("option %s: '%s': expected a number from %g to %g, or 'off'", rule->name, value, rule->lower,
                          rule->upper);
  case KIND_INTEGER:
    return message_misuse("option %s: '%s': expected an integer from %.0f to %.0f", rule->name, value, rule->lower,
                          rule->upper);
  default:
    return message_misuse("option %s: '%s': expected a number from %g to %g", rule->name, value, rule->lower,
                          rule->upper);
  }
}

/* Flags say the same twice; lists grow. Of anything else a second value would silently win. Unset is all zeros. */
static bool is_given(const struct rule *rule, const void *target) {
  switch (rule->kind) {
  case KIND_INTEGER:
    return *(const int64_t *)target != 0;
  case KIND_REAL:
  case KIND_GATE:
    return *(const double *)target < 0.0 || *(const double *)target > 0.0;
  case KIND_RANGE:
    return ((const struct range *)target)->upper != 0;
  case KIND_COUNTS:
    return ((const struct counts *)target)->count != 0;
  case KIND_WORD:
    return *(const char *const *)target != NULL;
  default:
    return false;
  }
}

static int store_word(const struct rule *rule, const char *value, const char **target) {
  if (value[0] == '\0')
    return message_misuse("option %s: expected %s, not an empty word", rule->name, rule->argument);
  *target = value;
  return COMMAND_OK;
}

/* "NAME=VALUE", and no second value for the same name: the last one would silently win. */
static int store_assignment(const struct rule *rule, const char *value, struct words *words) {
  const char *equals = strchr(value, '=');
  if (equals == NULL || !is_name(value, (size_t)(equals - value)))
    return wrong_value(rule, value);
  size_t length = (size_t)(equals - value);
  for (size_t i = 0; i < words->count; i++) {
    if (strncmp(words->items[i], value, length + 1) == 0)
      return message_misuse("option %s: '%.*s' is given twice: %s and %s", rule->name, (int)(length < 64 ? length : 64),
                            value, words->items[i], value);
  }
  words->items[words->count++] = value;
  return COMMAND_OK;
}

static int store(const struct rule *rule, const char *value, struct options *options) {
  void *target = (char *)options + rule->offset;
  bool good = true;
  if (is_given(rule, target))
    return message_misuse("option %s is given twice", rule->name);
  switch (rule->kind) {
  case KIND_FLAG:
    *(bool *)target = true;
    break;
  case KIND_WORD:
    return store_word(rule, value, target);
  case KIND_ASSIGNMENTS:
    return store_assignment(rule, value, target);
  case KIND_WORDS:
    return store_word(rule, value, &((struct words *)target)->items[((struct words *)target)->count++]);
  case KIND_INTEGER:
    good = number_integer(value, (int64_t)rule->lower, (int64_t)rule->upper, target);
    break;
  case KIND_GATE:
    if (strcmp(value, "off") == 0) {
      *(double *)target = -1.0;
      break;
    }
    /* fall through */
  case KIND_REAL:
    good = number_real(value, rule->lower, rule->upper, target);
    break;
  case KIND_RANGE:
    good = number_range(value, target);
    break;
  case KIND_COUNTS:
    good = number_counts(value, (int64_t)rule->lower, (int64_t)rule->upper, target);
    break;
  }
  return good ? COMMAND_OK : wrong_value(rule, value);
}

static int unknown(const struct command *command, const char *word, size_t length) {
  char name[80];
  struct suggestion suggestion;
  snprintf(name, sizeof name, "%.*s", (int)(length < 79 ? length : 79), word);
  suggest_begin(&suggestion, name);
  for (size_t i = 0; i < RULES; i++) {
    if (taken(&rules[i], command) && strlen(rules[i].name) > 2)
      suggest_offer(&suggestion, rules[i].name);
  }
  return message_misuse("'%s' has no option '%s'%s; 'perfpred %s --help' lists them", command->name, name,
                        suggest_text(&suggestion, ""), command->name);
}

/* The rule that a word beginning with '-' names, and its argument where that is part of the word. */
static const struct rule *find(const struct command *command, const char *word, size_t *length, const char **value) {
  bool is_long = word[1] == '-';
  *length = is_long ? strcspn(word, "=") : 2;
  *value = NULL;
  for (size_t i = 0; i < RULES; i++) {
    if (!taken(&rules[i], command) || strlen(rules[i].name) != *length || strncmp(word, rules[i].name, *length) != 0)
      continue;
    if (is_long && word[*length] == '=')
      *value = word + *length + 1;
    else if (!is_long && word[2] != '\0')
      *value = word + 2;
    return &rules[i];
  }
  return NULL;
}

/* One option; *used counts the words that it takes. */
static int parse_option(const struct command *command, char **words, int left, struct options *options, int *used) {
  size_t length;
  const char *value;
  *used = 1;
  if (strcmp(words[0], "-h") == 0) {
    options->help = true;
    return COMMAND_OK;
  }
  const struct rule *rule = find(command, words[0], &length, &value);
  if (rule == NULL)
    return unknown(command, words[0], length);
  if (rule->argument == NULL && value != NULL)
    return message_misuse("option %s takes no value", rule->name);
  if (rule->argument == NULL)
    value = "";
  if (value == NULL) {
    if (left < 2)
      return message_misuse("option %s: expected %s behind it", rule->name, rule->argument);
    value = words[1];
    *used = 2;
  }
  return store(rule, value, options);
}

static int parse_parameter(const char *word, const char *equals, struct options *options) {
  size_t length = (size_t)(equals - word);
  struct assignment *last = &options->parameters[options->parameter_count];
  if (length >= ASSIGNMENT_NAME || options->parameter_count == ASSIGNMENT_MAX)
    return message_misuse("'%s': at most %d parameters with names of up to %d letters", word, ASSIGNMENT_MAX,
                          ASSIGNMENT_NAME - 1);
  memcpy(last->name, word, length);
  last->name[length] = '\0';
  if (!number_integer(equals + 1, INT64_MIN, INT64_MAX, &last->value))
    return message_misuse("parameter '%s': '%s' is not an integer of at most 64 bits", last->name, equals + 1);
  for (size_t i = 0; i < options->parameter_count; i++) {
    if (strcmp(options->parameters[i].name, last->name) == 0)
      return message_misuse("parameter '%s' is given twice", last->name);
  }
  /* a size of 0 would be answered with no time at all: never what was meant on a command line */
  if (last->value < 1)
    return message_fail("parameter '%s' is %lld: expected an integer of at least 1", last->name,
                        (long long)last->value);
  options->parameter_count++;
  return COMMAND_OK;
}

static int parse_operand(const struct command *command, const char *word, struct options *options) {
  const char *equals = strchr(word, '=');
  if ((command->takes & TAKES_PARAMETERS) != 0 && equals != NULL && is_name(word, (size_t)(equals - word)))
    return parse_parameter(word, equals, options);
  if (word[0] == '\0' && ((command->takes & TAKES_COMMAND) == 0 || options->operands.count == 0))
    return message_misuse("'%s': an empty word is no name; expected %s", command->name, command->synopsis);
  if (options->operands.count == command->operands_max)
    return message_misuse("'%s': unexpected '%s'; expected %s", command->name, word, command->synopsis);
  options->operands.items[options->operands.count++] = word;
  return COMMAND_OK;
}

static int reserve(struct options *options, int count) {
  size_t each = (size_t)count + 1;
  const char **memory = calloc(6 * each, sizeof *memory);
  memset(options, 0, sizeof *options);
  if (memory == NULL)
    return message_fail("out of memory");
  options->memory = (void *)memory;
  options->settings.items = memory;
  options->environment.items = memory + each;
  options->files.items = memory + 2 * each;
  options->operands.items = memory + 3 * each;
  options->defines.items = memory + 4 * each;
  options->includes.items = memory + 5 * each;
  return COMMAND_OK;
}

static bool is_option(const char *word) {
  return word[0] == '-' && word[1] != '\0';
}

int options_parse(const struct command *command, int count, char **words, struct options *options) {
  bool only_operands = false;
  int result = reserve(options, count);
  for (int i = 0, used; result == COMMAND_OK && i < count; i += used) {
    used = 1;
    if (!only_operands && strcmp(words[i], "--") == 0)
      only_operands = true;
    else if (!only_operands && is_option(words[i]))
      result = parse_option(command, words + i, count - i, options, &used);
    else
      result = parse_operand(command, words[i], options);
    only_operands = only_operands || ((command->takes & TAKES_COMMAND) != 0 && options->operands.count > 0);
    if (options->help)
      return COMMAND_OK;
  }
  if (result == COMMAND_OK && options->operands.count < command->operands_min)
    result = message_misuse("'%s' needs more: expected %s", command->name, command->synopsis);
  return result;
}

void options_end(struct options *options) {
  free(options->memory);
  options->memory = NULL;
}

void options_print(const struct command *command) {
  for (size_t i = 0; i < RULES; i++) {
    char head[40];
    if (!taken(&rules[i], command))
      continue;
    snprintf(head, sizeof head, "%s %s", rules[i].name, rules[i].argument != NULL ? rules[i].argument : "");
    printf("  %-20s  %s\n", head, rules[i].help);
  }
}
