/* SPDX-License-Identifier: BSD-3-Clause */
/* Tours without memory: measured here, on a virtual clock, and sent. */
#include "base/context.h"
#include "fault.h"
#include "measure/bench.h"
#include "measure/core.h"
#include "measure/protocol.h"
#include "tour_world.h"

static struct perfpred_context *context;
static struct perfpred_sampler *virtual_clock;
static struct tour_case made;

static const struct ppi_tour_item items[] = { { .kind = PPI_TOUR_REMOTE, .bytes = 64 },
                                              { .kind = PPI_TOUR_TOUCH, .operand = 1 } };
static const struct ppi_tour_request requests[] = {
  { .subject = PPI_TOUR_WHOLE, .level = -1 },
  { .subject = PPI_TOUR_WINDOW, .timed = 1, .lead = 1, .level = -1, .items = items, .item_count = 2 }
};
enum { COUNT = sizeof requests / sizeof requests[0] };

static double cost(void *data, const struct perfpred_virtual_call *call) {
  (void)data;
  (void)call;
  return 1e-6;
}

/* A clock that goes on by a microsecond whenever somebody looks: nothing takes long. */
static double tick(void *state) {
  double *now_s = state;
  return *now_s += 1e-6;
}

static double yardstick(void *data) {
  (void)data;
  return 25e-6;
}

static uint64_t no_switches(void *data) {
  (void)data;
  return 0;
}

/* With a core of its own, which keeps tensors from batch to batch. */
static enum perfpred_status here(struct perfpred_error *error) {
  static double now_s;
  const struct ppi_bench bench = { .wall = { "ticks", tick, 0.0, 0.0, &now_s },
                                   .cpu = { "ticks", tick, 0.0, 0.0, &now_s },
                                   .yardstick = yardstick,
                                   .switches = no_switches };
  const struct ppi_core_options options = { .resolve = tour_resolve, .bench = &bench };
  const struct ppi_sampling sampling = { .repetitions = 1, .gate = -1.0 };
  struct ppi_tour_result results[COUNT];
  struct ppi_core *core = NULL;
  enum perfpred_status status = ppi_core_create(&options, &core, error);
  if (!status)
    status = ppi_core_tour(core, &made.batch, &sampling, results, error);
  if (!status)
    ppi_tour_results_free(results, COUNT);
  ppi_core_destroy(core);
  return status;
}

static enum perfpred_status on_a_virtual_clock(struct perfpred_error *error) {
  const struct ppi_sampling sampling = { .repetitions = 2 };
  struct ppi_tour_result results[COUNT];
  enum perfpred_status status = virtual_clock->ops->tour(virtual_clock, &made.batch, &sampling, results, error);
  if (!status)
    ppi_tour_results_free(results, COUNT);
  return status;
}

static enum perfpred_status send(struct perfpred_error *error) {
  struct ppi_wire wire = PPI_WIRE_INIT;
  struct ppi_tour_parcel parcel;
  ppi_wire_start(&wire, PPI_MESSAGE_TOUR);
  ppi_put_tour_batch(&wire, &made.batch);
  enum perfpred_status status = PERFPRED_NO_MEMORY;
  if (wire.bad)
    ppi_error_memory(error);
  else {
    status = ppi_get_tour_batch(&wire, context->kernels, COUNT, &parcel, error);
    ppi_tour_parcel_free(&parcel);
  }
  ppi_wire_free(&wire);
  return status;
}

int main(void) {
  struct tap tap = { 0, 0 };
  struct perfpred_error error;
  enum perfpred_status status = perfpred_context_create(&context, &error);
  if (!status)
    status = perfpred_sampler_create_virtual(context, cost, NULL, NULL, &virtual_clock, &error);
  if (!status) {
    tour_i_dgemv(&made, context->kernels); /* reads its kernels, which the context keeps */
    made.batch.requests = requests;
    made.batch.request_count = COUNT;
    status = on_a_virtual_clock(&error); /* its tally of calls stays with the sampler */
  }
  tap_case(&tap, !status, "set up%s%s", status ? ": " : "", status ? error.text : "");
  if (!status) {
    fault_check(&tap, "tours: here", here);
    fault_check(&tap, "tours: on a virtual clock", on_a_virtual_clock);
    fault_check(&tap, "tours: sent", send);
  }
  perfpred_sampler_destroy(virtual_clock);
  perfpred_context_destroy(context);
  return tap_finish(&tap);
}
