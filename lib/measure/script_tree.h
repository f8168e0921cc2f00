/* SPDX-License-Identifier: BSD-3-Clause */
/* A script: timed calls as a text says them (doc/sampler.md), checked and laid out, before anything is run. Client and worker read the
 * same text, and so agree on what unit number 7 is. */
#ifndef PPI_MEASURE_SCRIPT_TREE_H
#define PPI_MEASURE_SCRIPT_TREE_H

#include "kernel/registry.h"
#include "measure/mark.h"

enum ppi_place_kind {
  PPI_PLACE_OWN,    /* memory of its own */
  PPI_PLACE_BUFFER, /* within a named buffer */
  PPI_PLACE_SCRATCH /* memory of its own, of a length that the text says */
};

/* Where an operand lies, and its shape in elements. */
struct ppi_script_operand {
  int argument; /* its place in the call */
  enum ppi_place_kind place;
  size_t buffer;
  int64_t offset; /* in the buffer, in elements */
  int64_t length; /* of memory of its own, in elements */
  int64_t rows, columns, step, ld;
};

struct ppi_script_call {
  const struct perfpred_kernel *kernel; /* a reference is held */
  struct ppi_value *values;             /* of all arguments, leading dimensions and increments included */
  int64_t lwork;                        /* length of a workspace as the call is told; -1: what the kernel needs */
  struct ppi_script_operand *operands;
  int operand_count;
  int line;
};

struct ppi_script_buffer {
  char name[PPI_NAME_MAX];
  enum ppi_type type;
  int64_t length, align; /* elements; bytes, 0: any */
  size_t first, end;     /* units that may use it */
  int freed;             /* line of its free; 0: there is none */
  size_t whole;          /* the buffer that it is a part of, its own number if of none */
  int64_t offset;        /* in that, in elements */
};

/* Elements [first, end) of a buffer. */
struct ppi_script_access {
  size_t buffer;
  int64_t first, end;
};

/* What stands between the operands' values and the timed call. */
enum ppi_precondition {
  PPI_WARM,       /* the same call right before */
  PPI_FLUSH,      /* the operands' cache lines are evicted one by one */
  PPI_SWEEP,      /* a large buffer is walked over */
  PPI_BARE,       /* nothing: the operands are as their initialisation leaves them */
  PPI_IN_CACHE,   /* warm, and what is only read is touched */
  PPI_OUTER_CACHE /* warm, all operands are touched, and displaced from the second level */
};

/* A counted event, and where its name stands. */
struct ppi_script_event {
  char *name;
  int line, column;
};

struct ppi_script_settings {
  int repetitions, repetitions_max; /* 0: the sampler's */
  double stable;                    /* relative width of the median's interval to go on for; 0: no matter */
  enum ppi_precondition precondition;
  bool fresh;        /* other memory at every repetition, named buffers' as well, and so never warm */
  int64_t align, ld; /* 0: any; the sampler's */
  size_t access_first, access_count;
  size_t event_first, event_count;
};

/* A call, or a region that is timed as one: lanes of calls, one thread each. */
struct ppi_script_unit {
  size_t lane_first, lane_count;
  struct ppi_script_settings settings;
  bool region, parallel;
  int batch, line;
};

struct ppi_script_lane {
  size_t call_first, call_count;
};

struct ppi_script {
  const char *text, *source; /* as handed in; borrowed */
  size_t length;
  struct ppi_script_call *calls;
  struct ppi_script_lane *lanes;
  struct ppi_script_unit *units;
  struct ppi_script_buffer *buffers;
  struct ppi_script_access *accesses;
  struct ppi_script_event *events;
  size_t call_count, lane_count, unit_count, buffer_count, access_count, event_count;
  size_t call_space, lane_space, unit_space, buffer_space, access_space, event_space;
};

#define PPI_SCRIPT_REPETITIONS_MAX 1000000
#define PPI_SCRIPT_LANES_MAX PPI_LANE_MARKS
#define PPI_SCRIPT_LENGTH_MAX (INT64_C(1) << 42) /* elements of a buffer */
#define PPI_SCRIPT_EVENTS_MAX 64                 /* of a call */
#define PPI_SCRIPT_EVENT_NAME_MAX 256
#define PPI_SCRIPT_ALIGN_MAX (INT64_C(2) << 20)

/* ld: of matrices in memory of their own that the text leaves open; 0: ppi_leading_dimension. PERFPRED_SYNTAX and others with line and column. */
enum perfpred_status ppi_script_parse(const struct ppi_kernels *kernels, const char *text, size_t length,
                                      const char *source, int64_t ld, struct ppi_script *script,
                                      struct perfpred_error *error);
void ppi_script_free(struct ppi_script *script); /* twice is fine */

/* "dtrsm(R,L,T,N,1000,128)", of a region "{dpotrf2(L,8); dtrsm(...)}" or "{omp ...}". */
void ppi_script_describe(const struct ppi_script *script, size_t unit, char *text, size_t size);
/* A call of a unit by its number in the script; one of a region with its line, "dscal(4) of line 7". */
void ppi_script_describe_call(const struct ppi_script *script, size_t unit, size_t call, char *text, size_t size);
/* Those calls of a unit that its marks (PPI_LANE_MARKS of them) say are running, with commas; how many there are. */
int ppi_script_describe_running(const struct ppi_script *script, size_t unit, const struct ppi_lane_mark *marks,
                                char *text, size_t size);

/* Room for one more item of an array; false: no memory. */
bool ppi_script_grow(void *array, size_t count, size_t *space, size_t item);

/* The buffer of that name that is there at the present place; NULL: none. */
struct ppi_script_buffer *ppi_script_find_buffer(const struct ppi_script *script, const char *name);
/* Says so about the name at `at`. */
struct ppi_script_reader;
enum perfpred_status ppi_script_no_buffer(const struct ppi_script_reader *reader, const char *at,
                                          const struct ppi_script *script, const char *name);

/* script_call.c: reads a call and lays its operands out. */
enum perfpred_status ppi_script_read_call(struct ppi_script_reader *reader, const struct ppi_kernels *kernels,
                                          const struct ppi_script *script, const struct ppi_script_settings *settings,
                                          struct ppi_script_call *call);

#endif
