/* SPDX-License-Identifier: BSD-3-Clause */
/* Multiply-add loops for each instruction set. Twelve independent accumulators hide a latency of up to six cycles on two
   units; every one converges to 1, far from overflow and from subnormal numbers. */
#include "machine/peak.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define ACCUMULATORS 12
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define DECLARE(k) acc##k = factor,
/* Behind it compilers do not know that all accumulators are the same, of which one would do. */
#define HIDE(k) UNKNOWN(acc##k);
#define SUM(k) sum += lanes_sum(&acc##k, sizeof acc##k, sizeof(scalar));

#if defined(__x86_64__)
#define UNKNOWN(v) __asm__ volatile("" : "+x"(v))
#elif defined(__aarch64__)
#define UNKNOWN(v) __asm__ volatile("" : "+w"(v))
#else
#define UNKNOWN(v) __asm__ volatile("" : "+m"(v))
#endif

static double lanes_sum(const void *lanes, size_t bytes, size_t width) {
  double sum = 0.0;
  for (size_t i = 0; i < bytes / width; i++) {
    if (width == sizeof(float)) {
      float value;
      memcpy(&value, (const char *)lanes + i * width, sizeof value);
      sum += (double)value;
    } else {
      double value;
      memcpy(&value, (const char *)lanes + i * width, sizeof value);
      sum += value;
    }
  }
  return sum;
}

/* One loop: FACTOR is a vector of halves, STEP one multiply-add of accumulator k. */
#define LOOP(name, attributes, scalar_type, vector, half, STEP)                                                        \
  attributes static double name(long steps) {                                                                          \
    typedef scalar_type scalar;                                                                                        \
    vector factor = (half), EACH(DECLARE) unused = factor;                                                             \
    (void)unused;                                                                                                      \
    EACH(HIDE)                                                                                                         \
    for (long i = 0; i < steps; i++) {                                                                                 \
      EACH(STEP)                                                                                                       \
    }                                                                                                                  \
    double sum = 0.0;                                                                                                  \
    EACH(SUM)                                                                                                          \
    return sum;                                                                                                        \
  }

static bool always(void) {
  return true;
}

#define STEP_C(k) acc##k = acc##k * factor + factor;
LOOP(generic_s, , float, float, 0.5F, STEP_C)
LOOP(generic_d, , double, double, 0.5, STEP_C)

#if defined(__x86_64__)

#define AVX512 __attribute__((target("avx512f")))
#define AVX2 __attribute__((target("avx2,fma")))

#define STEP_512S(k) acc##k = _mm512_fmadd_ps(acc##k, factor, factor);
#define STEP_512D(k) acc##k = _mm512_fmadd_pd(acc##k, factor, factor);
#define STEP_256S(k) acc##k = _mm256_fmadd_ps(acc##k, factor, factor);
#define STEP_256D(k) acc##k = _mm256_fmadd_pd(acc##k, factor, factor);
#define STEP_128S(k) acc##k = _mm_add_ps(_mm_mul_ps(acc##k, factor), factor);
#define STEP_128D(k) acc##k = _mm_add_pd(_mm_mul_pd(acc##k, factor), factor);

LOOP(avx512_s, AVX512, float, __m512, _mm512_set1_ps(0.5F), STEP_512S)
LOOP(avx512_d, AVX512, double, __m512d, _mm512_set1_pd(0.5), STEP_512D)
LOOP(avx2_s, AVX2, float, __m256, _mm256_set1_ps(0.5F), STEP_256S)
LOOP(avx2_d, AVX2, double, __m256d, _mm256_set1_pd(0.5), STEP_256D)
LOOP(sse2_s, , float, __m128, _mm_set1_ps(0.5F), STEP_128S)
LOOP(sse2_d, , double, __m128d, _mm_set1_pd(0.5), STEP_128D)

static bool avx512_here(void) {
  return __builtin_cpu_supports("avx512f");
}

static bool avx2_here(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#elif defined(__aarch64__)

#define STEP_NEON_S(k) acc##k = vfmaq_f32(factor, acc##k, factor);
#define STEP_NEON_D(k) acc##k = vfmaq_f64(factor, acc##k, factor);
LOOP(neon_s, , float, float32x4_t, vdupq_n_f32(0.5F), STEP_NEON_S)
LOOP(neon_d, , double, float64x2_t, vdupq_n_f64(0.5), STEP_NEON_D)

#endif

#define FLOPS(lanes) (2 * ACCUMULATORS * (lanes))

const struct ppi_peak_loop ppi_peak_loops[] = {
#if defined(__x86_64__)
  { "avx512", avx512_here, { avx512_s, avx512_d }, { FLOPS(16), FLOPS(8) } },
  { "avx2", avx2_here, { avx2_s, avx2_d }, { FLOPS(8), FLOPS(4) } },
  { "sse2", always, { sse2_s, sse2_d }, { FLOPS(4), FLOPS(2) } },
#elif defined(__aarch64__)
  { "neon", always, { neon_s, neon_d }, { FLOPS(4), FLOPS(2) } },
#endif
  { "generic", always, { generic_s, generic_d }, { FLOPS(1), FLOPS(1) } },
};
const int ppi_peak_loop_count = (int)(sizeof ppi_peak_loops / sizeof ppi_peak_loops[0]);

const struct ppi_peak_loop *ppi_peak_widest(void) {
  const struct ppi_peak_loop *loop = ppi_peak_loops;
  while (!loop->supported())
    loop++;
  return loop;
}
