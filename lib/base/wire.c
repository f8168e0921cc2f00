/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages: their fields. How they travel is in pipe.c. */
#include "base/wire.h"

#include <stdlib.h>
#include <string.h>

/* Fields take multiples of this, so that what ppi_wire_get_bytes points at is as aligned as the buffer is. */
#define UNIT 8

void ppi_wire_start(struct ppi_wire *wire, uint32_t type) {
  wire->type = type;
  wire->length = 0;
  wire->at = 0;
  wire->bad = false;
}

/* Adds `length` bytes of zeros at the end and returns them, or NULL. */
static unsigned char *extend(struct ppi_wire *wire, size_t length) {
  if (wire->bad || length > PPI_WIRE_LIMIT - wire->length) {
    wire->bad = true;
    return NULL;
  }
  if (length > wire->capacity - wire->length) {
    size_t capacity = wire->capacity ? wire->capacity : 256;
    while (capacity - wire->length < length)
      capacity *= 2;
    unsigned char *data = realloc(wire->data, capacity);
    if (!data) {
      wire->bad = true;
      return NULL;
    }
    wire->data = data;
    wire->capacity = capacity;
  }
  unsigned char *place = wire->data + wire->length;
  memset(place, 0, length);
  wire->length += length;
  return place;
}

static void put_u64(struct ppi_wire *wire, uint64_t value) {
  unsigned char *place = extend(wire, UNIT);
  for (int i = 0; place && i < UNIT; i++)
    place[i] = (unsigned char)(value >> (8 * i));
}

void ppi_wire_put_i64(struct ppi_wire *wire, int64_t value) {
  put_u64(wire, (uint64_t)value);
}

void ppi_wire_put_f64(struct ppi_wire *wire, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_u64(wire, bits);
}

/* A length, then the bytes and at least `zeros` zeros. */
static void put_counted(struct ppi_wire *wire, const void *data, size_t length, size_t zeros) {
  if (length > PPI_WIRE_LIMIT) {
    wire->bad = true;
    return;
  }
  put_u64(wire, length);
  unsigned char *place = extend(wire, (length + zeros + UNIT - 1) / UNIT * UNIT);
  if (place && length > 0)
    memcpy(place, data, length);
}

void ppi_wire_put_string(struct ppi_wire *wire, const char *string) {
  put_counted(wire, string, string ? strlen(string) : 0, 1);
}

void ppi_wire_put_bytes(struct ppi_wire *wire, const void *data, size_t length) {
  put_counted(wire, data, length, 0);
}

/* Steps over `length` bytes and returns them, or NULL behind the end. */
static const unsigned char *take(struct ppi_wire *wire, size_t length) {
  if (wire->bad || length > wire->length - wire->at) {
    wire->bad = true;
    return NULL;
  }
  const unsigned char *place = wire->data + wire->at;
  wire->at += length;
  return place;
}

static uint64_t get_u64(struct ppi_wire *wire) {
  const unsigned char *place = take(wire, UNIT);
  uint64_t value = 0;
  for (int i = 0; place && i < UNIT; i++)
    value |= (uint64_t)place[i] << (8 * i);
  return value;
}

int64_t ppi_wire_get_i64(struct ppi_wire *wire) {
  return (int64_t)get_u64(wire);
}

double ppi_wire_get_f64(struct ppi_wire *wire) {
  const uint64_t bits = get_u64(wire);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static const unsigned char *get_counted(struct ppi_wire *wire, size_t zeros, size_t *length) {
  const uint64_t count = get_u64(wire);
  if (count > PPI_WIRE_LIMIT)
    wire->bad = true;
  if (wire->bad)
    return NULL;
  *length = (size_t)count;
  return take(wire, ((size_t)count + zeros + UNIT - 1) / UNIT * UNIT);
}

const char *ppi_wire_get_string(struct ppi_wire *wire) {
  size_t length = 0;
  const unsigned char *text = get_counted(wire, 1, &length);
  if (text && memchr(text, '\0', length + 1) != text + length) {
    wire->bad = true; /* not terminated where its length says */
    text = NULL;
  }
  return text ? (const char *)text : "";
}

const void *ppi_wire_get_bytes(struct ppi_wire *wire, size_t *length) {
  size_t count = 0;
  const unsigned char *data = get_counted(wire, 0, &count);
  *length = data ? count : 0;
  return data;
}

void ppi_wire_free(struct ppi_wire *wire) {
  free(wire->data);
  *wire = (struct ppi_wire)PPI_WIRE_INIT;
}
