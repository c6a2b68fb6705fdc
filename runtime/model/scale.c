/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/scale.h"

#include <math.h>

/* ---- reference groups -------------------------------------------------------------------------
 */

/* A histogram's bins in order. A key is a distance; what shifts is the depth: the accesses of a
 * distance are spread evenly over the depths up to one more. */
typedef struct bins {
    plussi_bin *bin;
    size_t n;
    double weight;
} bins;

static pluss_status sort_bins(const plussi_histo *histo, bins *out)
{
    *out = (bins){.weight = plussi_histo_total(histo) - plussi_histo_keyless(histo)};
    return plussi_histo_sorted(histo, &out->bin, &out->n);
}

/* A place in bins, never at a bin's end. */
typedef struct cursor {
    const bins *of;
    size_t at;
    double start, passed; /* weight before that bin, and before the place */
} cursor;

typedef struct piece {
    double depth, weight; /* depth: the mean */
    uint64_t key;
} piece;

/* The next piece of one bin, until that much is passed; false: the end. */
static bool next_piece(cursor *c, double until, piece *out)
{
    const double smallest = 1e-12; /* of all: rounding */
    if (c->at == c->of->n || until - c->passed <= smallest * c->of->weight)
        return false;
    const plussi_bin *bin = &c->of->bin[c->at];
    const double end = c->start + bin->weight;
    const double upto = fmin(end, until);
    const double middle = ((c->passed + upto) / 2 - c->start) / bin->weight;
    *out = (piece){(double)bin->key + middle, upto - c->passed, bin->key};
    c->passed = upto;
    if (end - c->passed <= smallest * c->of->weight) {
        c->at++;
        c->start = c->passed = end;
    }
    return true;
}

/* The mean depth until that much is passed; 0: there is nothing. */
static double pass_group(cursor *c, double until)
{
    double weight = 0, sum = 0;
    piece p;
    while (next_piece(c, until, &p)) {
        sum += p.depth * p.weight;
        weight += p.weight;
    }
    return weight > 0 ? sum / weight : 0;
}

/* One of the rates: depths are as the scaled number to this power, between 0 and one of 1 or -1. */
static double find_rate(const plussi_scaling *s, double from, double to, double most)
{
    if (!(from > 0 && to > 0))
        return 0;
    const double power = most * log(to / from) / log(s->to / s->from);
    return most * round(fmin(fmax(power, 0), 1) * PLUSSI_SCALE_RATES) / PLUSSI_SCALE_RATES;
}

static pluss_status add_depth(const plussi_scaling *s, double depth, double weight,
                              plussi_histo *out)
{
    const double most = s->lines > 0 ? s->lines : 9e15; /* exact as a real number */
    const double whole = ceil(depth * (1 - 1e-9));      /* but for rounding */
    return plussi_histo_add(out, (uint64_t)fmin(fmax(whole, 1), most) - 1, weight);
}

/* What tells how a group's depths shift. */
typedef struct shift {
    double most;               /* the greatest power, 1 or -1; 0: not by powers */
    double deepest;            /* by powers: the greatest distance, which is spread; 0: none is */
    bins apart_from, apart_to; /* of the same lines, were none shared; empty: by doublings */
    double shared;             /* lines that threads share */
} shift;

/* Lines by which n threads touch fewer than n times as many as one, which touches the share u of
 * the shared lines, each of them on its own. */
static double overlap_of(double shared, double u, double n)
{
    return shared * (n * u - 1 + pow(1 - u, n));
}

/* The share that makes it that many; 1: there are not as many shared lines. By Newton's method from
 * above, where no step passes the root: the overlap is convex in the share, and is at least
 * shared * (n * u - 1). A dozen powers, mostly. */
static double find_share(double shared, double overlap, double n)
{
    if (overlap_of(shared, 1, n) <= overlap)
        return 1;
    const double wanted = overlap / shared;
    double u = fmin((wanted + 1) / n, 1);
    for (int i = 0; i < 60; i++) {
        const double rest = pow(1 - u, n - 1);
        const double next = u - (n * u - 1 + (1 - u) * rest - wanted) / (n * (1 - rest));
        if (!(next < u)) /* the root, but for rounding */
            break;
        u = fmax(next, 0);
    }
    return u;
}

/* At `at`, of depths that are a straight line in the number of threads. */
static double extend_line(const plussi_scaling *s, double from, double to)
{
    return to + (to - from) / (s->to - s->from) * (s->at - s->to);
}

/* apart: as if no line were shared. What both differ by is the overlap, which cannot grow beyond
 * all shared lines for each thread. */
static double shift_by_overlap(const plussi_scaling *s, double shared, double from, double to,
                               double apart_from, double apart_to)
{
    const double apart = extend_line(s, apart_from, apart_to), overlap = fmax(apart_to - to, 0);
    const double u = find_share(shared, overlap, s->to);
    const double there = u < 1 ? overlap_of(shared, u, s->at) : overlap * (s->at - 1) / (s->to - 1);
    const double least = fmin(to >= from ? to : 0, apart);
    return fmax(apart - there, least);
}

/* By as much with each doubling as there is between both, but not nearer: a window of fewer lines
 * than with `to` threads is not known to shrink on. */
static double shift_by_doubling(const plussi_scaling *s, double from, double to)
{
    return to + fmax(to - from, 0) * log(s->at / s->to) / log(s->to / s->from);
}

/* How much of a piece of `to` is spread, not shifted: shared lines are the more often met by other
 * threads, the longer the distance. */
static double spread_share(double deepest, uint64_t key)
{
    return deepest > 0 ? ((double)key + 1) / deepest : 0;
}

/* What the depths of a group of that share of all are multiplied by. */
static double find_factor(const plussi_scaling *s, const shift *how, double before, double after,
                          cursor *apart, double share)
{
    if (how->most != 0)
        return pow(s->at / s->to, find_rate(s, before, after, how->most));
    const double apart_from = pass_group(&apart[0], share * apart[0].of->weight);
    const double apart_to = pass_group(&apart[1], share * apart[1].of->weight);
    if (!(before > 0 && after > 0))
        return 1;
    const double depth = apart_from > 0 && apart_to > 0
                             ? shift_by_overlap(s, how->shared, before, after, apart_from, apart_to)
                             : shift_by_doubling(s, before, after);
    return depth / after;
}

static pluss_status shift_groups(const plussi_scaling *s, const bins *from, const bins *to,
                                 const shift *how, plussi_histo *out)
{
    cursor a = {.of = from}, b = {.of = to};
    cursor apart[2] = {{.of = &how->apart_from}, {.of = &how->apart_to}};
    pluss_status status = PLUSS_OK;
    for (int i = 1; i <= PLUSSI_SCALE_GROUPS && b.at < to->n && !status; i++) {
        const double share = (double)i / PLUSSI_SCALE_GROUPS;
        cursor ahead = b;
        const double before = pass_group(&a, share * from->weight);
        const double after = pass_group(&ahead, share * to->weight);
        const double factor = find_factor(s, how, before, after, apart, share);
        piece p;
        while (!status && next_piece(&b, ahead.passed, &p))
            status = add_depth(s, factor * p.depth,
                               p.weight * (1 - spread_share(how->deepest, p.key)), out);
    }
    return status;
}

/* ---- spreading --------------------------------------------------------------------------------
 */

/* The first distance of the next bin of a log-linear scale. */
static uint64_t next_edge(uint64_t distance)
{
    enum { BITS = 8 };
    int width = distance ? 64 - __builtin_clzll(distance) - 1 - BITS : 0;
    const uint64_t step = UINT64_C(1) << (width > 0 ? width : 0);
    return (distance / step + 1) * step;
}

/* Each part that is spread is even over the distances from 0 to as many times its own as there are
 * more cores. */
static pluss_status spread(const plussi_scaling *s, const bins *to, double deepest,
                           plussi_histo *out)
{
    const double times = s->at / s->to;
    double density = 0; /* a distance's weight, of the parts that reach it */
    size_t first = 0;   /* of these */
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < to->n; i++)
        density += to->bin[i].weight / deepest / times;
    for (uint64_t at = 0, end; first < to->n && !status; at = end) {
        end = next_edge(at);
        double weight = density * (double)(end - at), reach;
        for (; first < to->n && (reach = times * ((double)to->bin[first].key + 1)) < (double)end;
             first++) {
            const double own = to->bin[first].weight / deepest / times;
            weight -= own * ((double)end - reach);
            density -= own;
        }
        status = plussi_histo_add(out, (at + end - 1) / 2, fmax(weight, 0));
    }
    return status;
}

/* ---- a profile --------------------------------------------------------------------------------
 */

/* In proportion to a power of what is scaled, which the two numbers tell. */
static double grow_by_power(const plussi_scaling *s, double from, double to)
{
    if (!(from > 0 && to > 0))
        return to;
    return to * pow(s->at / s->to, log(to / from) / log(s->to / s->from));
}

/* One core has none; n of them in proportion to n^c - 1, of which c = 1 is as many more with each
 * core, 0 as many with each doubling, -1 all but one nth. */
static double grow_from_none(const plussi_scaling *s, double from, double to)
{
    double low = -8, high = 1; /* c */
    for (int i = 0; i < 50; i++) {
        const double c = (low + high) / 2;
        if (from * expm1(c * log(s->to)) / expm1(c * log(s->from)) < to)
            low = c;
        else
            high = c;
    }
    return to * expm1(low * log(s->at)) / expm1(low * log(s->to));
}

/* Accesses without a distance, and with one (*finite). */
static void grow_weights(const plussi_scaling *s, const plussi_histo *a, const plussi_histo *b,
                         plussi_histo *out, double *finite)
{
    const double all = plussi_histo_total(b);
    double cold = b->cold, first = grow_from_none(s, a->thread_first, b->thread_first);
    double coherence = grow_from_none(s, a->coherence, b->coherence);
    if (s->what == PLUSSI_SCALED_DATA) {
        cold = grow_by_power(s, a->cold, b->cold);
        first = grow_by_power(s, a->thread_first, b->thread_first);
        coherence = grow_by_power(s, a->coherence, b->coherence);
        *finite = grow_by_power(s, plussi_histo_total(a) - plussi_histo_keyless(a),
                                all - plussi_histo_keyless(b));
    } else {
        first = fmin(first, all - cold);
        coherence = fmin(coherence, all - cold - first);
        *finite = all - cold - first - coherence;
    }
    out->cold += cold;
    out->thread_first += first;
    out->coherence += coherence;
}

/* The same lines' profiles, were none shared, and how many threads share; NULL: not by overlap. */
typedef struct overlaps {
    const plussi_profile *from, *to;
    double lines;
} overlaps;

static pluss_status move_bins(const plussi_scaling *s, const plussi_profile *from,
                              const plussi_profile *to, const overlaps *overlap, plussi_histo *out)
{
    const bool among_all = to->scope == PLUSSI_SCOPE_CONCURRENT || to->scope == PLUSSI_SCOPE_APART;
    const bool meets = s->what == PLUSSI_SCALED_CORES && to->sharing == PLUSSI_SHARING_SHARED &&
                       to->scope == PLUSSI_SCOPE_CONCURRENT;
    shift how = {.most = s->what == PLUSSI_SCALED_DATA || among_all ? 1 : -1};
    bins a = {0}, b = {0};
    pluss_status status = sort_bins(&from->histo, &a);
    if (!status)
        status = sort_bins(&to->histo, &b);
    if (overlap) {
        how.most = 0;
        how.shared = overlap->lines;
        if (!status && !meets && overlap->from)
            status = sort_bins(&overlap->from->histo, &how.apart_from);
        if (!status && !meets && overlap->to)
            status = sort_bins(&overlap->to->histo, &how.apart_to);
    } else if (meets && b.n) {
        how.deepest = (double)b.bin[b.n - 1].key + 1;
    }
    if (!status)
        status = shift_groups(s, &a, &b, &how, out);
    if (!status && how.deepest > 0)
        status = spread(s, &b, how.deepest, out);
    plussi_free(&from->histo.mem, a.bin);
    plussi_free(&to->histo.mem, b.bin);
    plussi_free(&to->histo.mem, how.apart_from.bin);
    plussi_free(&to->histo.mem, how.apart_to.bin);
    return status;
}

static pluss_status scale_profile(plussi_ctx *ctx, const plussi_scaling *s,
                                  const plussi_profile *from, const plussi_profile *to,
                                  const overlaps *overlap, plussi_histo *out)
{
    plussi_histo moved;
    double finite;
    if (!(s->from > 0 && s->to > s->from && s->at > 0 && isfinite(s->to) && isfinite(s->at)))
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "profiles at %g and %g do not tell one at %g",
                           s->from, s->to, s->at);
    if (from->metric != PLUSSI_METRIC_DISTANCE || to->metric != PLUSSI_METRIC_DISTANCE ||
        from->scope != to->scope || from->sharing != to->sharing)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "profiles of distances of one scope scale");
    plussi_histo_init(&moved, &ctx->mem);
    pluss_status status = move_bins(s, from, to, overlap, &moved);
    const double weight = plussi_histo_total(&moved);
    grow_weights(s, &from->histo, &to->histo, out, &finite);
    if (!status && weight > 0)
        status = plussi_histo_merge(out, &moved, finite / weight);
    plussi_histo_free(&moved);
    return status;
}

pluss_status plussi_scale_profile(plussi_ctx *ctx, const plussi_scaling *s,
                                  const plussi_profile *from, const plussi_profile *to,
                                  plussi_histo *out)
{
    return scale_profile(ctx, s, from, to, NULL, out);
}

/* ---- a program --------------------------------------------------------------------------------
 */

/* Profiles of one run of a program, each of a team and scope; direct: of all its accesses, else of
 * a phase's private or shared lines. Texts are those of the profiles that they are sums of. */
typedef struct program {
    plussi_mem mem;
    plussi_profile *part;
    size_t n;
} program;

static void free_program(program *p)
{
    if (!p->part)
        return;
    for (size_t i = 0; i < p->n; i++)
        plussi_histo_free(&p->part[i].histo);
    plussi_free(&p->mem, p->part);
}

static pluss_status init_program(const plussi_mem *mem, size_t most, program *out)
{
    *out = (program){.mem = *mem, .part = plussi_calloc(mem, most + 1, sizeof *out->part)};
    return out->part ? PLUSS_OK : PLUSS_ENOMEM;
}

/* The one of the same phase and lines with that team, in that scope; NULL: there is none. */
static plussi_profile *find_part(const program *p, double team, plussi_profile_scope scope,
                                 const plussi_profile *like)
{
    for (size_t i = 0; i < p->n; i++) {
        plussi_profile *part = &p->part[i];
        if (part->id.team == team && part->scope == scope && part->phase == like->phase &&
            part->sharing == like->sharing && plussi_same_text(part->id.region, like->id.region))
            return part;
    }
    return NULL;
}

/* An empty one of the same team, scope, phase and lines, after those that there are. */
static plussi_profile *add_part(program *p, const plussi_profile *like)
{
    plussi_profile *part = &p->part[p->n++];
    *part = (plussi_profile){.id = {.team = like->id.team, .region = like->id.region},
                             .metric = like->metric,
                             .scope = like->scope,
                             .sharing = like->sharing,
                             .phase = like->phase};
    plussi_histo_init(&part->histo, &p->mem);
    return part;
}

/* What predicts a scope. */
static bool takes_scope(const plussi_profile *p, plussi_profile_scope scope, plussi_scale_by by)
{
    return p->sharing != PLUSSI_SHARING_ANY &&
           (p->scope == scope || (by == PLUSSI_SCALE_OVERLAP && p->scope == PLUSSI_SCOPE_APART));
}

static pluss_status add_up(const plussi_locality_set *known, plussi_profile_scope scope,
                           plussi_scale_by by, program *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < known->n && !status; i++) {
        plussi_profile like = known->profile[i];
        if (!takes_scope(&like, scope, by))
            continue;
        if (by == PLUSSI_SCALE_DIRECT) {
            like.phase = 0;
            like.sharing = PLUSSI_SHARING_ANY;
            like.id.region = NULL;
        }
        plussi_profile *part = find_part(out, like.id.team, like.scope, &like);
        part = part ? part : add_part(out, &like);
        status = plussi_histo_merge(&part->histo, &like.histo, 1 / like.runs);
    }
    return status;
}

/* What the large program has and the small one lacks does not tell how it grows, and stays. */
static pluss_status scale_program_data(plussi_ctx *ctx, const program *small, const program *large,
                                       const plussi_scaling *data, program *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < large->n && !status; i++) {
        const plussi_profile *to = &large->part[i];
        const plussi_profile *from = find_part(small, to->id.team, to->scope, to);
        status = plussi_scale_profile(ctx, data, from ? from : to, to, &add_part(out, to)->histo);
    }
    return status;
}

static bool has_team(const program *p, double team, plussi_profile_scope scope)
{
    bool has = false;
    for (size_t i = 0; i < p->n && !has; i++)
        has = p->part[i].id.team == team && p->part[i].scope == scope;
    return has;
}

/* Lines of one sharing (ANY: all) that the program touches at `to`. */
static double count_lines(const program *p, double team, plussi_profile_scope scope,
                          plussi_profile_sharing sharing)
{
    double lines = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->part[i].id.team == team && p->part[i].scope == scope &&
            (!sharing || p->part[i].sharing == sharing))
            lines += p->part[i].histo.cold;
    return lines;
}

/* What is a phase's at `to`; lines that are of the other sharing at `from` do not tell how they
 * shift, and stay. shared: lines that threads share, by overlap; NULL: not by that. */
static pluss_status scale_part(plussi_ctx *ctx, const program *p, const plussi_profile *part,
                               const plussi_scaling *s, const double *shared, plussi_histo *out)
{
    const plussi_profile *before = find_part(p, s->from, part->scope, part);
    const overlaps overlap = {.from = find_part(p, s->from, PLUSSI_SCOPE_APART, part),
                              .to = find_part(p, s->to, PLUSSI_SCOPE_APART, part),
                              .lines = shared ? *shared : 0};
    return scale_profile(ctx, s, before ? before : part, part, shared && before ? &overlap : NULL,
                         out);
}

static pluss_status scale_program_cores(plussi_ctx *ctx, const program *p,
                                        plussi_profile_scope scope, plussi_scale_by by,
                                        const plussi_scaling *s, plussi_histo *out)
{
    const bool at = has_team(p, s->at, scope);
    const double shared = count_lines(p, s->to, scope, PLUSSI_SHARING_SHARED);
    plussi_scaling limited = *s;
    pluss_status status = PLUSS_OK;
    limited.lines = count_lines(p, s->to, scope, PLUSSI_SHARING_ANY);
    for (size_t i = 0; i < p->n && !status; i++) {
        const plussi_profile *part = &p->part[i];
        if (part->scope != scope || part->id.team != (at ? s->at : s->to))
            continue;
        status = at ? plussi_histo_merge(out, &part->histo, 1)
                    : scale_part(ctx, p, part, &limited,
                                 by == PLUSSI_SCALE_OVERLAP ? &shared : NULL, out);
    }
    return status;
}

/* Both sizes have the team that is asked for, or both that tell others. */
static pluss_status check_teams(plussi_ctx *ctx, const program *size, size_t n,
                                plussi_profile_scope scope, const plussi_scaling *s)
{
    bool at = true, from = true, to = true;
    for (size_t i = 0; i < n; i++) {
        at &= has_team(&size[i], s->at, scope);
        from &= has_team(&size[i], s->from, scope);
        to &= has_team(&size[i], s->to, scope);
    }
    return at || (from && to)
               ? PLUSS_OK
               : plussi_fail(ctx, PLUSS_EEMPTY, NULL, "no locality profiles of %g and %g threads",
                             s->from, s->to);
}

pluss_status plussi_scale_program(plussi_ctx *ctx, const plussi_locality_set *known,
                                  plussi_profile_scope scope, plussi_scale_by by,
                                  const plussi_scaling *data, const plussi_scaling *cores,
                                  plussi_histo *out)
{
    const size_t n = data ? 2 : 1;
    program size[3] = {0}; /* the third: scaled from both */
    pluss_status status = PLUSS_OK;
    if (by == PLUSSI_SCALE_OVERLAP && scope != PLUSSI_SCOPE_CONCURRENT)
        by = PLUSSI_SCALE_DIRECT;
    for (size_t i = 0; i < n && !status; i++) {
        status = init_program(&ctx->mem, known[i].n, &size[i]);
        if (!status)
            status = add_up(&known[i], scope, by, &size[i]);
    }
    if (!status)
        status = check_teams(ctx, size, n, scope, cores);
    if (!status && data) {
        status = init_program(&ctx->mem, size[1].n, &size[2]);
        if (!status)
            status = scale_program_data(ctx, &size[0], &size[1], data, &size[2]);
    }
    if (!status)
        status = scale_program_cores(ctx, &size[data ? 2 : 0], scope, by, cores, out);
    for (size_t i = 0; i < 3; i++)
        free_program(&size[i]);
    return status;
}

pluss_status plussi_scale_scope(plussi_ctx *ctx, uint32_t team, uint32_t threads_per_cache,
                                plussi_profile_scope *out)
{
    const bool own = threads_per_cache == 1 && team > 1;
    if (threads_per_cache && !own && threads_per_cache < team)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL,
                           "the model scale predicts caches of one thread or of all, not of %u",
                           threads_per_cache);
    *out = own ? PLUSSI_SCOPE_COHERENT : PLUSSI_SCOPE_CONCURRENT;
    return PLUSS_OK;
}

static pluss_status predict(plussi_ctx *ctx, const plussi_model_input *input, plussi_scale_by by,
                            plussi_estimate *out)
{
    const uint32_t team = input->bound->team;
    plussi_profile_scope scope = PLUSSI_SCOPE_CONCURRENT;
    const plussi_locality_set known = {input->locality, input->n_locality};
    const plussi_scaling s = {
        .what = PLUSSI_SCALED_CORES, .from = PLUSSI_SCALE_FROM, .to = PLUSSI_SCALE_TO, .at = team};
    pluss_status status = plussi_scale_scope(ctx, team, input->threads_per_cache, &scope);
    if (!status)
        status = plussi_profile_init(&ctx->mem, PLUSSI_METRIC_DISTANCE, scope, 0, &out->profile);
    if (!status)
        status = plussi_scale_program(ctx, &known, scope, by, NULL, &s, &out->profile.histo);
    out->footprint = out->profile.histo.cold;
    return status;
}

static pluss_status run_scale(plussi_ctx *ctx, const plussi_model_input *input,
                              plussi_estimate *out)
{
    return predict(ctx, input, PLUSSI_SCALE_DIRECT, out);
}

static pluss_status run_scale_ps(plussi_ctx *ctx, const plussi_model_input *input,
                                 plussi_estimate *out)
{
    return predict(ctx, input, PLUSSI_SCALE_PARTS, out);
}

static pluss_status run_scale_overlap(plussi_ctx *ctx, const plussi_model_input *input,
                                      plussi_estimate *out)
{
    return predict(ctx, input, PLUSSI_SCALE_OVERLAP, out);
}

const plussi_model plussi_model_scale = {
    .name = "scale",
    .summary = "TOCS 2013's scaling of profiles with 2 and 4 threads to any number",
    .takes = PLUSSI_TAKES_LOCALITY,
    .gives = PLUSSI_GIVES_SHARED,
    .run = run_scale};
const plussi_model plussi_model_scale_ps = {
    .name = "scale-ps",
    .summary = "the same of phases, private and shared lines apart",
    .takes = PLUSSI_TAKES_LOCALITY,
    .gives = PLUSSI_GIVES_SHARED,
    .run = run_scale_ps};
const plussi_model plussi_model_scale_overlap = {
    .name = "scale-overlap",
    .summary = "the same by what threads share in a window, and what they do not",
    .takes = PLUSSI_TAKES_LOCALITY,
    .gives = PLUSSI_GIVES_SHARED,
    .run = run_scale_overlap};

bool plussi_scale_rule(const plussi_model *model, plussi_scale_by *out)
{
    static const plussi_model *const by[] = {[PLUSSI_SCALE_DIRECT] = &plussi_model_scale,
                                             [PLUSSI_SCALE_PARTS] = &plussi_model_scale_ps,
                                             [PLUSSI_SCALE_OVERLAP] = &plussi_model_scale_overlap};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i] == model) {
            *out = (plussi_scale_by)i;
            return true;
        }
    return false;
}
