/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of contractions run as tours on a real BLAS: what they compute is compared with the sums that define it. */
#include "api/contraction_tour.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfpred/context.h>

#include "base/context.h"
#include "contract/einsum.h"
#include "contract/enumerate.h"
#include "measure/sampler.h"

#define ALGORITHMS_MAX 400

static struct perfpred_context *context;
static struct perfpred_sampler *sampler;
static struct perfpred_error error;

static void start(void) {
  cr_assert_eq(perfpred_context_create(&context, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_eq(perfpred_sampler_create_worker(context, NULL, &sampler, &error), PERFPRED_OK, "%s", error.text);
}

static void stop(void) {
  perfpred_sampler_destroy(sampler);
  perfpred_context_destroy(context);
}

TestSuite(contraction_tours, .init = start, .fini = stop, .timeout = 100);

/* Extents by the order in which indices are named first: 3 4 2 5 3 4 2 ... */
static void read_contraction(const char *einsum, enum ppi_type type, struct ppi_contraction *contraction) {
  static const int64_t few[] = { 3, 4, 2, 5 };
  char letters[PPI_INDEX_MAX][2] = { "" };
  const char *names[PPI_INDEX_MAX];
  int64_t extents[PPI_INDEX_MAX];
  struct ppi_contract_given given = { .type = type, .names = names, .extents = extents };
  for (const char *at = einsum; *at != '-'; at++) {
    bool known = *at == ',';
    for (size_t i = 0; i < given.count; i++)
      known = known || letters[i][0] == *at;
    if (known)
      continue;
    letters[given.count][0] = *at;
    names[given.count] = letters[given.count];
    extents[given.count] = few[given.count % 4];
    given.count++;
  }
  cr_assert_eq(ppi_contraction_read(einsum, &given, contraction, &error), PERFPRED_OK, "%s: %s", einsum, error.text);
}

struct made {
  struct ppi_tour tours[ALGORITHMS_MAX];
  struct ppi_value values[ALGORITHMS_MAX][PPI_CONTRACT_ARGUMENTS];
  struct ppi_tour_request requests[ALGORITHMS_MAX];
  struct ppi_tour_result results[ALGORITHMS_MAX];
  size_t count;
};

/* At most `most` algorithms, spread over all of them. */
static void make_tours(const struct ppi_contraction *contraction, const struct ppi_contract_filter *filter,
                       uint64_t most, struct made *made) {
  uint64_t count = 0;
  cr_assert_eq(ppi_contract_count(contraction, filter, &count, &error), PERFPRED_OK, "%s", error.text);
  cr_assert_leq(most, ALGORITHMS_MAX);
  made->count = count < most ? count : most;
  for (size_t i = 0; i < made->count; i++) {
    struct ppi_contract_algorithm algorithm;
    struct ppi_contract_call call;
    cr_assert(ppi_contract_at(contraction, filter, i * (count / made->count), &algorithm));
    ppi_contract_resolve(contraction, &algorithm, &call);
    cr_assert_eq(ppi_contraction_tour(context->kernels, &call, made->values[i], &made->tours[i], &error), PERFPRED_OK,
                 "%s", error.text);
    made->requests[i] =
        (struct ppi_tour_request){ .tour = i, .subject = PPI_TOUR_WHOLE, .level = PPI_TOUR_ANYWHERE, .repetitions = 1 };
  }
}

/* How many algorithms copy slices; all are right. */
static int expect_these(const char *einsum, enum ppi_type type, const struct ppi_contract_filter *filter,
                        uint64_t most) {
  static struct made made;
  const struct ppi_sampling sampling = { .repetitions = 1, .gate = -1.0 };
  const double tolerance = type == PPI_TYPE_S || type == PPI_TYPE_C ? 1e-5 : 1e-14;
  struct ppi_contraction contraction;
  struct ppi_tour_batch batch = { .tours = made.tours, .requests = made.requests };
  int copies = 0;
  read_contraction(einsum, type, &contraction);
  make_tours(&contraction, filter, most, &made);
  ppi_contraction_tour_batch(&contraction, &batch);
  batch.tour_count = batch.request_count = made.count;
  cr_assert_eq(sampler->ops->tour(sampler, &batch, &sampling, made.results, &error), PERFPRED_OK, "%s: %s", einsum,
               error.text);
  for (size_t i = 0; i < made.count; i++) {
    const struct ppi_tour *tour = &made.tours[i];
    cr_expect_geq(made.results[i].timing.count, 1);
    cr_expect_lt(made.results[i].timing.residual, tolerance, "%s, algorithm %zu of %zu (%s): residual %g", einsum, i,
                 made.count, tour->kernel->name, made.results[i].timing.residual);
    copies += tour->copier != NULL;
  }
  ppi_tour_results_free(made.results, made.count);
  return copies;
}

/* So are those that transpose whole tensors. */
static int expect_right(const char *einsum, enum ppi_type type, uint64_t most) {
  const struct ppi_contract_filter all = { 0 }, wholes = { .wholes = PPI_WHOLES_ALONE };
  cr_expect_eq(expect_these(einsum, type, &wholes, 8), 0);
  return expect_these(einsum, type, &all, most);
}

/* The three contractions of the dissertation with all of their algorithms. Of the third all gemm and half of the gemv copy. */
Test(contraction_tours, all_algorithms_of_the_dissertation) {
  cr_expect_eq(expect_right("ai,ibc->abc", PPI_TYPE_D, 36), 0);
  cr_expect_eq(expect_right("iaj,ji->a", PPI_TYPE_D, 8), 1);
  cr_expect_eq(expect_right("ija,jbic->abc", PPI_TYPE_D, 176), 8 + 18);
}

Test(contraction_tours, other_types) {
  static const enum ppi_type types[] = { PPI_TYPE_S, PPI_TYPE_C, PPI_TYPE_Z };
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    expect_right("ai,ibc->abc", types[i], 36);
    expect_right("iaj,ji->a", types[i], 8);
    cr_expect_gt(expect_right("ija,jbic->abc", types[i], 80), 0);
    expect_right("i,i->", types[i], 1);
  }
}

/* Contractions from practice, batch indices, outer products, sums of a single element. */
Test(contraction_tours, from_practice) {
  static const char *const all[] = {
    "dca,bd->abc",         "ebad,ce->abcd",     "efbad,cf->abcde",   "cad,dcb->ab",
    "aebf,dfce->abcd",     "eafd,fbec->abcd",   "degb,gfac->abcdef", "gfbc,dega->abcdef",
    "akb,jk->ajb",         "akb,ckd->acbd",     "mhkn,ukvh->munv",   "mkajbi,kni->majbn",
    "gfec,abdg->acbedf",   "gfcb,gade->bcafde", "umn,au->nma",       "vau,oumvn->amno",
    "auwvcb,vumwn->cmanb", "vwua,uvnomw->amon", "pmoun,bua->nmbpao", "omun,abcu->oacnmb",
    "qij,qjk->qik",        "qi,qj->qij",        "a,b->ab",           "a,b->ba",
    "abc,cba->",           "ab,ba->a",          "ab,b->a",           "q,q->q"
  };
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    expect_right(all[i], PPI_TYPE_D, 12);
}
