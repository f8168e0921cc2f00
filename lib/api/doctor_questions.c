/* SPDX-License-Identifier: BSD-3-Clause */
/* The questions of a run: what its LAPACK asked the override, and what that answered. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/doctor.h"
#include "api/doctor_log.h"
#include "api/doctor_record.h"

static void put_asked(struct ppi_json_out *out, const struct ppi_asked *asked) {
  struct ppi_json_out object;
  ppi_json_begin(&object);
  ppi_json_put_string(&object, "routine", asked->name);
  ppi_json_put_integer(&object, "ispec", asked->ispec);
  ppi_json_put_string(&object, "options", asked->options);
  ppi_json_put_integers(&object, "sizes", asked->sizes, 4);
  ppi_json_put_integer(&object, "answer", asked->answer);
  ppi_json_put_string(&object, "source", asked->table ? "table" : "stock");
  ppi_json_put_integer(&object, "count", (int64_t)asked->count);
  ppi_json_append(out, "questions", &object);
}

static int by_name(const void *a, const void *b) {
  const struct ppi_asked *left = a, *right = b;
  int order = strcmp(left->name, right->name);
  if (order == 0)
    order = (left->ispec > right->ispec) - (left->ispec < right->ispec);
  for (int i = 0; i < 4 && order == 0; i++)
    order = (left->sizes[i] > right->sizes[i]) - (left->sizes[i] < right->sizes[i]);
  return order != 0 ? order : strcmp(left->options, right->options);
}

static void tell(struct ppi_doctor *doctor, const struct ppi_asked_list *list) {
  uint64_t questions = 0, by_table = 0;
  struct ppi_finding finding;
  for (size_t i = 0; i < list->count; i++) {
    questions += list->items[i].count;
    by_table += list->items[i].table ? list->items[i].count : 0;
  }
  ppi_finding_begin(&finding, "questions", questions > 0 ? PPI_SEVERITY_OK : PPI_SEVERITY_NOTE,
                    questions > 0 ? "Questions for block sizes" : "No question for a block size");
  if (questions > 0)
    ppi_finding_text(&finding, "detail", "%llu question%s, %zu different%s; the table answered %llu, the rest is stock",
                     (unsigned long long)questions, questions == 1 ? "" : "s", list->count,
                     list->cut ? " and more" : "", (unsigned long long)by_table);
  else {
    ppi_finding_text(&finding, "detail", "%s",
                     doctor->override ? "no routine of LAPACK asked the override"
                                      : "the override was not loaded, or nothing asked it");
    ppi_finding_text(&finding, "advice",
                     "nothing is gained where nothing asks: a LAPACK that is linked statically, has other names, or "
                     "decides by itself (OpenBLAS's own routines)");
  }
  ppi_json_put_integer(&finding.out, "asked", (int64_t)questions);
  ppi_json_put_integer(&finding.out, "answered_by_table", (int64_t)by_table);
  ppi_json_put_integer(&finding.out, "unreadable", (int64_t)list->unreadable);
  ppi_json_put_empty_list(&finding.out, "questions");
  for (size_t i = 0; i < list->count; i++)
    put_asked(&finding.out, &list->items[i]);
  ppi_finding_end(&finding, doctor);
}

enum perfpred_status ppi_doctor_questions(struct ppi_doctor *doctor) {
  struct ppi_asked_list list = { 0 };
  struct ppi_text path = PPI_TEXT_INIT;
  if (!doctor->options.record)
    return PERFPRED_OK;
  ppi_text_printf(&path, "%s/" PPI_RECORD_QUESTIONS, doctor->options.record);
  if (path.failed) {
    ppi_text_free(&path);
    return ppi_error_memory(doctor->error);
  }
  FILE *file = fopen(path.data, "re"); /* nothing was asked where there is none */
  enum perfpred_status status = file ? ppi_asked_read_all(file, &list, doctor->error) : PERFPRED_OK;
  if (file)
    fclose(file);
  ppi_text_free(&path);
  if (status == PERFPRED_OK) {
    if (list.count > 0)
      qsort(list.items, list.count, sizeof *list.items, by_name);
    tell(doctor, &list);
  }
  ppi_asked_free(&list);
  return status;
}
