/* SPDX-License-Identifier: BSD-3-Clause */
/* A PAPI that does as it is told: a few events, counters that run out, refusals. */
#ifndef TESTS_WORKER_PAPI_SCRIPT_H
#define TESTS_WORKER_PAPI_SCRIPT_H

#include "../../worker/counters.h"

struct papi_script {
  /* what the test says */
  int start_up, hardware;
  const char *disabled;
  int limit;        /* hardware events in a set; one more is refused with the result */
  int beyond;       /* PAPI's number of that refusal */
  bool no_presets;  /* PAPI's own events are there by name only */
  bool late;        /* refuse at the start, not when the event is added */
  int start, stop;  /* results of every start and stop */
  int add;          /* result of every add */
  int attach;       /* result of every attaching */
  int refuse_after; /* so many attachings every other one is refused; 0: none is */
  int flood;        /* so many software-defined events with long names, instead of the two */
  /* what it sees */
  int up, sets, running, starts, shut_downs, attaches;
  unsigned long attached; /* the last process */
};

/* hardware events PAPI_TOT_CYC, PAPI_TOT_INS, PAPI_L1_DCM, PAPI_BR_MSP, cpu::STALLS read 1, 2, 3, 4, 5 times the number of the
   start; PAPI_VEC_DP is known, not there; cpu::WIDE needs more than a set holds. sde:::LIB::calls, sde:::LIB::rows read 70, 80.
   Sets that are read while they run read the same times the number of the set's reading. */
extern struct papi_script script;
extern const struct ppi_papi scripted_papi;

void script_reset(void); /* 6 counters, 2 in a set, all is well */

#endif
