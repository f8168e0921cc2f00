/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: the catalogues, texts and files. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "world.h"

static struct perfpred_context *context;
static char folder[] = "/tmp/perfpred-context-XXXXXX";
static char path[128];

static void begin(void) {
  context = make_context();
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/text", folder);
}

static void finish(void) {
  unlink(path);
  rmdir(folder);
  perfpred_context_destroy(context);
}

TestSuite(context, .init = begin, .fini = finish);

static void write_file(const char *text, size_t length) {
  FILE *file = fopen(path, "wb");
  cr_assert_not_null(file);
  cr_assert_eq(fwrite(text, 1, length, file), length);
  cr_assert_eq(fclose(file), 0);
}

static const char good[] = "perfpred-text 1\n"
                           "kernel dstencil(n: size, x: inout vector[n], incx)\n"
                           "  about x[i] := (x[i-1] + x[i] + x[i+1]) / 3\n"
                           "  mul n\n"
                           "  add 2*n\n"
                           "end\n"
                           "algorithm sweeps(n)\n"
                           "  operation smoothing\n"
                           "  inout x: double vector[n]\n"
                           "  for i in 0:10\n"
                           "    dstencil(n, x[0])\n"
                           "  end\n"
                           "end\n";

static void check_known(void) {
  const struct perfpred_kernel *kernel = NULL;
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_kernel_find(context, "dstencil", &kernel, &error), error);
  cr_assert_ok(perfpred_program_find(context, "sweeps", &program, &error), error);
  cr_assert_str_eq(perfpred_program_operation(program), "smoothing");
  perfpred_program_unref(program);
}

static void check_unknown(void) {
  const struct perfpred_kernel *kernel = NULL;
  struct perfpred_program *program = NULL;
  cr_assert_eq(perfpred_kernel_find(context, "dstencil", &kernel, NULL), PERFPRED_NOT_FOUND);
  cr_assert_eq(perfpred_program_find(context, "sweeps", &program, NULL), PERFPRED_NOT_FOUND);
}

Test(context, knows_the_catalogues) {
  const char *kernels[] = { "dgemm", "dtrsm", "dsyrk", "dpotrf2", "sgemm", "zgemm", "dtrti2" };
  struct perfpred_error error;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    const struct perfpred_kernel *kernel = NULL;
    cr_assert_ok(perfpred_kernel_find(context, kernels[i], &kernel, &error), error);
    cr_assert_str_eq(perfpred_kernel_name(kernel), kernels[i]);
  }
  struct perfpred_program *program = NULL;
  cr_assert_ok(perfpred_program_find(context, "chol-l-3", &program, &error), error);
  cr_assert_str_eq(perfpred_program_operation(program), "chol-l");
  perfpred_program_unref(program);
}

Test(context, takes_texts) {
  struct perfpred_error error;
  check_unknown();
  cr_assert_ok(perfpred_context_add_text(context, good, strlen(good), "good", &error), error);
  check_known();
  cr_assert_eq(perfpred_context_add_text(context, good, strlen(good), "good", &error), PERFPRED_EXISTS);
  cr_assert(strstr(error.text, "dstencil"), "%s", error.text);
}

Test(context, a_text_that_fails_half_way_leaves_nothing) {
  char text[1024];
  struct perfpred_error error;
  size_t count = perfpred_kernel_count(context), programs = perfpred_program_count(context);
  snprintf(text, sizeof text, "%salgorithm broken(n)\n  inout x: double vector[n]\n  dnothing(n, x[0])\nend\n", good);
  cr_assert_eq(perfpred_context_add_text(context, text, strlen(text), "half", &error), PERFPRED_NOT_FOUND);
  cr_assert(strstr(error.text, "half:16:") && strstr(error.text, "dnothing"), "%s", error.text);
  cr_assert_eq(error.line, 16);
  cr_assert_eq(perfpred_kernel_count(context), count);
  cr_assert_eq(perfpred_program_count(context), programs);
  check_unknown();
}

Test(context, takes_files) {
  struct perfpred_error error;
  write_file(good, strlen(good));
  cr_assert_ok(perfpred_context_add_file(context, path, &error), error);
  check_known();
}

static void refused(const char *name, enum perfpred_status wanted) {
  struct perfpred_error error;
  cr_assert_eq(perfpred_context_add_file(context, name, &error), wanted, "%s: %s", name, error.text);
  cr_assert_eq(error.status, wanted);
  cr_assert(strstr(error.text, name), "%s does not name the file: %s", wanted == PERFPRED_IO ? "IO" : "text",
            error.text);
  cr_assert_null(strchr(error.text, '\n'));
  check_unknown();
}

Test(context, files_that_are_not_there) {
  refused("/no/such/folder/text", PERFPRED_MISSING);
  refused(path, PERFPRED_MISSING);
  refused("", PERFPRED_MISSING);
}

Test(context, a_folder_is_not_a_file) {
  refused(folder, PERFPRED_IO);
}

Test(context, a_file_without_permission) {
  if (geteuid() == 0)
    cr_skip("permissions do not bind root");
  write_file(good, strlen(good));
  chmod(path, 0);
  refused(path, PERFPRED_IO);
}

Test(context, an_empty_file) {
  write_file("", 0);
  refused(path, PERFPRED_SYNTAX);
}

Test(context, a_truncated_file) {
  for (size_t length = 1; length + 4 < strlen(good); length += 7) {
    write_file(good, length);
    struct perfpred_error error;
    enum perfpred_status status = perfpred_context_add_file(context, path, &error);
    cr_assert(status == PERFPRED_SYNTAX || status == PERFPRED_OK, "length %zu: %s", length, error.text);
    if (status == PERFPRED_OK) { /* it ended between two blocks */
      perfpred_context_destroy(context);
      context = make_context();
    }
  }
}

Test(context, a_file_of_bytes) {
  char bytes[256];
  for (int i = 0; i < 256; i++)
    bytes[i] = (char)i;
  write_file(bytes, sizeof bytes);
  refused(path, PERFPRED_SYNTAX);
}

Test(context, a_file_that_is_too_long) {
  size_t length = ((size_t)16 << 20) + 1;
  char *text = malloc(length);
  cr_assert_not_null(text);
  memset(text, '\n', length);
  memcpy(text, "perfpred-text 1\n", 16);
  write_file(text, length);
  free(text);
  refused(path, PERFPRED_LIMIT);
}

Test(context, bad_arguments) {
  struct perfpred_error error;
  cr_assert_eq(perfpred_context_create(NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_context_add_text(NULL, good, strlen(good), "good", &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_context_add_text(context, NULL, 7, "good", &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_context_add_text(context, good, strlen(good), NULL, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_context_add_text(context, good, 0, "good", &error), PERFPRED_SYNTAX);
  cr_assert_eq(perfpred_context_add_file(NULL, path, &error), PERFPRED_INVALID);
  cr_assert_eq(perfpred_context_add_file(context, NULL, &error), PERFPRED_INVALID);
  perfpred_context_destroy(NULL);
}

Test(context, an_error_is_optional_and_cleared) {
  struct perfpred_error error = { PERFPRED_LIMIT, 3, 4, "old" };
  cr_assert_eq(perfpred_context_add_text(context, "nonsense", 8, "text", NULL), PERFPRED_SYNTAX);
  cr_assert_ok(perfpred_context_add_text(context, good, strlen(good), "good", &error), error);
  cr_assert_eq(error.status, PERFPRED_OK);
  cr_assert_str_eq(error.text, "");
  cr_assert_eq(error.line, 0);
}

/* What was made from a context stays when it goes. */
Test(context, outlived_by_what_it_made) {
  struct perfpred_context *other = make_context();
  struct perfpred_program *program = NULL;
  struct perfpred_error error;
  cr_assert_ok(perfpred_program_find(other, "chol-l-3", &program, &error), error);
  perfpred_context_destroy(other);
  uint64_t calls = 0;
  cr_assert_ok(perfpred_program_unroll(program, (int64_t[]){ 1000, 100 }, 2, &calls, NULL, &error), error);
  cr_assert_eq(calls, 30);
  perfpred_program_unref(program);
}
