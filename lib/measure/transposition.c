/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/transposition.h"

/* *last: farther by one dimension; false: nobody knows where that is. */
static bool reach(int64_t extent, int64_t stride, int64_t *last) {
  int64_t steps = 0;
  return extent >= 0 && stride >= 0 && !__builtin_mul_overflow(extent > 0 ? extent - 1 : 0, stride, &steps) &&
         !__builtin_add_overflow(*last, steps, last);
}

bool ppi_transposition_fits(const struct ppi_transposed *dimensions, int rank, int64_t tensor, int64_t packed) {
  int64_t last[2] = { 0, 0 }, all = 1;
  for (int d = 0; d < rank; d++) {
    const struct ppi_transposed *it = &dimensions[d];
    if (!reach(it->extent, it->tensor, &last[0]) || !reach(it->extent, it->packed, &last[1]) ||
        __builtin_mul_overflow(all, it->extent, &all))
      return false;
  }
  return all == 0 || (last[0] < tensor && last[1] < packed && all <= packed);
}

/* --- Going through it ------------------------------------------------------------------------------------------------ */

/* Elements of whatever type, as so many bytes. */
typedef uint32_t __attribute__((may_alias)) element4;
typedef uint64_t __attribute__((may_alias)) element8;
typedef struct __attribute__((may_alias)) {
  uint64_t parts[2];
} element16;

/* Steps of one memory. */
struct steps {
  int64_t plane[2];
};

/* NOLINTBEGIN(bugprone-macro-parentheses): types cannot stand in parentheses */
#define DEFINE_MOVE(name, type)                                                                                        \
  static void name##_lines(type *restrict to, const type *restrict from, int64_t length) {                             \
    for (int64_t i = 0; i < length; i++)                                                                               \
      to[i] = from[i];                                                                                                 \
  }                                                                                                                    \
  static void name##_tile(type *restrict to, const type *restrict from, const int64_t n[2], const struct steps *t,     \
                          const struct steps *f) {                                                                     \
    for (int64_t j = 0; j < n[1]; j++)                                                                                 \
      for (int64_t i = 0; i < n[0]; i++)                                                                               \
        to[i * t->plane[0] + j * t->plane[1]] = from[i * f->plane[0] + j * f->plane[1]];                               \
  }                                                                                                                    \
  static void name(void *to, const void *from, const int64_t n[2], const struct steps *t, const struct steps *f) {     \
    if (t->plane[0] == 1 && f->plane[0] == 1) {                                                                        \
      for (int64_t j = 0; j < n[1]; j++)                                                                               \
        name##_lines((type *)to + j * t->plane[1], (const type *)from + j * f->plane[1], n[0]);                        \
      return;                                                                                                          \
    }                                                                                                                  \
    for (int64_t j = 0; j < n[1]; j += PPI_TRANSPOSED_TILE)                                                            \
      for (int64_t i = 0; i < n[0]; i += PPI_TRANSPOSED_TILE) {                                                        \
        const int64_t part[2] = { n[0] - i < PPI_TRANSPOSED_TILE ? n[0] - i : PPI_TRANSPOSED_TILE,                     \
                                  n[1] - j < PPI_TRANSPOSED_TILE ? n[1] - j : PPI_TRANSPOSED_TILE };                   \
        name##_tile((type *)to + i * t->plane[0] + j * t->plane[1],                                                    \
                    (const type *)from + i * f->plane[0] + j * f->plane[1], part, t, f);                               \
      }                                                                                                                \
  }
DEFINE_MOVE(move4, element4)
DEFINE_MOVE(move8, element8)
DEFINE_MOVE(move16, element16)
/* NOLINTEND(bugprone-macro-parentheses) */

typedef void move_fn(void *to, const void *from, const int64_t n[2], const struct steps *t, const struct steps *f);

/* The next plane, the first loop counts fastest; false: there is none. */
static bool count_on(const struct ppi_transposition *it, int64_t *at, int64_t *tensor, int64_t *packed) {
  for (int l = 0; l < it->loop_count; l++) {
    const struct ppi_transposed *loop = &it->loops[l];
    *tensor += loop->tensor;
    *packed += loop->packed;
    if (++at[l] < loop->extent)
      return true;
    *tensor -= loop->extent * loop->tensor;
    *packed -= loop->extent * loop->packed;
    at[l] = 0;
  }
  return false;
}

void ppi_transposition_run(const struct ppi_transposition *transposition, size_t element, void *tensor, void *packed,
                           bool out) {
  const struct ppi_transposition *it = transposition;
  move_fn *const move = element == sizeof(element4) ? move4 : element == sizeof(element8) ? move8 : move16;
  const int64_t n[2] = { it->plane[0].extent, it->plane[1].extent }, bytes = (int64_t)element;
  const struct steps in_tensor = { { it->plane[0].tensor, it->plane[1].tensor } };
  const struct steps in_packed = { { it->plane[0].packed, it->plane[1].packed } };
  int64_t at[PPI_TRANSPOSED_RANK_MAX] = { 0 }, place = 0, pack = 0;
  if (it->empty)
    return;
  do {
    char *const lies = (char *)tensor + place * bytes, *const stands = (char *)packed + pack * bytes;
    if (out)
      move(lies, stands, n, &in_tensor, &in_packed);
    else
      move(stands, lies, n, &in_packed, &in_tensor);
  } while (count_on(it, at, &place, &pack));
}
