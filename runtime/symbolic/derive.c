/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSS_WITHOUT_ISL

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/options.h>
#include <isl/space.h>
#include <isl/val.h>
#include <string.h>
#include <time.h>

#include "base/arith.h"
#include "symbolic/formula.h"
#include "symbolic/integer_points.h"
#include "symbolic/reuse.h"

enum {
    MAX_FLOORS = 48, /* of a class */
    MAX_PENDING = 32
};

typedef struct maker {
    plussi_formula *f;
    const plussi_polyhedral *p;
    plussi_formula_classes *to; /* where classes are kept */
    /* of one sink and one source: accesses at distances that are the same for all iterations */
    struct {
        isl_qpolynomial *distance;
        isl_pw_qpolynomial *count;
    } pending[MAX_PENDING];
    uint32_t n_pending, pending_sink, pending_source;
    bool out_of_memory;
    const plussi_ask *ask;
    bool cancelled;
    /* of the class that is made */
    plussi_formula_class class;
    uint32_t n_vars; /* room for these: symbols, iterations, floors */
    /* of its accesses */
    uint32_t n_used;
    uint32_t used[PLUSSI_MAX_LOOPS + 1];
    isl_qpolynomial *distance;
} maker;

static bool integer_of(isl_val *v, int64_t *out)
{
    const bool is =
        isl_val_is_int(v) == isl_bool_true && isl_val_n_abs_num_chunks(v, sizeof(uint32_t)) <= 1;
    *out = is ? (int64_t)isl_val_get_num_si(v) : 0;
    isl_val_free(v);
    return is;
}

/* ---- linear functions and floors
 * ------------------------------------------------------------------
 */

static bool read_linear(maker *m, isl_aff *aff, plussi_formula_row *row, int64_t *over);

static bool same_row(const plussi_formula_row *a, const plussi_formula_row *b, uint32_t n)
{
    return a->constant == b->constant &&
           memcmp(a->coefficient, b->coefficient, n * sizeof *a->coefficient) == 0;
}

/* The number of the variable that is the floor of the function; -1: no room, or too large numbers.
 * Takes it. */
static int64_t floor_variable(maker *m, isl_aff *of)
{
    plussi_formula_floor made;
    plussi_formula_class *c = &m->class;
    const uint32_t first = m->f->n_symbols + c->n_dims;
    if (!read_linear(m, of, &made.row, &made.over))
        return -1;
    for (uint32_t i = 0; i < c->n_floors; i++)
        if (c->floors[i].over == made.over && same_row(&c->floors[i].row, &made.row, m->n_vars))
            return first + i;
    if (c->n_floors == MAX_FLOORS)
        return -1;
    c->floors[c->n_floors] = made;
    return first + c->n_floors++;
}

static bool add_coefficients(maker *m, isl_aff *aff, enum isl_dim_type type, uint32_t first,
                             isl_val *scale, plussi_formula_row *row)
{
    const isl_size n = isl_aff_dim(aff, type);
    bool is = n >= 0;
    for (isl_size i = 0; i < n && is; i++) {
        int64_t value;
        isl_val *c = isl_aff_get_coefficient_val(aff, type, (int)i);
        is = integer_of(isl_val_mul(c, isl_val_copy(scale)), &value);
        if (!is || value == 0)
            continue;
        int64_t at = first + i;
        if (type == isl_dim_div)
            at = floor_variable(m, isl_aff_get_div(aff, (int)i));
        if (at < 0)
            return false;
        row->coefficient[at] += value;
    }
    return is;
}

/* The function is the row over a number. Takes it. */
static bool read_linear(maker *m, isl_aff *aff, plussi_formula_row *row, int64_t *over)
{
    isl_val *scale = isl_aff_get_denominator_val(aff);
    row->coefficient = plussi_arena_alloc(&m->f->arena, m->n_vars, sizeof *row->coefficient);
    m->out_of_memory |= !row->coefficient;
    bool is = row->coefficient && integer_of(isl_val_copy(scale), over) &&
              integer_of(isl_val_mul(isl_aff_get_constant_val(aff), isl_val_copy(scale)),
                         &row->constant) &&
              add_coefficients(m, aff, isl_dim_param, 0, scale, row) &&
              add_coefficients(m, aff, isl_dim_in, m->f->n_symbols, scale, row) &&
              add_coefficients(m, aff, isl_dim_div, 0, scale, row);
    isl_val_free(scale);
    isl_aff_free(aff);
    return is;
}

/* ---- polynomials
 * ----------------------------------------------------------------------------------
 */

typedef struct poly_maker {
    maker *m;
    plussi_formula_poly *poly;
    isl_val *denominator;
    uint32_t n;
} poly_maker;

static isl_stat widen_denominator(isl_term *term, void *user)
{
    poly_maker *p = user;
    isl_val *c = isl_term_get_coefficient_val(term);
    isl_val *d = isl_val_get_den_val(c);
    isl_val *g = isl_val_gcd(isl_val_copy(d), isl_val_copy(p->denominator));
    p->denominator = isl_val_mul(p->denominator, isl_val_div(d, g));
    p->n++;
    isl_val_free(c);
    isl_term_free(term);
    return p->denominator ? isl_stat_ok : isl_stat_error;
}

static bool read_powers(maker *m, isl_term *term, enum isl_dim_type type, uint32_t first,
                        uint8_t *power)
{
    const isl_size n = isl_term_dim(term, type);
    for (isl_size i = 0; i < n; i++) {
        const isl_size e = isl_term_get_exp(term, type, (unsigned)i);
        if (e == 0)
            continue;
        int64_t at = first + i;
        if (type == isl_dim_div)
            at = floor_variable(m, isl_term_get_div(term, (unsigned)i));
        if (e < 0 || at < 0)
            return false;
        power[at] = (uint8_t)(power[at] + e);
    }
    return n >= 0;
}

static isl_stat read_term(isl_term *term, void *user)
{
    poly_maker *p = user;
    maker *m = p->m;
    plussi_formula_term *t = &p->poly->term[p->poly->n++];
    isl_val *c = isl_val_mul(isl_term_get_coefficient_val(term), isl_val_copy(p->denominator));
    t->power = plussi_arena_alloc(&m->f->arena, m->n_vars, sizeof *t->power);
    m->out_of_memory |= !t->power;
    const bool is = integer_of(c, &t->factor) && t->power &&
                    read_powers(m, term, isl_dim_param, 0, t->power) &&
                    read_powers(m, term, isl_dim_set, m->f->n_symbols, t->power) &&
                    read_powers(m, term, isl_dim_div, 0, t->power);
    isl_term_free(term);
    return is ? isl_stat_ok : isl_stat_error;
}

static bool read_poly(maker *m, isl_qpolynomial *qp, plussi_formula_poly *out)
{
    poly_maker p = {.m = m, .poly = out};
    p.denominator = isl_val_one(isl_qpolynomial_get_ctx(qp));
    bool is = isl_qpolynomial_foreach_term(qp, widen_denominator, &p) == isl_stat_ok;
    *out =
        (plussi_formula_poly){.term = plussi_arena_alloc(&m->f->arena, p.n + 1, sizeof *out->term)};
    m->out_of_memory |= !out->term;
    is = is && out->term && isl_qpolynomial_foreach_term(qp, read_term, &p) == isl_stat_ok &&
         integer_of(isl_val_copy(p.denominator), &out->denominator);
    isl_val_free(p.denominator);
    return is;
}

/* ---- guards
 * ---------------------------------------------------------------------------------------
 */

typedef struct guard_maker {
    maker *m;
    size_t cap;
    uint32_t level;
    bool implied;
} guard_maker;

static isl_stat read_guard(isl_constraint *constraint, void *user)
{
    guard_maker *g = user;
    maker *m = g->m;
    plussi_formula_class *c = &m->class;
    plussi_formula_guard made = {.level = g->level, .implied = g->implied};
    int64_t over;
    made.equal = isl_constraint_is_equality(constraint) == isl_bool_true;
    const bool is = read_linear(m, isl_constraint_get_aff(constraint), &made.row, &over);
    isl_constraint_free(constraint);
    if (!is)
        return isl_stat_error;
    for (uint32_t i = 0; i < c->n_guards; i++)
        if (c->guards[i].equal == made.equal && same_row(&c->guards[i].row, &made.row, m->n_vars))
            return isl_stat_ok;
    if (plussi_grow(&m->f->arena.mem, &c->guards, &g->cap, c->n_guards, sizeof made)) {
        m->out_of_memory = true;
        return isl_stat_error;
    }
    c->guards[c->n_guards++] = made;
    return isl_stat_ok;
}

/* Guards of the first iterations alone, then of more and more, so that each is bounded by those
 * before it. */
static bool read_guards(maker *m, isl_basic_set *on)
{
    guard_maker g = {.m = m};
    const uint32_t n = m->class.n_dims;
    bool is = true;
    for (g.level = 0; g.level <= n && is; g.level++) {
        isl_basic_set *first = isl_basic_set_copy(on);
        if (g.level < n) {
            first = isl_basic_set_remove_unknown_divs(
                isl_basic_set_project_out(first, isl_dim_set, g.level, n - g.level));
            first = isl_basic_set_add_dims(first, isl_dim_set, n - g.level);
        }
        isl_basic_set *context = isl_set_simple_hull(isl_set_copy(m->p->context));
        context = isl_basic_set_from_params(context);
        context = isl_basic_set_add_dims(context, isl_dim_set, n);
        first = isl_basic_set_gist(first, context);
        is = isl_basic_set_foreach_constraint(first, read_guard, &g) == isl_stat_ok;
        first = isl_basic_set_remove_divs(first);
        g.implied = true;
        is = is && isl_basic_set_foreach_constraint(first, read_guard, &g) == isl_stat_ok;
        g.implied = false;
        isl_basic_set_free(first);
    }
    return is;
}

/* ---- classes
 * --------------------------------------------------------------------------------------
 */

/* The arrays that grew become the arena's. */
static bool keep_class(maker *m)
{
    plussi_formula *f = m->f;
    plussi_formula_class *c = &m->class;
    plussi_formula_guard *guards =
        plussi_arena_alloc(&f->arena, c->n_guards + 1, sizeof *c->guards);
    if (guards && c->n_guards)
        memcpy(guards, c->guards, c->n_guards * sizeof *guards);
    plussi_free(&f->arena.mem, c->guards);
    c->guards = guards;
    if (!guards ||
        plussi_grow(&f->arena.mem, &m->to->class, &m->to->cap, m->to->n, sizeof *m->to->class)) {
        m->out_of_memory = true;
        return false;
    }
    m->to->class[m->to->n++] = *c;
    return true;
}

typedef struct basic_maker {
    maker *m;
    isl_qpolynomial *count;
} basic_maker;

static isl_stat add_basic(isl_basic_set *on, void *user)
{
    basic_maker *b = user;
    maker *m = b->m;
    plussi_formula_class *c = &m->class;
    plussi_arena *arena = &m->f->arena;
    const uint32_t sink = c->sink, source = c->source;
    const plussi_poly_ref *ref = &m->p->ref[sink];
    *c = (plussi_formula_class){.sink = sink, .source = source, .n_dims = m->n_used};
    m->n_vars = m->f->n_symbols + m->n_used + MAX_FLOORS;
    c->loops = plussi_arena_alloc(arena, m->n_used + 1, sizeof *c->loops);
    c->by_number = plussi_arena_alloc(arena, m->n_used + 1, sizeof *c->by_number);
    c->floors = plussi_arena_alloc(arena, MAX_FLOORS, sizeof *c->floors);
    bool is = c->loops && c->by_number && c->floors;
    m->out_of_memory |= !is;
    for (uint32_t i = 0; i < m->n_used && is; i++) {
        c->loops[i] = ref->loops[m->used[i]];
        const int64_t step = c->loops[i] ? c->loops[i]->u.loop.step : 1;
        c->by_number[i] = step != 1 && step != -1;
    }
    is = is && (!m->distance || read_poly(m, m->distance, &c->distance)) &&
         read_poly(m, b->count, &c->count) && read_guards(m, on);
    isl_basic_set_free(on);
    if (!is) {
        plussi_free(&arena->mem, c->guards);
        return isl_stat_error;
    }
    const isl_stat status = keep_class(m) ? isl_stat_ok : isl_stat_error;
    c->sink = sink;
    c->source = source;
    return status;
}

static isl_stat add_count(isl_set *on, isl_qpolynomial *count, void *user)
{
    basic_maker b = {user, count};
    on = isl_set_make_disjoint(isl_set_compute_divs(isl_set_coalesce(on)));
    const isl_stat status = isl_set_foreach_basic_set(on, add_basic, &b);
    isl_set_free(on);
    isl_qpolynomial_free(count);
    return status;
}

/* The iterations that the distance is a function of, in the order of the loops. */
static void find_used(maker *m, const plussi_reuse_class *class)
{
    const isl_size n = isl_set_dim(class->iterations, isl_dim_set);
    m->n_used = 0;
    for (isl_size i = 0; i < n && class->distance; i++)
        if (isl_qpolynomial_involves_dims(class->distance, isl_dim_in, (unsigned)i, 1) !=
            isl_bool_false)
            m->used[m->n_used++] = (uint32_t)i;
}

/* The iterations with those that the distance is a function of before the others. */
static isl_set *used_first(const maker *m, isl_set *iterations)
{
    for (uint32_t i = 0; i < m->n_used; i++)
        if (m->used[i] != i) {
            /* move_dims changes types alone: by way of a map's range */
            isl_map *map = isl_map_from_domain(iterations);
            map = isl_map_move_dims(map, isl_dim_out, 0, isl_dim_in, m->used[i], 1);
            map = isl_map_move_dims(map, isl_dim_in, i, isl_dim_out, 0, 1);
            iterations = isl_map_domain(map);
        }
    return iterations;
}

/* Classes of the count's pieces. Takes the count and m->distance. */
static isl_stat add_counts(maker *m, isl_pw_qpolynomial *count)
{
    count = isl_pw_qpolynomial_coalesce(count);
    const isl_stat status = isl_pw_qpolynomial_foreach_piece(count, add_count, m);
    isl_pw_qpolynomial_free(count);
    m->distance = isl_qpolynomial_free(m->distance);
    return status;
}

static isl_stat flush(maker *m)
{
    isl_stat status = isl_stat_ok;
    m->n_used = 0;
    m->class.sink = m->pending_sink;
    m->class.source = m->pending_source;
    for (uint32_t i = 0; i < m->n_pending; i++) {
        m->distance = m->pending[i].distance;
        if (add_counts(m, m->pending[i].count) != isl_stat_ok)
            status = isl_stat_error;
    }
    m->n_pending = 0;
    return status;
}

/* Accesses at a distance that is the same for all of their iterations: together with others at the
 * same. Takes both. */
static isl_stat add_pending(maker *m, const plussi_reuse_class *class, isl_pw_qpolynomial *count)
{
    isl_stat status = isl_stat_ok;
    if (m->n_pending == MAX_PENDING || m->pending_sink != class->sink ||
        m->pending_source != class->source) {
        isl_qpolynomial *distance = m->distance;
        status = flush(m);
        m->distance = distance;
    }
    m->pending_sink = class->sink;
    m->pending_source = class->source;
    for (uint32_t i = 0; i < m->n_pending; i++) {
        if (m->distance &&
            isl_qpolynomial_plain_is_equal(m->distance, m->pending[i].distance) != isl_bool_true)
            continue;
        m->pending[i].count = isl_pw_qpolynomial_add(m->pending[i].count, count);
        m->distance = isl_qpolynomial_free(m->distance);
        return m->pending[i].count ? status : isl_stat_error;
    }
    m->pending[m->n_pending].distance = m->distance;
    m->pending[m->n_pending++].count = count;
    m->distance = NULL;
    return count ? status : isl_stat_error;
}

static isl_stat take(plussi_reuse_class *class, void *user)
{
    maker *m = user;
    m->cancelled |= plussi_ask_whether(m->ask, "derive", class->done, 0) != PLUSS_OK;
    if (m->cancelled) {
        isl_set_free(class->iterations);
        isl_qpolynomial_free(class->distance);
        return isl_stat_error;
    }
    find_used(m, class);
    isl_pw_qpolynomial *count =
        plussi_count_points(used_first(m, isl_set_reset_tuple_id(class->iterations)), m->n_used);
    m->distance = NULL;
    if (class->distance)
        m->distance = plussi_keep_dims(class->distance, m->used, m->n_used);
    if (m->n_used == 0)
        return add_pending(m, class, count);
    m->class.sink = class->sink;
    m->class.source = class->source;
    return add_counts(m, count);
}

/* All accesses, whatever their distance. */
static isl_stat add_accesses(maker *m)
{
    isl_pw_qpolynomial *sum = NULL;
    for (uint32_t i = 0; i < m->p->n_refs; i++) {
        isl_set *executed = isl_map_domain(isl_map_copy(m->p->ref[i].access));
        isl_pw_qpolynomial *count = plussi_count_points(executed, 0);
        sum = sum ? isl_pw_qpolynomial_add(sum, count) : count;
    }
    m->to = &m->f->accesses;
    return sum ? add_counts(m, sum) : isl_stat_ok;
}

/* ---- all of it
 * ------------------------------------------------------------------------------------
 */

static pluss_status describe(plussi_formula *f, const plussi_polyhedral *p)
{
    f->symbol = plussi_arena_alloc(&f->arena, p->n_symbols + 1, sizeof *f->symbol);
    f->ref = plussi_arena_alloc(&f->arena, p->n_refs + 1, sizeof *f->ref);
    if (!f->symbol || !f->ref)
        return PLUSS_ENOMEM;
    f->n_symbols = p->n_symbols;
    for (uint32_t i = 0; i < p->n_symbols; i++) {
        const int64_t unit = p->symbol[i].unit, least = plussi_least_parameter(unit) * unit;
        const plussi_symbol *s = p->symbol[i].symbol;
        f->symbol[i] = (plussi_formula_symbol){s, unit, s->least > least ? s->least : least};
    }
    for (uint32_t i = 0; i < p->n_refs; i++)
        f->ref[i] = p->ref[i].node;
    return PLUSS_OK;
}

static pluss_status derive(plussi_ctx *ctx, plussi_formula *f, const plussi_polyhedral *p,
                           const plussi_formula_options *options)
{
    maker m = {.f = f, .p = p, .ask = &options->ask};
    pluss_status status = describe(f, p);
    if (!status)
        status = plussi_ask_whether(m.ask, "derive", 0, 0);
    if (status)
        return status;
    isl_ctx_set_max_operations(p->isl, options->effort ? options->effort : PLUSSI_SYMBOLIC_EFFORT);
    isl_stat found = add_accesses(&m);
    m.to = &f->classes;
    if (found == isl_stat_ok)
        found = plussi_reuse_find(p, take, &m);
    if (flush(&m) == isl_stat_ok && found == isl_stat_ok)
        return plussi_ask_whether(m.ask, "derive", 1, 0);
    if (m.cancelled)
        return PLUSS_ECANCELLED;
    if (m.out_of_memory)
        return PLUSS_ENOMEM;
    return plussi_fail(ctx, PLUSS_ELIMIT, &f->region->text_loc,
                       "the formulas of %s take more steps than the effort allows",
                       f->region->name);
}

pluss_status plussi_formula_derive(plussi_ctx *ctx, const plussi_nest *nest,
                                   const plussi_region *region,
                                   const plussi_formula_options *options, plussi_formula **out)
{
    const clock_t start = clock();
    plussi_polyhedral *p = NULL;
    plussi_formula *f = plussi_calloc(&ctx->mem, 1, sizeof *f);
    if (!f)
        return PLUSS_ENOMEM;
    plussi_arena_init(&f->arena, &ctx->mem);
    f->region = region;
    f->line = options->line;
    pluss_status status = plussi_polyhedral_new(ctx, nest, region, options->line, &p);
    if (!status)
        status = derive(ctx, f, p, options);
    plussi_polyhedral_free(p);
    f->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (status)
        plussi_formula_free(f);
    else
        *out = f;
    return status;
}

#else

#include "symbolic/formula.h"

pluss_status plussi_formula_derive(plussi_ctx *ctx, const plussi_nest *nest,
                                   const plussi_region *region,
                                   const plussi_formula_options *options, plussi_formula **out)
{
    (void)nest;
    (void)options;
    (void)out;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &region->text_loc,
                       "this library was built without isl, and derives no formulas");
}

#endif

void plussi_formula_free(plussi_formula *f)
{
    if (!f)
        return;
    const plussi_mem mem = f->arena.mem;
    plussi_free(&mem, f->classes.class);
    plussi_free(&mem, f->accesses.class);
    plussi_arena_free(&f->arena);
    plussi_free(&mem, f);
}
