/* SPDX-License-Identifier: BSD-3-Clause */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/wire.h"

static struct perfpred_error error;

Test(wire, fields) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  ppi_wire_start(&wire, 7);
  ppi_wire_put_i64(&wire, INT64_MIN);
  ppi_wire_put_f64(&wire, -0.1);
  ppi_wire_put_string(&wire, "dgemm");
  ppi_wire_put_string(&wire, NULL);
  ppi_wire_put_bytes(&wire, "\0\1\2", 3);
  ppi_wire_put_bytes(&wire, NULL, 0);
  ppi_wire_put_f64(&wire, NAN);
  cr_assert_not(wire.bad);
  cr_assert_eq(ppi_wire_get_i64(&wire), INT64_MIN);
  cr_assert_eq(ppi_wire_get_f64(&wire), -0.1);
  cr_assert_str_eq(ppi_wire_get_string(&wire), "dgemm");
  cr_assert_str_eq(ppi_wire_get_string(&wire), "");
  size_t length = 0;
  const void *bytes = ppi_wire_get_bytes(&wire, &length);
  cr_assert_eq(length, 3);
  cr_assert_eq(memcmp(bytes, "\0\1\2", 3), 0);
  ppi_wire_get_bytes(&wire, &length);
  cr_assert_eq(length, 0);
  cr_assert(isnan(ppi_wire_get_f64(&wire)));
  cr_assert_not(wire.bad);
  cr_assert_eq(ppi_wire_get_i64(&wire), 0);
  cr_assert(wire.bad, "read past the end");
  ppi_wire_free(&wire);
  cr_assert_null(wire.data);
}

Test(wire, layout_is_little_endian) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  ppi_wire_start(&wire, 1);
  ppi_wire_put_i64(&wire, 0x0102030405060708);
  ppi_wire_put_string(&wire, "ab");
  cr_assert_eq(wire.length, 24);
  cr_assert_eq(memcmp(wire.data, "\10\7\6\5\4\3\2\1\2\0\0\0\0\0\0\0ab\0\0\0\0\0\0", 24), 0);
  ppi_wire_free(&wire);
}

/* A string field whose length or end is a lie. */
static void check_string(const unsigned char *data, size_t length) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  wire.data = (unsigned char *)data;
  wire.length = length;
  cr_assert_str_eq(ppi_wire_get_string(&wire), "");
  cr_assert(wire.bad);
  cr_assert_eq(ppi_wire_get_i64(&wire), 0, "bad sticks");
}

Test(wire, hostile_strings) {
  check_string((const unsigned char *)"\377\377\377\377\377\377\377\377abcdefg", 16);
  check_string((const unsigned char *)"\10\0\0\0\0\0\0\0abcdefgh", 16);    /* no room for a NUL */
  check_string((const unsigned char *)"\3\0\0\0\0\0\0\0a\0c\0\0\0\0", 16); /* ends early */
  check_string((const unsigned char *)"\2\0\0\0\0\0\0\0abc\0\0\0\0", 16);  /* ends late */
  check_string((const unsigned char *)"\2\0\0", 3);
  check_string((const unsigned char *)"", 0);
}

Test(wire, limit_of_the_payload) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  ppi_wire_start(&wire, 1);
  ppi_wire_put_bytes(&wire, "", (size_t)PPI_WIRE_LIMIT + 1);
  cr_assert(wire.bad);
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  cr_assert_eq(ppi_wire_send(ends[1], &wire, 1.0, &error), PERFPRED_NO_MEMORY);
  ppi_wire_start(&wire, 1);
  cr_assert_not(wire.bad);
  ppi_wire_free(&wire);
}

Test(wire, round_trip_over_a_pipe) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  struct ppi_wire out = PPI_WIRE_INIT, in = PPI_WIRE_INIT;
  for (uint32_t i = 0; i < 3; i++) {
    ppi_wire_start(&out, 0xFFFFFFFEu - i);
    for (uint32_t k = 0; k < i; k++)
      ppi_wire_put_i64(&out, (int64_t)k - 1);
    cr_assert_eq(ppi_wire_send(ends[1], &out, 1.0, &error), PERFPRED_OK);
    cr_assert_eq(ppi_wire_receive(ends[0], &in, 1.0, &error), PERFPRED_OK);
    cr_assert_eq(in.type, 0xFFFFFFFEu - i);
    cr_assert_eq(in.length, 8 * i);
  }
  cr_assert_eq(ppi_wire_get_i64(&in), -1);
  cr_assert_eq(ppi_wire_get_i64(&in), 0);
  ppi_wire_free(&in);
  ppi_wire_free(&out);
}

static void *send_large(void *data) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  ppi_wire_start(&wire, 5);
  for (int64_t i = 0; i < 100000; i++)
    ppi_wire_put_i64(&wire, i);
  const enum perfpred_status status = ppi_wire_send(*(int *)data, &wire, 20.0, NULL);
  ppi_wire_free(&wire);
  return status ? data : NULL;
}

Test(wire, message_larger_than_the_pipe) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  pthread_t thread;
  void *failed = NULL;
  cr_assert_eq(pthread_create(&thread, NULL, send_large, &ends[1]), 0);
  struct ppi_wire in = PPI_WIRE_INIT;
  cr_assert_eq(ppi_wire_receive(ends[0], &in, 20.0, &error), PERFPRED_OK, "%s", error.text);
  pthread_join(thread, &failed);
  cr_assert_null(failed);
  cr_assert_eq(in.length, 800000);
  for (int64_t i = 0; i < 100000; i++)
    cr_assert_eq(ppi_wire_get_i64(&in), i);
  ppi_wire_free(&in);
}

static void receive_raw(const void *data, size_t length, enum perfpred_status expected, const char *text) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  cr_assert_eq(write(ends[1], data, length), (ssize_t)length);
  close(ends[1]);
  struct ppi_wire in = PPI_WIRE_INIT;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_wire_receive(ends[0], &in, 5.0, &error), expected);
  cr_assert_not_null(strstr(error.text, text), "%s", error.text);
  cr_assert(in.bad);
  cr_assert_eq(in.length, 0);
  ppi_wire_free(&in);
  close(ends[0]);
}

Test(wire, truncated_and_huge_messages) {
  receive_raw("", 0, PERFPRED_WORKER, "closed");
  receive_raw("\1\0\0\0\10", 5, PERFPRED_WORKER, "closed");
  receive_raw("\1\0\0\0\10\0\0\0\0\0\0\0abc", 15, PERFPRED_WORKER, "closed");
  receive_raw("\1\0\0\0\1\0\0\4\0\0\0\0", 12, PERFPRED_WORKER, "67108864 bytes"); /* one above the limit */
  receive_raw("\1\0\0\0\377\377\377\377\377\377\377\377", 12, PERFPRED_WORKER, "more than");
}

Test(wire, time_limits) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  struct ppi_wire in = PPI_WIRE_INIT, out = PPI_WIRE_INIT;
  ppi_error_clear(&error);
  cr_assert_eq(ppi_wire_receive(ends[0], &in, 0.0, &error), PERFPRED_TIMEOUT);
  cr_assert_eq(ppi_wire_receive(ends[0], &in, 0.01, &error), PERFPRED_TIMEOUT);
  cr_assert_eq(write(ends[1], "\1\0\0\0\10\0\0\0\0\0\0\0abc", 15), 15);
  cr_assert_eq(ppi_wire_receive(ends[0], &in, 0.01, &error), PERFPRED_TIMEOUT, "half a message");
  ppi_wire_start(&out, 1);
  for (int i = 0; i < 100000; i++)
    ppi_wire_put_i64(&out, i);
  cr_assert_eq(ppi_wire_send(ends[1], &out, 0.01, &error), PERFPRED_TIMEOUT, "nobody reads");
  ppi_wire_free(&out);
  ppi_wire_free(&in);
}

Test(wire, descriptors_that_are_not_open) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  ppi_wire_start(&wire, 1);
  ppi_error_clear(&error);
  cr_assert_eq(ppi_wire_send(987, &wire, 1.0, &error), PERFPRED_WORKER);
  cr_assert_eq(ppi_wire_receive(987, &wire, 1.0, &error), PERFPRED_WORKER);
  ppi_wire_free(&wire);
}

static void send_to_nobody(void) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  close(ends[0]);
  struct ppi_wire wire = PPI_WIRE_INIT;
  ppi_wire_start(&wire, 1);
  ppi_wire_put_i64(&wire, 1);
  ppi_error_clear(&error);
  cr_assert_eq(ppi_wire_send(ends[1], &wire, 1.0, &error), PERFPRED_WORKER);
  cr_assert_not_null(strstr(error.text, "closed"));
  ppi_wire_free(&wire);
  close(ends[1]);
}

static bool pending(void) {
  sigset_t waiting;
  sigpending(&waiting);
  return sigismember(&waiting, SIGPIPE) == 1;
}

Test(wire, closed_pipe_raises_no_signal) {
  struct sigaction action;
  sigset_t mask;
  signal(SIGPIPE, SIG_DFL); /* would end this process */
  send_to_nobody();
  sigaction(SIGPIPE, NULL, &action);
  cr_assert_eq(action.sa_handler, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  cr_assert_eq(sigismember(&mask, SIGPIPE), 0);
  cr_assert_not(pending());
}

Test(wire, a_signal_of_the_hosts_stays_pending) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  send_to_nobody();
  cr_assert_not(pending(), "none of the host's");
  raise(SIGPIPE);
  send_to_nobody();
  cr_assert(pending(), "the host's own");
}
