/* SPDX-License-Identifier: BSD-3-Clause */
/* compute(C) is the paper's: 8 sums s[i] += x[i]*y[0] + ... + x[i]*y[7], C times. The sums of the eight products go into partial sums of their own, or the
 * latency of one addition after the other would be all that is measured. The order of additions aside, nothing is left out or added: of the first
 * products one meets the sum's start, the others begin a partial sum, and the partial sums are added up at the end, which makes 128 C + 7
 * operations, as in the text. What compilers could do is kept from them: behind an empty asm statement x is not known any more, so that products are made
 * anew in every iteration.
 *
 * A test reads the machine code (tests/machine_code). */
#include "measure/apex_kernel.h"

#include <string.h>

#include "machine/peak.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define APART __attribute__((noinline)) /* the text calls compute; and the test finds it */

/* --- Vectors of two: SSE2, NEON, or whatever the compiler makes of them --------------------------------------------- */

typedef double pair __attribute__((vector_size(16)));

#if defined(__x86_64__)
#define UNKNOWN_PAIR(v) __asm__ volatile("" : "+x"(v))
#define PAIR_SET "sse2"
#elif defined(__aarch64__)
#define UNKNOWN_PAIR(v) __asm__ volatile("" : "+w"(v))
#define PAIR_SET "neon"
#else
#define UNKNOWN_PAIR(v) __asm__ volatile("" : "+m"(v))
#define PAIR_SET "generic"
#endif

static inline pair load_pair(const double *from) {
  pair loaded;
  memcpy(&loaded, from, sizeof loaded);
  return loaded;
}

static inline pair twice(double value) {
  return (pair){ value, value };
}

/* Rows 2h and 2h + 1 of the products have two partial sums: of even and of odd columns. */
#define PAIR_ROWS(X) X(0) X(1) X(2) X(3)
#define PAIR_LOAD(h) pair x##h = load_pair(o->x + 2 * (h)), even##h, odd##h;
#define PAIR_UNKNOWN(h) UNKNOWN_PAIR(x##h);
#define PAIR_FIRST(h)                                                                                                  \
  even##h = load_pair(o->zero + 2 * (h)) + x##h * y0;                                                                  \
  odd##h = x##h * y1;
#define PAIR_EVEN(h)                                                                                                   \
  even##h += x##h * y2;                                                                                                \
  odd##h += x##h * y3;                                                                                                 \
  even##h += x##h * y4;                                                                                                \
  odd##h += x##h * y5;                                                                                                 \
  even##h += x##h * y6;                                                                                                \
  odd##h += x##h * y7;
#define PAIR_ALL(h)                                                                                                    \
  even##h += x##h * y0;                                                                                                \
  odd##h += x##h * y1;                                                                                                 \
  PAIR_EVEN(h)
#define COLUMNS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define PAIR_COLUMN(j) const pair y##j = twice(o->y[j]);

APART static double compute_pair(const struct ppi_apex_operands *o, int64_t c) {
  COLUMNS(PAIR_COLUMN)
  PAIR_ROWS(PAIR_LOAD)
  PAIR_ROWS(PAIR_UNKNOWN)
  PAIR_ROWS(PAIR_FIRST)
  PAIR_ROWS(PAIR_EVEN)
#pragma GCC unroll 1
  for (int64_t i = 1; i < c; i++) {
    PAIR_ROWS(PAIR_UNKNOWN)
    PAIR_ROWS(PAIR_ALL)
  }
  pair sum = ((even0 + odd0) + (even1 + odd1)) + ((even2 + odd2) + (even3 + odd3));
  return sum[0] + sum[1];
}

/* --- The walks -------------------------------------------------------------------------------------------------------- */

/* Without compute eight sums, as compilers make them that may reorder additions: a single one would wait for itself. The same code for
   all instruction sets, so that they differ in what they compute and in nothing else. */
#define SUMS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define SUM_DECLARE(j) double w##j = 0.0;
#define SUM_ALL (((w0 + w1) + (w2 + w3)) + ((w4 + w5) + (w6 + w7)))
#define STRIDED_STEP(j) w##j += c0 * at[(j)*step];
#define BLOCK_STEP(j) w##j += c0 * at[k + (j)];

APART static double strided_alone(const struct ppi_apex_slice *slice) {
  const int64_t step = slice->step;
  const double c0 = slice->operands->c0;
  SUMS(SUM_DECLARE)
  int64_t k = slice->begin;
  for (; k + 8 <= slice->end; k += 8) {
    const double *at = slice->data + k * step;
    SUMS(STRIDED_STEP)
  }
  for (; k < slice->end; k++)
    w0 += c0 * slice->data[k * step];
  return SUM_ALL;
}

APART static double random_alone(const struct ppi_apex_slice *slice) {
  const int64_t length = slice->step;
  const double c0 = slice->operands->c0;
  SUMS(SUM_DECLARE)
  for (int64_t i = slice->begin; i < slice->end; i++) {
    const double *at = slice->data + slice->index[i];
    int64_t k = 0;
    for (; k + 8 <= length; k += 8) {
      SUMS(BLOCK_STEP)
    }
    for (; k < length; k++)
      w0 += c0 * at[k];
  }
  return SUM_ALL;
}

/* Compute beside each K-th element: those between are walked over as without it. What a repetition does is the same for any number of threads, so
   elements are counted from its first. */
typedef double compute_fn(const struct ppi_apex_operands *operands, int64_t c);

APART static double strided_some(const struct ppi_apex_slice *slice, compute_fn *compute) {
  const int64_t step = slice->step;
  const double c0 = slice->operands->c0;
  int64_t next = (slice->begin / slice->every + 1) * slice->every; /* the element before it computes */
  SUMS(SUM_DECLARE)
  for (int64_t k = slice->begin; k < slice->end;) {
    const int64_t stop = next < slice->end ? next : slice->end;
    for (; k + 8 <= stop; k += 8) {
      const double *at = slice->data + k * step;
      SUMS(STRIDED_STEP)
    }
    for (; k < stop; k++)
      w0 += c0 * slice->data[k * step];
    if (k < next)
      break;
    w1 += compute(slice->operands, slice->c);
    next += slice->every;
  }
  return SUM_ALL;
}

APART static double random_some(const struct ppi_apex_slice *slice, compute_fn *compute) {
  const int64_t length = slice->step, every = slice->every;
  const double c0 = slice->operands->c0;
  int64_t left = every - slice->begin * length % every; /* elements up to the next that computes */
  SUMS(SUM_DECLARE)
  for (int64_t i = slice->begin; i < slice->end; i++) {
    const double *at = slice->data + slice->index[i];
    for (int64_t k = 0; k < length;) {
      const int64_t stop = length - k < left ? length : k + left;
      left -= stop - k;
      for (; k + 8 <= stop; k += 8) {
        SUMS(BLOCK_STEP)
      }
      for (; k < stop; k++)
        w0 += c0 * at[k];
      if (left > 0)
        continue;
      w1 += compute(slice->operands, slice->c);
      left = every;
    }
  }
  return SUM_ALL;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): names and attributes */
#define DEFINE_WALKS(NAME, ATTRIBUTES, COMPUTE)                                                                        \
  ATTRIBUTES static double strided_##NAME(const struct ppi_apex_slice *slice) {                                        \
    const double c0 = slice->operands->c0;                                                                             \
    double w0 = 0.0;                                                                                                   \
    if (slice->c == 0)                                                                                                 \
      return strided_alone(slice);                                                                                     \
    if (slice->every > 1)                                                                                              \
      return strided_some(slice, COMPUTE);                                                                             \
    for (int64_t k = slice->begin; k < slice->end; k++) {                                                              \
      w0 += c0 * slice->data[k * slice->step];                                                                         \
      w0 += COMPUTE(slice->operands, slice->c);                                                                        \
    }                                                                                                                  \
    return w0;                                                                                                         \
  }                                                                                                                    \
  ATTRIBUTES static double random_##NAME(const struct ppi_apex_slice *slice) {                                         \
    const double c0 = slice->operands->c0;                                                                             \
    double w0 = 0.0;                                                                                                   \
    if (slice->c == 0)                                                                                                 \
      return random_alone(slice);                                                                                      \
    if (slice->every > 1)                                                                                              \
      return random_some(slice, COMPUTE);                                                                              \
    for (int64_t i = slice->begin; i < slice->end; i++) {                                                              \
      const double *at = slice->data + slice->index[i];                                                                \
      for (int64_t k = 0; k < slice->step; k++) {                                                                      \
        w0 += c0 * at[k];                                                                                              \
        w0 += COMPUTE(slice->operands, slice->c);                                                                      \
      }                                                                                                                \
    }                                                                                                                  \
    return w0;                                                                                                         \
  }

DEFINE_WALKS(pair, , compute_pair)

#if defined(__x86_64__)

/* --- AVX2: vectors of four ------------------------------------------------------------------------------------------- */

#define AVX2 __attribute__((target("avx2,fma")))
#define FMA4(sum, x, y) sum = _mm256_fmadd_pd(x, y, sum)

/* Rows 4h to 4h + 3 have four partial sums: of columns j and j + 4. */
#define FOUR_ROWS(X) X(0) X(1)
#define FOUR_LOAD(h) __m256d x##h = _mm256_loadu_pd(o->x + 4 * (h)), a##h, b##h, c##h, d##h;
#define FOUR_UNKNOWN(h) __asm__ volatile("" : "+x"(x##h));
#define FOUR_FIRST(h)                                                                                                  \
  a##h = _mm256_fmadd_pd(x##h, y0, _mm256_loadu_pd(o->zero + 4 * (h)));                                                \
  b##h = _mm256_mul_pd(x##h, y1);                                                                                      \
  c##h = _mm256_mul_pd(x##h, y2);                                                                                      \
  d##h = _mm256_mul_pd(x##h, y3);
#define FOUR_EARLY(h)                                                                                                  \
  FMA4(a##h, x##h, y0);                                                                                                \
  FMA4(b##h, x##h, y1);                                                                                                \
  FMA4(c##h, x##h, y2);                                                                                                \
  FMA4(d##h, x##h, y3);
#define FOUR_LATE(h)                                                                                                   \
  FMA4(a##h, x##h, y4);                                                                                                \
  FMA4(b##h, x##h, y5);                                                                                                \
  FMA4(c##h, x##h, y6);                                                                                                \
  FMA4(d##h, x##h, y7);
#define FOUR_COLUMN(j) const __m256d y##j = _mm256_set1_pd(o->y[j]);
#define FOUR_SUM(h) _mm256_add_pd(_mm256_add_pd(a##h, b##h), _mm256_add_pd(c##h, d##h))

AVX2 static inline double sum_four(__m256d sum) {
  __m128d two = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

AVX2 APART static double compute_avx2(const struct ppi_apex_operands *o, int64_t c) {
  COLUMNS(FOUR_COLUMN)
  FOUR_ROWS(FOUR_LOAD)
  FOUR_ROWS(FOUR_UNKNOWN)
  FOUR_ROWS(FOUR_FIRST)
  FOUR_ROWS(FOUR_LATE)
#pragma GCC unroll 1
  for (int64_t i = 1; i < c; i++) {
    FOUR_ROWS(FOUR_UNKNOWN)
    FOUR_ROWS(FOUR_EARLY)
    FOUR_ROWS(FOUR_LATE)
  }
  return sum_four(_mm256_add_pd(FOUR_SUM(0), FOUR_SUM(1)));
}

/* --- AVX-512: vectors of eight, a partial sum for each column ------------------------------------------------------- */

#define AVX512 __attribute__((target("avx512f,fma")))
#define EIGHT_COLUMN(j) const __m512d y##j = _mm512_set1_pd(o->y[j]);
#define EIGHT_STEP(j) s##j = _mm512_fmadd_pd(x, y##j, s##j);

AVX512 APART static double compute_avx512(const struct ppi_apex_operands *o, int64_t c) {
  COLUMNS(EIGHT_COLUMN)
  __m512d x = _mm512_loadu_pd(o->x);
  __asm__ volatile("" : "+v"(x));
  __m512d s0 = _mm512_fmadd_pd(x, y0, _mm512_loadu_pd(o->zero));
  __m512d s1 = _mm512_mul_pd(x, y1), s2 = _mm512_mul_pd(x, y2), s3 = _mm512_mul_pd(x, y3);
  __m512d s4 = _mm512_mul_pd(x, y4), s5 = _mm512_mul_pd(x, y5), s6 = _mm512_mul_pd(x, y6), s7 = _mm512_mul_pd(x, y7);
#pragma GCC unroll 1
  for (int64_t i = 1; i < c; i++) {
    __asm__ volatile("" : "+v"(x));
    COLUMNS(EIGHT_STEP)
  }
  __m512d sum = _mm512_add_pd(_mm512_add_pd(_mm512_add_pd(s0, s1), _mm512_add_pd(s2, s3)),
                              _mm512_add_pd(_mm512_add_pd(s4, s5), _mm512_add_pd(s6, s7)));
  __m256d four = _mm256_add_pd(_mm512_castpd512_pd256(sum), _mm512_extractf64x4_pd(sum, 1));
  __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

DEFINE_WALKS(avx2, AVX2, compute_avx2)
DEFINE_WALKS(avx512, AVX512, compute_avx512)

#endif
/* NOLINTEND(bugprone-macro-parentheses) */

const struct ppi_apex_set ppi_apex_sets[] = {
#if defined(__x86_64__)
  { "avx512", strided_avx512, random_avx512, compute_avx512 },
  { "avx2", strided_avx2, random_avx2, compute_avx2 },
#endif
  { PAIR_SET, strided_pair, random_pair, compute_pair },
};
const int ppi_apex_set_count = (int)(sizeof ppi_apex_sets / sizeof ppi_apex_sets[0]);

static bool runs_here(const char *name) {
  for (int i = 0; i < ppi_peak_loop_count; i++)
    if (strcmp(ppi_peak_loops[i].instruction_set, name) == 0)
      return ppi_peak_loops[i].supported();
  return false;
}

const struct ppi_apex_set *ppi_apex_set_find(const char *name) {
  for (int i = 0; i < ppi_apex_set_count; i++)
    if ((name[0] == '\0' || strcmp(ppi_apex_sets[i].instruction_set, name) == 0) &&
        runs_here(ppi_apex_sets[i].instruction_set))
      return &ppi_apex_sets[i];
  return NULL;
}
