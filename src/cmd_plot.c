/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred plot: pictures. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "job.h"
#include "plots.h"
#include "suggest.h"
#include "target.h"

enum what { PERFORMANCE, BLOCK_SIZE, ERROR, PICTURES };

static const char *const names[PICTURES] = { "performance", "block-size", "error" };

static int find(const char *name, enum what *what) {
  struct suggestion suggestion;
  suggest_begin(&suggestion, name);
  for (int i = 0; i < PICTURES; i++) {
    if (strcmp(names[i], name) == 0) {
      *what = (enum what)i;
      return COMMAND_OK;
    }
    suggest_offer(&suggestion, names[i]);
  }
  return message_misuse("'plot': no picture '%s'%s: expected performance, block-size or error", name,
                        suggest_text(&suggestion, ""));
}

static int check(const struct options *options, enum what what) {
  if (options->output == NULL)
    return message_misuse("'plot' needs a file to write: -o FILE.svg");
  if (what == ERROR && options->measured == NULL)
    return message_misuse("'plot error' needs a saved validation: --measured FILE");
  if (what == ERROR && (options->operands.count > 1 || options->models != NULL))
    return message_misuse("'plot error' shows all of --measured FILE: expected no NAME and no -m");
  if (what != ERROR && options->operands.count < 2)
    return message_misuse("'plot %s' needs an algorithm: expected a NAME behind it", names[what]);
  return what == ERROR ? COMMAND_OK : target_check(options->output);
}

/* What a picture is made of and what came of it. */
struct drawing {
  enum what what;
  const struct measured *measured; /* NULL: predictions alone */
  unsigned notes;
};

static int draw(struct session *session, void *data) {
  struct drawing *drawing = data;
  if (drawing->what == PERFORMANCE)
    return plot_performance(session, drawing->measured, &drawing->notes);
  return plot_block_size(session, drawing->measured, &drawing->notes);
}

static int draw_predicted(const struct options *options, struct drawing *drawing) {
  static const char *const open[PICTURES][2] = { [PERFORMANCE] = { "n", "b" }, [BLOCK_SIZE] = { "b", NULL } };
  const struct job job = { .takes = drawing->what == BLOCK_SIZE ? JOB_ONE : JOB_ALL,
                           .names = options->operands.items[1],
                           .open = open[drawing->what],
                           .work = draw,
                           .data = drawing };
  return job_run(options, &job);
}

void plot_mark(struct gnuplot *gnuplot, const char *title, unsigned notes) {
  char text[SESSION_TEXT], marked[2 * SESSION_TEXT];
  if (notes == 0)
    return;
  snprintf(marked, sizeof marked, "%s (%s)", title, session_describe_notes(notes, text));
  gnuplot_title(gnuplot, marked);
}

static int confirm(const struct options *options, enum what what, unsigned notes) {
  struct document document;
  char text[SESSION_TEXT];
  if (!options->json) {
    printf("%s\n", options->output);
    if (notes != 0)
      printf("status %s\n", session_describe_notes(notes, text));
    return COMMAND_OK;
  }
  document_begin(&document);
  document_string(&document, "file", options->output);
  document_string(&document, "picture", names[what]);
  session_write_notes(&document, notes);
  return document_print(&document);
}

static int run(const struct options *options) {
  enum what what = PERFORMANCE;
  struct measured measured = { .count = 0 };
  struct drawing drawing = { .notes = 0 };
  int result = find(options->operands.items[0], &what);
  if (result == COMMAND_OK)
    result = check(options, what);
  if (result == COMMAND_OK && options->measured != NULL)
    result = measured_read(options->measured, &measured);
  drawing.what = what;
  drawing.measured = options->measured != NULL ? &measured : NULL;
  if (result == COMMAND_OK)
    result = what == ERROR ? plot_error(options, &measured, &drawing.notes) : draw_predicted(options, &drawing);
  measured_release(&measured);
  return result == COMMAND_OK ? confirm(options, what, drawing.notes) : result;
}

const struct command command_plot = {
  .name = "plot",
  .synopsis = "performance|block-size|error [NAME[,NAME]] -o FILE.svg ...",
  .summary = "Pictures of predictions and measurements, through gnuplot",
  .details = "  plot performance NAME[,NAME] -m FILE -n LO:HI:STEP [-b B] [--measured FILE] -o FILE.svg\n"
             "      Gflop/s over n, block size 64 where none is given; the band reaches from minimum to maximum\n"
             "  plot block-size NAME -m FILE n=.. [-b LO:HI:STEP] [--measured FILE] -o FILE.svg\n"
             "      time over b; without -b those values of 8:256:8 that the models reach\n"
             "  plot error --measured FILE -o FILE.svg\n"
             "      absolute relative error over n, beside the noise floor\n",
  .takes = TAKES_MODELS | TAKES_OUTPUT | TAKES_N | TAKES_B | TAKES_LD | TAKES_PARAMETERS | TAKES_MEASURED |
           TAKES_EXTRAPOLATE | TAKES_FORCE | TAKES_FILES | TAKES_CHOICE | TAKES_NUMBER,
  .operands_min = 1,
  .operands_max = 2,
  .run = run,
};
