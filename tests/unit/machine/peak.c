/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/peak.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "machine/machine.h"

/* x := x/2 + 1/2 tends to 1 in every lane, so the sum of all lanes is their number: half the flops of a step. */
Test(peak, every_loop_computes_all_that_it_counts) {
  for (int i = 0; i < ppi_peak_loop_count; i++) {
    const struct ppi_peak_loop *loop = &ppi_peak_loops[i];
    if (!loop->supported())
      continue;
    for (int precision = PPI_PEAK_SINGLE; precision <= PPI_PEAK_DOUBLE; precision++)
      cr_expect_eq(loop->run[precision](200), 0.5 * loop->flops_per_step[precision], "%s", loop->instruction_set);
  }
}

/* One step from 1/2: 3/4 in every lane. */
Test(peak, one_step) {
  const struct ppi_peak_loop *loop = ppi_peak_widest();
  cr_expect_eq(loop->run[PPI_PEAK_DOUBLE](1), 0.375 * loop->flops_per_step[PPI_PEAK_DOUBLE]);
}

Test(peak, widest_is_supported_and_the_last_runs_everywhere) {
  cr_expect(ppi_peak_widest()->supported());
  const struct ppi_peak_loop *last = &ppi_peak_loops[ppi_peak_loop_count - 1];
  cr_expect_str_eq(last->instruction_set, "generic");
  cr_expect(last->supported());
}

Test(peak, single_precision_has_twice_the_lanes) {
  for (int i = 0; i + 1 < ppi_peak_loop_count; i++)
    cr_expect_eq(ppi_peak_loops[i].flops_per_step[PPI_PEAK_SINGLE],
                 2 * ppi_peak_loops[i].flops_per_step[PPI_PEAK_DOUBLE]);
}

Test(peak, rates_of_this_machine_are_numbers) {
  struct ppi_machine machine;
  ppi_machine_here(&machine);
  ppi_machine_measure(&machine, INFINITY);
  double rates[] = { machine.peak_flops_per_s[0], machine.peak_flops_per_s[1], machine.bandwidth_bytes_per_s };
  for (int i = 0; i < 3; i++) {
    cr_expect(isfinite(rates[i]));
    cr_expect_gt(rates[i], 1e6);
    cr_expect_lt(rates[i], 1e14);
  }
}
