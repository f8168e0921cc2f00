/* SPDX-License-Identifier: BSD-3-Clause */
/* Every algorithm of the catalogue, printed as C, compiled with warnings as errors, and run beside LAPACK: both the printer and
   the catalogue's signs and views have to be right. */
#include "programs.h"

#include <dlfcn.h>
#include <math.h>
#include <unistd.h>

#include "thorough.h"

#define SIZE_MAX_TESTED 100

static char folder[] = "/tmp/perfpred-XXXXXX";
static void *library;

static void remove_folder(void) {
  char command[200];
  snprintf(command, sizeof command, "rm -r %s", folder);
  cr_expect_eq(system(command), 0);
}

static FILE *new_file(const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  cr_assert_not_null(file);
  return file;
}

/* Text `number` of several in one file: what it has for itself alone gets a name of its own. */
static void print_part(const char *text, size_t number, FILE *file) {
  for (int undo = 0; undo < 2; undo++) {
    for (const char *line = text; line; line = strchr(line, '\n')) {
      line += *line == '\n';
      const char *end = line + strcspn(line, "(\n"), *begin = end;
      if (strncmp(line, "static ", 7) != 0 || *end != '(')
        continue;
      while (begin[-1] != ' ' && begin[-1] != '*')
        begin--;
      const int length = (int)(end - begin);
      if (undo)
        fprintf(file, "#undef %.*s\n", length, begin);
      else
        fprintf(file, "#define %.*s %.*s_%zu\n", length, begin, length, begin, number);
    }
    if (!undo)
      fputs(text, file);
  }
}

/* A file for each algorithm whose name holds `part`, or one with all of them. */
static void print_files(const char *part, bool together) {
  size_t count = 0;
  start();
  cr_assert_not_null(mkdtemp(folder));
  FILE *all = together ? new_file("all.c") : NULL;
  for (size_t i = 0; i < perfpred_program_count(&context); i++) {
    struct perfpred_program *program = found(perfpred_program_name_at(&context, i));
    if (!program->nest && strstr(program->name, part)) {
      char *text = printed(program, PERFPRED_FORMAT_C), name[32];
      snprintf(name, sizeof name, "a%zu.c", i);
      FILE *file = together ? all : new_file(name);
      if (together)
        print_part(text, i, file);
      else
        fputs(text, file);
      if (!together)
        fclose(file);
      free(text);
      count++;
    }
    perfpred_program_unref(program);
  }
  if (together)
    fclose(all);
  cr_assert_gt(count, 0);
}

/* All in one shared library. */
static void compile(const char *part) {
  char path[200], command[1000];
  print_files(part, false);
  snprintf(command, sizeof command,
           PPI_TEST_CC " -std=c11 -O1 -Wall -Wextra -Werror -shared -fPIC -o %s/all.so %s/a*.c -llapack -lblas -lm",
           folder, folder);
  cr_assert_eq(system(command), 0, "%s", command);
  snprintf(path, sizeof path, "%s/all.so", folder);
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  cr_assert_not_null(library, "%s", dlerror());
}

static void finish(void) {
  if (library)
    dlclose(library);
  remove_folder();
  stop();
}

TestSuite(printed_c, .fini = finish);

typedef void any_fn(void);

static any_fn *symbol(const char *name) {
  any_fn *function = NULL;
  void *address = dlsym(library, name);
  cr_assert_not_null(address, "%s", name);
  memcpy(&function, &address, sizeof function);
  return function;
}

/* Elements have `parts` numbers (2: complex), in double; converted for the single types. */
struct matrix {
  int n, ld, parts;
  bool single;
  union {
    float s[2 * (SIZE_MAX_TESTED + 4) * SIZE_MAX_TESTED];
    double d[2 * (SIZE_MAX_TESTED + 4) * SIZE_MAX_TESTED];
  } data;
};

static void set(struct matrix *matrix, int row, int column, int part, double value) {
  const size_t at = (size_t)matrix->parts * ((size_t)row + (size_t)column * (size_t)matrix->ld) + (size_t)part;
  if (matrix->single)
    matrix->data.s[at] = (float)value;
  else
    matrix->data.d[at] = value;
}

static double get(const struct matrix *matrix, int row, int column, int part) {
  const size_t at = (size_t)matrix->parts * ((size_t)row + (size_t)column * (size_t)matrix->ld) + (size_t)part;
  return matrix->single ? (double)matrix->data.s[at] : matrix->data.d[at];
}

/* Off the diagonal numbers in [-1, 1] from a fixed generator, n on it (which makes it positive definite); Hermitian. */
static void fill(struct matrix *matrix, int n, char letter) {
  uint32_t state = 12345;
  memset(matrix, 0, sizeof *matrix);
  matrix->n = n;
  matrix->ld = n + 3;
  matrix->parts = letter == 'c' || letter == 'z' ? 2 : 1;
  matrix->single = letter == 's' || letter == 'c';
  for (int column = 0; column < n; column++)
    for (int row = column; row < n; row++)
      for (int part = 0; part < matrix->parts; part++) {
        state = state * 1664525u + 1013904223u;
        const double value = row > column ? (double)(state >> 8) / (1 << 23) - 1 : part == 0 ? 2 * n : 0;
        set(matrix, row, column, part, value);
        set(matrix, column, row, part, part == 0 ? value : -value);
      }
}

static double largest_difference(const struct matrix *a, const struct matrix *b) {
  double largest = 0;
  for (int column = 0; column < a->n; column++)
    for (int row = 0; row < a->ld; row++)
      for (int part = 0; part < a->parts; part++) {
        const double difference = fabs(get(a, row, column, part) - get(b, row, column, part));
        if (isnan(difference))
          return INFINITY;
        largest = fmax(largest, difference);
      }
  return largest;
}

typedef int algorithm_fn(int n, int b, void *a, int ld);
typedef void potrf_fn(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t);
typedef void trtri_fn(const char *uplo, const char *diag, const int *n, void *a, const int *lda, int *info, size_t,
                      size_t);

static struct matrix ours, theirs; /* too large for the stack of a test */

static void check(const char *name, const char *routine, char uplo, int n, int b) {
  int info = 0;
  const char flag[] = { uplo, '\0' };
  fill(&ours, n, routine[0]);
  theirs = ours;
  if (strstr(routine, "trtri"))
    ((trtri_fn *)symbol(routine))(flag, "N", &n, &theirs.data, &theirs.ld, &info, 1, 1);
  else
    ((potrf_fn *)symbol(routine))(flag, &n, &theirs.data, &theirs.ld, &info, 1);
  cr_assert_eq(info, 0);
  cr_expect_eq(((algorithm_fn *)symbol(name))(n, b, &ours.data, ours.ld), 0);
  /* the results are of order 1 to sqrt(2 n); rows of padding and the other triangle must not change at all */
  const double error = largest_difference(&ours, &theirs);
  cr_expect_leq(error, ours.single ? 1e-4 : 1e-12, "%s, n = %d, b = %d: %g", name, n, b, error);
}

static void check_sizes(const char *name, const char *routine, char uplo) {
  static const int sizes[][2] = { { 100, 32 }, { 96, 32 }, { 7, 3 }, { 1, 1 }, { 5, 8 }, { 9, 1 }, { 0, 4 } };
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    check(name, routine, uplo, sizes[i][0], sizes[i][1]);
}

/* One compiler for each of hundreds of files takes half a minute. That each declares all it needs is seen below, too. */
Test(printed_c, all_compile_without_a_warning) {
  char command[1000];
  print_files("", !is_thorough());
  snprintf(command, sizeof command, PPI_TEST_CC " -std=c11 -Wall -Wextra -Werror -fsyntax-only %s/a*.c", folder);
  cr_assert_eq(system(command), 0, "%s", command);
}

Test(printed_c, cholesky) {
  compile("chol-");
  check_sizes("chol_l_1", "dpotrf_", 'L');
  check_sizes("chol_l_2", "dpotrf_", 'L');
  check_sizes("chol_l_3", "dpotrf_", 'L');
  check_sizes("chol_l_rec", "dpotrf_", 'L');
  check_sizes("chol_u_1", "dpotrf_", 'U');
  check_sizes("chol_u_2", "dpotrf_", 'U');
  check_sizes("chol_u_3", "dpotrf_", 'U');
}

Test(printed_c, potrf) {
  compile("potrf");
  for (const char *letter = "sdcz"; *letter; letter++) {
    char name[10], upper[10], routine[10];
    snprintf(name, sizeof name, "%cpotrf", *letter);
    snprintf(upper, sizeof upper, "%cpotrf_u", *letter);
    snprintf(routine, sizeof routine, "%cpotrf_", *letter);
    check_sizes(name, routine, 'L');
    check_sizes(upper, routine, 'U');
  }
}

Test(printed_c, inverse_of_a_triangle) {
  compile("trinv-");
  for (int i = 1; i <= 8; i++) {
    char name[16];
    snprintf(name, sizeof name, "trinv_l_%d", i);
    check_sizes(name, "dtrtri_", 'L');
  }
}

Test(printed_c, failure_of_a_kernel_is_returned) {
  compile("chol-l-3");
  fill(&ours, 40, 'd');
  set(&ours, 20, 20, 0, -1.0);
  cr_expect_gt(((algorithm_fn *)symbol("chol_l_3"))(40, 16, &ours.data, ours.ld), 0);
}
