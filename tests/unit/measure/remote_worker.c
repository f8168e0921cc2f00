/* SPDX-License-Identifier: BSD-3-Clause */
/* The client with the real worker. */
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <time.h>

#include "patience.h"
#include "workers.h"

static void expect_build_id(const struct ppi_library *library) {
  char command[1200], line[200] = "";
  snprintf(command, sizeof command, "LC_ALL=C readelf -n '%s' 2>/dev/null | sed -n 's/.*Build ID: //p'", library->path);
  FILE *output = popen(command, "r");
  cr_assert_not_null(output);
  cr_assert_not_null(fgets(line, sizeof line, output), "no build id in %s", library->path);
  pclose(output);
  line[strcspn(line, "\n")] = '\0';
  cr_assert_str_eq(library->build_id, line);
}

/* The only files of BLAS that the worker has mapped are the chosen one and, for OpenBLAS, its real library beside it. */
static void expect_mapped(const struct perfpred_sampler *sampler, const char *blas) {
  char path[64], line[2048];
  int own = 0;
  size_t length = (size_t)(strrchr(blas, '/') + 1 - blas);
  snprintf(path, sizeof path, "/proc/%d/maps", (int)((const struct ppi_remote *)sampler)->process.pid);
  FILE *maps = fopen(path, "r");
  cr_assert_not_null(maps);
  while (fgets(line, sizeof line, maps)) {
    const char *file = strchr(line, '/');
    if (!file || (!strstr(file, "blas") && !strstr(file, "blis")))
      continue;
    cr_assert_eq(strncmp(file, blas, length), 0, "%s", file);
    own += strncmp(file, blas, strlen(blas)) == 0;
  }
  fclose(maps);
  cr_assert_gt(own, 0);
}

static void check_setup(const char *blas_pattern, const char *family, const char *version) {
  char blas[1024], lapack[1024];
  struct ppi_machine machine;
  struct ppi_setup setup;
  snprintf(blas, sizeof blas, "%s", installed(blas_pattern));
  snprintf(lapack, sizeof lapack, "%s", installed("/usr/lib/*/lapack/liblapack.so.3"));
  struct perfpred_sampler *sampler = start(blas, lapack, 60);
  cr_assert_eq(entries(), 0, "the folder of links outlives the start");
  expect_mapped(sampler, blas);
  cr_assert_eq(sampler->ops->describe(sampler, 0.0, &machine, &setup, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_str_eq(setup.blas.path, blas);
  cr_assert_str_eq(setup.lapack.path, lapack);
  expect_build_id(&setup.blas);
  expect_build_id(&setup.lapack);
  cr_assert_str_eq(setup.blas.family, family);
  cr_assert_str_eq(setup.lapack.family, "reference");
  cr_assert_eq(strncmp(setup.blas.version, version, strlen(version)), 0, "%s", setup.blas.version);
  cr_assert_eq(setup.lapack.version[0], '3');
  cr_assert_eq(setup.threads, 1);
  cr_assert_not(setup.ilp64);
  cr_assert_gt(machine.cores, 0);
  cr_assert_eq(strcmp(family, "reference") == 0, setup.blas.kernels[0] == '\0', "%s", setup.blas.kernels);
  sampler->ops->destroy(sampler);
}

TestSuite(remote_worker, .init = set_up, .fini = tear_down);

Test(remote_worker, blis_answers) {
  check_setup("/usr/lib/*/blis-serial/libblis.so.4", "blis", "0.");
}

Test(remote_worker, reference_answers) {
  check_setup("/usr/lib/*/blas/libblas.so.3", "reference", "3.");
}

Test(remote_worker, openblas_answers) {
  check_setup("/usr/lib/*/openblas-serial/libblas.so.3", "openblas", "0.");
}

/* The libblas.so.3 of BLIS exports nothing that tells its kernels: it is taken as named, and nothing is claimed. */
Test(remote_worker, blis_as_blas_tells_nothing) {
  struct ppi_machine machine;
  struct ppi_setup setup;
  char blas[1024];
  snprintf(blas, sizeof blas, "%s", installed("/usr/lib/*/blis-serial/libblas.so.3"));
  struct perfpred_sampler *sampler = start(blas, NULL, 60);
  cr_assert_eq(sampler->ops->describe(sampler, 0.0, &machine, &setup, &error), PERFPRED_OK);
  cr_assert_str_eq(setup.blas.path, blas);
  cr_assert_str_eq(setup.blas.family, "blis");
  cr_assert_str_eq(setup.blas.kernels, "");
  sampler->ops->destroy(sampler);
}

Test(remote_worker, environment_reaches_the_library) {
  const char *const environment[] = { "BLIS_ARCH_TYPE=5", NULL };
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  setup.blas = installed("/usr/lib/*/blis-serial/libblis.so.4");
  setup.environment = environment;
  cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_OK, "%s", error.text);
#if defined(__x86_64__)
  cr_assert_str_eq(((struct ppi_remote *)sampler)->setup.blas.kernels, "penryn");
#endif
  sampler->ops->destroy(sampler);
}

/* threads of a worker that was asked for so many; note: what its description must say of them. */
static void expect_threads(const char *blas, int asked, int expected, const char *note) {
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  struct ppi_machine machine;
  struct ppi_setup told;
  setup.blas = installed(blas);
  setup.threads = asked;
  cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(sampler->ops->describe(sampler, 0.0, &machine, &told, &error), PERFPRED_OK, "%s", error.text);
  sampler->ops->destroy(sampler);
  cr_expect_eq(told.threads, expected, "%s: %d threads", blas, told.threads);
  cr_expect_str_eq(told.note, note);
}

static const char one_of_two[] = "the BLAS is built for one thread: 1 counts, though 2 were asked for";

/* C22 */
Test(remote_worker, threads_of_a_serial_blis) {
  expect_threads("/usr/lib/*/blis-serial/libblis.so.4", 2, 1, one_of_two);
  expect_threads("/usr/lib/*/blis-serial/libblis.so.4", 1, 1, "");
}

Test(remote_worker, threads_of_a_serial_openblas) {
  expect_threads("/usr/lib/*/openblas-serial/libopenblas.so.0", 2, 1, one_of_two);
}

Test(remote_worker, threads_of_the_reference_blas) {
  expect_threads("/usr/lib/*/blas/libblas.so.3", 2, 1, one_of_two);
}

Test(remote_worker, threads_of_a_parallel_blis) {
  expect_threads("/usr/lib/*/blis-openmp/libblis.so.4", 2, 2, "");
}

/* C21: the setters of a BLAS hold for the process, and a host may have its own count in the very library that is measured. */
Test(remote_worker, the_hosts_threads_stay) {
  static const char pattern[] = "/usr/lib/*/blis-openmp/libblis.so.4";
  void *blis = dlopen(installed(pattern), RTLD_NOW | RTLD_LOCAL);
  void (*set)(int64_t count);
  int64_t (*get)(void);
  cr_assert_not_null(blis, "%s", dlerror());
  *(void **)&set = dlsym(blis, "bli_thread_set_num_threads");
  *(void **)&get = dlsym(blis, "bli_thread_get_num_threads");
  cr_assert(set && get);
  set(3);
  cr_assert_eq(setenv("OMP_NUM_THREADS", "3", 1), 0);
  cr_assert_eq(setenv("BLIS_NUM_THREADS", "3", 1), 0);
  expect_threads(pattern, 2, 2, "");
  cr_expect_eq(get(), 3);
  cr_expect_str_eq(getenv("OMP_NUM_THREADS"), "3");
  cr_expect_str_eq(getenv("BLIS_NUM_THREADS"), "3");
  dlclose(blis);
}

Test(remote_worker, synthetic_topology) {
  const char *const environment[] = { "HWLOC_SYNTHETIC=pack:1 l3:1(size=8388608) l2:3(size=524288) core:1 pu:2", NULL };
  struct perfpred_setup setup = PERFPRED_SETUP_INIT;
  struct perfpred_sampler *sampler = NULL;
  struct ppi_machine machine;
  struct ppi_setup told;
  setup.environment = environment;
  setup.blas = setup.lapack = FAULTY;
  cr_assert_eq(perfpred_sampler_create_worker(&context, &setup, &sampler, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(sampler->ops->describe(sampler, 0.0, &machine, &told, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(machine.cores, 3);
  cr_assert_eq(machine.processing_units, 6);
  cr_assert_eq(machine.cache_count, 2);
  cr_assert_eq(machine.caches[0].level, 2);
  cr_assert_eq(machine.caches[0].bytes, 524288);
  cr_assert_eq(machine.caches[0].shared_by, 2);
  cr_assert_eq(machine.caches[1].bytes, 8388608);
  cr_assert_eq(machine.caches[1].shared_by, 6);
  cr_assert_str_eq(machine.caches[1].source, "synthetic");
  cr_assert_str_eq(told.lapack.version, "9.8.7");
  sampler->ops->destroy(sampler);
}

/* By hand: the points (1, 1), (2, 2), (3, 2) lie around the line 2/3 + x/2. */
static void solve_line(struct perfpred_sampler *sampler) {
  double a[6] = { 1, 1, 1, 1, 2, 3 }, b[3] = { 1, 2, 2 };
  int rank = 0;
  cr_assert_eq(sampler->ops->least_squares(sampler, 3, 2, 1, a, b, &rank, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(rank, 2);
  cr_assert_float_eq(b[0], 2.0 / 3.0, 1e-14);
  cr_assert_float_eq(b[1], 0.5, 1e-14);
}

Test(remote_worker, least_squares) {
  struct perfpred_sampler *sampler = start(installed("/usr/lib/*/blas/libblas.so.3"), NULL, 60);
  solve_line(sampler);
  double a[1] = { 1 }, b[1] = { 1 };
  int rank = 77;
  cr_assert_eq(sampler->ops->least_squares(sampler, 0, 1, 1, a, b, &rank, &error), PERFPRED_INVALID);
  cr_assert_eq(sampler->ops->least_squares(sampler, 100000, 100000, 1, a, b, &rank, &error), PERFPRED_LIMIT);
  cr_assert_eq(rank, 77);
  solve_line(sampler);
  sampler->ops->destroy(sampler);
}

Test(remote_worker, library_without_dgelsy) {
  struct perfpred_sampler *sampler = start(FAULTY, FAULTY, 10);
  double a[1] = { 1 }, b[1] = { 1 };
  int rank = 0;
  ppi_error_clear(&error);
  cr_assert_eq(sampler->ops->least_squares(sampler, 1, 1, 1, a, b, &rank, &error), PERFPRED_UNSUPPORTED, "%s",
               error.text);
  sampler->ops->destroy(sampler);
}

/* The child of a host that forks gets a worker of its own and leaves the parent's alone. */
Test(remote_worker, fork_of_the_host) {
  struct perfpred_sampler *sampler = start(installed("/usr/lib/*/blas/libblas.so.3"), NULL, 60);
  pid_t before = ((struct ppi_remote *)sampler)->process.pid;
  pid_t child = fork();
  if (child == 0) {
    double a[6] = { 1, 1, 1, 1, 2, 3 }, b[3] = { 1, 2, 2 };
    int rank = 0;
    bool right = sampler->ops->least_squares(sampler, 3, 2, 1, a, b, &rank, &error) == PERFPRED_OK && rank == 2 &&
                 ((struct ppi_remote *)sampler)->process.pid != before;
    sampler->ops->destroy(sampler);
    _exit(right ? 0 : 1);
  }
  int state = -1;
  cr_assert_eq(waitpid(child, &state, 0), child);
  cr_assert_eq(state, 0);
  solve_line(sampler);
  cr_assert_eq(((struct ppi_remote *)sampler)->process.pid, before);
  sampler->ops->destroy(sampler);
}

/* A worker that was killed between two requests is replaced; a host that dies takes its worker along. */
Test(remote_worker, killed_worker_is_replaced) {
  struct perfpred_sampler *sampler = start(installed("/usr/lib/*/blas/libblas.so.3"), NULL, 60);
  pid_t before = ((struct ppi_remote *)sampler)->process.pid;
  kill(before, SIGKILL);
  siginfo_t info;
  cr_assert_eq(waitid(P_PID, (id_t)before, &info, WEXITED | WNOWAIT), 0);
  solve_line(sampler);
  cr_assert_neq(((struct ppi_remote *)sampler)->process.pid, before);
  sampler->ops->destroy(sampler);
  cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
}

static bool gone_within(pid_t pid, int tenths) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  for (int i = 0; i < tenths; i++) {
    FILE *file = fopen(path, "r");
    if (!file)
      return true;
    if (fscanf(file, "%*d %*s %c", &state) != 1)
      state = 0;
    fclose(file);
    if (state == 'Z' || state == 0)
      return true;
    nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
  }
  return false;
}

static const struct perfpred_kernel *dgemm(void) {
  if (!kernels)
    cr_assert_eq(ppi_kernels_create(&kernels, &error), PERFPRED_OK, "%s", error.text);
  const struct perfpred_kernel *kernel = ppi_kernels_find(kernels, "dgemm");
  cr_assert_not_null(kernel);
  return kernel;
}

static enum perfpred_status sample_dgemm(struct perfpred_sampler *sampler, int m, const struct ppi_sampling *sampling,
                                         struct ppi_result *result) {
  const struct perfpred_kernel *kernel = dgemm();
  struct ppi_value values[PPI_ARG_MAX];
  cr_assert_eq(ppi_case_parse(kernel, "N,N,1,0", values, &error), PERFPRED_OK, "%s", error.text);
  for (int i = 0; i < kernel->size_count; i++)
    values[kernel->sizes[i]].i = 16;
  values[kernel->sizes[0]].i = m;
  struct ppi_request request = { kernel, values, 24 };
  ppi_error_clear(&error);
  return sampler->ops->sample(sampler, &request, 1, sampling, result, &error);
}

static const struct ppi_sampling three = { .repetitions = 3, .gate = -1.0, .seed = 1 };

static void expect_works(struct perfpred_sampler *sampler) {
  struct ppi_result result;
  cr_assert_eq(sample_dgemm(sampler, 16, &three, &result), PERFPRED_OK, "%s", error.text);
  cr_assert_geq(result.count, 1);
  for (size_t i = 0; i < result.count; i++)
    cr_assert(result.times_s[i] >= 0.0 && result.times_s[i] < HUGE_VAL);
  cr_assert_eq(result.ld, 24);
  free(result.times_s);
}

static void expect_failure(int m, enum perfpred_status expected, const char *text) {
  struct perfpred_sampler *sampler = start(FAULTY, FAULTY, expected == PERFPRED_TIMEOUT ? CALL_S : PATIENT_S);
  struct ppi_result result;
  char call[40];
  snprintf(call, sizeof call, "dgemm(N,N,%d,16,16", m);
  expect_works(sampler);
  cr_assert_eq(sample_dgemm(sampler, m, &three, &result), expected, "%d: %s", error.status, error.text);
  cr_assert(strstr(error.text, call), "%s", error.text);
  cr_assert(strstr(error.text, text), "%s", error.text);
  expect_works(sampler);
  sampler->ops->destroy(sampler);
  cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
}

Test(remote_worker, kernel_that_crashes) {
  expect_failure(13, PERFPRED_CRASHED, "SIGSEGV");
}

Test(remote_worker, kernel_that_hangs) {
  char limit[32];
  snprintf(limit, sizeof limit, "within %d s", CALL_S);
  expect_failure(14, PERFPRED_TIMEOUT, limit);
}

Test(remote_worker, kernel_that_exits) {
  expect_failure(15, PERFPRED_CRASHED, "exited with code 3, last words \"faulty library: no more\"");
}

Test(remote_worker, kernel_that_aborts) {
  expect_failure(17, PERFPRED_CRASHED, "SIGABRT");
}

Test(remote_worker, kernel_that_calls_xerbla) {
  expect_failure(19, PERFPRED_NUMERIC, "DGEMM refuses its argument 5");
}

static int cancel(void *data, const struct perfpred_progress *progress) {
  int *calls = data;
  cr_assert(progress->fraction >= 0.0 && progress->fraction <= 1.0);
  return ++*calls >= 2;
}

/* C[:,:,i] := A B[:,:,i] with m rows, for 3 values of i, so often. */
static enum perfpred_status run_tour(struct perfpred_sampler *sampler, int m, const struct ppi_sampling *sampling,
                                     struct ppi_tour_result *result) {
  enum { N = 2, K = 2, LOOP = 3 };
  const struct ppi_value values[] = { { .i = 'N' },  { .i = 'N' },     { .i = m }, { .i = N },       { .i = K },
                                      { .re = 1.0 }, { .buffer = -1 }, { .i = m }, { .buffer = -1 }, { .i = K },
                                      { .re = 0.0 }, { .buffer = -1 }, { .i = m } };
  const struct ppi_tour tour = {
    .kernel = dgemm(),
    .values = values,
    .loop_count = 1,
    .length = { LOOP },
    .operands = { { .place = 6, .extent = { m, K }, .stride = { 1, m }, .copy.loops = -1 },
                  { .place = 8, .step = { K * N }, .extent = { K, N }, .stride = { 1, K }, .copy.loops = -1 },
                  { .place = 11, .step = { m * N }, .extent = { m, N }, .stride = { 1, m }, .copy.loops = -1 } }
  };
  const struct ppi_tour_request request = { .subject = PPI_TOUR_WHOLE, .level = PPI_TOUR_ANYWHERE };
  const struct ppi_tour_batch batch = { .type = PPI_TYPE_D,
                                        .elements = { m * K, K * N * LOOP, m * N * LOOP },
                                        .tours = &tour,
                                        .tour_count = 1,
                                        .requests = &request,
                                        .request_count = 1 };
  ppi_error_clear(&error);
  return sampler->ops->tour(sampler, &batch, sampling, result, &error);
}

Test(remote_worker, tours_that_fail) {
  struct perfpred_sampler *sampler = start(FAULTY, FAULTY, PATIENT_S);
  struct ppi_tour_result result;
  int calls = 0;
  const struct ppi_sampling endless = {
    .repetitions = 100000000, .gate = -1.0, .seed = 1, .progress = cancel, .progress_data = &calls
  };
  cr_assert_eq(run_tour(sampler, 13, &three, &result), PERFPRED_CRASHED, "%s", error.text);
  cr_expect_not_null(strstr(error.text, "dgemm(N,N,13,2,2"), "%s", error.text);
  cr_expect_not_null(strstr(error.text, "in loops of 3"), "%s", error.text);
  cr_assert_eq(run_tour(sampler, 19, &three, &result), PERFPRED_NUMERIC, "%s", error.text);
  cr_expect_not_null(strstr(error.text, "DGEMM refuses its argument 5"), "%s", error.text);
  cr_assert_eq(run_tour(sampler, 40, &endless, &result), PERFPRED_CANCELLED, "%s", error.text);
  cr_assert_eq(run_tour(sampler, 16, &three, &result), PERFPRED_OK, "%s", error.text);
  cr_expect_geq(result.timing.count, 3);
  ppi_tour_results_free(&result, 1);
  sampler->ops->destroy(sampler);
  cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "a child is left");
}

/* Standard output is the library's, the protocol is elsewhere. */
Test(remote_worker, kernel_that_prints) {
  struct perfpred_sampler *sampler = start(FAULTY, FAULTY, 20);
  struct ppi_result result;
  cr_assert_eq(sample_dgemm(sampler, 18, &three, &result), PERFPRED_OK, "%s", error.text);
  free(result.times_s);
  expect_works(sampler);
  sampler->ops->destroy(sampler);
}

Test(remote_worker, kernel_that_the_libraries_lack) {
  struct perfpred_sampler *sampler = start(FAULTY, FAULTY, 20);
  struct ppi_kernels *own = NULL;
  struct ppi_result result;
  struct ppi_value values[PPI_ARG_MAX] = { { .i = 8 } };
  const char text[] = "perfpred-text 1\nkernel nosuch(n: size, x: inout double vector[n])\n  type double\nend\n";
  cr_assert_eq(ppi_kernels_create(&own, &error), PERFPRED_OK);
  cr_assert_eq(ppi_kernels_add_text(own, text, sizeof text - 1, "text", &error), PERFPRED_OK, "%s", error.text);
  struct ppi_request request = { ppi_kernels_find(own, "nosuch"), values, 8 };
  ppi_error_clear(&error);
  cr_assert_eq(sampler->ops->sample(sampler, &request, 1, &three, &result, &error), PERFPRED_UNSUPPORTED, "%s",
               error.text);
  cr_assert(strstr(error.text, "nosuch_"), "%s", error.text);
  expect_works(sampler);
  sampler->ops->destroy(sampler);
  ppi_kernels_destroy(own);
}

/* Far more repetitions than anybody would wait for. */
Test(remote_worker, cancel_between_calls) {
  struct perfpred_sampler *sampler = start(FAULTY, FAULTY, 20);
  int calls = 0;
  struct ppi_sampling endless = {
    .repetitions = 100000000, .gate = -1.0, .seed = 1, .progress = cancel, .progress_data = &calls
  };
  struct ppi_result result;
  cr_assert_eq(sample_dgemm(sampler, 40, &endless, &result), PERFPRED_CANCELLED, "%s", error.text);
  cr_assert_eq(calls, 2);
  expect_works(sampler);
  sampler->ops->destroy(sampler);
}

Test(remote_worker, cancel_during_a_call_that_hangs) {
  struct perfpred_sampler *sampler = start(FAULTY, FAULTY, 1000);
  int calls = 0;
  struct ppi_sampling patient = three;
  patient.progress = cancel;
  patient.progress_data = &calls;
  struct ppi_result result;
  cr_assert_eq(sample_dgemm(sampler, 14, &patient, &result), PERFPRED_CANCELLED, "%s", error.text);
  expect_works(sampler);
  sampler->ops->destroy(sampler);
}

/* The host is killed while a call hangs: nobody is left. */
Test(remote_worker, worker_dies_with_its_host) {
  int ends[2];
  pid_t worker = 0;
  cr_assert_eq(pipe(ends), 0);
  pid_t host = fork();
  if (host == 0) {
    struct perfpred_sampler *sampler = start(FAULTY, FAULTY, 1000);
    struct ppi_result result;
    worker = ((struct ppi_remote *)sampler)->process.pid;
    if (write(ends[1], &worker, sizeof worker) != (ssize_t)sizeof worker)
      _exit(1);
    sample_dgemm(sampler, 14, &three, &result);
    _exit(1);
  }
  cr_assert_eq(read(ends[0], &worker, sizeof worker), (ssize_t)sizeof worker);
  nanosleep(&(struct timespec){ 0, 300000000 }, NULL);
  cr_assert_eq(kill(worker, 0), 0);
  kill(host, SIGKILL);
  waitpid(host, NULL, 0);
  cr_assert(gone_within(worker, 600), "the worker lives on");
  close(ends[0]);
  close(ends[1]);
}
