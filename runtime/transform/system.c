/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "transform/system.h"

#include <string.h>

#include "base/arith.h"

pluss_status plussi_system_init(plussi_ctx *ctx, plussi_system *s)
{
    *s = (plussi_system){.row = plussi_alloc(&ctx->mem, PLUSSI_SYSTEM_ROWS, sizeof *s->row)};
    return s->row ? PLUSS_OK : PLUSS_ENOMEM;
}

void plussi_system_free(plussi_ctx *ctx, plussi_system *s)
{
    plussi_free(&ctx->mem, s->row);
    s->row = NULL;
}

void plussi_system_copy(plussi_system *to, const plussi_system *from)
{
    to->n_vars = from->n_vars;
    to->n = from->n;
    to->lost = from->lost;
    memcpy(to->row, from->row, from->n * sizeof *from->row);
}

bool plussi_row_add(plussi_row *to, const plussi_row *from, int64_t factor)
{
    int64_t part;
    for (uint32_t v = 0; v < PLUSSI_SYSTEM_VARS; v++)
        if (from->c[v] && (plussi_mul_over(from->c[v], factor, &part) ||
                           plussi_add_over(to->c[v], part, &to->c[v])))
            return false;
    return !plussi_mul_over(from->k, factor, &part) && !plussi_add_over(to->k, part, &to->k);
}

void plussi_system_add(plussi_system *s, const plussi_row *row)
{
    if (s->n == PLUSSI_SYSTEM_ROWS)
        s->lost = true;
    else
        s->row[s->n++] = *row;
}

/* Divides by the coefficients' greatest common divisor. false: the row has no solution. */
static bool tighten(plussi_row *row)
{
    uint64_t g = 0;
    for (uint32_t v = 0; v < PLUSSI_SYSTEM_VARS; v++)
        g = plussi_gcd(g, plussi_magnitude(row->c[v]));
    if (g == 0)
        return row->equal ? row->k == 0 : row->k >= 0;
    if (g == 1 || g > INT64_MAX)
        return true;
    if (row->equal && row->k % (int64_t)g != 0)
        return false;
    for (uint32_t v = 0; v < PLUSSI_SYSTEM_VARS; v++)
        row->c[v] /= (int64_t)g;
    row->k = plussi_floordiv(row->k, (int64_t)g);
    return true;
}

static bool is_constant(const plussi_row *row)
{
    for (uint32_t v = 0; v < PLUSSI_SYSTEM_VARS; v++)
        if (row->c[v])
            return false;
    return true;
}

/* Adds an inequality that is not implied by one with the same coefficients; rows that say nothing
 * are left out. false: it has no solution. */
static bool add_tight(plussi_system *s, plussi_row *row)
{
    if (!tighten(row))
        return false;
    if (is_constant(row))
        return true;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->row[i].equal == row->equal && memcmp(s->row[i].c, row->c, sizeof row->c) == 0) {
            if (row->equal)
                return s->row[i].k == row->k;
            s->row[i].k = plussi_min64(s->row[i].k, row->k);
            return true;
        }
    plussi_system_add(s, row);
    return true;
}

/* Adds a multiple of the equation to each other row so that v is gone from them. */
static bool substitute(plussi_system *s, uint32_t equation, uint32_t v)
{
    plussi_row by = s->row[equation];
    int64_t a = by.c[v];
    s->row[equation] = s->row[--s->n];
    const uint32_t n = s->n;
    s->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        plussi_row row = s->row[i];
        int64_t b = row.c[v];
        bool fits = true;
        if (b) {
            plussi_row scaled = {.equal = row.equal};
            uint64_t g = plussi_gcd(plussi_magnitude(a), plussi_magnitude(b));
            /* |a| / g times the row, so that inequalities keep their direction */
            int64_t sign = a < 0 ? 1 : -1, first = (int64_t)(plussi_magnitude(a) / g);
            fits = g <= INT64_MAX && b != INT64_MIN && plussi_row_add(&scaled, &row, first) &&
                   plussi_row_add(&scaled, &by, sign * (b / (int64_t)g));
            row = scaled;
        }
        if (!fits)
            s->lost = true;
        else if (!add_tight(s, &row))
            return false;
    }
    return true;
}

static uint64_t count_pairs(const plussi_system *s, uint32_t v)
{
    uint64_t above = 0, below = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        above += s->row[i].c[v] > 0;
        below += s->row[i].c[v] < 0;
    }
    return above * below;
}

/* Each lower bound with each upper bound. */
static bool combine(plussi_system *s, uint32_t v, bool *exact)
{
    uint32_t n = 0;
    const uint64_t pairs = count_pairs(s, v);
    /* rows with v come to the end */
    for (uint32_t i = 0; i < s->n; i++)
        if (s->row[i].c[v] == 0) {
            plussi_row row = s->row[i];
            s->row[i] = s->row[n];
            s->row[n++] = row;
        }
    const uint32_t all = s->n;
    if (n + pairs + (all - n) > PLUSSI_SYSTEM_ROWS) {
        s->lost = true;
        s->n = n;
        return true;
    }
    for (uint32_t i = n; i < all; i++)
        for (uint32_t j = n; j < all; j++) {
            const plussi_row *low = &s->row[i], *high = &s->row[j];
            if (low->c[v] <= 0 || high->c[v] >= 0)
                continue;
            if (low->c[v] != 1 && high->c[v] != -1)
                *exact = false;
            plussi_row row = {.equal = false};
            if (high->c[v] == INT64_MIN || !plussi_row_add(&row, low, -high->c[v]) ||
                !plussi_row_add(&row, high, low->c[v]))
                s->lost = true;
            else if (!add_tight(s, &row))
                return false;
        }
    /* those with v go */
    memmove(&s->row[n], &s->row[all], (s->n - all) * sizeof *s->row);
    s->n -= all - n;
    return true;
}

bool plussi_system_eliminate(plussi_system *s, uint32_t v, bool *exact)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->row[i].equal && s->row[i].c[v] &&
            (best == UINT32_MAX ||
             plussi_magnitude(s->row[i].c[v]) < plussi_magnitude(s->row[best].c[v])))
            best = i;
    if (best == UINT32_MAX)
        return combine(s, v, exact);
    if (plussi_magnitude(s->row[best].c[v]) != 1)
        *exact = false;
    return substitute(s, best, v);
}

/* The variable to go next: by an equation with a coefficient of 1, by any equation, or with the
 * fewest pairs of bounds. */
static uint32_t choose(const plussi_system *s)
{
    uint32_t any = UINT32_MAX, least = UINT32_MAX;
    uint64_t pairs = UINT64_MAX;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t v = 0; v < s->n_vars && s->row[i].equal; v++) {
            if (plussi_magnitude(s->row[i].c[v]) == 1)
                return v;
            any = s->row[i].c[v] ? v : any;
        }
    if (any != UINT32_MAX)
        return any;
    for (uint32_t v = 0; v < s->n_vars; v++) {
        bool used = false;
        for (uint32_t i = 0; i < s->n && !used; i++)
            used = s->row[i].c[v] != 0;
        uint64_t n = used ? count_pairs(s, v) : UINT64_MAX;
        if (used && n < pairs) {
            pairs = n;
            least = v;
        }
    }
    return least;
}

bool plussi_system_is_feasible(plussi_system *s)
{
    const uint32_t n = s->n;
    bool exact = true;
    s->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        plussi_row row = s->row[i];
        if (!add_tight(s, &row))
            return false;
    }
    for (uint32_t v = choose(s); v != UINT32_MAX; v = choose(s))
        if (!plussi_system_eliminate(s, v, &exact))
            return false;
    return true;
}
