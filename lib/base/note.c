/* SPDX-License-Identifier: BSD-3-Clause */
#include <perfpred/models.h>

/* From the most serious down. */
static const struct {
  unsigned bit;
  const char *word;
} words[] = {
  { PERFPRED_NOTE_FORCED, "forced" },
  { PERFPRED_NOTE_OTHER_MACHINE, "other machine" },
  { PERFPRED_NOTE_OTHER_BLAS, "other BLAS" },
  { PERFPRED_NOTE_UNMODELLED, "unmodelled" },
  { PERFPRED_NOTE_EXTRAPOLATED, "extrapolated" },
  { PERFPRED_NOTE_CLAMPED, "clamped" },
  { PERFPRED_NOTE_OTHER_LD, "other leading dimension" },
  { PERFPRED_NOTE_UNCERTAIN, "uncertain" },
  { PERFPRED_NOTE_ZERO_WORK, "zero work" },
};

const char *perfpred_note_take(unsigned *notes) {
  for (size_t i = 0; notes && i < sizeof words / sizeof words[0]; i++) {
    if ((*notes & words[i].bit) != 0) {
      *notes &= ~words[i].bit;
      return words[i].word;
    }
  }
  if (notes)
    *notes = 0;
  return NULL;
}
