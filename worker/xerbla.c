/* SPDX-License-Identifier: BSD-3-Clause */
/* XERBLA of the reference libraries prints and stops. This one, exported by the executable and so in front of theirs, keeps
 * the first complaint and returns, which every implementation of BLAS and LAPACK is written to expect. */
#include <stdio.h>
#include <string.h>

#include "worker.h"

/* Fortran calls it without any data of ours: the state has to be static. */
static char complaint[300];
static const struct ppi_worker_page *watched;

__attribute__((visibility("default"))) void xerbla_(const char *routine, const int *place, size_t length);

void xerbla_(const char *routine, const int *place, size_t length) {
  char name[16];
  size_t used = 0;
  if (complaint[0])
    return;
  /* Names are padded with blanks, and C callers leave the length out. */
  while (used < sizeof name - 1 && used < length && routine[used] > ' ')
    used++;
  memcpy(name, routine, used);
  name[used] = '\0';
  snprintf(complaint, sizeof complaint, "%.200s: %s refuses its argument %d (XERBLA)",
           watched && watched->call[0] ? watched->call : "library", name, *place);
}

void worker_xerbla_watch(const struct ppi_worker_page *page) {
  watched = page;
}

const char *worker_xerbla(void) {
  return complaint;
}

void worker_xerbla_clear(void) {
  complaint[0] = '\0';
}
