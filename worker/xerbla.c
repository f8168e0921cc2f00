/* SPDX-License-Identifier: BSD-3-Clause */
/* XERBLA of the reference libraries prints and stops. This one, exported by the executable and so in front of theirs, keeps
 * the first complaint and returns, which every implementation of BLAS and LAPACK is written to expect. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "worker.h"

/* Fortran calls it without any data of ours: the state has to be static. Lanes of a region may complain at once; the first one counts. */
static atomic_bool taken;
static char complaint[100], during[200];
static uint64_t marked;
static const struct ppi_worker_page *watched;

__attribute__((visibility("default"))) void xerbla_(const char *routine, const int *place, size_t length);

void xerbla_(const char *routine, const int *place, size_t length) {
  char name[16];
  size_t used = 0;
  if (atomic_exchange(&taken, true))
    return;
  /* Names are padded with blanks, and C callers leave the length out. */
  while (used < sizeof name - 1 && used < length && routine[used] > ' ')
    used++;
  memcpy(name, routine, used);
  name[used] = '\0';
  snprintf(during, sizeof during, "%.199s", watched && watched->call[0] ? watched->call : "library");
  marked = watched ? ppi_mark_own(watched->marks) : 0;
  snprintf(complaint, sizeof complaint, "%s refuses its argument %d (XERBLA)", name, *place);
}

void worker_xerbla_watch(const struct ppi_worker_page *page) {
  watched = page;
}

const char *worker_xerbla(void) {
  return complaint;
}

const char *worker_xerbla_during(void) {
  return during;
}

uint64_t worker_xerbla_call(void) {
  return marked;
}

void worker_xerbla_clear(void) {
  complaint[0] = '\0';
  atomic_store(&taken, false);
}
