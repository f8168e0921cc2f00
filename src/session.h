/* SPDX-License-Identifier: BSD-3-Clause */
/* What a subcommand works with: context, programs, models, plans, sampler; opened step by step, released at once. */
#ifndef COMMAND_SESSION_H
#define COMMAND_SESSION_H

#include <perfpred/perfpred.h>

#include <stdbool.h>

#include "document.h"
#include "message.h"
#include "options.h"

#define SESSION_PARAMETERS 8
#define SESSION_KERNELS 64 /* as many as perfpred_plan_shares tells apart */

struct session {
  const struct options *options;
  struct perfpred_context *context;
  struct perfpred_models *models;
  struct node *report; /* the model file as JSON; read by session_report */
  struct perfpred_sampler *sampler;
  struct perfpred_program **programs;
  struct perfpred_plan **plans; /* one for each program, NULL before session_bind */
  int *threads;                 /* of the setup for each program; 0: any */
  size_t count, capacity;
  size_t unbound; /* programs dropped for want of models; they stand behind the others */
  bool blend;     /* plans blend by what calls find in the caches */
  struct perfpred_cache_options emulation;
  bool of_models; /* the worker brings its times to the models' reading of the yardstick */
  struct perfpred_error error;
};

/* Every step prints a message and returns an exit code on failure; session_close is called either way. */
int session_open(struct session *session, const struct options *options);
void session_close(struct session *session);
/* Tells session->error. */
int session_fail(const struct session *session);

/* Adds programs by a list "NAME,NAME": algorithms, or operations for all their algorithms. */
int session_find(struct session *session, const char *names);
/* Loads the file behind -m. */
int session_load(struct session *session);
/* Parses the models' text, for what the interface has no structs for (setup, machine). */
int session_report(struct session *session);
/* Makes the plans. With skip, programs that lack a model are dropped and listed; at least one must be left. */
int session_bind(struct session *session, bool skip);
/* What --models says of the models that plans take. */
int session_choose_kind(struct session *session, struct perfpred_plan_options *plan_options);
/* Another plan of a program, with models of calls alone; the caller destroys it. NULL: there is none. */
struct perfpred_plan *session_bind_warm(struct session *session, size_t place);
/* "context", "warm", "mixed" or "cache": what the calls of a prediction were priced by. */
const char *session_kind(const struct perfpred_prediction *prediction);
/* Before the plans are made: every program once for each number of --threads that the models have; the others are named in
   a note, and at least one must be left. */
int session_spread(struct session *session);
/* Number of threads of a program's plan. */
int session_threads(const struct session *session, size_t place);
/* Moves a program behind those that count. */
void session_drop(struct session *session, size_t place);
/* Starts a worker for the setup of the options; what they leave open is taken from the models, where there are any. */
int session_sample(struct session *session);

/* Values of a program's parameters from the command line. Those named in `open` (up to two, NULL: none) are not needed
   there and stay 0; a parameter that the program does not have is an error. */
int session_values(const struct session *session, const struct perfpred_program *program, const char *const open[2],
                   int64_t *values);

/* Words for the bits of perfpred_note. */
#define SESSION_TEXT 256
const char *session_describe_notes(unsigned notes, char *text);      /* all of them, "inside" without any */
void session_write_notes(struct document *document, unsigned notes); /* "status" is the most serious */
unsigned session_read_notes(const struct node *notes);               /* of a list that session_write_notes wrote */
void session_write_parameters(struct document *document, const struct perfpred_program *program, const int64_t *values);
void session_write_unbound(struct document *document, const struct session *session);
void session_note_unbound(const struct session *session);
/* Members that say to which state of the machine times were brought. */
void session_write_yardstick(struct document *document, const struct session *session, double best_s,
                             double reference_s);
/* "name=value name=value" of a program. */
const char *session_describe(const struct perfpred_program *program, const int64_t *values, char *text);

#endif
