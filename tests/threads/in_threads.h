/* SPDX-License-Identifier: BSD-3-Clause */
/* Included once by each program of several threads, after it has defined THREADS. */
#ifndef TESTS_THREADS_IN_THREADS_H
#define TESTS_THREADS_IN_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* Runs one function in all threads at once; each returns NULL when all is well. */
static bool in_threads(void *(*function)(void *), void *data) {
  pthread_t threads[THREADS];
  bool well = true;
  int started = 0;
  while (started < THREADS && pthread_create(&threads[started], NULL, function, data) == 0)
    started++;
  for (int i = 0; i < started; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    well = well && !failed;
  }
  return well && started == THREADS;
}

#endif
