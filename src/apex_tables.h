/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of Apex-MAP for people, and as pictures. All return exit codes. */
#ifndef COMMAND_APEX_TABLES_H
#define COMMAND_APEX_TABLES_H

#include "document.h"

int apex_print_points(const struct node *report);
int apex_print_weights(const struct node *report);
int apex_print_prediction(const struct node *report);
/* plot_apex.c: the plane with the points of a report, the rectangles of another and their representatives; either may be NULL. */
int apex_plot(const struct node *points, const struct node *weights, const char *path);

#endif
