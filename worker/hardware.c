/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker's side of perfpred-hardware.so. */
#include "hardware.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

#define MODULE "perfpred-hardware.so"

/* In the folder of the executable, wherever that is. */
static void *open_module(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof MODULE);
  if (length <= 0 || (size_t)length >= sizeof path - sizeof MODULE)
    return NULL;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  if (!slash)
    return NULL;
  memcpy(slash + 1, MODULE, sizeof MODULE);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void worker_hardware(struct ppi_machine *machine) {
  typedef void topology_fn(struct ppi_machine *);
  typedef int counters_fn(void);
  void *module = open_module();
  void *topology = module ? dlsym(module, "perfpred_hardware_topology") : NULL;
  void *counters = module ? dlsym(module, "perfpred_hardware_counters") : NULL;
  machine->counters_available = -1;
  if (topology)
    (*(topology_fn **)&topology)(machine);
  if (counters)
    machine->counters_available = (*(counters_fn **)&counters)();
}
