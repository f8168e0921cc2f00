/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of the catalogue are read when they are asked for: the index must say what the texts do. */
#include "programs.h"

TestSuite(lazy, .init = start, .fini = stop);

Test(lazy, the_index_is_that_of_the_texts) {
  const size_t count = perfpred_program_count(&context);
  cr_assert_geq(count, 300);
  for (size_t i = 0; i < count; i++) {
    const char *name = perfpred_program_name_at(&context, i);
    struct perfpred_program *program = found(name);
    cr_assert_str_eq(perfpred_program_name(program), name);
    cr_assert_str_eq(perfpred_program_operation(program), perfpred_program_operation_at(&context, i), "%s", name);
    cr_assert_eq(ppi_programs_find(context.programs, name), program, "%s is read twice", name);
    perfpred_program_unref(program);
  }
  cr_assert_null(perfpred_program_operation_at(&context, count));
  cr_assert_null(perfpred_program_operation_at(NULL, 0));
}

/* Kernels that a user adds before a text is read must not take the place of an algorithm that it calls: such a call says so, or has a name
   that no kernel can have. */
static void check_calls(const struct ppi_node *node, const char *caller) {
  for (; node; node = node->next) {
    if (node->kind == PPI_NODE_RUN && node->callee)
      cr_assert_eq(node->algorithm || strchr(node->callee->name, '-') != NULL, true, "%s calls %s", caller,
                   node->callee->name);
    check_calls(node->body, caller);
    check_calls(node->otherwise, caller);
  }
}

Test(lazy, no_kernel_can_come_between) {
  for (size_t i = 0; i < perfpred_program_count(&context); i++) {
    const char *name = perfpred_program_name_at(&context, i);
    check_calls(ppi_programs_find(context.programs, name)->body, name);
  }
}

/* What was there before is there still after a text that fails, and texts can call what has not been read. */
Test(lazy, texts_that_call_the_catalogue) {
  static const char good[] = "perfpred-text 1\n"
                             "algorithm twice-spd(n, b)\n"
                             "  operation twice\n"
                             "  inout A: double spd triangle(L)[n]\n"
                             "  call spdinv-l(n, b, A[0, 0])\n"
                             "end\n";
  static const char bad[] = "perfpred-text 1\n"
                            "algorithm third(n, b)\n"
                            "  inout A: double spd triangle(L)[n]\n"
                            "  call chol-l-rec(n, b, A[0, 0])\n"
                            "  call nothing-of-the-kind(n)\n"
                            "end\n";
  const size_t count = perfpred_program_count(&context);
  struct perfpred_error error;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, bad, strlen(bad), "bad", &error),
               PERFPRED_NOT_FOUND);
  cr_assert_not_null(strstr(error.text, "bad:5:"), "%s", error.text);
  cr_assert_eq(perfpred_program_count(&context), count);
  ppi_error_clear(&error);
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, good, strlen(good), "good", &error),
               PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_program_count(&context), count + 1);
  cr_assert_str_eq(perfpred_program_name_at(&context, count), "twice-spd");
  cr_assert_str_eq(perfpred_program_operation_at(&context, count), "twice");
  cr_assert_eq(ppi_programs_has(context.programs, "twice-spd"), true);
  cr_assert_eq(ppi_programs_has(context.programs, "third"), false);
  ppi_error_clear(&error);
  cr_assert_eq(ppi_programs_add_text(context.programs, context.kernels, good, strlen(good), "good", &error),
               PERFPRED_EXISTS);
}
