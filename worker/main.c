/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker.h"

/* Descriptors that the host left open across exec are none of the worker's business. */
static void close_others(void) {
#ifdef SYS_close_range
  syscall(SYS_close_range, (unsigned)PPI_WORKER_LIFE + 1, ~0u, 0u);
#endif
}

/* When the client is gone, however it ended and whatever runs here, the pipe closes and the kernel sends SIGIO, whose
 * default is the end. (PR_SET_PDEATHSIG would follow the thread that started the worker, which may end before the host does.) */
static bool tie_to_client(void) {
  struct pollfd poller = { PPI_WORKER_LIFE, POLLIN, 0 };
  int flags = fcntl(PPI_WORKER_LIFE, F_GETFL);
  if (flags < 0 || fcntl(PPI_WORKER_LIFE, F_SETOWN, getpid()) != 0 ||
      fcntl(PPI_WORKER_LIFE, F_SETFL, flags | O_ASYNC) != 0)
    return false;
  return poll(&poller, 1, 0) == 0; /* it may have closed before */
}

int main(int argc, char **argv) {
  static struct worker worker; /* wires and handles start empty */
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    printf("perfpred-worker %s (protocol %d)\n", perfpred_version(), PPI_WORKER_PROTOCOL);
    return 0;
  }
  void *page = mmap(NULL, sizeof *worker.page, PROT_READ | PROT_WRITE, MAP_SHARED, PPI_WORKER_PAGE, 0);
  if (argc != 1 || page == MAP_FAILED || fcntl(PPI_WORKER_REQUESTS, F_GETFD) < 0 ||
      fcntl(PPI_WORKER_REPLIES, F_GETFD) < 0 || !tie_to_client()) {
    fputs("perfpred-worker is started by libperfpred, not by hand; --version prints its version\n", stderr);
    return 2;
  }
  close_others();
  /* Programs that the libraries start have no business with the descriptors either. */
  for (int descriptor = PPI_WORKER_REQUESTS; descriptor <= PPI_WORKER_LIFE; descriptor++)
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  worker.page = page;
  worker_crash_watch(page);
  return worker_serve(&worker);
}
