/* SPDX-License-Identifier: BSD-3-Clause */
/* Decision tables: what is written is read, what is damaged is refused, and the layout is the documented one. */
#include "store/table.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct perfpred_error error;

static const struct ppi_table_cell potrf[] = { { 100, 1, 2, PPI_TABLE_NX_STOCK },
                                               { 700, 64, 2, PPI_TABLE_NX_STOCK },
                                               { PPI_TABLE_OPEN, 160, 2, PPI_TABLE_NX_STOCK } };
static const struct ppi_table_cell geqrf[] = { { 300, 32, 2, 128 }, { PPI_TABLE_OPEN, 48, 2, 0 } };
static const struct ppi_table_cell ormqr[] = { { 500, 32, 2, PPI_TABLE_NX_STOCK },
                                               { PPI_TABLE_OPEN, 64, 2, PPI_TABLE_NX_STOCK } };
static const struct ppi_table_entry entries[] = {
  { "DPOTRF", "", PPI_TABLE_N1, potrf + 1, 2 },
  { "DPOTRF", "U", PPI_TABLE_N1, potrf, 3 },
  { "DORMQR", "", PPI_TABLE_MAX123, ormqr, 2 },
  { "DGEQRF", "", PPI_TABLE_MIN12, geqrf, 2 },
};
static const struct ppi_table_origin origin = { "Some CPU", "blis 0.9.0, kernels haswell, /usr/lib/libblis.so.4",
                                                "reference 3.11\n", 2 };

static struct perfpred_decisions *make(void) {
  struct perfpred_decisions *made = NULL;
  cr_assert_eq(ppi_table_make(&origin, entries, 4, &made, &error), PERFPRED_OK, "%s", error.text);
  return made;
}

static int64_t nb_of(const struct perfpred_decisions *table, const char *routine, const char *options, int64_t m,
                     int64_t n) {
  struct perfpred_decision decision = PERFPRED_DECISION_INIT;
  const int64_t sizes[] = { m, n };
  cr_assert_eq(perfpred_decisions_look_up(table, routine, options, sizes, 2, &decision, &error), PERFPRED_OK, "%s",
               error.text);
  return decision.nb;
}

static void check_answers(const struct perfpred_decisions *table) {
  cr_expect_eq(nb_of(table, "DPOTRF", "U", 0, -1), 1);
  cr_expect_eq(nb_of(table, "DPOTRF", "u", 100, -1), 1);
  cr_expect_eq(nb_of(table, "dpotrf", "Upper", 101, -1), 64);
  cr_expect_eq(nb_of(table, "DPOTRF", "U", 700, -1), 64);
  cr_expect_eq(nb_of(table, "DPOTRF", "U", 701, -1), 160);
  cr_expect_eq(nb_of(table, "DPOTRF", "U", INT64_MAX, -1), 160);
  cr_expect_eq(nb_of(table, "DPOTRF", "L", 100, -1), 64);
  cr_expect_eq(nb_of(table, "DPOTRF", NULL, 100, -1), 64);
  cr_expect_eq(nb_of(table, "DGEQRF", " ", 1000, 300), 32);
  cr_expect_eq(nb_of(table, "DGEQRF", " ", 301, 1000), 48);
}

Test(table, answers) {
  struct perfpred_decisions *made = make();
  struct perfpred_decision decision = PERFPRED_DECISION_INIT;
  struct perfpred_decision_entry entry = PERFPRED_DECISION_ENTRY_INIT;
  check_answers(made);
  cr_assert_eq(perfpred_decisions_look_up(made, "DGEQRF", "", (int64_t[]){ 9, 300 }, 2, &decision, &error),
               PERFPRED_OK);
  cr_expect_eq(decision.bound, 300);
  cr_expect_eq(decision.nbmin, 2);
  cr_expect_eq(decision.nx, 128);
  cr_assert_eq(perfpred_decisions_look_up(made, "DGEQRF", "", (int64_t[]){ 999, 301 }, 2, &decision, &error),
               PERFPRED_OK);
  cr_expect_eq(decision.bound, INT64_MAX);
  cr_expect_eq(decision.nx, 0);
  cr_assert_eq(perfpred_decisions_look_up(made, "DORMQR", "LT", (int64_t[]){ 9, 300, 501, -1 }, 4, &decision, &error),
               PERFPRED_OK);
  cr_expect_eq(decision.nb, 64);
  cr_expect_eq(decision.nx, -1);
  cr_assert_eq(perfpred_decisions_count(made), 4);
  /* in the order of names, and those without options last */
  cr_assert_eq(perfpred_decisions_entry(made, 2, &entry, &error), PERFPRED_OK);
  cr_expect_str_eq(entry.routine, "DPOTRF");
  cr_expect_str_eq(entry.options, "U");
  cr_expect_str_eq(entry.row_size, "");
  cr_expect_str_eq(entry.cell_size, "n1");
  cr_expect_eq(entry.rows, 1);
  cr_expect_eq(entry.cells, 3);
  cr_expect_str_eq(made->table.header->lapack, "reference 3.11 ");
  cr_expect_eq(made->table.header->threads, 2);
  perfpred_decisions_destroy(made);
}

Test(table, questions_that_are_refused) {
  struct perfpred_decisions *made = make();
  struct perfpred_decision decision = PERFPRED_DECISION_INIT;
  struct perfpred_decision_entry entry = PERFPRED_DECISION_ENTRY_INIT;
  const int64_t sizes[5] = { 1, 1, 1, 1, 1 };
  cr_expect_eq(perfpred_decisions_look_up(made, "DSYEVD", NULL, sizes, 1, &decision, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_decisions_look_up(made, "", NULL, sizes, 1, &decision, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_decisions_look_up(made, "DPOTRFDPOTRF", NULL, sizes, 1, &decision, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_decisions_look_up(made, NULL, NULL, sizes, 1, &decision, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_look_up(NULL, "DPOTRF", NULL, sizes, 1, &decision, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_look_up(made, "DPOTRF", NULL, sizes, 5, &decision, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_look_up(made, "DPOTRF", NULL, NULL, 1, &decision, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_look_up(made, "DPOTRF", NULL, NULL, 0, &decision, NULL), PERFPRED_OK);
  cr_expect_eq(perfpred_decisions_look_up(made, "DPOTRF", NULL, sizes, 1, NULL, &error), PERFPRED_INVALID);
  decision.size = 8;
  cr_expect_eq(perfpred_decisions_look_up(made, "DPOTRF", NULL, sizes, 1, &decision, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_entry(made, 4, &entry, &error), PERFPRED_NOT_FOUND);
  cr_expect_eq(perfpred_decisions_entry(NULL, 0, &entry, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_entry(made, 0, NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_count(NULL), 0);
  perfpred_decisions_destroy(NULL);
  perfpred_decisions_destroy(made);
}

Test(table, entries_of_which_none_can_be_made) {
  const struct ppi_table_cell falling[] = { { 500, 64, 2, 0 }, { PPI_TABLE_OPEN, 32, 2, 0 } };
  const struct ppi_table_cell closed[] = { { 500, 64, 2, 0 } };
  const struct ppi_table_entry bad[] = { { "DORMQR", "", PPI_TABLE_MAX123, falling, 2 },
                                         { "DPOTRF", "", PPI_TABLE_N1, closed, 1 },
                                         { "dpotrf", "", PPI_TABLE_N1, potrf, 3 },
                                         { "DPOTRF", "", PPI_TABLE_NONE, potrf, 3 } };
  struct perfpred_decisions *made = NULL;
  for (size_t i = 0; i < 4; i++)
    cr_expect_eq(ppi_table_make(&origin, &bad[i], 1, &made, &error), PERFPRED_INVALID, "%zu", i);
  struct ppi_table_entry many[500];
  for (size_t i = 0; i < 500; i++)
    many[i] = (struct ppi_table_entry){ "DPOTRF", "", PPI_TABLE_N1, potrf, 3 };
  cr_expect_eq(ppi_table_make(&origin, many, 500, &made, &error), PERFPRED_OK, "%s", error.text);
  perfpred_decisions_destroy(made);
  made = NULL;
  struct ppi_table_entry *more = calloc(1100, sizeof *more);
  for (size_t i = 0; i < 1100; i++)
    more[i] = many[0];
  cr_expect_eq(ppi_table_make(&origin, more, 1100, &made, &error), PERFPRED_LIMIT);
  cr_expect_null(made);
  free(more);
}

Test(table, an_empty_one) {
  struct perfpred_decisions *made = NULL;
  char *text = NULL;
  cr_assert_eq(ppi_table_make(&origin, NULL, 0, &made, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_eq(perfpred_decisions_count(made), 0);
  cr_expect_eq(perfpred_decisions_print_c(made, "x", &text, &error), PERFPRED_UNSUPPORTED);
  cr_expect_null(text);
  perfpred_decisions_destroy(made);
}

/* --- Files --------------------------------------------------------------------------------------------------------- */

static char path[] = "table-XXXXXX";

static void make_file(void) {
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  close(file);
}

static void remove_file(void) {
  unlink(path);
}

Test(table, save_and_load, .init = make_file, .fini = remove_file) {
  struct perfpred_decisions *made = make(), *loaded = NULL, *copied = NULL;
  cr_assert_eq(perfpred_decisions_save(made, path, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_decisions_load(path, &loaded, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_decisions_load_memory(made->image, made->bytes, NULL, &copied, &error), PERFPRED_OK, "%s",
               error.text);
  cr_expect_eq(loaded->bytes, made->bytes);
  cr_expect_eq(memcmp(loaded->image, made->image, made->bytes), 0);
  perfpred_decisions_destroy(made);
  check_answers(loaded);
  check_answers(copied);
  perfpred_decisions_destroy(copied);
  perfpred_decisions_destroy(loaded);
}

Test(table, a_full_disk_leaves_the_old_file, .init = make_file, .fini = remove_file) {
  struct perfpred_decisions *made = make(), *loaded = NULL;
  cr_assert_eq(perfpred_decisions_save(made, path, &error), PERFPRED_OK, "%s", error.text);
  const struct rlimit tight = { 100, RLIM_INFINITY };
  signal(SIGXFSZ, SIG_IGN);
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &tight), 0);
  cr_expect_eq(perfpred_decisions_save(made, path, &error), PERFPRED_IO);
  const struct rlimit wide = { RLIM_INFINITY, RLIM_INFINITY };
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &wide), 0);
  cr_assert_eq(perfpred_decisions_load(path, &loaded, &error), PERFPRED_OK, "%s", error.text);
  check_answers(loaded);
  perfpred_decisions_destroy(loaded);
  perfpred_decisions_destroy(made);
  cr_expect_eq(perfpred_decisions_save(NULL, path, &error), PERFPRED_INVALID);
}

Test(table, files_that_are_none) {
  struct perfpred_decisions *loaded = NULL;
  cr_expect_eq(perfpred_decisions_load("no-such-file", &loaded, &error), PERFPRED_MISSING);
  cr_expect_not_null(strstr(error.text, "expected a decision table"), "%s", error.text);
  cr_expect_eq(perfpred_decisions_load("/", &loaded, &error), PERFPRED_IO);
  cr_expect_eq(perfpred_decisions_load("/dev/null", &loaded, &error), PERFPRED_CORRUPT);
  cr_expect_eq(perfpred_decisions_load("", &loaded, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_load(NULL, &loaded, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_load("/dev/null", NULL, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_load_memory(NULL, 0, NULL, &loaded, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_load_memory("{}", 2, "mine", &loaded, &error), PERFPRED_CORRUPT);
  cr_expect_str_eq(error.text, "mine: too short for a decision table");
  static char large[PPI_TABLE_BYTES_MAX + 1];
  cr_expect_eq(perfpred_decisions_load_memory(large, sizeof large, "mine", &loaded, &error), PERFPRED_CORRUPT);
  cr_expect_str_eq(error.text, "mine: not a decision table");
  memcpy(large, PPI_TABLE_MAGIC, 8);
  cr_expect_eq(perfpred_decisions_load_memory(large, sizeof large, "mine", &loaded, &error), PERFPRED_CORRUPT);
  cr_expect_null(loaded);
}

/* Every prefix, every changed byte; with another version the status says so. */
Test(table, damage_is_refused) {
  struct perfpred_decisions *made = make(), *loaded = NULL;
  unsigned char *bytes = malloc(made->bytes);
  for (size_t length = 0; length < made->bytes; length++)
    cr_assert_neq(perfpred_decisions_load_memory(made->image, length, NULL, &loaded, &error), PERFPRED_OK, "%zu",
                  length);
  for (size_t i = 0; i < made->bytes; i++) {
    memcpy(bytes, made->image, made->bytes);
    bytes[i] ^= 0x20;
    enum perfpred_status status = perfpred_decisions_load_memory(bytes, made->bytes, NULL, &loaded, &error);
    bool version = i >= offsetof(struct ppi_table_header, version) && i < offsetof(struct ppi_table_header, bytes);
    cr_assert_eq(status, version ? PERFPRED_VERSION : PERFPRED_CORRUPT, "byte %zu: %d", i, (int)status);
  }
  cr_expect_null(loaded);
  free(bytes);
  perfpred_decisions_destroy(made);
}

/* --- Texts --------------------------------------------------------------------------------------------------------- */

Test(table, json) {
  struct perfpred_decisions *made = make();
  char *text = NULL;
  cr_assert_eq(perfpred_decisions_print(made, &text, &error), PERFPRED_OK, "%s", error.text);
  cr_expect_not_null(strstr(text, "\"format\": \"perfpred-table\""), "%s", text);
  cr_expect_not_null(
      strstr(text, "\"routine\": \"DPOTRF\", \"options\": \"U\", \"row_size\": null, \"cell_size\": \"n1\""), "%s",
      text);
  cr_expect_not_null(strstr(text, "{\"bound\": null, \"nb\": 48, \"nbmin\": 2, \"nx\": 0}"), "%s", text);
  perfpred_free(text);
  text = NULL;
  cr_expect_eq(perfpred_decisions_print(NULL, &text, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_print(made, NULL, &error), PERFPRED_INVALID);
  perfpred_decisions_destroy(made);
}

Test(table, names_that_c_does_not_take) {
  static const char *const bad[] = {
    "", "1x", "a-b", "a b", "_x", "a.c", NULL, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklm"
  };
  struct perfpred_decisions *made = make();
  char *text = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    cr_expect_eq(perfpred_decisions_print_c(made, bad[i], &text, &error), PERFPRED_INVALID, "%s", bad[i]);
  cr_expect_eq(perfpred_decisions_print_c(NULL, "x", &text, &error), PERFPRED_INVALID);
  cr_expect_eq(perfpred_decisions_print_c(made, "x", NULL, &error), PERFPRED_INVALID);
  cr_expect_null(text);
  perfpred_decisions_destroy(made);
}

/* The documented layout is that of the header. */
static char *read_document(void) {
  FILE *file = fopen(DOCUMENT, "r");
  static char text[1 << 16];
  cr_assert_not_null(file, "%s", DOCUMENT);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

#define MEMBER(structure, member)                                                                                      \
  { #member, offsetof(struct structure, member), sizeof((struct structure *)0)->member }

Test(table, the_document_is_right) {
  static const struct {
    const char *name;
    size_t offset, bytes;
  } members[] = {
    MEMBER(ppi_table_header, magic),
    MEMBER(ppi_table_header, version),
    MEMBER(ppi_table_header, bytes),
    MEMBER(ppi_table_header, checksum),
    MEMBER(ppi_table_header, routine_count),
    MEMBER(ppi_table_header, row_count),
    MEMBER(ppi_table_header, cell_count),
    MEMBER(ppi_table_header, threads),
    MEMBER(ppi_table_header, reserved),
    MEMBER(ppi_table_header, cpu),
    MEMBER(ppi_table_header, blas),
    MEMBER(ppi_table_header, lapack),
    MEMBER(ppi_table_routine, name),
    MEMBER(ppi_table_routine, options),
    MEMBER(ppi_table_routine, row_size),
    MEMBER(ppi_table_routine, cell_size),
    MEMBER(ppi_table_routine, first_row),
    MEMBER(ppi_table_routine, row_count),
    MEMBER(ppi_table_row, bound),
    MEMBER(ppi_table_row, first_cell),
    MEMBER(ppi_table_row, cell_count),
    MEMBER(ppi_table_cell, bound),
    MEMBER(ppi_table_cell, nb),
    MEMBER(ppi_table_cell, nbmin),
    MEMBER(ppi_table_cell, nx),
  };
  const char *at = read_document();
  char line[80];
  /* one after another: each is searched for behind the one before it */
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    snprintf(line, sizeof line, "| `%s` | %zu | %zu |", members[i].name, members[i].offset, members[i].bytes);
    at = strstr(at, line);
    cr_assert_not_null(at, "%s", line);
  }
  for (unsigned rule = 1; rule < PPI_TABLE_SIZE_END; rule++) {
    snprintf(line, sizeof line, "| %u | %s |", rule, ppi_table_size_text(rule));
    at = strstr(at, line);
    cr_assert_not_null(at, "%s", line);
  }
  const char *text = read_document();
  snprintf(line, sizeof line, "at most %d bytes", PPI_TABLE_BYTES_MAX);
  cr_expect_not_null(strstr(text, line));
  snprintf(line, sizeof line, "`%s`", PPI_TABLE_MAGIC);
  cr_expect_not_null(strstr(text, line));
  snprintf(line, sizeof line, "Header, %zu bytes", sizeof(struct ppi_table_header));
  cr_expect_not_null(strstr(text, line));
}
