/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bounds of loops in another order, where bounds depend on other loops of the band: those inside a
 * loop are eliminated, and what is left bounds it.
 */
#include "transform/change.h"
#include "transform/space.h"

static bool mentions(const plussi_expr *expr, const plussi_band *band)
{
    if (!expr)
        return false;
    for (uint32_t i = 0; i < band->n; i++)
        if (expr->kind == PLUSSI_E_IV && expr->loop->id == band->loop[i]->id)
            return true;
    for (uint32_t i = 0; i < expr->n_subs; i++)
        if (mentions(expr->subs[i], band))
            return true;
    return mentions(expr->a[0], band) || mentions(expr->a[1], band) || mentions(expr->a[2], band);
}

bool plussi_is_rectangular(const plussi_band *band)
{
    for (uint32_t i = 0; i < band->n; i++)
        if (mentions(band->loop[i]->u.loop.lo, band) || mentions(band->loop[i]->u.loop.hi, band))
            return false;
    return true;
}

typedef struct bounds {
    plussi_change *c;
    const plussi_band *band;
    plussi_space space;   /* what the band's bounds say */
    plussi_system system; /* of the loop that is looked at */
    plussi_system trial;
} bounds;

static plussi_var var_of(const plussi_node *loop)
{
    return (plussi_var){.kind = PLUSSI_VAR_LOOP, .id = loop->id};
}

/* One row for each operand of a maximum below, or of a minimum above. */
static void add_bound(bounds *b, const plussi_node *loop, const plussi_expr *bound, bool above)
{
    if (bound->kind == (above ? PLUSSI_E_MIN : PLUSSI_E_MAX)) {
        add_bound(b, loop, bound->a[0], above);
        add_bound(b, loop, bound->a[1], above);
        return;
    }
    plussi_row row = {.k = above ? -1 : 0};
    plussi_space_add_var(&b->space, var_of(loop), above ? -1 : 1, &row);
    plussi_space_add_expr(&b->space, bound, 0, above ? 1 : -1, &row);
    plussi_space_put(&b->space, &row);
}

static bool is_affine(const bounds *b)
{
    for (uint32_t v = 0; v < b->space.system.n_vars; v++)
        if (b->space.var[v].kind == PLUSSI_VAR_OTHER &&
            (!b->space.var[v].expr || mentions(b->space.var[v].expr, b->band)))
            return false;
    return !b->space.system.lost;
}

/* Whether the other rows imply row i. */
static bool is_implied(bounds *b, uint32_t i)
{
    plussi_row opposite = {.k = -1};
    plussi_system_copy(&b->trial, &b->system);
    b->trial.row[i] = b->trial.row[--b->trial.n];
    if (!plussi_row_add(&opposite, &b->system.row[i], -1))
        return false;
    plussi_system_add(&b->trial, &opposite);
    return !plussi_system_is_feasible(&b->trial);
}

static plussi_expr *var_expr(bounds *b, uint32_t v)
{
    plussi_nest *nest = b->c->nest;
    const plussi_var *var = &b->space.var[v];
    if (var->kind == PLUSSI_VAR_SYMBOL)
        for (plussi_symbol *s = nest->first_symbol; s; s = s->next)
            if (s->id == var->id)
                return plussi_expr_symbol(nest, s);
    for (uint32_t i = 0; i < b->band->n && var->kind == PLUSSI_VAR_LOOP; i++)
        if (b->band->loop[i]->id == var->id)
            return plussi_expr_iv(nest, b->band->loop[i]);
    for (plussi_node *up = b->band->loop[0]->parent; up && var->kind == PLUSSI_VAR_LOOP;
         up = up->parent)
        if (up->kind == PLUSSI_N_LOOP && up->id == var->id)
            return plussi_expr_iv(nest, up);
    if (var->kind == PLUSSI_VAR_TEAM) {
        plussi_expr *team = plussi_expr_int(nest, 0);
        if (team)
            team->kind = PLUSSI_E_TEAM;
        return team;
    }
    return plussi_clone_expr(nest, var->expr);
}

/* sign * (the row without variable v) + k, as a sum of what is added and what is subtracted. */
static plussi_expr *row_expr(bounds *b, const plussi_row *row, uint32_t v, int64_t sign, int64_t k)
{
    plussi_nest *nest = b->c->nest;
    plussi_expr *sum = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t u = 0; u < b->space.system.n_vars; u++) {
            int64_t factor = sign * row->c[u];
            if (u == v || factor == 0 || (factor > 0) != (pass == 0))
                continue;
            int64_t size = factor < 0 ? -factor : factor;
            plussi_expr *term = var_expr(b, u);
            if (size != 1)
                term = plussi_expr_op(nest, PLUSSI_E_MUL, plussi_expr_int(nest, size), term, NULL);
            if (sum)
                sum =
                    plussi_expr_op(nest, factor > 0 ? PLUSSI_E_ADD : PLUSSI_E_SUB, sum, term, NULL);
            else
                sum = factor > 0 ? term : plussi_expr_op(nest, PLUSSI_E_NEG, term, NULL, NULL);
        }
    int64_t constant = sign * row->k + k;
    if (!sum)
        return plussi_expr_int(nest, constant);
    if (constant == 0)
        return sum;
    return plussi_expr_op(nest, constant > 0 ? PLUSSI_E_ADD : PLUSSI_E_SUB, sum,
                          plussi_expr_int(nest, constant > 0 ? constant : -constant), NULL);
}

/* The bounds of variable v that the system has. false: they cannot be written. */
static bool write_bounds(bounds *b, uint32_t v, plussi_expr **lo, plussi_expr **hi)
{
    plussi_nest *nest = b->c->nest;
    for (uint32_t i = 0; i < b->system.n;)
        if (b->system.row[i].c[v] && is_implied(b, i))
            b->system.row[i] = b->system.row[--b->system.n];
        else
            i++;
    for (uint32_t i = 0; i < b->system.n; i++) {
        const plussi_row *row = &b->system.row[i];
        if (row->c[v] == 0)
            continue;
        if (row->equal || (row->c[v] != 1 && row->c[v] != -1))
            return false;
        plussi_expr **to = row->c[v] > 0 ? lo : hi;
        plussi_expr *bound = row_expr(b, row, v, -row->c[v], to == hi ? 1 : 0);
        *to = *to ? plussi_expr_op(nest, to == lo ? PLUSSI_E_MAX : PLUSSI_E_MIN, *to, bound, NULL)
                  : bound;
    }
    return *lo && *hi;
}

static pluss_status find_bounds(bounds *b, const uint32_t *order, bool hull, plussi_expr **lo,
                                plussi_expr **hi)
{
    const plussi_band *band = b->band;
    for (uint32_t i = 0; i < band->n; i++) {
        if (band->loop[i]->u.loop.step != 1)
            return plussi_refuse_step(b->c, band->loop[i],
                                      "loop %s does not have step 1, and bounds depend on loops",
                                      band->loop[i]->u.loop.iv);
        add_bound(b, band->loop[i], band->loop[i]->u.loop.lo, false);
        add_bound(b, band->loop[i], band->loop[i]->u.loop.hi, true);
    }
    for (uint32_t q = 0; q < band->n; q++) {
        const plussi_node *loop = band->loop[order[q]];
        bool exact = true, possible = is_affine(b);
        plussi_system_copy(&b->system, &b->space.system);
        for (uint32_t i = 0; i < band->n && possible; i++)
            if ((hull || i > q) && i != q)
                possible = plussi_system_eliminate(
                    &b->system, plussi_space_var(&b->space, var_of(band->loop[order[i]])), &exact);
        if (!possible || (!exact && !hull) || b->system.lost ||
            !write_bounds(b, plussi_space_var(&b->space, var_of(loop)), &lo[order[q]],
                          &hi[order[q]]))
            return plussi_refuse_step(
                b->c, loop, "no bounds can be given for loop %s in that order", loop->u.loop.iv);
    }
    return PLUSS_OK;
}

pluss_status plussi_reorder_bounds(plussi_change *c, const plussi_band *band, const uint32_t *order,
                                   bool hull, plussi_expr **lo, plussi_expr **hi)
{
    bounds b = {.c = c, .band = band};
    pluss_status status = plussi_space_init(c->ctx, &b.space);
    if (!status)
        status = plussi_system_init(c->ctx, &b.system);
    if (!status)
        status = plussi_system_init(c->ctx, &b.trial);
    if (!status)
        status = find_bounds(&b, order, hull, lo, hi);
    plussi_system_free(c->ctx, &b.trial);
    plussi_system_free(c->ctx, &b.system);
    plussi_space_free(c->ctx, &b.space);
    return status;
}
