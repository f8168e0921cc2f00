/* SPDX-License-Identifier: BSD-3-Clause */
#include "stock.h"

#include <assert.h>
#include <float.h>
#include <string.h>

static_assert(FLT_RADIX == 2 && FLT_MAX_EXP == 128 && FLT_MANT_DIG == 24, "IEEE 754 arithmetic");

enum types { NONE = 0, REAL = 1, COMPLEX = 2, ALL = 3 };

/* What is known of routines by the letters of their names behind that of the data type. */
struct rule {
  char letters[6]; /* '*': any letter */
  uint8_t types;
  uint8_t minimum;    /* ISPEC=2 */
  uint8_t block_size; /* ISPEC=1; 0: see varying() */
  uint8_t crossover;  /* ISPEC=3 */
};

static const struct rule rules[] = {
  { "POTRF", ALL, 2, 64, 0 },       { "GETRF", ALL, 2, 64, 0 },     { "GEQRF", ALL, 2, 32, 128 },
  { "GELQF", ALL, 2, 32, 128 },     { "GERQF", ALL, 2, 32, 128 },   { "GEQLF", ALL, 2, 32, 128 },
  { "GEHRD", ALL, 2, 32, 128 },     { "GEBRD", ALL, 2, 32, 128 },   { "GETRI", ALL, 2, 64, 0 },
  { "GEQR ", ALL, 2, 0, 0 },        { "GELQ ", ALL, 2, 0, 0 },      { "SYTRF", ALL, 8, 0, 0 },
  { "SYTRD", REAL, 2, 32, 32 },     { "SYGST", REAL, 2, 64, 0 },    { "HETRF", COMPLEX, 2, 0, 0 },
  { "HETRD", COMPLEX, 2, 32, 32 },  { "HEGST", COMPLEX, 2, 64, 0 }, { "TRTRI", ALL, 2, 64, 0 },
  { "TREVC", ALL, 2, 64, 0 },       { "TRSYL", ALL, 2, 0, 0 },      { "LAUUM", ALL, 2, 64, 0 },
  { "LATRS", ALL, 2, 32, 0 },       { "LAORH", ALL, 2, 32, 0 },     { "GBTRF", ALL, 2, 0, 0 },
  { "PBTRF", ALL, 2, 0, 0 },        { "GG***", ALL, 2, 32, 128 },   { "ORG**", REAL, 2, 32, 128 },
  { "UNG**", COMPLEX, 2, 32, 128 }, { "ORM**", REAL, 2, 32, 0 },    { "UNM**", COMPLEX, 2, 32, 0 },
};
#define RULES (sizeof rules / sizeof rules[0])

static const struct rule unknown = { "*****", ALL, 2, 1, 0 };

static bool is(const char *letters, const char *word) {
  return memcmp(letters, word, strlen(word)) == 0;
}

/* The end of the names of routines that work with a factor Q. */
static bool is_of_factor(const char *end) {
  static const char ends[][3] = { "QR", "RQ", "LQ", "QL", "HR", "TR", "BR" };
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    if (is(end, ends[i]))
      return true;
  return false;
}

static bool fits(const struct rule *rule, const char *letters) {
  for (int i = 0; i < 5; i++) {
    if (rule->letters[i] != letters[i] && rule->letters[i] != '*')
      return false;
  }
  return rule->letters[0] == 'G' || rule->letters[4] != '*' || is_of_factor(letters + 3);
}

static enum types types_of(char letter) {
  if (letter == 'S' || letter == 'D')
    return REAL;
  return letter == 'C' || letter == 'Z' ? COMPLEX : NONE;
}

static const struct rule *find(enum types types, const char *letters) {
  for (size_t i = 0; i < RULES; i++)
    if ((rules[i].types & types) != 0 && fits(&rules[i], letters))
      return &rules[i];
  return &unknown;
}

/* As the caller's integers have it: Fortran's overflow goes unnoticed. */
static int64_t wrapped(uint64_t value, bool wide) {
  return wide ? (int64_t)value : (int32_t)(uint32_t)(value & UINT32_MAX);
}

static int64_t product(int64_t a, int64_t b, bool wide) {
  return wrapped((uint64_t)a * (uint64_t)b, wide);
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Block of rows of xGEQR, of columns of xGELQ. */
static int64_t tall(const struct ppi_ilaenv_question *question, int64_t mark) {
  const int64_t *n = question->sizes;
  if (n[2] != mark)
    return 1;
  return product(n[0], n[1], question->wide) <= 131072 || n[0] <= 8192 ? n[0] : 32768 / n[1];
}

static int64_t sylvester(const struct ppi_ilaenv_question *question, bool real) {
  const int64_t size = smaller(question->sizes[0], question->sizes[1]);
  if (real)
    return smaller(larger(48, product(size, 16, question->wide) / 100), 240);
  return smaller(larger(24, product(size, 8, question->wide) / 100), 80);
}

/* Block sizes that depend on more than the name. */
static int64_t varying(const struct ppi_ilaenv_question *question, const char *letters, bool real) {
  if (is(letters, "GEQR "))
    return tall(question, 1);
  if (is(letters, "GELQ "))
    return tall(question, 2);
  if (is(letters, "TRSYL"))
    return sylvester(question, real);
  if (is(letters, "GBTRF"))
    return question->sizes[3] <= 64 ? 1 : 32;
  if (is(letters, "PBTRF"))
    return question->sizes[1] <= 64 ? 1 : 32;
  return question->name[10] == '2' ? 192 : 64; /* xSYTRF and xHETRF: xSYTRF_AA_2STAGE has its own */
}

/* LAPACK turns six letters into capitals, and only if the first one is small. */
static void convert(const char *name, char converted[6]) {
  const bool small = name[0] >= 'a' && name[0] <= 'z';
  for (int i = 0; i < 6; i++)
    converted[i] = small && name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
}

/* ISPEC 1 to 3. */
static int64_t blocking(const struct ppi_ilaenv_question *question) {
  char name[6] = { 0 };
  convert(question->name, name);
  const enum types types = types_of(name[0]);
  if (types == NONE)
    return 1;
  const struct rule *rule = find(types, name + 1);
  if (question->ispec == 2)
    return rule->minimum;
  if (question->ispec == 3)
    return rule->crossover;
  return rule->block_size > 0 ? rule->block_size : varying(question, name + 1, types == REAL);
}

/* ISPEC=6. A size whose multiple is no integer gives what the processor's conversion gives: the lowest one. */
static int64_t crossover_svd(const struct ppi_ilaenv_question *question) {
  const float product = (float)smaller(question->sizes[0], question->sizes[1]) * 1.6F;
  const float limit = question->wide ? 9223372036854775808.0F : 2147483648.0F;
  if (product >= -limit && product < limit)
    return (int64_t)product;
  return question->wide ? INT64_MIN : INT32_MIN;
}

/* Number of shifts for active matrices of order nh. From 150 to 589 it is nh over its rounded binary logarithm, which is 7
   below 2^7.5, 8 below 2^8.5. */
static int64_t shifts(int64_t nh) {
  static const struct {
    int64_t order, shifts;
  } steps[] = { { 6000, 256 }, { 3000, 128 }, { 590, 64 }, { 150, 0 }, { 60, 10 }, { 30, 4 } };
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    if (nh < steps[i].order)
      continue;
    const int64_t count = steps[i].shifts > 0 ? steps[i].shifts : larger(10, nh / (nh <= 181 ? 7 : nh <= 362 ? 8 : 9));
    return count - count % 2;
  }
  return 2;
}

/* ISPEC=16: 0 to 2, how reflections are accumulated. */
static int64_t accumulation(const struct ppi_ilaenv_question *question, int64_t nh) {
  char name[6] = { 0 };
  convert(question->name, name);
  const char *letters = name + 1;
  if (is(letters, "GGHRD") || is(letters, "GGHD3"))
    return nh >= 14 ? 2 : 1;
  if (is(letters + 2, "EXC"))
    return nh >= 14 ? 2 : 0;
  if (is(letters, "HSEQR") || is(letters, "LAQR"))
    return shifts(nh) >= 14 ? 2 : 0;
  return 0;
}

/* ISPEC 12 to 17, of xHSEQR and its kind. */
static int64_t hessenberg(const struct ppi_ilaenv_question *question) {
  const int64_t *n = question->sizes;
  const int64_t nh = wrapped((uint64_t)n[2] - (uint64_t)n[1] + 1U, question->wide);
  switch (question->ispec) {
  case 12:
    return 75;
  case 13:
    return nh <= 500 ? shifts(nh) : 3 * shifts(nh) / 2;
  case 14:
    return 14;
  case 15:
    return shifts(nh);
  case 16:
    return accumulation(question, nh);
  default:
    return 10;
  }
}

int64_t ppi_ilaenv_stock(const struct ppi_ilaenv_question *question) {
  /* of ISPEC 4 to 11. For 10 and 11 LAPACK tries out whether NaN and infinity can be calculated with: C's compiler knows. */
  static const int8_t constants[] = { 6, 2, 0, 1, 50, 25, 1, 1 };
  const int64_t ispec = question->ispec;
  if (ispec < 1 || ispec > 17)
    return -1;
  if (ispec <= 3)
    return blocking(question);
  if (ispec == 6)
    return crossover_svd(question);
  return ispec <= 11 ? constants[ispec - 4] : hessenberg(question);
}
