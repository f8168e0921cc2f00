/* SPDX-License-Identifier: BSD-3-Clause */
/* What people do by hand: a tensor contraction as transpose, transpose, one product of matrices, transpose. usage: ttgt BLAS EINSUM EXTENTS
   REPETITIONS [LIBRARY [--fresh]], such as ttgt libblis.so.4 'ai,ibc->abc' 'a=400;b=400;c=400;i=8' 10. Tensors are column-major. Orders of the
   indices are chosen so that the fewest elements are moved, transpositions go by tiles, what needs none has none; a batch index is a
   loop. LIBRARY has the functions contract and contract_workspace, as `perfpred contract --emit c` prints them: contract is timed in turn with
   that, and its results are compared. Both have memory for what they pack that was allocated, and touched, once and beforehand; with
   --fresh the printed one allocates and frees its own at each call. Prints JSON. bench/contract.py asks for it. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define RANK 16
#define TILE 16

typedef void dgemm_fn(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                      const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);

struct tensor {
  char indices[RANK + 1];
  int64_t stride[128], elements; /* of each index */
  double *data;
};

/* Rows and columns of a tensor as a matrix: indices, the fastest first. */
struct matrix {
  struct tensor *tensor;
  char rows[RANK + 1], columns[RANK + 1];
  bool packed, transposed; /* not as it lies; with its columns' stride 1 */
  double *pack;
};

static int64_t extent[128];

static int fail(const char *what) {
  fprintf(stderr, "ttgt: %s\n", what);
  return 1;
}

static int64_t size_of(const char *indices) {
  int64_t size = 1;
  for (; *indices != '\0'; indices++)
    size *= extent[(int)*indices];
  return size;
}

/* Those of `from` that are in (or not in) both others, in order. */
static void choose(const char *from, const char *first, bool in_first, const char *second, bool in_second, char *out) {
  for (; *from != '\0'; from++)
    if ((strchr(first, *from) != NULL) == in_first && (strchr(second, *from) != NULL) == in_second)
      *out++ = *from;
  *out = '\0';
}

/* Whether the indices run through memory as one. */
static bool is_fused(const struct tensor *tensor, const char *indices) {
  for (size_t i = 0; indices[0] != '\0' && indices[i + 1] != '\0'; i++)
    if (tensor->stride[(int)indices[i + 1]] != tensor->stride[(int)indices[i]] * extent[(int)indices[i]])
      return false;
  return true;
}

static bool starts(const struct tensor *tensor, const char *indices) {
  return indices[0] == '\0' || tensor->stride[(int)indices[0]] == 1;
}

static void look(struct matrix *matrix) {
  const bool fused = is_fused(matrix->tensor, matrix->rows) && is_fused(matrix->tensor, matrix->columns);
  matrix->transposed = fused && !starts(matrix->tensor, matrix->rows) && starts(matrix->tensor, matrix->columns);
  matrix->packed = !(fused && (matrix->transposed || starts(matrix->tensor, matrix->rows)));
}

static int leading(const struct matrix *matrix) {
  const char *inner = matrix->transposed ? matrix->columns : matrix->rows;
  const char *outer = matrix->transposed ? matrix->rows : matrix->columns;
  if (matrix->packed || outer[0] == '\0')
    return (int)(size_of(inner) > 0 ? size_of(inner) : 1);
  return (int)matrix->tensor->stride[(int)outer[0]];
}

/* One element from here to there, or back. */
static void move_element(double *lies, double *packed, bool out) {
  if (out)
    *lies = *packed;
  else
    *packed = *lies;
}

struct plane {
  int64_t length[2], lies[2], packed[2]; /* along the matrix' fastest index, along the tensor's */
};

static void move_plane(const struct plane *plane, double *lies, double *packed, bool out) {
  const int64_t n0 = plane->length[0], n1 = plane->length[1], step = n1 == 1 ? n0 : TILE;
  for (int64_t j0 = 0; j0 < n1; j0 += TILE)
    for (int64_t i0 = 0; i0 < n0; i0 += step) {
      const int64_t j1 = j0 + TILE < n1 ? j0 + TILE : n1, i1 = i0 + step < n0 ? i0 + step : n0;
      for (int64_t j = j0; j < j1; j++)
        for (int64_t i = i0; i < i1; i++)
          move_element(lies + i * plane->lies[0] + j * plane->lies[1], packed + i + j * plane->packed[1], out);
    }
}

/* The next place along all indices but the first and the one at `fast`; false: there is none. */
static bool next(const char *order, int count, int fast, int64_t *at) {
  for (int level = 1; level < count; level++) {
    if (level == fast)
      continue;
    if (++at[level] < extent[(int)order[level]])
      return true;
    at[level] = 0;
  }
  return false;
}

/* Between a slice of a tensor and its packed matrix, in the order of rows and columns; by tiles over what is fastest on either side. */
static void move(const struct matrix *matrix, double *slice, bool out) {
  const int64_t *stride = matrix->tensor->stride;
  char order[2 * RANK + 1];
  int64_t at[2 * RANK] = { 0 }, packed[2 * RANK] = { 1 };
  int fast = 0;
  snprintf(order, sizeof order, "%s%s", matrix->rows, matrix->columns);
  const int count = (int)strlen(order);
  if (count == 0) {
    move_element(slice, matrix->pack, out);
    return;
  }
  for (int i = 1; i < count; i++) {
    packed[i] = packed[i - 1] * extent[(int)order[i - 1]];
    if (stride[(int)order[i]] < stride[(int)order[fast]])
      fast = i;
  }
  const struct plane plane = { { extent[(int)order[0]], fast == 0 ? 1 : extent[(int)order[fast]] },
                               { stride[(int)order[0]], stride[(int)order[fast]] },
                               { 1, packed[fast] } };
  do {
    double *lies = slice, *lines = matrix->pack;
    for (int i = 1; i < count; i++) {
      lies += i == fast ? 0 : at[i] * stride[(int)order[i]];
      lines += i == fast ? 0 : at[i] * packed[i];
    }
    move_plane(&plane, lies, lines, out);
  } while (next(order, count, fast, at));
}

static int read_tensor(const char *text, size_t length, struct tensor *tensor) {
  int64_t stride = 1;
  if (length > RANK)
    return fail("too many indices");
  memcpy(tensor->indices, text, length);
  for (size_t i = 0; i < length; i++) {
    tensor->stride[(int)text[i]] = stride;
    stride *= extent[(int)text[i]];
  }
  tensor->elements = stride;
  tensor->data = aligned_alloc(64, ((size_t)stride * sizeof(double) / 64 + 1) * 64);
  if (tensor->data == NULL)
    return fail("out of memory");
  for (int64_t i = 0; i < stride; i++)
    tensor->data[i] = (double)(i % 17) - 8.0;
  return 0;
}

static int read_arguments(char **argv, struct tensor tensors[3]) {
  const char *comma = strchr(argv[2], ','), *arrow = strstr(argv[2], "->");
  if (comma == NULL || arrow == NULL || comma > arrow)
    return fail("expected EINSUM such as ai,ibc->abc");
  for (const char *at = argv[3]; *at != '\0';) {
    char *end;
    if (at[1] != '=')
      return fail("expected EXTENTS such as a=8;b=9");
    extent[(int)at[0] & 127] = strtoll(at + 2, &end, 10);
    at = *end == ';' ? end + 1 : end;
    if (*end != ';' && *end != '\0')
      return fail("expected EXTENTS such as a=8;b=9");
  }
  return read_tensor(argv[2], (size_t)(comma - argv[2]), &tensors[0]) ||
         read_tensor(comma + 1, (size_t)(arrow - comma - 1), &tensors[1]) ||
         read_tensor(arrow + 2, strlen(arrow + 2), &tensors[2]);
}

/* Of all orders that some tensor has, those that move the fewest elements. */
static void arrange(struct tensor tensors[3], struct matrix best[3]) {
  const char *a = tensors[0].indices, *b = tensors[1].indices, *c = tensors[2].indices;
  int64_t fewest = INT64_MAX;
  for (int way = 0; way < 8; way++) {
    struct matrix tried[3] = { { .tensor = &tensors[0] }, { .tensor = &tensors[1] }, { .tensor = &tensors[2] } };
    char rows[RANK + 1], columns[RANK + 1], summed[RANK + 1];
    int64_t moved = 0;
    choose(way & 1 ? a : c, way & 1 ? c : a, true, b, false, rows);
    choose(way & 2 ? b : c, way & 2 ? c : b, true, a, false, columns);
    choose(way & 4 ? a : b, way & 4 ? b : a, true, c, false, summed);
    strcpy(tried[0].rows, rows), strcpy(tried[0].columns, summed);
    strcpy(tried[1].rows, summed), strcpy(tried[1].columns, columns);
    strcpy(tried[2].rows, rows), strcpy(tried[2].columns, columns);
    for (int i = 0; i < 3; i++) {
      look(&tried[i]);
      moved += tried[i].packed ? tried[i].tensor->elements : 0;
    }
    if (moved < fewest) {
      fewest = moved;
      memcpy(best, tried, sizeof tried);
    }
  }
}

/* C^T = B^T A^T where C lies transposed. */
static void multiply(dgemm_fn *dgemm, const struct matrix m[3], double *const slices[3]) {
  const bool swap = m[2].transposed;
  const struct matrix *left = swap ? &m[1] : &m[0], *right = swap ? &m[0] : &m[1];
  double *const a = left->packed ? left->pack : slices[swap ? 1 : 0];
  double *const b = right->packed ? right->pack : slices[swap ? 0 : 1];
  const int rows = (int)size_of(swap ? m[2].columns : m[2].rows),
            columns = (int)size_of(swap ? m[2].rows : m[2].columns);
  const int summed = (int)size_of(m[0].columns), lda = leading(left), ldb = leading(right), ldc = leading(&m[2]);
  const double one = 1.0, zero = 0.0;
  dgemm(left->transposed != swap ? "T" : "N", right->transposed != swap ? "T" : "N", &rows, &columns, &summed, &one, a,
        &lda, b, &ldb, &zero, m[2].packed ? m[2].pack : slices[2], &ldc, 1, 1);
}

/* Once; *product_s grows by the time in the BLAS. */
static void contract(dgemm_fn *dgemm, const struct matrix m[3], const char *batch, double *product_s) {
  int64_t at[RANK] = { 0 };
  for (;;) {
    double *slices[3];
    size_t level = 0;
    for (int i = 0; i < 3; i++) {
      slices[i] = m[i].tensor->data;
      for (size_t k = 0; batch[k] != '\0'; k++)
        slices[i] += at[k] * m[i].tensor->stride[(int)batch[k]];
    }
    for (int i = 0; i < 2; i++)
      if (m[i].packed)
        move(&m[i], slices[i], false);
    const double begin = bench_now_s();
    multiply(dgemm, m, slices);
    *product_s += bench_now_s() - begin;
    if (m[2].packed)
      move(&m[2], slices[2], true);
    while (batch[level] != '\0' && ++at[level] == extent[(int)batch[level]])
      at[level++] = 0;
    if (batch[level] == '\0')
      return;
  }
}

typedef int contract_fn(const double *, const double *, double *, void *);
typedef size_t workspace_fn(void);

static int find_symbol(void *library, const char *name, void *function, size_t bytes) {
  void *symbol = library != NULL ? dlsym(library, name) : NULL;
  if (symbol == NULL)
    return fail(dlerror());
  memcpy(function, &symbol, bytes);
  return 0;
}

struct printed {
  contract_fn *contract; /* NULL: none */
  void *work;            /* NULL: it shall have its own */
};

static int find_printed(const char *path, bool fresh, struct printed *printed) {
  workspace_fn *workspace = NULL;
  void *library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
  if (path == NULL)
    return 0;
  if (find_symbol(library, "contract", &printed->contract, sizeof printed->contract) != 0 ||
      find_symbol(library, "contract_workspace", &workspace, sizeof workspace) != 0)
    return 1;
  const size_t bytes = workspace();
  printed->work = fresh || bytes == 0 ? NULL : malloc(bytes);
  if (printed->work == NULL)
    return !fresh && bytes > 0 ? fail("out of memory") : 0;
  memset(printed->work, 0, bytes);
  return 0;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double checksum(const struct tensor *tensor) {
  double sum = 0.0;
  for (int64_t i = 0; i < tensor->elements; i++)
    sum += tensor->data[i] * (double)(i % 13 + 1);
  return sum;
}

static int find_product(const char *path, dgemm_fn **dgemm, const char **file) {
  static Dl_info where;
  void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  void *symbol = library != NULL ? dlsym(library, "dgemm_") : NULL;
  if (symbol == NULL || dladdr(symbol, &where) == 0)
    return fail(library == NULL ? dlerror() : "no dgemm_ there");
  memcpy(dgemm, &symbol, sizeof *dgemm);
  *file = where.dli_fname;
  return 0;
}

struct run {
  dgemm_fn *dgemm;
  struct printed printed;
  char batch[RANK + 1];
  double times[2][1000], checksums[2], product_s;
};

/* The one way or the other; the first time is not counted. */
static int execute(struct run *run, struct tensor tensors[3], const struct matrix matrices[3], int way,
                   int repetition) {
  const double begin = bench_now_s();
  int result = 0;
  if (way == 0)
    contract(run->dgemm, matrices, run->batch, &run->product_s);
  else
    result = run->printed.contract(tensors[0].data, tensors[1].data, tensors[2].data, run->printed.work);
  if (repetition >= 0)
    run->times[way][repetition] = bench_now_s() - begin;
  else
    run->checksums[way] = checksum(&tensors[2]);
  return result;
}

static int execute_all(struct run *run, struct tensor tensors[3], const struct matrix matrices[3], int repetitions) {
  const int ways = run->printed.contract != NULL ? 2 : 1;
  for (int i = -1; i < repetitions; i++) {
    for (int way = 0; way < ways; way++)
      if (execute(run, tensors, matrices, way, i) != 0)
        return fail("the emitted function has no memory");
    run->product_s = i < 0 ? 0.0 : run->product_s;
  }
  for (int way = 0; way < ways; way++)
    qsort(run->times[way], (size_t)repetitions, sizeof run->times[way][0], compare);
  return 0;
}

/* Memory of what is packed, and its letters. */
static int prepare(struct matrix matrices[3], char moved[4]) {
  for (int i = 0; i < 3; i++) {
    const size_t elements = (size_t)(size_of(matrices[i].rows) * size_of(matrices[i].columns));
    if (!matrices[i].packed)
      continue;
    moved[strlen(moved)] = "ABC"[i];
    matrices[i].pack = aligned_alloc(64, (elements * sizeof(double) / 64 + 1) * 64);
    if (matrices[i].pack == NULL)
      return fail("out of memory");
    memset(matrices[i].pack, 0, elements * sizeof(double));
  }
  return 0;
}

static void report(const struct run *run, int repetitions, const char *moved, const char *file) {
  printf("{\"time_s\": %.9g, \"min_s\": %.9g, \"product_s\": %.9g, \"transposed\": \"%s\", \"checksum\": %.17g, "
         "\"blas\": \"%s\"",
         run->times[0][repetitions / 2], run->times[0][0], run->product_s / repetitions, moved, run->checksums[0],
         file);
  if (run->printed.contract != NULL)
    printf(", \"emitted_s\": %.9g, \"emitted_checksum\": %.17g", run->times[1][repetitions / 2], run->checksums[1]);
  printf("}\n");
}

static int count_repetitions(int argc, char **argv, bool fresh) {
  return argc == 5 || argc == 6 || fresh ? atoi(argv[4]) : 0;
}

int main(int argc, char **argv) {
  static struct run run;
  struct tensor tensors[3] = { 0 };
  struct matrix matrices[3];
  char moved[4] = "";
  const char *file;
  const bool fresh = argc == 7 && strcmp(argv[6], "--fresh") == 0;
  const int repetitions = count_repetitions(argc, argv, fresh);
  if (repetitions < 1 || repetitions > 1000)
    return fail("expected BLAS EINSUM EXTENTS REPETITIONS [LIBRARY [--fresh]], 1 to 1000 repetitions");
  if (find_product(argv[1], &run.dgemm, &file) != 0 ||
      find_printed(argc > 5 ? argv[5] : NULL, fresh, &run.printed) != 0 || read_arguments(argv, tensors) != 0)
    return 1;
  arrange(tensors, matrices);
  choose(tensors[0].indices, tensors[1].indices, true, tensors[2].indices, true, run.batch);
  if (prepare(matrices, moved) != 0 || execute_all(&run, tensors, matrices, repetitions) != 0)
    return 1;
  report(&run, repetitions, moved, file);
  return 0;
}
