/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware counters, by PAPI. Virtual machines commonly have none. */
#include "hardware.h"

#ifdef PPI_WITH_PAPI
#include <papi.h>

int perfpred_hardware_counters(void) {
  int event = 0 | PAPI_PRESET_MASK, count = 0;
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
    return -1;
  if (PAPI_enum_event(&event, PAPI_ENUM_FIRST) == PAPI_OK)
    do
      count += PAPI_query_event(event) == PAPI_OK;
    while (PAPI_enum_event(&event, PAPI_ENUM_ALL) == PAPI_OK);
  PAPI_shutdown();
  return count;
}

#else

int perfpred_hardware_counters(void) {
  return -1;
}

#endif
