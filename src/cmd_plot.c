/* SPDX-License-Identifier: BSD-3-Clause */
/* perfpred plot: pictures. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "contract_stages.h"
#include "contracting.h"
#include "job.h"
#include "plot_contract.h"
#include "plots.h"
#include "suggest.h"
#include "target.h"

/* What can be drawn: from models, from a saved validation, or both. */
struct picture {
  const char *name;
  int (*of_models)(struct session *session, const struct measured *measured, unsigned *notes);         /* or NULL */
  int (*of_measured)(const struct options *options, const struct measured *measured, unsigned *notes); /* or NULL */
  bool is_of_one;                                                                                      /* algorithm */
  const char *open[2];
  int (*of_contraction)(const struct options *options); /* or NULL: then it is of algorithms */
};

static const struct picture pictures[] = {
  { "performance", plot_performance, NULL, false, { "n", "b" }, NULL },
  { "block-size", plot_block_size, NULL, true, { "b", NULL }, NULL },
  { "kernels", plot_kernels, NULL, true, { "n", "b" }, NULL },
  { "error", NULL, plot_error, false, { NULL, NULL }, NULL },
  { "error-map", plot_map_predicted, plot_map_measured, true, { "n", "b" }, NULL },
  { "contract", NULL, NULL, true, { NULL, NULL }, plot_contract },
  { "contract-stages", NULL, NULL, true, { NULL, NULL }, plot_contract_stages },
};
#define PICTURES (sizeof pictures / sizeof pictures[0])

static int find(const char *name, const struct picture **picture) {
  struct suggestion suggestion;
  suggest_begin(&suggestion, name);
  for (size_t i = 0; i < PICTURES; i++) {
    if (strcmp(pictures[i].name, name) == 0) {
      *picture = &pictures[i];
      return COMMAND_OK;
    }
    suggest_offer(&suggestion, pictures[i].name);
  }
  return message_misuse("'plot': no picture '%s'%s: expected performance, block-size, kernels, error, "
                        "error-map, contract or contract-stages",
                        name, suggest_text(&suggestion, ""));
}

/* Whether the picture is that of the validation alone. */
static bool is_measured(const struct options *options, const struct picture *picture) {
  return picture->of_models == NULL || (picture->of_measured != NULL && options->measured != NULL);
}

static int check_measured(const struct options *options, const struct picture *picture) {
  if (options->measured == NULL)
    return message_misuse("'plot %s' needs a saved validation: --measured FILE", picture->name);
  if (options->models != NULL || (!picture->is_of_one && options->operands.count > 1))
    return message_misuse("'plot %s' shows %s of --measured FILE: expected no %s-m", picture->name,
                          picture->is_of_one ? "one algorithm" : "all", picture->is_of_one ? "" : "NAME and no ");
  if (options->n.upper > 0 || options->b.upper > 0 || options->ld > 0 || options->parameter_count > 0)
    return message_misuse("'plot %s' shows all sizes of --measured FILE: expected no -n, -b, --ld or PARAMETER=VALUE",
                          picture->name);
  return COMMAND_OK;
}

/* The options of either kind of picture would be silently without effect on the other. */
static int check_contraction(const struct options *options, const struct picture *picture) {
  if (options->operands.count < 2)
    return message_misuse("'plot %s' needs a contraction and its extents, such as 'ai,ibc->abc' a=b=c=50:400:50 i=8",
                          picture->name);
  if (options->measured != NULL || options->n.upper > 0 || options->b.upper > 0 || options->ld > 0 ||
      options->extrapolate || options->files.count > 0)
    return message_misuse("'plot %s' is of a contraction: expected no --measured, -n, -b, --ld, --extrapolate and -f",
                          picture->name);
  if (options->curves > 0 && picture->of_contraction != plot_contract)
    return message_misuse("option --curves: belongs to 'plot contract'");
  return target_check(options->output);
}

static int check_algorithms(const struct options *options, const struct picture *picture) {
  const char *stray = contracting_given(options);
  if (stray == NULL && options->curves > 0)
    stray = "--curves";
  if (stray == NULL && options->repetitions > 0)
    stray = "--reps";
  return stray == NULL
             ? COMMAND_OK
             : message_misuse("option %s: belongs to 'plot contract', not to 'plot %s'", stray, picture->name);
}

static int check(const struct options *options, const struct picture *picture) {
  if (options->output == NULL)
    return message_misuse("'plot' needs a file to write: -o FILE.svg");
  if (picture->of_contraction != NULL)
    return check_contraction(options, picture);
  if (check_algorithms(options, picture) != COMMAND_OK)
    return COMMAND_MISUSED;
  if (is_measured(options, picture)) {
    int result = check_measured(options, picture);
    return result == COMMAND_OK ? target_check(options->output) : result;
  }
  if (options->operands.count < 2)
    return message_misuse("'plot %s' needs an algorithm: expected a NAME behind it", picture->name);
  if (options->n.upper > 0 && picture->of_models == plot_block_size)
    return message_misuse("option -n: 'plot block-size' is of one size: expected n=VALUE");
  if (options->measured != NULL && picture->of_models == plot_kernels)
    return message_misuse("'plot kernels' is of predictions alone: expected no --measured");
  return target_check(options->output);
}

/* What a picture is made of and what came of it. */
struct drawing {
  const struct picture *picture;
  const struct measured *measured; /* NULL: predictions alone */
  unsigned notes;
};

static int draw(struct session *session, void *data) {
  struct drawing *drawing = data;
  return drawing->picture->of_models(session, drawing->measured, &drawing->notes);
}

static int draw_predicted(const struct options *options, struct drawing *drawing) {
  const struct job job = { .takes = drawing->picture->is_of_one ? JOB_ONE : JOB_ALL,
                           .names = options->operands.items[1],
                           .open = drawing->picture->open,
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

static int confirm(const struct options *options, const struct picture *picture, unsigned notes) {
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
  document_string(&document, "picture", picture->name);
  session_write_notes(&document, notes);
  return document_print(&document);
}

static int run(const struct options *options) {
  const struct picture *picture = NULL;
  struct measured measured = { .count = 0 };
  struct drawing drawing = { .notes = 0 };
  int result = find(options->operands.items[0], &picture);
  if (result == COMMAND_OK)
    result = check(options, picture);
  if (result == COMMAND_OK && options->measured != NULL)
    result = measured_read(options->measured, &measured);
  drawing.picture = picture;
  drawing.measured = options->measured != NULL ? &measured : NULL;
  if (result == COMMAND_OK && picture->of_contraction != NULL)
    result = picture->of_contraction(options);
  else if (result == COMMAND_OK)
    result = is_measured(options, picture) ? picture->of_measured(options, &measured, &drawing.notes)
                                           : draw_predicted(options, &drawing);
  measured_release(&measured);
  return result == COMMAND_OK ? confirm(options, picture, drawing.notes) : result;
}

const struct command command_plot = {
  .name = "plot",
  .synopsis = "performance|block-size|kernels|error|error-map|contract|contract-stages [NAME[,NAME]] -o FILE.svg ...",
  .summary = "Pictures of predictions and measurements, through gnuplot",
  .details =
      "  plot performance NAME[,NAME] -m FILE -n LO:HI:STEP [-b B] [--measured FILE] -o FILE.svg\n"
      "      Gflop/s over n, block size 64 where none is given; the band reaches from minimum to maximum\n"
      "  plot block-size NAME -m FILE n=.. [-b LO:HI:STEP] [--measured FILE] -o FILE.svg\n"
      "      time over b, with the best one; without -b those values of 8:256:8 that the models reach\n"
      "  plot kernels NAME -m FILE -n LO:HI:STEP [-b B] -o FILE.svg\n"
      "  plot kernels NAME -m FILE -n N -b LO:HI:STEP -o FILE.svg\n"
      "      what each kernel has of the predicted time and of the flops, and its Gflop/s\n"
      "  plot error --measured FILE -o FILE.svg\n"
      "      absolute relative error over n, beside the noise floor\n"
      "  plot error-map [NAME] --measured FILE -o FILE.svg\n"
      "      relative error over n and b as colours\n"
      "  plot error-map NAME -m FILE -n LO:HI:STEP -b LO:HI:STEP -o FILE.svg\n"
      "      where nothing is measured: the error that the models expect of themselves\n"
      "  plot contract EINSUM a=b=c=LO:HI:STEP i=8 ... [--measure [N]] [--curves N] [options of contract] -o FILE.svg\n"
      "      Gflop/s of a contraction's algorithms over an extent, predicted and measured\n"
      "  plot contract-stages EINSUM a=b=c=400 i=8 ... [--measure [N]] [options of contract] -o FILE.svg\n"
      "      errors after each stage of the micro-benchmarks, beside executions\n",
  .takes = TAKES_MODELS | TAKES_OUTPUT | TAKES_N | TAKES_B | TAKES_LD | TAKES_PARAMETERS | TAKES_MEASURED |
           TAKES_EXTRAPOLATE | TAKES_FORCE | TAKES_FILES | TAKES_CHOICE | TAKES_NUMBER | TAKES_EXTENTS | TAKES_FAMILY |
           TAKES_CURVES | TAKES_REPS | TAKES_GATE | TAKES_SETUP,
  .operands_min = 1,
  .operands_max = 2,
  .extents_behind = "contract",
  .run = run,
};
