/* SPDX-License-Identifier: BSD-3-Clause */
#include "decide.h"

/* Some routines use no larger block, and keep its triangular factor in as many words of their workspace. */
#define CAPPED_BLOCK 64
#define FACTOR_WORDS (65 * 64)

/* What the table is asked for a question. Drivers ask to size a workspace before they call the routine, and not always with
   the name, options and sizes that it asks with itself. */
struct request {
  char name[8];
  char options[2];
  int64_t sizes[4];
  bool capped;
  int64_t margin; /* columns that the driver forgets */
  int64_t
      sharing; /* 0; or what a driver multiplies the answer with for a workspace that has to hold the factor as well */
};

static bool is(const struct request *request, const char *letters) {
  return memcmp(request->name + 1, letters, 7) == 0;
}

static void set_sizes(struct request *request, int64_t n) {
  for (int i = 0; i < 3; i++)
    request->sizes[i] = n;
}

/* Changes the end of a name: xORMTR to xORMQR, xUNMTR to xUNMQR. */
static void set_end(struct request *request, const char *end) {
  request->name[4] = end[0];
  request->name[5] = end[1];
}

static char option(const struct ppi_ilaenv_question *question, int place) {
  return question->options[place];
}

/* xORMQR and its kind. xGELSY, xGGLSE and others ask without options, and multiply with N3. */
static void multiply(struct request *request, const struct ppi_ilaenv_question *question) {
  request->capped = true;
  if (option(question, 0) == ' ')
    request->sharing = ppi_table_larger(1, question->sizes[2]);
}

/* xGEEV and xGEES ask with N4 = 0, xGEHRD itself with -1. */
static void reduce(struct request *request, const struct ppi_ilaenv_question *question) {
  request->capped = true;
  if (question->sizes[3] == 0)
    request->sharing = ppi_table_larger(1, question->sizes[0]);
}

/* xGGEV and xGGES ask xGEQRF as (N, ILO, IHI, 0) for what will be N x N. */
static void factorise(struct request *request, const struct ppi_ilaenv_question *question) {
  if (question->sizes[3] == 0)
    set_sizes(request, question->sizes[0]);
}

/* They ask xORGQR as (N, ILO, IHI), which is no question of its own: it has at least as many columns as reflections. */
static void generate(struct request *request, const struct ppi_ilaenv_question *question) {
  if (question->sizes[2] > question->sizes[1])
    set_sizes(request, question->sizes[0]);
}

/* xORGHR: xORGQR of IHI - ILO columns. */
static void generate_hessenberg(struct request *request, const struct ppi_ilaenv_question *question) {
  const int64_t n = ppi_table_larger(0, question->sizes[2]) - ppi_table_larger(0, question->sizes[1]);
  set_end(request, "QR");
  set_sizes(request, n);
}

static void generate_bidiagonal(struct request *request, const struct ppi_ilaenv_question *question) {
  set_end(request, option(question, 0) == 'P' ? "LQ" : "QR");
}

/* xSYEVR and xSYEVX ask with UPLO and N, and multiply with N. The former counts one column for itself and uses two. */
static void multiply_tridiagonal(struct request *request, const struct ppi_ilaenv_question *question) {
  set_end(request, option(question, 0) == 'U' ? "QL" : "QR");
  set_sizes(request, question->sizes[0]);
  request->capped = true;
  request->margin = 1;
  request->sharing = ppi_table_larger(1, question->sizes[0]);
}

/* xGELSD asks with VECT, SIDE and TRANS, and multiplies with what lies across. */
static void multiply_bidiagonal(struct request *request, const struct ppi_ilaenv_question *question) {
  set_end(request, option(question, 0) == 'P' ? "LQ" : "QR");
  request->capped = true;
  request->sharing = ppi_table_larger(1, question->sizes[option(question, 1) == 'R' ? 0 : 1]);
}

static const struct special {
  char letters[8]; /* of the name behind that of the data type; '*': any */
  void (*apply)(struct request *request, const struct ppi_ilaenv_question *question);
} specials[] = {
  { "GEHRD  ", reduce },
  { "GEQRF  ", factorise },
  { "ORGQR  ", generate },
  { "UNGQR  ", generate },
  { "ORGHR  ", generate_hessenberg },
  { "UNGHR  ", generate_hessenberg },
  { "ORGBR  ", generate_bidiagonal },
  { "UNGBR  ", generate_bidiagonal },
  { "ORMTR  ", multiply_tridiagonal },
  { "UNMTR  ", multiply_tridiagonal },
  { "ORMBR  ", multiply_bidiagonal },
  { "UNMBR  ", multiply_bidiagonal },
};

static void fill(struct request *request, const struct ppi_ilaenv_question *question) {
  memcpy(request->name, question->upper, sizeof request->name);
  for (int i = 0; i < 2; i++)
    request->options[i] = option(question, i) == ' ' ? '\0' : option(question, i);
  memcpy(request->sizes, question->sizes, sizeof request->sizes);
  if (ppi_table_is_multiply(request->name)) {
    multiply(request, question);
    return;
  }
  for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
    if (is(request, specials[i].letters)) {
      specials[i].apply(request, question);
      return;
    }
  }
}

/* Callers multiply it with the sizes and add a few more rows, in integers of 32 bits. */
static int64_t bounded(int64_t block_size, const struct ppi_ilaenv_question *question) {
  int64_t rows = 1;
  if (question->wide)
    return block_size;
  for (int i = 0; i < 3; i++)
    rows += ppi_table_larger(0, question->sizes[i]);
  const int64_t most = (INT32_MAX - FACTOR_WORDS) / rows - 8;
  return ppi_table_larger(1, block_size < most ? block_size : most);
}

static int64_t block_size(const struct request *request, const struct ppi_ilaenv_question *question, int64_t nb) {
  if (request->capped && nb > CAPPED_BLOCK)
    nb = CAPPED_BLOCK;
  if (request->sharing > 0)
    nb += (FACTOR_WORDS - 1) / request->sharing + 1 + request->margin;
  return bounded(nb, question);
}

bool ppi_ilaenv_decide(const struct ppi_table *table, const struct ppi_ilaenv_question *question, int64_t *answer) {
  struct request request = { .sharing = 0 };
  if (question->ispec < 1 || question->ispec > 3 || ppi_ilaenv_name_length(question) > sizeof request.name)
    return false;
  fill(&request, question);
  const struct ppi_table_routine *routine = ppi_table_find(table, request.name, request.options);
  if (!routine)
    return false;
  const struct ppi_table_cell *cell = ppi_table_look_up(table, routine, request.sizes);
  switch (question->ispec) {
  case 1:
    if (cell->nb > 0)
      *answer = block_size(&request, question, cell->nb);
    return cell->nb > 0;
  case 2:
    if (cell->nbmin > 0)
      *answer = cell->nbmin;
    return cell->nbmin > 0;
  default:
    if (cell->nx != PPI_TABLE_NX_STOCK)
      *answer = cell->nx;
    return cell->nx != PPI_TABLE_NX_STOCK;
  }
}
