/* SPDX-License-Identifier: BSD-3-Clause */
/* Cores and caches, by hwloc. Its own variables (HWLOC_SYNTHETIC, HWLOC_XMLFILE) describe other machines, for tests. */
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#include "hardware.h"

static void add_cache(struct ppi_machine *machine, hwloc_obj_t object, const char *source) {
  if (machine->cache_count == PPI_CACHE_MAX)
    return;
  struct ppi_cache *cache = &machine->caches[machine->cache_count++];
  memset(cache, 0, sizeof *cache);
  cache->level = (int)object->attr->cache.depth;
  cache->bytes = (int64_t)object->attr->cache.size;
  cache->line_bytes = (int64_t)object->attr->cache.linesize;
  cache->shared_by = object->cpuset ? hwloc_bitmap_weight(object->cpuset) : 0;
  snprintf(cache->source, sizeof cache->source, "%s", source);
}

/* Data caches on the way from the first processing unit up to memory, nearest first. */
static void add_caches(struct ppi_machine *machine, hwloc_topology_t topology) {
  const char *source = hwloc_topology_is_thissystem(topology) ? "hwloc" : "synthetic";
  hwloc_obj_t object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
  int before = machine->cache_count;
  machine->cache_count = 0;
  for (; object; object = object->parent)
    if (hwloc_obj_type_is_dcache(object->type))
      add_cache(machine, object, source);
  if (machine->cache_count == 0)
    machine->cache_count = before; /* some virtual machines hide them from hwloc; what was known stays */
}

void perfpred_hardware_topology(struct ppi_machine *machine) {
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0)
    return;
  if (hwloc_topology_load(topology) == 0) {
    int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    int units = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    if (units > 0)
      machine->processing_units = units;
    if (cores > 0)
      machine->cores = cores;
    add_caches(machine, topology);
  }
  hwloc_topology_destroy(topology);
}
