/* SPDX-License-Identifier: BSD-3-Clause */
/* Places of the members of the public structs, as released: what an older program was compiled with. A struct that grows
 * gets new lines, the old ones stay. For 64-bit machines, where pointers and size_t have 8 bytes. */
#include <perfpred/perfpred.h>
#include <stddef.h>

#define AT(structure, member, offset)                                                                                  \
  _Static_assert(offsetof(struct structure, member) == (offset), #structure "." #member)
#define SIZE(structure, bytes) _Static_assert(sizeof(struct structure) == (bytes), "size of " #structure)

#if UINTPTR_MAX > 0xFFFFFFFFu

AT(perfpred_statistics, min, 0);
AT(perfpred_statistics, med, 8);
AT(perfpred_statistics, max, 16);
AT(perfpred_statistics, mean, 24);
AT(perfpred_statistics, std, 32);
SIZE(perfpred_statistics, 40);

AT(perfpred_progress, size, 0);
AT(perfpred_progress, stage, 8);
AT(perfpred_progress, fraction, 16);
AT(perfpred_progress, elapsed_s, 24);
AT(perfpred_progress, remaining_s, 32);
AT(perfpred_progress, samples, 40);
SIZE(perfpred_progress, 48);

AT(perfpred_doctor_options, size, 0);
AT(perfpred_doctor_options, setup, 8);
AT(perfpred_doctor_options, program, 16);
AT(perfpred_doctor_options, pid, 24);
AT(perfpred_doctor_options, record, 32);
AT(perfpred_doctor_options, override, 40);
AT(perfpred_doctor_options, table, 48);
AT(perfpred_doctor_options, no_measure, 56);
AT(perfpred_doctor_options, budget_s, 64);
AT(perfpred_doctor_options, progress, 72);
AT(perfpred_doctor_options, progress_data, 80);
SIZE(perfpred_doctor_options, 88);

AT(perfpred_drift_options, size, 0);
AT(perfpred_drift_options, setup, 8);
AT(perfpred_drift_options, repetitions, 16);
AT(perfpred_drift_options, gate, 24);
AT(perfpred_drift_options, budget_s, 32);
AT(perfpred_drift_options, progress, 40);
AT(perfpred_drift_options, progress_data, 48);
SIZE(perfpred_drift_options, 56);

AT(perfpred_drift_info, size, 0);
AT(perfpred_drift_info, verdict, 8);
AT(perfpred_drift_info, ratio, 16);
AT(perfpred_drift_info, noise, 24);
AT(perfpred_drift_info, kernels, 32);
AT(perfpred_drift_info, anchors, 40);
AT(perfpred_drift_info, measured, 48);
AT(perfpred_drift_info, wall_s, 56);
SIZE(perfpred_drift_info, 64);

AT(perfpred_drift_kernel, size, 0);
AT(perfpred_drift_kernel, kernel, 8);
AT(perfpred_drift_kernel, setup, 16);
AT(perfpred_drift_kernel, at, 24);
AT(perfpred_drift_kernel, scale, 32);
AT(perfpred_drift_kernel, anchors, 40);
AT(perfpred_drift_kernel, measured, 48);
AT(perfpred_drift_kernel, ratio, 56);
AT(perfpred_drift_kernel, noise, 64);
AT(perfpred_drift_kernel, threshold, 72);
AT(perfpred_drift_kernel, verdict, 80);
SIZE(perfpred_drift_kernel, 88);

AT(perfpred_drift_point, corrected_s, 0);
AT(perfpred_drift_point, corrected_are, 8);
AT(perfpred_drift_point, corrected_re, 16);
SIZE(perfpred_drift_point, 24);

AT(perfpred_drift_validation, size, 0);
AT(perfpred_drift_validation, corrected_mean_are, 8);
AT(perfpred_drift_validation, corrected_median_are, 16);
AT(perfpred_drift_validation, ratio, 24);
AT(perfpred_drift_validation, readings, 32);
AT(perfpred_drift_validation, anchor_s, 40);
SIZE(perfpred_drift_validation, 48);

AT(perfpred_error, status, 0);
AT(perfpred_error, line, 4);
AT(perfpred_error, column, 8);
AT(perfpred_error, text, 12);
SIZE(perfpred_error, 512);

AT(perfpred_load_options, size, 0);
AT(perfpred_load_options, force, 8);
SIZE(perfpred_load_options, 16);

AT(perfpred_model_info, size, 0);
AT(perfpred_model_info, kernel, 8);
AT(perfpred_model_info, case_text, 16);
AT(perfpred_model_info, dimensions, 24);
AT(perfpred_model_info, lower, 32);
AT(perfpred_model_info, upper, 96);
AT(perfpred_model_info, pieces, 160);
AT(perfpred_model_info, coefficients, 168);
AT(perfpred_model_info, error, 176);
AT(perfpred_model_info, samples, 184);
AT(perfpred_model_info, setup, 192);
AT(perfpred_model_info, context, 200);
AT(perfpred_model_info, ld, 208);
AT(perfpred_model_info, size_names, 216);
AT(perfpred_model_info, anchors, 280);
AT(perfpred_model_info, scale, 288);
AT(perfpred_model_info, scaled_at, 296);
AT(perfpred_model_info, scaled_from, 304);
SIZE(perfpred_model_info, 312);

AT(perfpred_setup_info, size, 0);
AT(perfpred_setup_info, blas_family, 8);
AT(perfpred_setup_info, blas_path, 16);
AT(perfpred_setup_info, blas_version, 24);
AT(perfpred_setup_info, blas_build_id, 32);
AT(perfpred_setup_info, blas_kernels, 40);
AT(perfpred_setup_info, lapack_family, 48);
AT(perfpred_setup_info, lapack_path, 56);
AT(perfpred_setup_info, lapack_version, 64);
AT(perfpred_setup_info, lapack_build_id, 72);
AT(perfpred_setup_info, threads, 80);
AT(perfpred_setup_info, ilp64, 84);
AT(perfpred_setup_info, clock, 88);
AT(perfpred_setup_info, protocol, 96);
AT(perfpred_setup_info, models, 104);
AT(perfpred_setup_info, kept_samples, 112);
AT(perfpred_setup_info, yardstick_s, 120);
SIZE(perfpred_setup_info, 128);

AT(perfpred_generate_options, size, 0);
AT(perfpred_generate_options, n_lower, 8);
AT(perfpred_generate_options, n_upper, 16);
AT(perfpred_generate_options, b_lower, 24);
AT(perfpred_generate_options, b_upper, 32);
AT(perfpred_generate_options, overfitting, 40);
AT(perfpred_generate_options, oversampling, 44);
AT(perfpred_generate_options, grid, 48);
AT(perfpred_generate_options, repetitions, 52);
AT(perfpred_generate_options, reference, 56);
AT(perfpred_generate_options, error_measure, 60);
AT(perfpred_generate_options, error_bound, 64);
AT(perfpred_generate_options, minimum_width, 72);
AT(perfpred_generate_options, budget_s, 80);
AT(perfpred_generate_options, ld, 88);
AT(perfpred_generate_options, gate, 96);
AT(perfpred_generate_options, seed, 104);
AT(perfpred_generate_options, progress, 112);
AT(perfpred_generate_options, progress_data, 120);
AT(perfpred_generate_options, generator, 128);
AT(perfpred_generate_options, keep_samples, 132);
AT(perfpred_generate_options, journal, 136);
AT(perfpred_generate_options, restart, 144);
AT(perfpred_generate_options, known, 152);
AT(perfpred_generate_options, contexts, 160);
AT(perfpred_generate_options, spent_s, 168);
AT(perfpred_generate_options, states, 176);
AT(perfpred_generate_options, anchors, 180);
SIZE(perfpred_generate_options, 184);

AT(perfpred_merge_options, size, 0);
AT(perfpred_merge_options, refuse, 8);
SIZE(perfpred_merge_options, 16);

AT(perfpred_update_options, size, 0);
AT(perfpred_update_options, replace, 8);
SIZE(perfpred_update_options, 16);

AT(perfpred_generate_report, size, 0);
AT(perfpred_generate_report, models, 8);
AT(perfpred_generate_report, points, 16);
AT(perfpred_generate_report, samples, 24);
AT(perfpred_generate_report, disturbed, 32);
AT(perfpred_generate_report, pass_rate, 40);
AT(perfpred_generate_report, measure_s, 48);
AT(perfpred_generate_report, wall_s, 56);
AT(perfpred_generate_report, max_error, 64);
AT(perfpred_generate_report, budget_exhausted, 72);
AT(perfpred_generate_report, rates_known, 76);
AT(perfpred_generate_report, missing, 80);
AT(perfpred_generate_report, kept, 88);
AT(perfpred_generate_report, timed_s, 96);
AT(perfpred_generate_report, rejected_s, 104);
AT(perfpred_generate_report, spare_s, 112);
AT(perfpred_generate_report, yardstick_s, 120);
AT(perfpred_generate_report, restore_s, 128);
AT(perfpred_generate_report, floor_s, 136);
AT(perfpred_generate_report, anchors, 144);
AT(perfpred_generate_report, anchor_s, 152);
AT(perfpred_generate_report, anchor_change, 160);
SIZE(perfpred_generate_report, 168);

AT(perfpred_setup, size, 0);
AT(perfpred_setup, blas, 8);
AT(perfpred_setup, lapack, 16);
AT(perfpred_setup, threads, 24);
AT(perfpred_setup, timeout_s, 28);
AT(perfpred_setup, worker, 32);
AT(perfpred_setup, environment, 40);
AT(perfpred_setup, yardstick_s, 48);
SIZE(perfpred_setup, 56);

AT(perfpred_virtual_call, size, 0);
AT(perfpred_virtual_call, kernel, 8);
AT(perfpred_virtual_call, kernel_name, 16);
AT(perfpred_virtual_call, flags, 24);
AT(perfpred_virtual_call, sizes, 32);
AT(perfpred_virtual_call, size_count, 40);
AT(perfpred_virtual_call, flops, 48);
AT(perfpred_virtual_call, repetition, 56);
AT(perfpred_virtual_call, previous, 64);
AT(perfpred_virtual_call, state, 72);
AT(perfpred_virtual_call, alpha, 80);
SIZE(perfpred_virtual_call, 88);

AT(perfpred_apex_text, text, 0);
AT(perfpred_apex_text, length, 8);
AT(perfpred_apex_text, name, 16);
SIZE(perfpred_apex_text, 24);

AT(perfpred_apex_options, size, 0);
AT(perfpred_apex_options, runs, 8);
AT(perfpred_apex_options, instruction_set, 16);
AT(perfpred_apex_options, threads, 24);
AT(perfpred_apex_options, cache_bytes, 32);
AT(perfpred_apex_options, clock_hz, 40);
AT(perfpred_apex_options, cell_bytes_per_cycle, 48);
AT(perfpred_apex_options, cell_flops_per_cycle, 56);
AT(perfpred_apex_options, threshold, 64);
AT(perfpred_apex_options, runs_max, 72);
AT(perfpred_apex_options, repetitions, 76);
AT(perfpred_apex_options, gate, 80);
AT(perfpred_apex_options, budget_s, 88);
AT(perfpred_apex_options, index_blocks, 96);
AT(perfpred_apex_options, progress, 104);
AT(perfpred_apex_options, progress_data, 112);
SIZE(perfpred_apex_options, 120);

AT(perfpred_apex_watch_options, size, 0);
AT(perfpred_apex_watch_options, pid, 8);
AT(perfpred_apex_watch_options, interval_s, 16);
AT(perfpred_apex_watch_options, duration_s, 24);
AT(perfpred_apex_watch_options, flops, 32);
AT(perfpred_apex_watch_options, cycles, 40);
AT(perfpred_apex_watch_options, misses, 48);
AT(perfpred_apex_watch_options, progress, 56);
AT(perfpred_apex_watch_options, progress_data, 64);
SIZE(perfpred_apex_watch_options, 72);

AT(perfpred_measure_options, size, 0);
AT(perfpred_measure_options, repetitions, 8);
AT(perfpred_measure_options, ld, 16);
AT(perfpred_measure_options, gate, 24);
AT(perfpred_measure_options, budget_s, 32);
AT(perfpred_measure_options, progress, 40);
AT(perfpred_measure_options, progress_data, 48);
SIZE(perfpred_measure_options, 56);

AT(perfpred_measurement, size, 0);
AT(perfpred_measurement, time_s, 8);
AT(perfpred_measurement, noise, 48);
AT(perfpred_measurement, repetitions, 56);
AT(perfpred_measurement, disturbed, 64);
AT(perfpred_measurement, ld, 72);
AT(perfpred_measurement, gated, 80);
AT(perfpred_measurement, residual, 88);
AT(perfpred_measurement, yardstick_s, 96);
AT(perfpred_measurement, yardstick_reference_s, 104);
SIZE(perfpred_measurement, 112);

AT(perfpred_plan_options, size, 0);
AT(perfpred_plan_options, extrapolate, 8);
AT(perfpred_plan_options, partial, 12);
AT(perfpred_plan_options, threads, 16);
AT(perfpred_plan_options, blas, 24);
AT(perfpred_plan_options, setup, 32);
AT(perfpred_plan_options, force, 40);
AT(perfpred_plan_options, warm, 44);
AT(perfpred_plan_options, ld, 48);
AT(perfpred_plan_options, context, 56);
AT(perfpred_plan_options, cache, 64);
SIZE(perfpred_plan_options, 72);

AT(perfpred_prediction, size, 0);
AT(perfpred_prediction, time_s, 8);
AT(perfpred_prediction, flops, 48);
AT(perfpred_prediction, flops_per_s, 56);
AT(perfpred_prediction, efficiency, 96);
AT(perfpred_prediction, data_bytes, 136);
AT(perfpred_prediction, movement_bytes, 144);
AT(perfpred_prediction, intensity_flops_per_byte, 152);
AT(perfpred_prediction, bandwidth_bytes_per_s, 160);
AT(perfpred_prediction, efficiency_bandwidth, 200);
AT(perfpred_prediction, roofline_flops_per_s, 240);
AT(perfpred_prediction, compute_bound, 248);
AT(perfpred_prediction, notes, 252);
AT(perfpred_prediction, calls, 256);
AT(perfpred_prediction, model_error, 264);
AT(perfpred_prediction, context_calls, 272);
AT(perfpred_prediction, warm_calls, 280);
AT(perfpred_prediction, cache_calls, 288);
SIZE(perfpred_prediction, 296);

AT(perfpred_tunable, size, 0);
AT(perfpred_tunable, routine, 8);
AT(perfpred_tunable, options, 16);
AT(perfpred_tunable, algorithm, 24);
AT(perfpred_tunable, group, 32);
AT(perfpred_tunable, b_upper, 40);
AT(perfpred_tunable, nb, 48);
AT(perfpred_tunable, nx, 56);
AT(perfpred_tunable, share, 64);
SIZE(perfpred_tunable, 72);
AT(perfpred_decisions_tested, size, 0);
AT(perfpred_decisions_tested, pieces, 8);
AT(perfpred_decisions_tested, measured, 16);
AT(perfpred_decisions_tested, given_up, 24);
AT(perfpred_decisions_tested, wall_s, 32);
SIZE(perfpred_decisions_tested, 40);

AT(perfpred_decide_options, size, 0);
AT(perfpred_decide_options, types, 8);
AT(perfpred_decide_options, routines, 16);
AT(perfpred_decide_options, n_lower, 24);
AT(perfpred_decide_options, n_upper, 32);
AT(perfpred_decide_options, b_lower, 40);
AT(perfpred_decide_options, b_upper, 48);
AT(perfpred_decide_options, b_step, 56);
AT(perfpred_decide_options, growth, 64);
AT(perfpred_decide_options, spread, 72);
AT(perfpred_decide_options, tie, 80);
AT(perfpred_decide_options, resolution, 88);
AT(perfpred_decide_options, plan, 96);
AT(perfpred_decide_options, progress, 104);
AT(perfpred_decide_options, progress_data, 112);
SIZE(perfpred_decide_options, 120);

AT(perfpred_decision_entry, size, 0);
AT(perfpred_decision_entry, routine, 8);
AT(perfpred_decision_entry, options, 17);
AT(perfpred_decision_entry, row_size, 24);
AT(perfpred_decision_entry, cell_size, 32);
AT(perfpred_decision_entry, rows, 40);
AT(perfpred_decision_entry, cells, 48);
SIZE(perfpred_decision_entry, 56);

AT(perfpred_decision, size, 0);
AT(perfpred_decision, entry, 8);
AT(perfpred_decision, bound, 16);
AT(perfpred_decision, nb, 24);
AT(perfpred_decision, nbmin, 32);
AT(perfpred_decision, nx, 40);
SIZE(perfpred_decision, 48);

AT(perfpred_range, lower, 0);
AT(perfpred_range, upper, 8);
AT(perfpred_range, step, 16);
SIZE(perfpred_range, 24);

AT(perfpred_tuning, size, 0);
AT(perfpred_tuning, best, 8);
AT(perfpred_tuning, yield_default, 16);
AT(perfpred_tuning, default_value, 24);
AT(perfpred_tuning, candidates, 32);
AT(perfpred_tuning, prediction, 40);
SIZE(perfpred_tuning, 336);

AT(perfpred_share, kernel, 0);
AT(perfpred_share, calls, 8);
AT(perfpred_share, time_s, 16);
AT(perfpred_share, flops, 56);
SIZE(perfpred_share, 64);

AT(perfpred_ranked, plan, 0);
AT(perfpred_ranked, time_s, 8);
AT(perfpred_ranked, group, 48);
AT(perfpred_ranked, likelihood, 56);
AT(perfpred_ranked, notes, 64);
AT(perfpred_ranked, loss_s, 72);
SIZE(perfpred_ranked, 80);

AT(perfpred_rank_options, size, 0);
AT(perfpred_rank_options, tie, 8);
AT(perfpred_rank_options, noise, 16);
AT(perfpred_rank_options, error, 24);
SIZE(perfpred_rank_options, 32);

AT(perfpred_choose_options, size, 0);
AT(perfpred_choose_options, thread_limit, 8);
AT(perfpred_choose_options, default_value, 16);
AT(perfpred_choose_options, extra, 24);
SIZE(perfpred_choose_options, 32);

AT(perfpred_choice, size, 0);
AT(perfpred_choice, plan, 8);
AT(perfpred_choice, threads, 16);
AT(perfpred_choice, value, 24);
AT(perfpred_choice, time_s, 32);
AT(perfpred_choice, default_value, 40);
AT(perfpred_choice, yield_default, 48);
AT(perfpred_choice, yield, 56);
AT(perfpred_choice, candidates, 64);
AT(perfpred_choice, notes, 72);
SIZE(perfpred_choice, 80);

AT(perfpred_validation_point, plan, 0);
AT(perfpred_validation_point, parameters, 8);
AT(perfpred_validation_point, predicted_s, 72);
AT(perfpred_validation_point, measured_s, 112);
AT(perfpred_validation_point, are, 152);
AT(perfpred_validation_point, re, 160);
AT(perfpred_validation_point, noise, 168);
AT(perfpred_validation_point, disturbed, 176);
AT(perfpred_validation_point, ld, 184);
AT(perfpred_validation_point, gated, 192);
SIZE(perfpred_validation_point, 200);

AT(perfpred_validation, size, 0);
AT(perfpred_validation, mean_are, 8);
AT(perfpred_validation, median_are, 16);
AT(perfpred_validation, noise_floor, 24);
AT(perfpred_validation, disturbed, 32);
AT(perfpred_validation, wall_s, 40);
AT(perfpred_validation, notes, 48);
AT(perfpred_validation, yardstick_s, 56);
AT(perfpred_validation, yardstick_reference_s, 64);
SIZE(perfpred_validation, 72);

AT(perfpred_kernel_error, kernel, 0);
AT(perfpred_kernel_error, calls, 8);
AT(perfpred_kernel_error, predicted_s, 16);
AT(perfpred_kernel_error, measured_s, 56);
AT(perfpred_kernel_error, re, 64);
AT(perfpred_kernel_error, noise, 72);
SIZE(perfpred_kernel_error, 80);

AT(perfpred_tuner_options, size, 0);
AT(perfpred_tuner_options, parameter, 8);
AT(perfpred_tuner_options, range, 16);
AT(perfpred_tuner_options, plan, 40);
AT(perfpred_tuner_options, answers, 48);
SIZE(perfpred_tuner_options, 56);

AT(perfpred_routine_info, size, 0);
AT(perfpred_routine_info, name, 8);
AT(perfpred_routine_info, size_count, 16);
AT(perfpred_routine_info, size_names, 24);
AT(perfpred_routine_info, variant_count, 88);
AT(perfpred_routine_info, plan_count, 96);
AT(perfpred_routine_info, threads_max, 104);
SIZE(perfpred_routine_info, 112);

AT(perfpred_tuner_answer, size, 0);
AT(perfpred_tuner_answer, value, 8);
AT(perfpred_tuner_answer, variant, 16);
AT(perfpred_tuner_answer, threads, 20);
AT(perfpred_tuner_answer, time_s, 24);
AT(perfpred_tuner_answer, notes, 32);
SIZE(perfpred_tuner_answer, 40);

AT(perfpred_cache_options, size, 0);
AT(perfpred_cache_options, level_count, 8);
AT(perfpred_cache_options, level_bytes, 16);
AT(perfpred_cache_options, line_bytes, 48);
AT(perfpred_cache_options, ld, 56);
AT(perfpred_cache_options, history, 64);
AT(perfpred_cache_options, mode, 72);
AT(perfpred_cache_options, distance, 76);
AT(perfpred_cache_options, first, 80);
AT(perfpred_cache_options, split_ratio, 88);
AT(perfpred_cache_options, alpha, 96);
AT(perfpred_cache_options, beta, 104);
AT(perfpred_cache_options, weights, 112);
AT(perfpred_cache_options, warm_kernels, 152);
SIZE(perfpred_cache_options, 664);

AT(perfpred_cache_info, size, 0);
AT(perfpred_cache_info, calls, 8);
AT(perfpred_cache_info, level_count, 16);
AT(perfpred_cache_info, level_bytes, 24);
AT(perfpred_cache_info, line_bytes, 56);
AT(perfpred_cache_info, buffer_bytes, 64);
AT(perfpred_cache_info, shares, 72);
AT(perfpred_cache_info, flops, 112);
AT(perfpred_cache_info, priced, 120);
AT(perfpred_cache_info, blended, 128);
AT(perfpred_cache_info, warm_s, 136);
AT(perfpred_cache_info, level_s, 144);
AT(perfpred_cache_info, time_s, 184);
AT(perfpred_cache_info, notes, 192);
SIZE(perfpred_cache_info, 200);

AT(perfpred_cache_call, size, 0);
AT(perfpred_cache_call, kernel, 8);
AT(perfpred_cache_call, text, 16);
AT(perfpred_cache_call, step, 24);
AT(perfpred_cache_call, operands, 32);
AT(perfpred_cache_call, split, 40);
AT(perfpred_cache_call, empty, 44);
AT(perfpred_cache_call, bytes, 48);
AT(perfpred_cache_call, shares, 56);
AT(perfpred_cache_call, warm_s, 96);
AT(perfpred_cache_call, level_s, 104);
AT(perfpred_cache_call, time_s, 144);
AT(perfpred_cache_call, copies, 152);
SIZE(perfpred_cache_call, 160);

AT(perfpred_cache_operand, size, 0);
AT(perfpred_cache_operand, name, 8);
AT(perfpred_cache_operand, reads, 16);
AT(perfpred_cache_operand, writes, 20);
AT(perfpred_cache_operand, rows, 24);
AT(perfpred_cache_operand, columns, 32);
AT(perfpred_cache_operand, bytes, 40);
AT(perfpred_cache_operand, distance_bytes, 48);
AT(perfpred_cache_operand, nearest_bytes, 56);
AT(perfpred_cache_operand, shares, 64);
SIZE(perfpred_cache_operand, 104);

AT(perfpred_cache_script_options, size, 0);
AT(perfpred_cache_script_options, first, 8);
AT(perfpred_cache_script_options, count, 16);
AT(perfpred_cache_script_options, setup, 24);
AT(perfpred_cache_script_options, width, 32);
AT(perfpred_cache_script_options, limit_bytes, 40);
SIZE(perfpred_cache_script_options, 48);

AT(perfpred_cache_error, mean_are, 0);
AT(perfpred_cache_error, total_re, 8);
SIZE(perfpred_cache_error, 16);

AT(perfpred_cache_errors, size, 0);
AT(perfpred_cache_errors, calls, 8);
AT(perfpred_cache_errors, warm, 16);
AT(perfpred_cache_errors, in, 32);
AT(perfpred_cache_errors, out, 48);
AT(perfpred_cache_errors, blend, 64);
SIZE(perfpred_cache_errors, 80);

AT(perfpred_source_options, size, 0);
AT(perfpred_source_options, compiler, 8);
AT(perfpred_source_options, arguments, 16);
AT(perfpred_source_options, argument_count, 24);
AT(perfpred_source_options, timeout_s, 32);
AT(perfpred_source_options, name, 40);
AT(perfpred_source_options, region, 48);
SIZE(perfpred_source_options, 56);

AT(perfpred_misses_options, size, 0);
AT(perfpred_misses_options, cache_bytes, 8);
AT(perfpred_misses_options, cache_count, 16);
AT(perfpred_misses_options, line_bytes, 24);
AT(perfpred_misses_options, engine, 32);
AT(perfpred_misses_options, budget_s, 40);
AT(perfpred_misses_options, budget_bytes, 48);
AT(perfpred_misses_options, pieces, 56);
AT(perfpred_misses_options, curve, 60);
AT(perfpred_misses_options, progress, 64);
AT(perfpred_misses_options, progress_data, 72);
SIZE(perfpred_misses_options, 80);

AT(perfpred_misses_level, cache_bytes, 0);
AT(perfpred_misses_level, accesses, 8);
AT(perfpred_misses_level, compulsory, 16);
AT(perfpred_misses_level, capacity, 24);
SIZE(perfpred_misses_level, 32);

AT(perfpred_level, bytes, 0);
AT(perfpred_level, latency_s, 8);
AT(perfpred_level, bandwidth_bytes_per_s, 16);
SIZE(perfpred_level, 24);

AT(perfpred_timings_options, size, 0);
AT(perfpred_timings_options, repetitions, 8);
AT(perfpred_timings_options, ld, 16);
AT(perfpred_timings_options, gate, 24);
AT(perfpred_timings_options, budget_s, 32);
AT(perfpred_timings_options, detail, 40);
AT(perfpred_timings_options, cache, 48);
AT(perfpred_timings_options, progress, 56);
AT(perfpred_timings_options, progress_data, 64);
SIZE(perfpred_timings_options, 72);

AT(perfpred_replay_options, size, 0);
AT(perfpred_replay_options, steps, 8);
AT(perfpred_replay_options, repetitions, 12);
AT(perfpred_replay_options, mode, 16);
AT(perfpred_replay_options, ld, 24);
AT(perfpred_replay_options, gate, 32);
AT(perfpred_replay_options, budget_s, 40);
AT(perfpred_replay_options, progress, 48);
AT(perfpred_replay_options, progress_data, 56);
AT(perfpred_replay_options, cache, 64);
SIZE(perfpred_replay_options, 72);

AT(perfpred_replayed, size, 0);
AT(perfpred_replayed, time_s, 8);
AT(perfpred_replayed, cost_s, 48);
AT(perfpred_replayed, ratio, 56);
AT(perfpred_replayed, steps, 64);
AT(perfpred_replayed, measured, 72);
AT(perfpred_replayed, outside, 80);
AT(perfpred_replayed, outside_s, 88);
AT(perfpred_replayed, measured_share, 96);
AT(perfpred_replayed, disturbed, 104);
AT(perfpred_replayed, ld, 112);
AT(perfpred_replayed, reach, 120);
SIZE(perfpred_replayed, 128);

AT(perfpred_contraction_options, size, 0);
AT(perfpred_contraction_options, type, 8);
AT(perfpred_contraction_options, fuse, 12);
AT(perfpred_contraction_options, strides_a, 16);
AT(perfpred_contraction_options, strides_b, 24);
AT(perfpred_contraction_options, strides_c, 32);
SIZE(perfpred_contraction_options, 40);

AT(perfpred_contraction_info, size, 0);
AT(perfpred_contraction_info, einsum, 8);
AT(perfpred_contraction_info, type, 16);
AT(perfpred_contraction_info, indices, 24);
AT(perfpred_contraction_info, contracted, 32);
AT(perfpred_contraction_info, free_a, 40);
AT(perfpred_contraction_info, free_b, 48);
AT(perfpred_contraction_info, batch, 56);
AT(perfpred_contraction_info, flops, 64);
AT(perfpred_contraction_info, elements_a, 72);
AT(perfpred_contraction_info, elements_b, 80);
AT(perfpred_contraction_info, elements_c, 88);
AT(perfpred_contraction_info, element_bytes, 96);
SIZE(perfpred_contraction_info, 104);

AT(perfpred_contraction_index, size, 0);
AT(perfpred_contraction_index, name, 8);
AT(perfpred_contraction_index, kind, 16);
AT(perfpred_contraction_index, joined, 24);
AT(perfpred_contraction_index, extent, 32);
AT(perfpred_contraction_index, stride_a, 40);
AT(perfpred_contraction_index, stride_b, 48);
AT(perfpred_contraction_index, stride_c, 56);
SIZE(perfpred_contraction_index, 64);

AT(perfpred_contraction_filter, size, 0);
AT(perfpred_contraction_filter, kernels, 8);
AT(perfpred_contraction_filter, copies, 12);
AT(perfpred_contraction_filter, at_most, 16);
AT(perfpred_contraction_filter, wholes, 24);
SIZE(perfpred_contraction_filter, 32);

AT(perfpred_contraction_algorithm, size, 0);
AT(perfpred_contraction_algorithm, name, 8);
AT(perfpred_contraction_algorithm, kernel, 56);
AT(perfpred_contraction_algorithm, routine, 60);
AT(perfpred_contraction_algorithm, loops, 72);
AT(perfpred_contraction_algorithm, copies, 80);
AT(perfpred_contraction_algorithm, zero, 88);
AT(perfpred_contraction_algorithm, calls, 96);
AT(perfpred_contraction_algorithm, copies_made, 104);
AT(perfpred_contraction_algorithm, copied_elements, 112);
AT(perfpred_contraction_algorithm, work_bytes, 120);
AT(perfpred_contraction_algorithm, whole, 128);
SIZE(perfpred_contraction_algorithm, 136);

AT(perfpred_contraction_analysis_options, size, 0);
AT(perfpred_contraction_analysis_options, cache_bytes, 8);
AT(perfpred_contraction_analysis_options, factor, 16);
AT(perfpred_contraction_analysis_options, untruncated, 24);
AT(perfpred_contraction_analysis_options, line_bytes, 32);
AT(perfpred_contraction_analysis_options, whole_lines, 40);
AT(perfpred_contraction_analysis_options, corrected, 44);
AT(perfpred_contraction_analysis_options, stage, 48);
SIZE(perfpred_contraction_analysis_options, 56);

AT(perfpred_contraction_analysis_info, size, 0);
AT(perfpred_contraction_analysis_info, name, 8);
AT(perfpred_contraction_analysis_info, stage, 56);
AT(perfpred_contraction_analysis_info, cache_bytes, 64);
AT(perfpred_contraction_analysis_info, factor, 72);
AT(perfpred_contraction_analysis_info, limit_bytes, 80);
AT(perfpred_contraction_analysis_info, line_bytes, 88);
AT(perfpred_contraction_analysis_info, calls, 96);
AT(perfpred_contraction_analysis_info, occurrences, 104);
AT(perfpred_contraction_analysis_info, flops, 112);
SIZE(perfpred_contraction_analysis_info, 120);

AT(perfpred_contraction_call, size, 0);
AT(perfpred_contraction_call, kind, 8);
AT(perfpred_contraction_call, tensor, 12);
AT(perfpred_contraction_call, count, 16);
AT(perfpred_contraction_call, operands, 24);
SIZE(perfpred_contraction_call, 32);

AT(perfpred_contraction_operand, size, 0);
AT(perfpred_contraction_operand, tensor, 8);
AT(perfpred_contraction_operand, packed, 12);
AT(perfpred_contraction_operand, text, 16);
AT(perfpred_contraction_operand, bytes, 24);
AT(perfpred_contraction_operand, line_bytes, 32);
AT(perfpred_contraction_operand, since, 40);
AT(perfpred_contraction_operand, distance_bytes, 48);
AT(perfpred_contraction_operand, corrected_bytes, 56);
AT(perfpred_contraction_operand, prefetch, 64);
SIZE(perfpred_contraction_operand, 72);

AT(perfpred_contraction_occurrence, size, 0);
AT(perfpred_contraction_occurrence, call, 8);
AT(perfpred_contraction_occurrence, kind, 16);
AT(perfpred_contraction_occurrence, begun, 24);
AT(perfpred_contraction_occurrence, count, 32);
AT(perfpred_contraction_occurrence, items, 40);
AT(perfpred_contraction_occurrence, remote_bytes, 48);
SIZE(perfpred_contraction_occurrence, 56);

AT(perfpred_contraction_item, size, 0);
AT(perfpred_contraction_item, access, 8);
AT(perfpred_contraction_item, tensor, 12);
AT(perfpred_contraction_item, packed, 16);
AT(perfpred_contraction_item, bytes, 24);
SIZE(perfpred_contraction_item, 32);

AT(perfpred_contraction_plan_options, size, 0);
AT(perfpred_contraction_plan_options, mode, 8);
AT(perfpred_contraction_plan_options, stage, 12);
AT(perfpred_contraction_plan_options, filter, 16);
AT(perfpred_contraction_plan_options, names, 24);
AT(perfpred_contraction_plan_options, name_count, 32);
AT(perfpred_contraction_plan_options, memory_bytes, 40);
AT(perfpred_contraction_plan_options, cache_bytes, 48);
AT(perfpred_contraction_plan_options, factor, 56);
AT(perfpred_contraction_plan_options, repetitions, 64);
AT(perfpred_contraction_plan_options, seed, 72);
AT(perfpred_contraction_plan_options, budget_s, 80);
AT(perfpred_contraction_plan_options, complete, 88);
AT(perfpred_contraction_plan_options, tie, 96);
AT(perfpred_contraction_plan_options, answers, 104);
AT(perfpred_contraction_plan_options, plan, 112);
AT(perfpred_contraction_plan_options, gate, 120);
AT(perfpred_contraction_plan_options, progress, 128);
AT(perfpred_contraction_plan_options, progress_data, 136);
AT(perfpred_contraction_plan_options, no_wholes, 144);
SIZE(perfpred_contraction_plan_options, 152);

AT(perfpred_contraction_plan_info, size, 0);
AT(perfpred_contraction_plan_info, mode, 8);
AT(perfpred_contraction_plan_info, stage, 12);
AT(perfpred_contraction_plan_info, candidates, 16);
AT(perfpred_contraction_plan_info, listed, 24);
AT(perfpred_contraction_plan_info, predicted, 32);
AT(perfpred_contraction_plan_info, groups, 40);
AT(perfpred_contraction_plan_info, ties, 48);
AT(perfpred_contraction_plan_info, benchmarks, 56);
AT(perfpred_contraction_plan_info, best_s, 64);
AT(perfpred_contraction_plan_info, planning_s, 72);
AT(perfpred_contraction_plan_info, made_s, 80);
AT(perfpred_contraction_plan_info, budget_s, 88);
AT(perfpred_contraction_plan_info, calibration_s, 96);
AT(perfpred_contraction_plan_info, from_cache, 104);
AT(perfpred_contraction_plan_info, bounded, 108);
AT(perfpred_contraction_plan_info, flops, 112);
AT(perfpred_contraction_plan_info, tensor_bytes, 120);
AT(perfpred_contraction_plan_info, cache_bytes, 128);
AT(perfpred_contraction_plan_info, from_file, 136);
AT(perfpred_contraction_plan_info, caches_from_file, 140);
SIZE(perfpred_contraction_plan_info, 144);
AT(perfpred_contraction_answers_info, size, 0);
AT(perfpred_contraction_answers_info, answers, 8);
AT(perfpred_contraction_answers_info, others, 16);
AT(perfpred_contraction_answers_info, foreign, 24);
AT(perfpred_contraction_answers_info, caches, 32);
SIZE(perfpred_contraction_answers_info, 40);

AT(perfpred_contraction_prediction, size, 0);
AT(perfpred_contraction_prediction, name, 8);
AT(perfpred_contraction_prediction, kernel, 56);
AT(perfpred_contraction_prediction, copies, 60);
AT(perfpred_contraction_prediction, source, 64);
AT(perfpred_contraction_prediction, bound, 68);
AT(perfpred_contraction_prediction, time_s, 72);
AT(perfpred_contraction_prediction, bound_s, 112);
AT(perfpred_contraction_prediction, copy_s, 120);
AT(perfpred_contraction_prediction, zero_s, 128);
AT(perfpred_contraction_prediction, flops_per_s, 136);
AT(perfpred_contraction_prediction, memory_bytes, 144);
AT(perfpred_contraction_prediction, buffer_bytes, 152);
AT(perfpred_contraction_prediction, cost_s, 160);
AT(perfpred_contraction_prediction, tied, 168);
AT(perfpred_contraction_prediction, group, 176);
AT(perfpred_contraction_prediction, measured_s, 184);
AT(perfpred_contraction_prediction, noise, 192);
AT(perfpred_contraction_prediction, error, 200);
AT(perfpred_contraction_prediction, whole, 208);
SIZE(perfpred_contraction_prediction, 216);

AT(perfpred_contraction_group, size, 0);
AT(perfpred_contraction_group, kernel, 8);
AT(perfpred_contraction_group, indices, 12);
AT(perfpred_contraction_group, call, 24);
AT(perfpred_contraction_group, algorithms, 32);
AT(perfpred_contraction_group, predicted, 40);
AT(perfpred_contraction_group, calls, 48);
AT(perfpred_contraction_group, bound, 56);
AT(perfpred_contraction_group, bound_s, 64);
AT(perfpred_contraction_group, call_s, 72);
AT(perfpred_contraction_group, best_s, 80);
SIZE(perfpred_contraction_group, 88);

AT(perfpred_contraction_measure_options, size, 0);
AT(perfpred_contraction_measure_options, best, 8);
AT(perfpred_contraction_measure_options, limit_s, 16);
AT(perfpred_contraction_measure_options, names, 24);
AT(perfpred_contraction_measure_options, name_count, 32);
AT(perfpred_contraction_measure_options, repetitions, 40);
AT(perfpred_contraction_measure_options, gate, 48);
AT(perfpred_contraction_measure_options, budget_s, 56);
AT(perfpred_contraction_measure_options, seed, 64);
AT(perfpred_contraction_measure_options, progress, 72);
AT(perfpred_contraction_measure_options, progress_data, 80);
SIZE(perfpred_contraction_measure_options, 88);

AT(perfpred_contraction_validation, size, 0);
AT(perfpred_contraction_validation, executed, 8);
AT(perfpred_contraction_validation, compared, 16);
AT(perfpred_contraction_validation, mean_are, 24);
AT(perfpred_contraction_validation, median_are, 32);
AT(perfpred_contraction_validation, worst_are, 40);
AT(perfpred_contraction_validation, noise_floor, 48);
AT(perfpred_contraction_validation, tau, 56);
AT(perfpred_contraction_validation, pairs, 64);
AT(perfpred_contraction_validation, loss, 72);
AT(perfpred_contraction_validation, fastest, 80);
AT(perfpred_contraction_validation, wall_s, 88);
SIZE(perfpred_contraction_validation, 96);

#endif
