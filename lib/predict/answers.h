/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of answers that any number of threads read and fill without waiting. What is in it stays; once there is no room, nothing more
   is kept. */
#ifndef PPI_PREDICT_ANSWERS_H
#define PPI_PREDICT_ANSWERS_H

#include <stdbool.h>

#include "base/error.h"

#define PPI_ANSWER_SIZES 4         /* questions of more sizes are not kept */
#define PPI_ANSWER_NUMBER 0xFFFF   /* largest routine and plan count of a question */
#define PPI_ANSWERS_MAX (1U << 24) /* largest number of answers */

struct ppi_question {
  uint16_t routine, plans; /* which, and how many of its plans are admitted */
  int64_t sizes[PPI_ANSWER_SIZES];
};

struct ppi_answer {
  int64_t value;
  double time_s;
  int plan; /* place; negative: the status with its sign turned, there is no answer */
  unsigned notes;
};

struct ppi_answers;

/* With room for count answers at least. */
enum perfpred_status ppi_answers_create(size_t count, struct ppi_answers **answers, struct perfpred_error *error);
void ppi_answers_destroy(struct ppi_answers *answers);
bool ppi_answers_find(const struct ppi_answers *answers, const struct ppi_question *question,
                      struct ppi_answer *answer);
void ppi_answers_keep(struct ppi_answers *answers, const struct ppi_question *question,
                      const struct ppi_answer *answer);

#endif
