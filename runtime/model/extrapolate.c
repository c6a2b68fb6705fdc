/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model extrapolate: profiles at small loop bounds, fitted, at the bounds of the prediction.
 */
#include "model/extrapolate.h"

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "sampler/engine.h"

enum {
    EVALUATIONS = 1 << 23, /* of distances, about, at most: else some stand for their neighbours */
    FEW = 16,              /* of a run, at least */
    STEPS = 20             /* one of them */
};

/* ---- the numbers of the shape as a histogram ---------------------------------------------------
 */

typedef struct expansion {
    plussi_ctx *ctx;
    plussi_profile *profile;
    plussi_small_leaf *leaf; /* by code, in place of the profile; NULL: not wanted */
    const uint32_t *code;    /* the first of them */
    plussi_effort *effort;
    uint32_t ref;
    bool by_reference;
    double work;  /* distances to be evaluated, if all are */
    int64_t each; /* iterations of a run that one of them stands for */
} expansion;

static pluss_status add(const expansion *e, const uint32_t *code, int64_t distance, double accesses)
{
    if (e->leaf) {
        plussi_small_leaf *leaf = &e->leaf[code - e->code];
        leaf->least = leaf->accesses > 0 ? plussi_min64(leaf->least, distance) : distance;
        leaf->greatest = leaf->accesses > 0 ? plussi_max64(leaf->greatest, distance) : distance;
        leaf->accesses += accesses;
        return PLUSS_OK;
    }
    plussi_histo *of[2] = {&e->profile->histo,
                           e->by_reference ? &e->profile->part[e->ref].histo : NULL};
    if (distance < 0)
        return plussi_fail(e->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "with these loop bounds the extrapolated profile has negative numbers");
    if (!plussi_effort_pay(e->effort, STEPS))
        return plussi_fail(e->ctx, PLUSS_ELIMIT, NULL,
                           "the extrapolated profile has more distances than the effort allows");
    pluss_status status = PLUSS_OK;
    for (int i = 0; i < 2 && of[i] && !status; i++)
        if (code[0] == PLUSSI_SMALL_COLD)
            of[i]->cold += accesses;
        else
            status = plussi_histo_add(of[i], (uint64_t)distance, accesses);
    return status;
}

/* A run, of whose blocks an item is the one at `at`. */
typedef struct run {
    const int64_t *first; /* its numbers in the first block */
    size_t n, whole;      /* how many; numbers of a block */
} run;

/* The numbers of the item in block t; true: one does not fit. */
static bool get_block(const run *r, int64_t t, int64_t *out)
{
    int64_t times = 1, one;
    memset(out, 0, r->n * sizeof *out);
    for (int64_t k = 0; k <= PLUSSI_SMALL_ORDER; k++) {
        for (size_t v = 0; v < r->n; v++)
            if (plussi_mul_over(times, r->first[(size_t)k * r->whole + v], &one) ||
                plussi_add_over(out[v], one, &out[v]))
                return true;
        if (plussi_mul_over(times, t - k, &times))
            return true;
        times /= k + 1;
    }
    return false;
}

static bool is_constant(const run *r)
{
    for (uint32_t k = 1; k <= PLUSSI_SMALL_ORDER; k++)
        for (size_t v = 0; v < r->n; v++)
            if (r->first[(size_t)k * r->whole + v] != 0)
                return false;
    return true;
}

static pluss_status expand(const expansion *e, const uint32_t *code, const int64_t *value,
                           double times);

/* An item of each block of a run. Of too many blocks the middle ones stand for their neighbours. */
static pluss_status expand_blocks(const expansion *e, const uint32_t *code, const run *r,
                                  int64_t blocks, double times)
{
    if (is_constant(r))
        return expand(e, code, r->first, times * (double)blocks);
    const int64_t most = blocks / FEW, each = plussi_max64(1, plussi_min64(e->each, most));
    int64_t *now = plussi_alloc(&e->ctx->mem, r->n, sizeof *now);
    pluss_status status = now ? PLUSS_OK : PLUSS_ENOMEM;
    for (int64_t t = 0; t < blocks && !status; t += each) {
        const int64_t n = blocks - t < each ? blocks - t : each;
        status = get_block(r, t + (n - 1) / 2, now)
                     ? plussi_fail(e->ctx, PLUSS_ERANGE, NULL,
                                   "a number of the extrapolated profile does not fit 64 bits")
                     : expand(e, code, now, times * (double)n);
    }
    plussi_free(&e->ctx->mem, now);
    return status;
}

static pluss_status expand(const expansion *e, const uint32_t *code, const int64_t *value,
                           double times)
{
    if (code[0] != PLUSSI_SMALL_RUN)
        return add(e, code, value[0], times);
    size_t codes, values;
    plussi_small_item_size(code, &codes, &values);
    const size_t whole = (values - 1) / (PLUSSI_SMALL_ORDER + 1);
    pluss_status status = PLUSS_OK;
    if (value[0] < 0)
        return plussi_fail(e->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "with these loop bounds the extrapolated profile has negative numbers");
    for (size_t at = 2, v = 0, n; at < codes && !status; at += n) {
        run r = {.first = value + 1 + v, .whole = whole};
        plussi_small_item_size(code + at, &n, &r.n);
        status = expand_blocks(e, code + at, &r, value[0], times);
        v += r.n;
    }
    return status;
}

/* Distances of an item that are evaluated one by one, about, and runs in each other in which they
 * differ. */
static pluss_status measure(const expansion *e, const uint32_t *code, const int64_t *value,
                            double *work, double *depth)
{
    pluss_status status = PLUSS_OK;
    size_t codes, values;
    *work = 1;
    *depth = 0;
    if (code[0] != PLUSSI_SMALL_RUN)
        return status;
    plussi_small_item_size(code, &codes, &values);
    *work = 0;
    for (size_t at = 2, v = 1, n; at < codes && !status; at += n) {
        run r = {.first = value + v, .whole = (values - 1) / (PLUSSI_SMALL_ORDER + 1)};
        plussi_small_item_size(code + at, &n, &r.n);
        const bool same = is_constant(&r);
        double inner, below;
        int64_t *now = plussi_alloc(&e->ctx->mem, r.n, sizeof *now);
        status = now ? PLUSS_OK : PLUSS_ENOMEM;
        if (!status && get_block(&r, value[0] / 2, now))
            memcpy(now, r.first, r.n * sizeof *now);
        if (!status)
            status = measure(e, code + at, now, &inner, &below);
        if (!status) {
            *work += same ? inner : inner * fmax(1, (double)value[0]);
            *depth = fmax(*depth, below + !same);
        }
        plussi_free(&e->ctx->mem, now);
        v += r.n;
    }
    return status;
}

/* Goes over the items; whole NULL: expands them, else adds up their work. */
static pluss_status go_over(expansion *e, const plussi_small_profile *shape, const int64_t *value,
                            double *whole)
{
    pluss_status status = PLUSS_OK;
    const double too_much = e->work / EVALUATIONS;
    for (size_t at = 0, codes, values; at < shape->n_code && !status;) {
        const uint32_t *code = &shape->code[at];
        double work, depth;
        if (*code & PLUSSI_SMALL_REF) {
            e->ref = *code & ~PLUSSI_SMALL_REF;
            at++;
            continue;
        }
        plussi_small_item_size(code, &codes, &values);
        status = measure(e, code, value, &work, &depth);
        if (whole)
            *whole += work;
        else if (!status) {
            e->each = (int64_t)ceil(pow(fmax(1, too_much), 1 / fmax(1, depth)));
            status = expand(e, code, value, 1);
        }
        at += codes;
        value += values;
    }
    return status;
}

static pluss_status expand_all(expansion *e, const plussi_small_profile *shape,
                               const int64_t *value)
{
    double work = 0;
    pluss_status status = go_over(e, shape, value, &work);
    e->work = work;
    return status ? status : go_over(e, shape, value, NULL);
}

pluss_status plussi_small_leaves(plussi_ctx *ctx, const plussi_small_profile *shape,
                                 const int64_t *value, plussi_small_leaf *leaf)
{
    expansion e = {.ctx = ctx, .leaf = leaf, .code = shape->code, .each = 1};
    memset(leaf, 0, shape->n_code * sizeof *leaf);
    return expand_all(&e, shape, value);
}

/* ---- the model ---------------------------------------------------------------------------------
 */

typedef struct counting {
    const plussi_bound *bound;
    uint64_t accesses;
} counting;

static pluss_status count_accesses(plussi_ctx *ctx, void *user)
{
    counting *c = user;
    plussi_engine *engine = NULL;
    pluss_status status = plussi_engine_new_serial(ctx, c->bound, &engine);
    if (!status)
        c->accesses = plussi_engine_accesses(engine);
    plussi_engine_free(engine);
    return status;
}

/* The accesses of the profile are those that the nest makes, where their closed form is at hand. */
static pluss_status check_accesses(plussi_ctx *ctx, const plussi_bound *bound, double accesses)
{
    enum { COUNTING = 10000000 };
    plussi_effort few = {.left = COUNTING};
    counting c = {.bound = bound};
    plussi_ctx quiet;
    plussi_ctx_init(&quiet, &ctx->mem);
    const bool counted = plussi_attempt(&quiet, &few, count_accesses, &c) == PLUSS_OK;
    plussi_ctx_clear(&quiet);
    if (!counted || fabs((double)c.accesses - accesses) <= 1e-9 * accesses)
        return PLUSS_OK;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL,
                       "the fit of small loop bounds does not hold: it has %.17g accesses of %.17g",
                       accesses, (double)c.accesses);
}

static pluss_status extrapolate(plussi_ctx *ctx, const plussi_model_input *input,
                                const plussi_small_nest *nest, plussi_small_fit *fit,
                                plussi_estimate *out)
{
    int64_t target[PLUSSI_SMALL_BOUNDS];
    pluss_status status =
        plussi_small_fit_make(ctx, nest, input->walk, input->ask, input->ask_user, fit);
    if (status)
        return status;
    if (!fit->shape.n_code)
        return PLUSS_EEMPTY;
    int64_t *value = plussi_alloc(&ctx->mem, fit->shape.n_value, sizeof *value);
    for (size_t i = 0; i < nest->n; i++)
        target[i] = nest->bound[i].target;
    status = value ? plussi_small_fit_evaluate(ctx, nest, fit, target, value) : PLUSS_ENOMEM;
    expansion e = {.ctx = ctx,
                   .profile = &out->profile,
                   .effort = input->walk,
                   .by_reference = input->by_reference,
                   .each = 1};
    if (!status)
        status = expand_all(&e, &fit->shape, value);
    if (!status)
        status = check_accesses(ctx, input->bound, plussi_histo_total(&out->profile.histo));
    if (!status && input->formulas)
        status = plussi_small_formulas(ctx, nest, fit, &out->formula, &out->n_formulas);
    out->footprint = out->profile.histo.cold;
    plussi_free(&ctx->mem, value);
    return status;
}

static pluss_status run_extrapolate(plussi_ctx *ctx, const plussi_model_input *input,
                                    plussi_estimate *out)
{
    plussi_small_nest nest = {0};
    plussi_small_fit fit = {0};
    const size_t parts = input->by_reference ? input->bound->n_refs : 0;
    pluss_status status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE,
                                              PLUSSI_SCOPE_CONCURRENT, parts, &out->profile);
    out->profile.runs = 1;
    if (!status)
        status = plussi_small_nest_make(ctx, input->bound, &nest);
    if (!status)
        status = extrapolate(ctx, input, &nest, &fit, out);
    plussi_small_fit_free(ctx, &fit);
    plussi_small_nest_free(ctx, &nest);
    return status;
}

const plussi_model plussi_model_extrapolate = {
    .name = "extrapolate",
    .summary = "one thread: exact profiles at small loop bounds, as polynomials of the bounds "
               "(Razzak et al.)",
    .gives = PLUSSI_GIVES_FORMULAS,
    .run = run_extrapolate,
};
