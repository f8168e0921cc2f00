/* SPDX-License-Identifier: BSD-3-Clause */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"
#include "target.h"

/* Colours that people with any kind of colour vision tell apart (Okabe and Ito's set, the yellow left out: it is too pale
   for lines on white); beyond those, darker and paler ones for areas. */
static const char settings[] = "set encoding utf8\n"
                               "set style line 101 lc rgb '#808080' lw 1\n"
                               "set style line 102 lc rgb '#d8d8d8' lw 0.7\n"
                               "set border 3 ls 101\n"
                               "set tics nomirror textcolor rgb '#303030'\n"
                               "set grid back ls 102\n"
                               "set style fill transparent solid 0.18 noborder\n"
                               "set key outside bottom center horizontal Left reverse samplen 2.2 spacing 1.2 width 1\n"
                               "set linetype 1 lc rgb '#0072B2' lw 2.2 pt 7\n"
                               "set linetype 2 lc rgb '#D55E00' lw 2.2 pt 5\n"
                               "set linetype 3 lc rgb '#009E73' lw 2.2 pt 9\n"
                               "set linetype 4 lc rgb '#CC79A7' lw 2.2 pt 13\n"
                               "set linetype 5 lc rgb '#E69F00' lw 2.2 pt 11\n"
                               "set linetype 6 lc rgb '#56B4E9' lw 2.2 pt 3\n"
                               "set linetype 7 lc rgb '#303030' lw 2.2 pt 1\n"
                               "set linetype 8 lc rgb '#999999' lw 2.2 pt 2\n"
                               "set linetype 9 lc rgb '#882255' lw 2.2 pt 4\n"
                               "set linetype 10 lc rgb '#F0E442' lw 2.2 pt 6\n"
                               "set linetype 11 lc rgb '#332288' lw 2.2 pt 8\n"
                               "set linetype 12 lc rgb '#88CCEE' lw 2.2 pt 10\n"
                               "set linetype cycle 12\n";

void gnuplot_quote(struct gnuplot *gnuplot, const char *text) {
  fputc('\'', gnuplot->script);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '\'')
      fputs("''", gnuplot->script);
    else if ((unsigned char)*c >= 0x20)
      fputc(*c, gnuplot->script);
  }
  fputc('\'', gnuplot->script);
}

void gnuplot_height(struct gnuplot *gnuplot, int height) {
  fprintf(
      gnuplot->script,
      "set terminal svg size 840,%d dynamic noenhanced font 'Helvetica,Arial,sans-serif,15' background rgb 'white'\n",
      height);
}

static void set_text(struct gnuplot *gnuplot, const char *what, const char *text) {
  fprintf(gnuplot->script, "set %s ", what);
  gnuplot_quote(gnuplot, text);
  fputc('\n', gnuplot->script);
}

int gnuplot_begin(struct gnuplot *gnuplot, const char *title, const char *x_label, const char *y_label) {
  memset(gnuplot, 0, sizeof *gnuplot);
  gnuplot->script = open_memstream(&gnuplot->text, &gnuplot->length);
  if (gnuplot->script == NULL)
    return message_fail("out of memory");
  gnuplot_height(gnuplot, 520);
  fputs(settings, gnuplot->script);
  set_text(gnuplot, "title", title);
  set_text(gnuplot, "xlabel", x_label);
  set_text(gnuplot, "ylabel", y_label);
  fputs("set xlabel offset 0,0.5\n", gnuplot->script);
  return COMMAND_OK;
}

void gnuplot_title(struct gnuplot *gnuplot, const char *title) {
  set_text(gnuplot, "title", title);
}

void gnuplot_discard(struct gnuplot *gnuplot) {
  if (gnuplot->script != NULL)
    fclose(gnuplot->script);
  free(gnuplot->text);
  memset(gnuplot, 0, sizeof *gnuplot);
}

/* Starts gnuplot with these descriptors as its standard ones. -d: the user's own settings shall not change the picture. */
static int start(int input, int output, int errors, pid_t *process) {
  static char name[] = "gnuplot", defaults[] = "-d", from_input[] = "-";
  char *const arguments[] = { name, defaults, from_input, NULL };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaulted;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return ENOMEM;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return ENOMEM;
  }
  sigemptyset(&defaulted);
  sigaddset(&defaulted, SIGPIPE); /* ignored here, but not there */
  posix_spawnattr_setsigdefault(&attributes, &defaulted);
  sigset_t unblocked; /* held here, not there: Ctrl-C goes to both */
  sigemptyset(&unblocked);
  posix_spawnattr_setsigmask(&attributes, &unblocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  int failed = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (failed == 0)
    failed = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (failed == 0)
    failed = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  if (failed == 0)
    failed = posix_spawnp(process, name, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

static void feed(int output, const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(output, text, length);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return; /* gnuplot has ended early; its exit status tells */
    text += written;
    length -= (size_t)written;
  }
}

/* The first line of what gnuplot complained about that is not a mere echo of the script. */
static void first_line(FILE *errors, char *line, int size) {
  rewind(errors);
  line[0] = '\0';
  while (fgets(line, size, errors) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (line[strspn(line, " ^\t")] != '\0' && strncmp(line, "gnuplot>", 8) != 0)
      return;
  }
  line[0] = '\0';
}

static int wait_for(pid_t process, FILE *errors) {
  char line[200];
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return COMMAND_OK;
  if (WIFSIGNALED(status))
    return message_fail("gnuplot was stopped by signal %d", WTERMSIG(status));
  first_line(errors, line, sizeof line);
  return message_fail("gnuplot failed: %s", line[0] != '\0' ? line : "it did not say why");
}

/* Runs the script with standard output going to `output`. */
static int run_script(const struct gnuplot *gnuplot, int output) {
  int ends[2];
  pid_t process;
  FILE *errors = tmpfile();
  if (errors == NULL)
    return message_fail("gnuplot: no temporary file: %s", strerror(errno));
  if (pipe2(ends, O_CLOEXEC) != 0) { /* else gnuplot would hold the writing end itself, and wait for ever */
    fclose(errors);
    return message_fail("gnuplot: no pipe: %s", strerror(errno));
  }
  int failed = start(ends[0], output, fileno(errors), &process);
  close(ends[0]);
  int result;
  if (failed != 0) {
    result = message_fail(failed == ENOENT ? "gnuplot is not installed: plots need it (Debian: gnuplot-nox)"
                                           : "gnuplot cannot be started: %s",
                          strerror(failed));
    close(ends[1]);
  } else {
    feed(ends[1], gnuplot->text, gnuplot->length);
    close(ends[1]);
    result = wait_for(process, errors);
  }
  fclose(errors);
  return result;
}

/* Signals that would end the command and leave its temporary file behind. They wait; one that came means: not done. */
static void hold_signals(sigset_t *held, sigset_t *before) {
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
  sigemptyset(held);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    sigaddset(held, numbers[i]);
  sigprocmask(SIG_BLOCK, held, before);
}

static bool is_interrupted(const sigset_t *held) {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  for (int number = 1; number < NSIG; number++) {
    if (sigismember(held, number) == 1 && sigismember(&pending, number) == 1)
      return true;
  }
  return false;
}

/* Fills the temporary file and gives it its name. */
static int fill(const struct gnuplot *gnuplot, int file, const char *temporary, const char *path,
                const sigset_t *held) {
  int result = run_script(gnuplot, file);
  if (result == COMMAND_OK && is_interrupted(held))
    result = message_fail("interrupted: %s is not written", path);
  if (result == COMMAND_OK && !target_publish(file, temporary, path))
    result = message_fail("%s: cannot be written: %s", path, strerror(errno));
  return result;
}

int gnuplot_run(struct gnuplot *gnuplot, const char *path) {
  char temporary[4096];
  struct sigaction ignore, before;
  sigset_t held, mask;
  int file = -1;
  int result = COMMAND_FAILED;
  bool complete = fclose(gnuplot->script) == 0;
  gnuplot->script = NULL;
  hold_signals(&held, &mask);
  if (!complete)
    message_fail("out of memory");
  else
    file = target_open(path, temporary, sizeof temporary);
  if (file >= 0) {
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before);
    result = fill(gnuplot, file, temporary, path, &held);
    sigaction(SIGPIPE, &before, NULL);
    close(file);
    if (result != COMMAND_OK)
      unlink(temporary);
  }
  sigprocmask(SIG_SETMASK, &mask, NULL); /* here a signal that waited ends the command */
  gnuplot_discard(gnuplot);
  return result;
}
