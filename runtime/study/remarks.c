/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/remarks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/sink.h"
#include "report/suspect.h"
#include "study/candidates.h"
#include "study/nest_cost.h"
#include "study/stage.h"

enum {
    TEAMS_MOST = 8,
    TEXT = 1024,
    SUSPECTS_MOST = 32,
    LEGAL_MOST = 2,
    TRIED_MOST = 24,
    EIGHTH = 8
};

static void free_remark(const plussi_mem *mem, plussi_remark *r)
{
    plussi_free(mem, r->region);
    plussi_free(mem, (void *)r->place.file);
    plussi_free(mem, r->text);
    plussi_free(mem, r->steps);
}

void plussi_remarks_free(plussi_remarks *remarks)
{
    for (size_t i = 0; i < remarks->n; i++)
        free_remark(&remarks->mem, &remarks->at[i]);
    plussi_free(&remarks->mem, remarks->at);
    *remarks = (plussi_remarks){.mem = remarks->mem};
}

/* ---- one nest ---------------------------------------------------------------------------------
 */

/* The references of a loop at one team. */
typedef struct share {
    double accesses;
    plussi_misses level[PLUSSI_LEVELS_MOST];
} share;

typedef struct remarker {
    plussi_ctx *ctx, quiet; /* what candidates are refused for is not said */
    const plussi_nest *nest;
    const plussi_request *request;
    size_t n_teams;
    plussi_result result[TEAMS_MOST];
    plussi_nest_cost cost[TEAMS_MOST];
    const plussi_node **home; /* by reference: the loop that is remarked on; NULL: none */
    uint32_t n_refs;
    plussi_remarks *out;
} remarker;

static const plussi_result *last_result(const remarker *r)
{
    return &r->result[r->n_teams - 1];
}

static const plussi_node *find_home(const plussi_node *ref)
{
    const plussi_node *found = NULL;
    for (const plussi_node *up = ref->parent; up; up = up->parent) {
        if (up->kind == PLUSSI_N_LOOP)
            found = up;
        if (up->kind == PLUSSI_N_LOOP && up->u.loop.workshare)
            break;
    }
    return found;
}

static plussi_node *next_of(const plussi_nest *nest, plussi_node *node, plussi_node_kind kind)
{
    do
        node = plussi_nest_walk(&nest->first_region->body, node);
    while (node && node->kind != kind);
    return node;
}

static pluss_status find_homes(remarker *r)
{
    for (plussi_node *ref = NULL; (ref = next_of(r->nest, ref, PLUSSI_N_REF));)
        r->n_refs = ref->id >= r->n_refs ? ref->id + 1 : r->n_refs;
    r->home = plussi_calloc(&r->ctx->mem, (size_t)r->n_refs + 1, sizeof(plussi_node *));
    if (!r->home)
        return PLUSS_ENOMEM;
    for (plussi_node *ref = NULL; (ref = next_of(r->nest, ref, PLUSSI_N_REF));)
        r->home[ref->id] = find_home(ref);
    return PLUSS_OK;
}

static bool is_in(const remarker *r, const plussi_level_part *part, const plussi_node *loop)
{
    return part->ref < r->n_refs && r->home[part->ref] == loop;
}

static share find_share(const remarker *r, size_t team, const plussi_node *loop)
{
    share made = {0};
    const plussi_result *result = &r->result[team];
    for (size_t l = 0; l < result->n_levels; l++) {
        const plussi_level_result *level = &result->level[l];
        plussi_misses *m = &made.level[l];
        for (size_t p = 0; p < level->n_parts; p++) {
            const plussi_misses *part = &level->part[p].misses;
            if (!is_in(r, &level->part[p], loop))
                continue;
            plussi_misses_add(m, part);
            m->error += part->error > 0 ? part->error : 0;
        }
        m->error = level->misses.error < 0 ? -1 : fmin(m->error, level->misses.error);
    }
    made.accesses = made.level[0].requests;
    return made;
}

/* ---- which level ------------------------------------------------------------------------------
 */

/* L1 is L1d, too. */
static bool is_of_level(const plussi_limit *limit, const char *name)
{
    const size_t length = strlen(limit->level);
    return length == 0 || (strncmp(name, limit->level, length) == 0 &&
                           (!name[length] || strcmp(name + length, "d") == 0));
}

static bool exceeds(const plussi_limit *limit, const share *s, size_t level)
{
    const plussi_misses *m = &s->level[level];
    return m->all - 1.96 * (m->error > 0 ? m->error : 0) > limit->ratio * s->accesses;
}

/* The limit of greatest severity that a team exceeds, and the level; NULL: none. */
static const plussi_limit *find_limit(const remarker *r, const share *of, size_t *level)
{
    const plussi_limit *found = NULL;
    const plussi_result *result = last_result(r);
    for (size_t i = 0; i < r->request->n_limits; i++) {
        const plussi_limit *limit = &r->request->limit[i];
        for (size_t l = result->n_levels; l-- > 0 && (!found || limit->severity > found->severity);)
            for (size_t t = 0; t < r->n_teams; t++)
                if (is_of_level(limit, result->level[l].level.name) && exceeds(limit, &of[t], l)) {
                    found = limit;
                    *level = l;
                }
    }
    return found;
}

static size_t find_costly_level(const remarker *r, const share *s)
{
    const size_t n = last_result(r)->n_levels;
    size_t found = 0;
    double most = 0;
    for (size_t l = 0; l < n; l++) {
        const double cost = plussi_level_weight(l, n) * plussi_misses_weight(&s->level[l]);
        if (cost > most) {
            most = cost;
            found = l;
        }
    }
    return found;
}

/* ---- texts ------------------------------------------------------------------------------------
 */

static void add_text(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_text(char *text, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, TEXT - used, format, arguments);
    va_end(arguments);
}

/* "3.1 +-0.2 %" */
static void add_percent(char *text, double ratio, double error)
{
    char number[PLUSSI_NUMBER], around[PLUSSI_NUMBER];
    const unsigned decimals = ratio >= 0.00995 || ratio == 0 ? 1 : 2;
    plussi_text_fixed(number, 100 * ratio, decimals);
    plussi_text_fixed(around, 100 * error, decimals);
    if (100 * error >= (decimals == 1 ? 0.05 : 0.005))
        add_text(text, "%s +-%s %%", number, around);
    else
        add_text(text, "%s %%", number);
}

static const plussi_array *find_array(const plussi_nest *nest, const char *name)
{
    for (const plussi_array *a = nest->first_array; a; a = a->next)
        if (name && strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

static void add_manner(const remarker *r, const plussi_suspect *s, char *text)
{
    const plussi_level_part *part = s->part;
    const plussi_array *array = find_array(r->nest, part->array);
    char bytes[PLUSSI_NUMBER];
    if (s->kind == PLUSSI_MISS_COLD) {
        add_text(text, "first touches");
    } else if (s->kind == PLUSSI_MISS_CAPACITY && s->jumps && array && array->rank > 1) {
        add_text(text, "%s", array->column_order ? "row-wise" : "column-wise");
    } else if (s->kind == PLUSSI_MISS_CAPACITY && s->jumps) {
        plussi_text_bytes(bytes,
                          (uint64_t)(part->step_bytes < 0 ? -part->step_bytes : part->step_bytes));
        add_text(text, "in steps of %s", bytes);
    } else if (s->kind == PLUSSI_MISS_CAPACITY && s->lost && s->lost->by == PLUSSI_BY_LOOP) {
        add_text(text, "reused by loop %.40s only after more than the cache holds", s->lost->loop);
    } else if (s->kind == PLUSSI_MISS_CONFLICT && part->rival) {
        add_text(text, "conflicts with %.60s", part->rival);
    } else {
        add_text(text, "%s", plussi_miss_kind_name(s->kind));
    }
}

/* ---- what helps -------------------------------------------------------------------------------
 */

typedef struct change {
    double ratio; /* of the level, then; negative: there is none */
    char steps[PLUSSI_CANDIDATE_TEXT], text[PLUSSI_CANDIDATE_TEXT];
} change;

static bool is_around(const plussi_node *loop, const plussi_node *node)
{
    while (node && node != loop)
        node = node->parent;
    return node != NULL;
}

static void find_candidates(const remarker *r, const plussi_suspect *s, plussi_candidates *c)
{
    if (s->kind == PLUSSI_MISS_FALSE_SHARING || s->kind == PLUSSI_MISS_CONFLICT)
        plussi_find_layouts(c, r->nest, last_result(r));
    else if (s->jumps)
        plussi_find_interchanges(c, r->nest);
    else if (s->kind == PLUSSI_MISS_CAPACITY)
        plussi_find_tiles(c, r->nest); /* of three loops last */
}

/* Whether it changes what the reference suffers from. */
static bool is_meant(const plussi_candidate *c, const plussi_suspect *s, const plussi_node *home)
{
    const char *loop = s->part->loop, *least = s->part->least_step_loop;
    switch (c->kind) {
    case PLUSSI_ADVICE_SPREAD:
    case PLUSSI_ADVICE_PAD:
        return (c->kind == PLUSSI_ADVICE_SPREAD) == (s->kind == PLUSSI_MISS_FALSE_SHARING) &&
               c->array && s->part->array && strcmp(c->array->name, s->part->array) == 0;
    case PLUSSI_ADVICE_INTERCHANGE:
        return is_around(home, c->loop[1]) && strcmp(c->loop[1]->u.loop.iv, loop) == 0 &&
               strcmp(c->loop[0]->u.loop.iv, least) == 0;
    default: /* tiles of 32 iterations, which three arrays of doubles have room for in most
                first caches */
        return is_around(home, c->loop[1]) && loop && strcmp(c->loop[1]->u.loop.iv, loop) == 0 &&
               strstr(c->steps, "=32") != NULL;
    }
}

/* Of a candidate: *legal, and, if it is predicted to cost less, *out. */
static pluss_status try(remarker *r, const plussi_candidate *c, const share *of, size_t level,
                        bool *legal, change *out)
{
    const size_t last = r->n_teams - 1;
    const plussi_nest_cost *now = &r->cost[last];
    plussi_nest *made = NULL;
    plussi_nest_cost after;
    bool possible = false;
    pluss_status status = plussi_cost_candidate(&r->quiet, r->nest, r->request, last, c,
                                                now->accesses, &made, legal, &after, &possible);
    plussi_nest_free(made);
    plussi_ctx_clear(&r->quiet);
    if (possible && after.all < 0.97 * now->all &&
        now->all - after.all > 1.96 * hypot(now->error, after.error)) {
        const double others = now->level[level].misses[0] - of[last].level[level].all;
        out->ratio = fmax(after.level[level].misses[0] - others, 0) / of[last].accesses;
        memcpy(out->steps, c->steps, sizeof out->steps);
        memcpy(out->text, c->text, sizeof out->text);
    }
    return status;
}

static pluss_status find_change(remarker *r, const plussi_suspect *s, const plussi_node *home,
                                const share *of, size_t level, change *out)
{
    plussi_candidates candidates = {.ctx = r->ctx};
    size_t n_tried = 0;
    bool legal = false;
    find_candidates(r, s, &candidates);
    pluss_status status = candidates.status;
    for (size_t i = candidates.n; i-- > 0 && !status && !legal && n_tried < TRIED_MOST;) {
        if (!is_meant(&candidates.at[i], s, home))
            continue;
        n_tried++;
        status = try(r, &candidates.at[i], of, level, &legal, out);
    }
    plussi_free(&r->ctx->mem, candidates.at);
    return status;
}

/* ---- remarks ----------------------------------------------------------------------------------
 */

static pluss_status add_remark(remarker *r, const plussi_remark *like, const plussi_loc *place,
                               const char *text, const char *steps)
{
    plussi_remarks *list = r->out;
    const plussi_mem *mem = &list->mem;
    const plussi_region *region = r->nest->first_region;
    const bool known = place && place->line;
    plussi_remark made = *like;
    made.place = known ? *place : region->loc;
    const char *file = known && place->file ? place->file : region->loc.file;
    made.place.file = NULL;
    pluss_status status = plussi_copy_text(mem, region->name, &made.region);
    if (!status)
        status = plussi_copy_text(mem, file, (char **)&made.place.file);
    if (!status)
        status = plussi_copy_text(mem, text, &made.text);
    if (!status)
        status = plussi_copy_text(mem, steps, &made.steps);
    if (!status)
        status = plussi_grow(mem, &list->at, &list->cap, list->n, sizeof *list->at);
    if (status)
        free_remark(mem, &made);
    else
        list->at[list->n++] = made;
    return status;
}

/* The reference of the loop that costs most; false: none is a hundredth of the region's cost. */
static bool find_suspect(const remarker *r, const plussi_node *loop, plussi_suspect *out)
{
    const plussi_result *result = last_result(r);
    const plussi_point point = {.curve = result->curve,
                                .n_curves = result->n,
                                .level = result->level,
                                .n_levels = result->n_levels};
    plussi_suspect suspect[SUSPECTS_MOST];
    const size_t n = plussi_find_suspects(&point, suspect, SUSPECTS_MOST);
    for (size_t i = 0; i < n; i++)
        if (is_in(r, suspect[i].part, loop)) {
            *out = suspect[i];
            return true;
        }
    return false;
}

static pluss_status remark_on_loop(remarker *r, const plussi_node *loop)
{
    char text[TEXT] = "", above[PLUSSI_NUMBER];
    share of[TEAMS_MOST];
    size_t level = 0;
    plussi_suspect suspect;
    change then = {.ratio = -1};
    pluss_status status = PLUSS_OK;
    for (size_t t = 0; t < r->n_teams; t++)
        of[t] = find_share(r, t, loop);
    const share *last = &of[r->n_teams - 1];
    if (!(last->accesses > 0))
        return PLUSS_OK;
    const plussi_limit *limit = find_limit(r, of, &level);
    if (!limit)
        level = find_costly_level(r, last);
    const char *name = last_result(r)->level[level].level.name;
    plussi_remark made = {.severity = limit ? limit->severity : PLUSSI_NOTE,
                          .ratio = last->level[level].all / last->accesses,
                          .error = last->level[level].error / last->accesses};
    strcpy(made.level, name);
    add_text(text, "%s misses ", name);
    for (size_t t = 0; t < r->n_teams; t++) {
        const plussi_misses *m = &of[t].level[level];
        add_text(text, "%s", t ? ", " : "");
        add_percent(text, m->all / of[t].accesses, m->error / of[t].accesses);
        add_text(text, " (T=%u)", r->request->team[t]);
    }
    if (limit) {
        plussi_text_general(above, 100 * limit->ratio, 4);
        add_text(text, ", above %s %%", above);
    }
    if (find_suspect(r, loop, &suspect)) {
        add_text(text, ": %.200s, ", suspect.part->site.text);
        add_manner(r, &suspect, text);
        status = find_change(r, &suspect, loop, of, level, &then);
    }
    if (then.ratio >= 0) {
        add_text(text, "; %s: ", then.text);
        add_percent(text, then.ratio, 0);
    }
    made.changed = then.ratio;
    return status ? status
                  : add_remark(r, &made, &loop->loc, text, then.ratio < 0 ? "" : then.steps);
}

/* ---- what cannot be predicted -----------------------------------------------------------------
 */

static bool has_value(const plussi_nest *nest, const plussi_request *request,
                      const plussi_symbol *symbol)
{
    char full[2 * PLUSSI_MAX_NAME + 2];
    snprintf(full, sizeof full, "%s.%s", nest->first_region->name, symbol->name);
    for (size_t i = 0; i < request->n_bindings; i++)
        if (strcmp(request->binding[i].name, symbol->name) == 0 ||
            strcmp(request->binding[i].name, full) == 0)
            return true;
    return symbol->value != NULL;
}

/* Of the region: why it has no figures. */
static pluss_status remark_on_failure(remarker *r, pluss_status why)
{
    const plussi_remark made = {.severity = why == PLUSS_ENOTFOUND ? PLUSSI_WARNING : PLUSSI_NOTE,
                                .changed = -1};
    char text[TEXT] = "not predicted: ";
    size_t n = 0;
    if (why == PLUSS_EUNBOUND)
        for (const plussi_symbol *s = r->nest->first_symbol; s; s = s->next)
            if (!has_value(r->nest, r->request, s))
                add_text(text, "%s%.100s", n++ ? ", " : "no values of ", s->name);
    const plussi_diag *said = NULL;
    for (size_t i = 0; i < r->quiet.n_diags; i++)
        if (r->quiet.diags[i].severity == PLUSSI_ERROR)
            said = &r->quiet.diags[i];
    if (!n)
        add_text(text, "%s", said && said->text ? said->text : plussi_status_text(why));
    return add_remark(r, &made, NULL, text, "");
}

/* A limit on a level that there is none of would never be exceeded. */
static pluss_status check_limits(remarker *r)
{
    const plussi_result *result = last_result(r);
    for (size_t i = 0; i < r->request->n_limits; i++) {
        const plussi_limit *limit = &r->request->limit[i];
        bool found = false;
        for (size_t l = 0; l < result->n_levels && !found; l++)
            found = is_of_level(limit, result->level[l].level.name);
        if (!found)
            return plussi_fail(&r->quiet, PLUSS_ENOTFOUND, NULL, "there is no level '%s'",
                               limit->level);
    }
    return PLUSS_OK;
}

/* Of the work; the rest is to look for what costs less. */
#define PREDICTING 0.5

static pluss_status predict(remarker *r)
{
    pluss_status status = PLUSS_OK;
    const plussi_request *request = r->request;
    if (request->n_teams == 0 || request->n_teams > TEAMS_MOST)
        return plussi_fail(&r->quiet, PLUSS_EINVAL, NULL, "1 to 8 numbers of threads are told of");
    for (size_t t = 0; t < request->n_teams && !status; t++) {
        plussi_request own;
        plussi_ask_part part;
        bool possible = false;
        const double each = PREDICTING / (double)request->n_teams;
        plussi_ask_as_part(request, NULL, (double)t * each, each, &part, &own);
        status = plussi_cost_nest(&r->quiet, r->nest, &own, request->team[t], &r->result[t],
                                  &r->cost[t], &possible);
        r->n_teams++;
        if (!status && !possible)
            status = plussi_fail(&r->quiet, PLUSS_EUNSUPPORTED, NULL,
                                 "its misses of levels are not predicted");
    }
    return status ? status : check_limits(r);
}

/* A loop's candidates are not counted beforehand. */
static pluss_status remark_on_loops(remarker *r)
{
    const plussi_request *whole = r->request;
    pluss_status status = PLUSS_OK;
    size_t i = 0;
    for (plussi_node *loop = NULL; !status && (loop = next_of(r->nest, loop, PLUSSI_N_LOOP)); i++) {
        plussi_request own;
        plussi_ask_part part;
        plussi_ask_forward forward;
        const double each = (1 - PREDICTING) / (double)r->nest->n_loops;
        plussi_ask_as_part(whole, NULL, PREDICTING + (double)i * each, each, &part, &own);
        own.ask = plussi_ask_going_forward(&own.ask, &forward);
        r->request = &own;
        status = remark_on_loop(r, loop);
    }
    r->request = whole;
    return status ? status : plussi_pipeline_ask(whole, "predict", 1, 0);
}

pluss_status plussi_remark_on(plussi_ctx *ctx, const plussi_nest *nest,
                              const plussi_request *request, plussi_remarks *out)
{
    plussi_request own = *request;
    remarker r = {.ctx = ctx, .nest = nest, .request = &own, .out = out};
    own.coarse = EIGHTH;
    plussi_ctx_init(&r.quiet, &ctx->mem);
    pluss_status status = find_homes(&r);
    if (!status) {
        status = predict(&r);
        if (status && status != PLUSS_ENOMEM && status != PLUSS_ECANCELLED)
            status = remark_on_failure(&r, status);
        else if (!status)
            status = remark_on_loops(&r);
    }
    for (size_t t = 0; t < r.n_teams; t++)
        plussi_result_free(&r.result[t]);
    plussi_free(&ctx->mem, (void *)r.home);
    plussi_ctx_clear(&r.quiet);
    return status;
}

/* ---- the report -------------------------------------------------------------------------------
 */

void plussi_remarks_report(const plussi_remarks *remarks, plussi_document *document)
{
    static const char *const names[] = {"note", "warning", "error"};
    static const plussi_heading column[] = {{.key = "severity"},
                                            {.key = "place", .show = PLUSSI_AS_PLACE},
                                            {.key = "region"},
                                            {.key = "level"},
                                            {.key = "miss_ratio"},
                                            {.key = "miss_ratio_error"},
                                            {.key = "miss_ratio_then"},
                                            {.key = "steps"},
                                            {.key = "text"}};
    plussi_table *table =
        plussi_add_table(document->root, "remarks", column, sizeof column / sizeof *column);
    for (size_t i = 0; i < remarks->n; i++) {
        const plussi_remark *r = &remarks->at[i];
        const bool told = *r->level != '\0';
        plussi_add_row(table,
                       (plussi_datum[]){plussi_d_text(names[r->severity]),
                                        plussi_d_place(r->place.file, r->place.line, r->place.col),
                                        plussi_d_text(r->region), plussi_d_text(r->level),
                                        plussi_d_if(told, plussi_d_real(r->ratio)),
                                        plussi_d_if(told && r->error >= 0, plussi_d_real(r->error)),
                                        plussi_d_if(r->changed >= 0, plussi_d_real(r->changed)),
                                        plussi_d_text(r->steps), plussi_d_text(r->text)});
        char column_text[16] = "";
        if (r->place.col)
            snprintf(column_text, sizeof column_text, "%u:", r->place.col);
        plussi_add_line(document->root, "%s:%u:%s %s: %s",
                        r->place.file ? r->place.file : r->region, r->place.line, column_text,
                        names[r->severity], r->text);
    }
}
