/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs leave behind: the override's log and the notes of the dynamic linker, good ones and others. */
#include <criterion/criterion.h>

#include "api/doctor_log.h"
#include "api/doctor_record.h"
#include "scratch.h"

Test(doctor, reads_a_question) {
  struct ppi_asked asked;
  cr_assert(ppi_asked_read("1 DORMQR LT 600 600 -1 -1 39 table\n", &asked));
  cr_expect_eq(asked.ispec, 1);
  cr_expect_str_eq(asked.name, "DORMQR");
  cr_expect_str_eq(asked.options, "LT");
  cr_expect_eq(asked.sizes[0], 600);
  cr_expect_eq(asked.sizes[3], -1);
  cr_expect_eq(asked.answer, 39);
  cr_expect(asked.table);
  cr_assert(ppi_asked_read("10 DSYTRD_2STAGE - 0 0 0 0 1 stock\n", &asked));
  cr_expect_str_eq(asked.options, "");
  cr_expect_not(asked.table);
}

Test(doctor, refuses_other_lines) {
  static const char *const lines[] = { "",
                                       "\n",
                                       "1 DPOTRF L 1 2 3 64 stock\n",
                                       "1 DPOTRF L 1 2 3 4 64 else\n",
                                       "1 DPOTRF L 1 2 3 4 64 stock more\n",
                                       "one DPOTRF L 1 2 3 4 64 stock\n",
                                       "1 DPOTRF L 1 2 3 4 64",
                                       "1 DPOTRF L 1 2 x 4 64 stock\n" };
  struct ppi_asked asked;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    cr_expect_not(ppi_asked_read(lines[i], &asked), "%s", lines[i]);
}

static FILE *file_of(const char *text) {
  FILE *file = tmpfile();
  cr_assert(file && fputs(text, file) >= 0);
  rewind(file);
  return file;
}

Test(doctor, counts_questions) {
  struct ppi_asked_list list = { 0 };
  FILE *file = file_of("1 DPOTRF L 9 -1 -1 -1 64 stock\n1 DPOTRF L 9 -1 -1 -1 64 stock\nnonsense\n"
                       "1 DPOTRF L 9 -1 -1 -1 32 table\n1 DPOTRF L 9 -1 -1 -1 64 stock\n2 DPOTRF L 9 -1");
  cr_assert_eq(ppi_asked_read_all(file, &list, NULL), PERFPRED_OK);
  fclose(file);
  cr_assert_eq(list.count, 2);
  cr_expect_eq(list.items[0].count, 3);
  cr_expect_eq(list.items[1].answer, 32);
  cr_expect_eq(list.lines, 6);
  cr_expect_eq(list.unreadable, 2);
  cr_expect_not(list.cut);
  ppi_asked_free(&list);
}

/* More different questions than anybody reads, and lines without end. */
Test(doctor, keeps_so_many_questions) {
  struct ppi_asked_list list = { 0 };
  FILE *file = tmpfile();
  cr_assert_not_null(file);
  for (int i = 0; i < 5000; i++)
    fprintf(file, "1 DPOTRF L %d -1 -1 -1 64 stock\n", i);
  for (int i = 0; i < 5000; i++)
    fputs("1 DPOTRF", file);
  rewind(file);
  cr_assert_eq(ppi_asked_read_all(file, &list, NULL), PERFPRED_OK);
  fclose(file);
  cr_expect_eq(list.count, 4096);
  cr_expect(list.cut);
  cr_expect_eq(list.lines, 5001);
  ppi_asked_free(&list);
}

static void read_record(const char *text, struct ppi_loaded *loaded, char **program) {
  FILE *file = file_of(text);
  cr_assert_eq(ppi_record_read(file, loaded, program, NULL), PERFPRED_OK);
  fclose(file);
}

#define LINE(text) "      7916:\t" text "\n"
#define LOADS(name) LINE("file=" name " [0];  needed by /usr/bin/x [0]") LINE("file=" name " [0];  generating link map")

/* As glibc writes it: libraries start in another order than they are searched in. */
Test(doctor, reads_the_notes_of_the_linker) {
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  char *program = NULL;
  read_record(LOADS("liblapack.so.3") LINE("  dynamic: 0x00007f8c  base: 0x00007f8c   size: 0x1") LOADS("libblas.so.3")
                  LOADS("libnever.so") LINE("calling init: /lib/libblas.so.3") LINE("")
                      LINE("calling init: /lib/liblapack.so.3") LINE("initialize program: ./demo")
                          LINE("transferring control: ./demo")
                              LINE("file=/opt/plug.so [0];  dynamically loaded by ./demo [0]")
                                  LINE("file=/opt/plug.so [0];  generating link map") LINE("calling init: /opt/plug.so")
                                      LINE("file=/opt/plug.so [0];  destroying link map")
                                          LINE("file=/opt/plug.so [0];  generating link map"),
              &loaded, &program);
  cr_assert_eq(loaded.count, 3);
  cr_expect_str_eq(loaded.files[0].path, "/lib/liblapack.so.3");
  cr_expect_str_eq(loaded.files[1].path, "/lib/libblas.so.3");
  cr_expect_str_eq(loaded.files[2].path, "/opt/plug.so");
  cr_expect_str_eq(program, "./demo");
  free(program);
  ppi_loaded_free(&loaded);
}

/* sh -c "exec program": of one process the last program counts. */
Test(doctor, forgets_a_program_that_was_replaced) {
  struct ppi_loaded loaded = PPI_LOADED_INIT;
  char *program = NULL;
  read_record(LOADS("libc.so.6") LOADS("libtinfo.so.6") LINE("calling init: /lib/libc.so.6")
                  LINE("calling init: /lib/libtinfo.so.6") LINE("initialize program: sh") LOADS("libc.so.6")
                      LOADS("libblas.so.3") LINE("calling init: /lib/libc.so.6") LINE("calling init: /lib/libblas.so.3")
                          LINE("initialize program: demo"),
              &loaded, &program);
  cr_assert_eq(loaded.count, 2);
  cr_expect_str_eq(loaded.files[1].path, "/lib/libblas.so.3");
  cr_expect_str_eq(program, "demo");
  free(program);
  ppi_loaded_free(&loaded);
}

Test(doctor, survives_other_notes) {
  static const char *const texts[] = { "",
                                       "\n\n",
                                       "nonsense",
                                       LINE("file="),
                                       LINE("file=x"),
                                       LINE("file= [0]"),
                                       LINE("file= [0];  generating link map"),
                                       LINE("calling init: "),
                                       LINE("initialize program: ") };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct ppi_loaded loaded = PPI_LOADED_INIT;
    char *program = NULL;
    read_record(texts[i], &loaded, &program);
    cr_expect_eq(loaded.count, 0, "%zu", i);
    free(program);
    ppi_loaded_free(&loaded);
  }
}
