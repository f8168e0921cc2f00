/* SPDX-License-Identifier: BSD-3-Clause */
/* Which setup a plan is of. */
#include "fixture.h"

/* dpart(n) takes n^2 microseconds with the first setup, 2 n^2 with the second, 4 n^2 with the third. */
static struct fixture world;
static struct perfpred_program *program;

static void add_setup(const char *family, const char *path, const char *build_id, int threads) {
  struct ppi_setup setup = { .threads = threads, .clock = "tsc" };
  int place = world.models->setup_count - 1;

  strcpy(setup.blas.family, family);
  strcpy(setup.blas.path, path);
  strcpy(setup.blas.build_id, build_id);
  if (world.models->count == 0)
    world.models->setups[0] = setup;
  else
    cr_assert_eq(ppi_models_add_setup(world.models, &setup, &place, NULL), PERFPRED_OK);
  fixture_model(&world, "dpart", "L", 1, 1000, 2, 1e-6 * (double)(1 << place), 0.04);
  world.models->submodels[world.models->count - 1].setup = place;
}

static void begin(void) {
  fixture_begin(&world);
  add_setup("blis", "/opt/blis/libblis.so.4", "aaaa1111", 1);
  /* the next one may not be taken for the same: each is told by its setup before it is looked up */
  world.models->submodels[0].setup = 7;
  add_setup("blis", "/opt/blis/libblis.so.4", "aaaa1111", 2);
  world.models->submodels[1].setup = 8;
  add_setup("openblas", "/opt/openblas/libopenblas.so.0", "bbbb2222", 1);
  for (int i = 0; i < 3; i++)
    world.models->submodels[i].setup = i;
  world.models->machine.peak_flops_per_s[1] = 1e6;
  program = fixture_program(&world, "perfpred-text 1\n"
                                    "algorithm u(n)\n"
                                    "  cost n*n\n"
                                    "  inout A: double matrix[n, n]\n"
                                    "  dpart(L, n, A[0, 0])\n"
                                    "end\n");
}

static void finish(void) {
  perfpred_program_unref(program);
  fixture_end(&world);
}
TestSuite(setup_choice, .init = begin, .fini = finish);

/* The plan's setup and its prediction for n = 10. */
static void expect(struct perfpred_plan_options options, size_t setup, double median_s, unsigned notes) {
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan;

  options.size = sizeof options;
  plan = fixture_plan(&world, program, &options);
  cr_assert_eq(perfpred_plan_setup(plan), setup);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 10 }, 1, &prediction, NULL), PERFPRED_OK);
  cr_assert(fabs(prediction.time_s.med - median_s) < 1e-12, "%g", prediction.time_s.med);
  cr_assert_eq(prediction.notes & (PERFPRED_NOTE_OTHER_BLAS | PERFPRED_NOTE_FORCED), notes);
  perfpred_plan_destroy(plan);
}

static void refuse(struct perfpred_plan_options options, enum perfpred_status status, const char *a, const char *b) {
  struct perfpred_plan *plan = NULL;
  struct perfpred_error error;

  options.size = sizeof options;
  cr_assert_eq(perfpred_plan_create(program, world.models, &options, &plan, &error), status, "%s", error.text);
  cr_assert_null(plan);
  cr_assert(strstr(error.text, a) && strstr(error.text, b), "expected %s and %s in: %s", a, b, error.text);
}

Test(setup_choice, by_threads_blas_and_number) {
  expect((struct perfpred_plan_options){ .threads = 2 }, 1, 200e-6, 0);
  expect((struct perfpred_plan_options){ .blas = "openblas" }, 2, 400e-6, 0);
  expect((struct perfpred_plan_options){ .blas = "blis", .threads = 1 }, 0, 100e-6, 0);
  expect((struct perfpred_plan_options){ .blas = "/opt/openblas/libopenblas.so.0" }, 2, 400e-6, 0);
  expect((struct perfpred_plan_options){ .blas = "bbbb22" }, 2, 400e-6, 0);
  expect((struct perfpred_plan_options){ .setup = 2 }, 1, 200e-6, 0);
}

Test(setup_choice, several_without_a_choice) {
  refuse((struct perfpred_plan_options){ 0 }, PERFPRED_AMBIGUOUS, "libblis.so.4", "libopenblas.so.0");
  refuse((struct perfpred_plan_options){ .threads = 1 }, PERFPRED_AMBIGUOUS, "1: /opt/blis", "3: /opt/openblas");
  refuse((struct perfpred_plan_options){ .blas = "blis" }, PERFPRED_AMBIGUOUS, "1 thread", "2 threads");
}

Test(setup_choice, none_that_fits) {
  refuse((struct perfpred_plan_options){ .threads = 4 }, PERFPRED_NOT_FOUND, "for 4 threads", "2: /opt/blis");
  refuse((struct perfpred_plan_options){ .blas = "mkl" }, PERFPRED_NOT_FOUND, "of BLAS mkl", "3: /opt/openblas");
  refuse((struct perfpred_plan_options){ .blas = "bbbb" }, PERFPRED_NOT_FOUND, "bbbb", "there are");
  refuse((struct perfpred_plan_options){ .setup = 4 }, PERFPRED_NOT_FOUND, "setup 4", "3: ");
  refuse((struct perfpred_plan_options){ .setup = 3, .threads = 2 }, PERFPRED_NOT_FOUND, "setup 3", "2 threads");
  refuse((struct perfpred_plan_options){ .blas = "/nowhere/libblas.so" }, PERFPRED_OTHER_BLAS, "/nowhere", "there are");
  refuse((struct perfpred_plan_options){ .threads = -1 }, PERFPRED_INVALID, "options.threads", "-1");
  refuse((struct perfpred_plan_options){ .blas = "" }, PERFPRED_INVALID, "options.blas", "expected");
}

/* The path is recorded, but the file there is another build by now. */
Test(setup_choice, another_build_in_the_same_place) {
  char *here = realpath("/proc/self/exe", NULL); /* a file with a build id */

  cr_assert_not_null(here);
  strcpy(world.models->setups[2].blas.path, here);
  refuse((struct perfpred_plan_options){ .blas = here }, PERFPRED_OTHER_BLAS, here, "build");
  expect((struct perfpred_plan_options){ .blas = here, .threads = 2, .force = 1 }, 1, 200e-6,
         PERFPRED_NOTE_OTHER_BLAS | PERFPRED_NOTE_FORCED);
  world.models->setups[2].blas.build_id[0] = '\0'; /* not known: the path has to do */
  expect((struct perfpred_plan_options){ .blas = here }, 2, 400e-6, 0);
  free(here);
}

Test(setup_choice, by_force) {
  expect((struct perfpred_plan_options){ .setup = 3, .threads = 9, .force = 1 }, 2, 400e-6,
         PERFPRED_NOTE_OTHER_BLAS | PERFPRED_NOTE_FORCED);
  refuse((struct perfpred_plan_options){ .threads = 9, .force = 1 }, PERFPRED_AMBIGUOUS, "1: ", "3: ");
  expect((struct perfpred_plan_options){ .threads = 2, .force = 1 }, 1, 200e-6, 0); /* it was not needed */
}

/* n^2 flops in n^2 us on two threads of 1e6 flop/s each. */
Test(setup_choice, the_peak_is_that_of_its_threads) {
  struct perfpred_plan_options options = PERFPRED_PLAN_OPTIONS_INIT;
  struct perfpred_prediction prediction = PERFPRED_PREDICTION_INIT;
  struct perfpred_plan *plan;

  options.threads = 2;
  plan = fixture_plan(&world, program, &options);
  cr_assert_eq(perfpred_plan_predict(plan, (int64_t[]){ 10 }, 1, &prediction, NULL), PERFPRED_OK);
  cr_assert(fabs(prediction.efficiency.med - 0.25) < 1e-9, "%g", prediction.efficiency.med);
  perfpred_plan_destroy(plan);
}

Test(setup_choice, of_no_plan) {
  cr_assert_eq(perfpred_plan_setup(NULL), 0);
}
