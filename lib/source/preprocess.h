/* SPDX-License-Identifier: BSD-3-Clause */
/* What a C compiler's preprocessor makes of a file. */
#ifndef PPI_SOURCE_PREPROCESS_H
#define PPI_SOURCE_PREPROCESS_H

#include "base/error.h"

#define PPI_SOURCE_BYTES_MAX (16 * 1024 * 1024) /* of a preprocessed file */

struct ppi_preprocess {
  const char *compiler;       /* "cc": a path, or found in PATH */
  const char *const *options; /* -D, -I and others, one a word; NULL at the end */
  size_t option_count;
  double timeout_s; /* > 0 */
};

/* Runs `compiler -E options path`, without a shell. *text: release with free. PERFPRED_MISSING: no such file or compiler;
   PERFPRED_IO: the compiler fails, with the first line that it says about it; PERFPRED_TIMEOUT, PERFPRED_LIMIT, PERFPRED_NO_MEMORY. */
enum perfpred_status ppi_preprocess(const char *path, const struct ppi_preprocess *how, char **text, size_t *length,
                                    struct perfpred_error *error);

#endif
