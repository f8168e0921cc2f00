/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command line says, checked against the table of options. */
#ifndef COMMAND_OPTIONS_H
#define COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "numbers.h"

/* Bits of the options that a subcommand takes; --json and --help belong to all. */
enum {
  TAKES_MODELS = 1 << 0,
  TAKES_OUTPUT = 1 << 1,
  TAKES_N = 1 << 2,
  TAKES_B = 1 << 3,
  TAKES_FOR = 1 << 4,
  TAKES_BUDGET = 1 << 5,
  TAKES_SET = 1 << 6,
  TAKES_REPS = 1 << 7,
  TAKES_SETUP = 1 << 8, /* --blas --lapack --threads --env --yardstick --worker */
  TAKES_GATE = 1 << 9,
  TAKES_LD = 1 << 10,
  TAKES_EXTRAPOLATE = 1 << 11,
  TAKES_FORCE = 1 << 12,
  TAKES_FILES = 1 << 13,
  TAKES_MEASURED = 1 << 14,
  TAKES_PARAMETERS = 1 << 15, /* n=1000 b=128 */
  TAKES_CHOICE = 1 << 16,     /* --blas --threads, of the models of a file */
  TAKES_NUMBER = 1 << 17,     /* --setup */
  TAKES_TARGET = 1 << 18,     /* --replace --restart --samples */
  TAKES_COUNTS = 1 << 19,     /* --blas as above, --threads of several setups together */
  TAKES_CONTEXT = 1 << 20,
  TAKES_DOCTOR = 1 << 27, /* --program --pid --no-measure --table */
  TAKES_TYPES = 1 << 21,
  TAKES_TABLE = 1 << 22, /* --table --untested */
  TAKES_EMIT = 1 << 23,  /* --emit --name */
  TAKES_KERNELS = 1 << 24,
  TAKES_APEX = 1 << 25,    /* of Apex-MAP's campaigns */
  TAKES_COMMAND = 1 << 28, /* operands are a command line: what stands behind the first one belongs to it */
  TAKES_RUN = 1 << 29,     /* of a program that is run */
};
/* What does not fit into an enumeration. */
#define TAKES_MODE (UINT64_C(1) << 32)     /* --mode --steps */
#define TAKES_STATES (UINT64_C(1) << 33)   /* --cache, a list of states */
#define TAKES_CACHES (UINT64_C(1) << 34)   /* --caches, measured */
#define TAKES_TIMINGS (UINT64_C(1) << 35)  /* --detail --fit --keep */
#define TAKES_EMULATED (UINT64_C(1) << 36) /* --cache, a list of sizes, and how caches are emulated */
#define TAKES_CALLS (UINT64_C(1) << 37)    /* --calls --script --width */
#define TAKES_MISSES (UINT64_C(1) << 38)   /* of loop nests and C files */
#define TAKES_EXTENTS (UINT64_C(1) << 39)  /* a=b=c=400 */
#define TAKES_FAMILY (UINT64_C(1) << 40)   /* which algorithms of a contraction, how they are predicted and measured */
#define TAKES_CONTRACT (UINT64_C(1) << 41) /* what else is asked about a contraction */
#define TAKES_CURVES (UINT64_C(1) << 42)   /* --curves */
#define TAKES_DRIFT (UINT64_C(1) << 43)    /* -m --apply --replace */

/* Words in the order in which they were given; borrowed from argv. */
struct words {
  const char **items;
  size_t count;
};

#define ASSIGNMENT_MAX 8
#define ASSIGNMENT_NAME 64

struct assignment {
  char name[ASSIGNMENT_NAME];
  int64_t value;
};

struct options {
  const char *program; /* of doctor */
  int64_t pid;         /* 0: none */
  bool no_measure;
  const char *models, *kind, *output, *algorithms, *measured, *blas, *lapack, *worker, *types, *table, *emit, *name;
  struct range n, b;
  double budget_s;                  /* 0: none */
  double yardstick_s;               /* 0: the sampler's own */
  double gate;                      /* 0: the default; -1: off */
  int64_t repetitions, threads, ld; /* 0: the default */
  struct counts thread_counts;
  int64_t setup; /* 1: the first one of the model file; 0: any */
  bool untested; /* decisions */
  bool json, extrapolate, force, help, replace, restart, samples, context, kernels;
  bool apply, drift; /* of a machine that drifts */
  bool keep_libraries, preload_libraries;
  bool caches, detail, fit, keep;
  const char *mode, *states;                                                 /* NULL: none given */
  int64_t steps;                                                             /* 0: the default */
  const char *cache, *residency, *distance, *first, *weights, *warm_kernels; /* of caches that are emulated */
  int64_t line, history;
  double split, alpha, beta;
  struct range calls;
  const char *script;
  int64_t width;
  const char *decisions; /* the table of a program that is run, or looked at */
  struct words settings, environment, files, operands;
  struct assignment parameters[ASSIGNMENT_MAX];
  size_t parameter_count;
  const char *representatives, *mix, *points, *instruction_set, *cell; /* of Apex-MAP */
  int64_t cache_bytes, runs_max, blocks;
  double clock_hz, threshold, interval_s;
  const char *events;
  const char *engine, *compiler; /* of nests and C files */
  bool pieces, curve;
  int64_t region;
  struct words defines, includes;
  struct words extents, strides; /* of contractions */
  const char *kernel_names, *type, *stage, *analyze, *cases;
  bool list, stages, fuse, copies, no_copies, transpose, no_transpose, complete, corrected, whole_lines, untruncated;
  int64_t most, others, curves, seed; /* 0: the default */
  int64_t measure;                    /* 0: no; -1: all */
  double run_budget_s, limit_s, factor;
  const char *memory_limit, *answers;
  void *memory; /* of the words */
};

/* A subcommand. */
struct command {
  const char *name;
  const char *synopsis; /* what stands behind the name */
  const char *summary;
  const char *details; /* paragraphs of its help, or NULL */
  uint64_t takes;
  size_t operands_min, operands_max;
  const char
      *extents_behind; /* assignments are extents where the first operand begins so; NULL: always. TAKES_EXTENTS */
  int (*run)(const struct options *options);
};

/* Reads the words behind the subcommand. Prints a message and returns an exit code on failure. Release with options_end either way. */
int options_parse(const struct command *command, int count, char **words, struct options *options);
void options_end(struct options *options);
/* Lines of a subcommand's options for its help. */
void options_print(const struct command *command);

#endif
