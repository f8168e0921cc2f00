/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "units.h"

#define WIDTH_MAX 160
#define REDRAW_S 0.1

static const int signals[PROGRESS_SIGNALS] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };

static volatile sig_atomic_t interrupted; /* a signal handler has no other way to tell */

static void interrupt(int number) {
  (void)number;
  interrupted = 1;
}

static int terminal_width(void) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 40)
    return 79;
  return size.ws_col <= WIDTH_MAX ? size.ws_col - 1 : WIDTH_MAX;
}

void progress_begin(struct progress *progress, const char *what) {
  struct sigaction action;
  progress->what = what;
  progress->terminal = isatty(STDERR_FILENO) == 1;
  progress->width = progress->terminal ? terminal_width() : 0;
  progress->drawn_s = -1.0;
  interrupted = 0;
  memset(&action, 0, sizeof action);
  action.sa_handler = interrupt;
  action.sa_flags = (int)SA_RESETHAND;
  for (int i = 0; i < PROGRESS_SIGNALS; i++) {
    sigaction(signals[i], NULL, &progress->before[i]);
    if (progress->before[i].sa_handler != SIG_IGN)
      sigaction(signals[i], &action, NULL);
  }
}

static void format_seconds(char *text, size_t size, double seconds) {
  if (!isfinite(seconds))
    snprintf(text, size, "?");
  else if (seconds < 100.0)
    snprintf(text, size, "%.0f s", seconds);
  else
    snprintf(text, size, "%.0f min %02.0f s", floor(seconds / 60.0), fmod(floor(seconds), 60.0));
}

static void draw(const struct progress *progress, const struct perfpred_progress *state) {
  char head[64], tail[96], remaining[32], line[WIDTH_MAX + 1];
  double fraction = state->fraction >= 0.0 && state->fraction <= 1.0 ? state->fraction : 0.0;
  format_seconds(remaining, sizeof remaining, state->remaining_s);
  snprintf(head, sizeof head, "%s %3.0f %% ", progress->what, 100.0 * fraction);
  snprintf(tail, sizeof tail, " %.16s, %llu sample%s, %s left", state->stage != NULL ? state->stage : "",
           (unsigned long long)state->samples, unit_plural(state->samples), remaining);
  int bar = progress->width - (int)strlen(head) - (int)strlen(tail) - 2;
  bar = bar < 0 ? 0 : bar > 40 ? 40 : bar;
  int done = (int)(fraction * bar);
  memset(line, '#', (size_t)done);
  memset(line + done, '.', (size_t)(bar - done));
  line[bar] = '\0';
  char whole[WIDTH_MAX + 200];
  snprintf(whole, sizeof whole, "%s[%s]%s", head, line, tail);
  fprintf(stderr, "\r%-*.*s", progress->width, progress->width, whole);
  fflush(stderr);
}

int progress_step(void *data, const struct perfpred_progress *state) {
  struct progress *progress = data;
  if (interrupted)
    return 1;
  if (progress->terminal && (progress->drawn_s < 0.0 || state->elapsed_s - progress->drawn_s >= REDRAW_S)) {
    draw(progress, state);
    progress->drawn_s = state->elapsed_s;
  }
  return 0;
}

bool progress_end(struct progress *progress) {
  for (int i = 0; i < PROGRESS_SIGNALS; i++)
    sigaction(signals[i], &progress->before[i], NULL);
  if (progress->terminal && progress->drawn_s >= 0.0) {
    fprintf(stderr, "\r%*s\r", progress->width, "");
    fflush(stderr);
  }
  return interrupted != 0;
}
