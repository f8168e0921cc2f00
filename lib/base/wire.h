/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames over pipes: a 4-byte type, an 8-byte length, a payload of fixed-width little-endian fields. Used between the library and
 * the worker. A message is written into a buffer and sent whole; a received one is read field by field, and reading past
 * its end sticks as `bad`. */
#ifndef PPI_BASE_WIRE_H
#define PPI_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define PPI_WIRE_LIMIT (64u << 20) /* longest payload in bytes */

struct ppi_wire {
  uint32_t type;
  unsigned char *data;
  size_t length, capacity, at;
  bool bad; /* allocation failed, or read past the end */
};
#define PPI_WIRE_INIT                                                                                                  \
  { 0, 0, 0, 0, 0, false }

void ppi_wire_start(struct ppi_wire *wire, uint32_t type); /* empties it for writing */
void ppi_wire_put_i64(struct ppi_wire *wire, int64_t value);
void ppi_wire_put_f64(struct ppi_wire *wire, double value);
void ppi_wire_put_string(struct ppi_wire *wire, const char *string); /* NULL travels as "" */
/* Fields take multiples of 8 bytes: what ppi_wire_get_bytes gives is aligned to 8. */
void ppi_wire_put_bytes(struct ppi_wire *wire, const void *data, size_t length);
int64_t ppi_wire_get_i64(struct ppi_wire *wire);
double ppi_wire_get_f64(struct ppi_wire *wire);
const char *ppi_wire_get_string(struct ppi_wire *wire); /* points into the message; "" when bad */
const void *ppi_wire_get_bytes(struct ppi_wire *wire, size_t *length);
void ppi_wire_free(struct ppi_wire *wire);

/* Sends or receives a whole message. timeout_s < 0: wait for ever. A closed pipe is PERFPRED_WORKER, an expired time PERFPRED_TIMEOUT,
   a length above PPI_WIRE_LIMIT PERFPRED_WORKER. Never raises SIGPIPE in the caller.
   A message that could not be received whole is empty and bad. */
enum perfpred_status ppi_wire_send(int descriptor, const struct ppi_wire *wire, double timeout_s,
                                   struct perfpred_error *error);
enum perfpred_status ppi_wire_receive(int descriptor, struct ppi_wire *wire, double timeout_s,
                                      struct perfpred_error *error);

#endif
