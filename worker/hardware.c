/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker's side of perfpred-hardware.so. */
#include "hardware.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counters.h"
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

/* Stays loaded, so loading it again costs nothing. */
static void *find_symbol(const char *name) {
  void *module = open_module();
  return module ? dlsym(module, name) : NULL;
}

const struct ppi_papi *worker_papi(void) {
  return find_symbol("perfpred_hardware_papi");
}

void worker_hardware(struct ppi_machine *machine) {
  typedef void topology_fn(struct ppi_machine *);
  void *topology = find_symbol("perfpred_hardware_topology");
  if (topology)
    (*(topology_fn **)&topology)(machine);
  worker_counters_describe(worker_papi(), machine);
}
