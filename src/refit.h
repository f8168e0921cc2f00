/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred model refit: models fitted anew from the samples of their file. */
#ifndef COMMAND_REFIT_H
#define COMMAND_REFIT_H

#include "session.h"

/* Refits session->models, which are of the file `path`, and adds what comes out to the file of -o. */
int refit_run(struct session *session, const char *path);

#endif
