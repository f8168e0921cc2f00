/* SPDX-License-Identifier: BSD-3-Clause */
#include <perfpred/status.h>

#include <stdlib.h>

struct status_entry {
  enum perfpred_status status;
  const char *name, *text;
};

static const struct status_entry entries[] = {
#define ENTRY(number, name, text) { PERFPRED_##name, #name, text },
  PERFPRED_STATUS_MAP(ENTRY)
#undef ENTRY
};

static const struct status_entry *find(enum perfpred_status status) {
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
    if (entries[i].status == status)
      return &entries[i];
  return NULL;
}

const char *perfpred_status_name(enum perfpred_status status) {
  const struct status_entry *entry = find(status);
  return entry ? entry->name : "UNKNOWN";
}

const char *perfpred_status_text(enum perfpred_status status) {
  const struct status_entry *entry = find(status);
  return entry ? entry->text : "unknown status";
}

const char *perfpred_version(void) {
  return PPI_VERSION;
}

void perfpred_free(void *text) {
  free(text);
}
