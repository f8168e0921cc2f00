/* SPDX-License-Identifier: BSD-3-Clause */
/* What a model file says of the machine and the setup that it was made on. */
#ifndef PPI_MACHINE_MACHINE_H
#define PPI_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "machine/interruptions.h"

#define PPI_CACHE_MAX 8
#define PPI_TEXT_MAX 256

struct ppi_cache {
  int level;
  int64_t bytes, line_bytes;
  int shared_by;   /* processing units that share it; 0: unknown */
  char source[16]; /* "hwloc", "sysfs", "synthetic" */
};

/* A level of the memory hierarchy as it was found by measuring, whatever the machine reports: how much of it one thread has, how long a
   load takes that depends on the one before, how fast one thread reads a stream. Memory is the last one, of 0 bytes. */
struct ppi_effective {
  int64_t bytes;
  double latency_s, bandwidth_bytes_per_s; /* bandwidth 0: not measured */
};

/* How times of calls in several states of the caches are blended best on a machine (perfpred/cache.h), for caches of these sizes. */
#define PPI_BLENDING_LEVELS 4
#define PPI_BLENDING_KERNELS 512
struct ppi_blending {
  int level_count; /* 0: it was never fitted */
  int64_t level_bytes[PPI_BLENDING_LEVELS];
  double alpha, beta, weights[PPI_BLENDING_LEVELS + 1]; /* of each level, then of memory */
  char warm_kernels[PPI_BLENDING_KERNELS];              /* names with commas */
};

struct ppi_machine {
  char cpu[PPI_TEXT_MAX];   /* model name */
  char instruction_set[16]; /* widest one used by our own loops: "avx512", "avx2", "sse2", "neon", "generic" */
  int cores, processing_units;
  int cache_count;
  struct ppi_cache caches[PPI_CACHE_MAX];
  double peak_flops_per_s[2];   /* one thread, single and double precision; measured; 0: not measured */
  double bandwidth_bytes_per_s; /* one thread, reading memory; measured; 0: not measured */
  int counters_available;       /* PAPI's preset events that can be counted here; -1: not asked */
  int counters_hardware;        /* counters of the processor that PAPI can use */
  char counters_names
      [4096]; /* events, separated by blanks: presets, then those that loaded libraries define; not in model files */
  char counters_note[PPI_TEXT_MAX];              /* why there are none; "" otherwise; not in model files */
  double tsc_hz;                                 /* 0: not used */
  int effective_count;                           /* 0: never measured */
  struct ppi_effective effective[PPI_CACHE_MAX]; /* the nearest first */
  struct ppi_blending blending;
  struct ppi_interruptions interruptions; /* as they were when models were made */
};

struct ppi_library {
  char path[1024], build_id[64], version[PPI_TEXT_MAX];
  char kernels
      [PPI_TEXT_MAX]; /* kernel set that it chose at run time ("haswell", "SkylakeX"); "" when it does not tell */
  char family[16];    /* "blis", "openblas", "reference", "other", "virtual", "local" */
};

struct ppi_setup {
  struct ppi_library blas, lapack;
  int threads;
  bool ilp64;
  char clock[16];          /* "tsc", "monotonic", "virtual" */
  double yardstick_s;      /* best reading; 0: none */
  double reference_s;      /* reading that times were brought to; 0: none; not in model files */
  char library[16];        /* version of libperfpred */
  int protocol;            /* version of the measuring protocol: PPI_PROTOCOL */
  char note[PPI_TEXT_MAX]; /* why threads is not what was asked for; "" otherwise; not in model files */
  char cpus[PPI_TEXT_MAX]; /* where measurements may run, before pinning: "0-3,8"; "": not known; not in model files */
  int pinned;              /* where they do run; -1: not pinned; not in model files */
};
#define PPI_PROTOCOL 2

/* This machine, from /proc and /sys alone: enough to compare with a model file. */
void ppi_machine_here(struct ppi_machine *machine);
/* The same from a copy of /proc and /sys below root ("": the real ones). The instruction set is always that of this machine. */
void ppi_machine_read(const char *root, struct ppi_machine *machine);
/* A machine from a text, for tests: "cpu=Foo isa=avx2 cores=4 units=8 l1=32K l2=1M l3=8M". PERFPRED_SYNTAX. */
enum perfpred_status ppi_machine_synthetic(const char *text, struct ppi_machine *machine, struct perfpred_error *error);
/* PERFPRED_OK when a model made on `there` describes `here`: CPU model and instruction set agree (caches are recorded, never compared). */
enum perfpred_status ppi_machine_compare(const struct ppi_machine *there, const struct ppi_machine *here,
                                         struct perfpred_error *error);
/* One thread's peak flop/s by our own multiply-add loops of the widest instruction set, and memory bandwidth, in at most limit_s
   (infinite: about 0.5 s). What there is no time for is 0. */
void ppi_machine_measure(struct ppi_machine *machine, double limit_s);

#endif
