/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/scaling.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/scale.h"
#include "study/recorded_bindings.h"
#include "study/stage.h"

/* ---- whose profiles they are -------------------------------------------------------------------
 */

static bool is_same_program(const plussi_identity *a, const plussi_identity *b)
{
    bool same = plussi_same_text(a->region, b->region) && a->line_bytes == b->line_bytes &&
                plussi_same_text(a->schedule, b->schedule) && a->n_values == b->n_values;
    for (size_t i = 0; i < a->n_values && same; i++)
        same = strcmp(a->values[i].name, b->values[i].name) == 0;
    return same;
}

static bool is_wanted(const plussi_profile *p, const plussi_request *request)
{
    return p->sharing != PLUSSI_SHARING_ANY && plussi_wants_region(request, p->id.region);
}

/* The first of its program; values: with these values, too. */
static bool is_first(const plussi_result *from, size_t i, bool values)
{
    const plussi_identity *id = &from->profile[i].id;
    for (size_t k = 0; k < i; k++)
        if (from->profile[k].sharing != PLUSSI_SHARING_ANY &&
            is_same_program(&from->profile[k].id, id) &&
            (!values || plussi_identity_same_values(&from->profile[k].id, id)))
            return false;
    return true;
}

/* NAME, or REGION.NAME. */
static bool binds(const plussi_binding *binding, const plussi_identity *id, const char *symbol)
{
    const size_t length = strlen(id->region);
    const char *name = binding->name;
    if (strncmp(name, id->region, length) == 0 && name[length] == '.')
        name += length + 1;
    return strcmp(name, symbol) == 0;
}

/* The value that the binding gives the program; NULL: it has no such symbol. */
static plussi_value *find_value(const plussi_binding *binding, const plussi_identity *id)
{
    for (size_t k = 0; k < id->n_values; k++)
        if (binds(binding, id, id->values[k].name))
            return &id->values[k];
    return NULL;
}

static void bind_values(const plussi_request *request, plussi_identity *id)
{
    for (size_t i = 0; i < request->n_bindings; i++) {
        plussi_value *value = find_value(&request->binding[i], id);
        if (value)
            value->value = request->binding[i].value;
    }
}

static pluss_status check_symbols(plussi_ctx *ctx, const plussi_result *from,
                                  const plussi_request *request)
{
    for (size_t i = 0; i < request->n_bindings; i++) {
        bool found = from->n_profiles == 0;
        for (size_t p = 0; p < from->n_profiles && !found; p++)
            found = find_value(&request->binding[i], &from->profile[p].id) != NULL;
        if (!found)
            return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL,
                               "define '%s': no profile has a symbol of this name",
                               request->binding[i].name);
    }
    return PLUSS_OK;
}

/* ---- what is scaled ----------------------------------------------------------------------------
 */

/* The profiles of a program with one set of values, or with two, and how its data scale. */
typedef struct source {
    plussi_profile *list[2]; /* copies that borrow what they hold */
    plussi_locality_set known[2];
    bool scales_data;
    plussi_scaling data;
} source;

/* How it scales, and the model's name. */
typedef struct rule {
    const char *name;
    plussi_scale_by by;
} rule;

static pluss_status find_rule(plussi_ctx *ctx, const plussi_request *request, rule *out)
{
    const plussi_model *model =
        request->model ? plussi_model_named(request->model) : &plussi_model_scale_overlap;
    out->name = model->name;
    return plussi_scale_rule(model, &out->by)
               ? PLUSS_OK
               : plussi_fail(ctx, PLUSS_EINVAL, NULL,
                             "the model %s does not scale profiles: scale-overlap, scale and "
                             "scale-ps do",
                             model->name);
}

static pluss_status choose_profiles(plussi_ctx *ctx, const plussi_result *from,
                                    const plussi_identity *id, int which, source *out)
{
    plussi_profile *list = plussi_calloc(&ctx->mem, from->n_profiles, sizeof *list);
    if (!list)
        return PLUSS_ENOMEM;
    size_t n = 0;
    for (size_t i = 0; i < from->n_profiles; i++)
        if (is_same_program(&from->profile[i].id, id) &&
            plussi_identity_same_values(&from->profile[i].id, id))
            list[n++] = from->profile[i];
    out->list[which] = list;
    out->known[which] = (plussi_locality_set){list, n};
    return PLUSS_OK;
}

static void free_source(plussi_ctx *ctx, source *s)
{
    plussi_free(&ctx->mem, s->list[0]);
    plussi_free(&ctx->mem, s->list[1]);
}

/* The first symbol that differs between two sizes. */
static size_t find_symbol(const plussi_profile *a, const plussi_profile *b)
{
    size_t i = 0;
    while (a->id.values[i].value == b->id.values[i].value)
        i++;
    return i;
}

static bool is_larger(const plussi_profile *a, const plussi_profile *b)
{
    const size_t i = find_symbol(a, b);
    if (a->footprint_lines != b->footprint_lines)
        return a->footprint_lines > b->footprint_lines;
    return a->id.values[i].value > b->id.values[i].value;
}

/* The lines of the data at the values that are asked for: a power of the first symbol that differs
 * between the two sizes. Data that do not grow: the symbol itself is their size. */
static pluss_status scale_data(plussi_ctx *ctx, const plussi_profile *small,
                               const plussi_profile *large, const plussi_identity *target,
                               plussi_scaling *out)
{
    const size_t i = find_symbol(small, large);
    const double x = (double)small->id.values[i].value, y = (double)large->id.values[i].value;
    const double z = (double)target->values[i].value;
    const double from = (double)small->footprint_lines, to = (double)large->footprint_lines;
    const double power = log(to / from) / log(y / x);
    *out = (plussi_scaling){PLUSSI_SCALED_DATA, from, to, to * pow(z / y, power), 0};
    if (from == to)
        *out = (plussi_scaling){PLUSSI_SCALED_DATA, x, y, z, to};
    if (!(x > 0 && y > 0 && z > 0 && from > 0 && to >= from && out->at < 1e15))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "%s: %g lines at %s=%g and %g at %g do not tell the size of the data at "
                           "%g",
                           target->region, from, target->values[i].name, x, to, y, z);
    return PLUSS_OK;
}

/* The profiles of these values, or the first two sizes that there are. */
static pluss_status find_source(plussi_ctx *ctx, const plussi_result *from,
                                const plussi_identity *target, source *out)
{
    const plussi_profile *size[2];
    size_t n = 0;
    *out = (source){0};
    for (size_t i = 0; i < from->n_profiles; i++)
        if (from->profile[i].sharing != PLUSSI_SHARING_ANY &&
            is_same_program(&from->profile[i].id, target)) {
            if (plussi_identity_same_values(&from->profile[i].id, target))
                return choose_profiles(ctx, from, target, 0, out);
            if (n < 2 && is_first(from, i, true))
                size[n++] = &from->profile[i];
        }
    if (n < 2)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "%s: there are profiles of one problem size, and two tell others",
                           target->region);
    const int smaller = is_larger(size[0], size[1]);
    pluss_status status = scale_data(ctx, size[smaller], size[!smaller], target, &out->data);
    out->scales_data = true;
    if (!status)
        status = choose_profiles(ctx, from, &size[smaller]->id, 0, out);
    if (!status)
        status = choose_profiles(ctx, from, &size[!smaller]->id, 1, out);
    return status;
}

/* ---- curves ------------------------------------------------------------------------------------
 */

static pluss_status add_curve(plussi_ctx *ctx, const source *s, const rule *how,
                              const plussi_identity *id, uint32_t team, uint32_t threads_per_cache,
                              plussi_result *out)
{
    const plussi_scaling cores = {
        .what = PLUSSI_SCALED_CORES, .from = PLUSSI_SCALE_FROM, .to = PLUSSI_SCALE_TO, .at = team};
    plussi_profile_scope scope;
    plussi_profile made;
    pluss_status status = plussi_scale_scope(ctx, team, threads_per_cache, &scope);
    if (!status)
        status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE, scope, 0, &made);
    if (status)
        return status;
    plussi_identity of = *id;
    of.team = team;
    of.threads_per_cache = threads_per_cache;
    of.simulated = false;
    of.engine = (char *)how->name;
    status = plussi_identity_copy(&ctx->mem, &of, &made.id);
    if (!status)
        status = plussi_scale_program(ctx, s->known, scope, how->by,
                                      s->scales_data ? &s->data : NULL, &cores, &made.histo);
    made.footprint_lines = (uint64_t)llround(made.histo.cold);
    if (!status)
        status = plussi_result_add_curve_of(ctx, out, &made);
    plussi_profile_free(&made);
    return status;
}

/* A team of one is a basis of comparison, which need not have been measured. */
static bool lacks_one(const source *s)
{
    bool lacks = false;
    for (int k = 0; k < (s->scales_data ? 2 : 1); k++) {
        bool has = false;
        for (size_t i = 0; i < s->known[k].n; i++)
            has |= s->known[k].profile[i].id.team == 1;
        lacks |= !has;
    }
    return lacks;
}

static pluss_status scale_program(plussi_ctx *ctx, const plussi_result *from,
                                  const plussi_identity *id, const rule *how,
                                  const plussi_request *request, plussi_result *out)
{
    source s;
    pluss_status status = find_source(ctx, from, id, &s);
    for (size_t i = 0; i < request->n_teams && !status; i++) {
        const uint32_t team = request->team[i];
        uint32_t *list = NULL;
        size_t n = 0;
        if (team == 1 && lacks_one(&s))
            continue;
        status = plussi_pipeline_threads_per_cache(ctx, request, team, &list, &n);
        for (size_t k = 0; k < n && !status; k++)
            status = add_curve(ctx, &s, how, id, team, list[k], out);
        plussi_free(&ctx->mem, list);
    }
    free_source(ctx, &s);
    return status;
}

pluss_status plussi_scale_result(plussi_ctx *ctx, const plussi_result *from,
                                 const plussi_request *request, plussi_result *out)
{
    rule how;
    pluss_status status = find_rule(ctx, request, &how);
    if (!status)
        status = check_symbols(ctx, from, request);
    size_t n = 0;
    for (size_t i = 0; i < from->n_profiles && !status; i++) {
        plussi_identity id;
        const bool bound = request->n_bindings > 0;
        if (!is_wanted(&from->profile[i], request) || !is_first(from, i, !bound))
            continue;
        status = plussi_identity_copy(&ctx->mem, &from->profile[i].id, &id);
        if (!status) {
            bind_values(request, &id);
            status = scale_program(ctx, from, &id, &how, request, out);
            plussi_identity_free(&ctx->mem, &id);
            n++;
        }
    }
    return status || n ? status
                       : plussi_fail(ctx, PLUSS_EEMPTY, NULL,
                                     "there are no locality profiles: simulate --sharing "
                                     "--save-profile keeps them");
}
