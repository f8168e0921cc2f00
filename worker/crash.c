/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals of a fault go to the thread that is at fault: that is how the call is found among those that run side by side. */
#include <signal.h>

#include "worker.h"

/* A handler has no data of ours. */
static struct ppi_worker_page *watched;

static void note(int number) {
  atomic_store(&watched->crashed, ppi_mark_own(watched->marks));
  raise(number); /* reset to its default by now */
}

void worker_crash_watch(struct ppi_worker_page *page) {
  static const int deadly[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
  struct sigaction before, after = { .sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_NODEFER };
  sigemptyset(&after.sa_mask);
  watched = page;
  /* A checker that has one of its own tells more. */
  for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
    if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(deadly[i], &after, NULL);
}
