/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file perfpred.h
 * @brief All of libperfpred.
 */
#ifndef PERFPRED_PERFPRED_H
#define PERFPRED_PERFPRED_H

#include <perfpred/affine.h>
#include <perfpred/apex.h>
#include <perfpred/cache.h>
#include <perfpred/common.h>
#include <perfpred/context.h>
#include <perfpred/contraction.h>
#include <perfpred/contraction_analysis.h>
#include <perfpred/contraction_plan.h>
#include <perfpred/decisions.h>
#include <perfpred/doctor.h>
#include <perfpred/drift.h>
#include <perfpred/kernel.h>
#include <perfpred/memo.h>
#include <perfpred/models.h>
#include <perfpred/plan.h>
#include <perfpred/program.h>
#include <perfpred/replay.h>
#include <perfpred/run.h>
#include <perfpred/sampler.h>
#include <perfpred/status.h>
#include <perfpred/timings.h>
#include <perfpred/tuner.h>

#endif
