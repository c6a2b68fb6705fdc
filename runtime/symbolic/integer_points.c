/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSS_WITHOUT_ISL

#include "symbolic/integer_points.h"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/local_space.h>
#include <isl/map.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdbool.h>

enum {
    MAX_POWER = 15,  /* of a dimension in a sum: more than the loops of a nest can give */
    MAX_MODULUS = 64 /* residues that a dimension is split into */
};

/* ---- powers -------------------------------------------------------------------------------------
 */

static int64_t binomial(int n, int k)
{
    int64_t b = 1;
    for (int i = 1; i <= k; i++)
        b = b * (n - k + i) / i;
    return b;
}

static isl_qpolynomial *scale(isl_qpolynomial *qp, int64_t by)
{
    return isl_qpolynomial_scale_val(qp, isl_val_int_from_si(isl_qpolynomial_get_ctx(qp), by));
}

/* 0^k + ... + x^k, from (k + 1) F_k = (x + 1)^(k + 1) - sum over j < k of C(k + 1, j) F_j. As
 * polynomials F_k(x) - F_k(x - 1) = x^k for all x, so that the sum from a to b >= a - 1 is F_k(b) -
 * F_k(a - 1), whatever their signs. Takes x. */
static isl_qpolynomial *sum_powers(isl_qpolynomial *x, int k)
{
    isl_qpolynomial *f[MAX_POWER + 1];
    isl_ctx *isl = isl_qpolynomial_get_ctx(x);
    isl_space *space = isl_qpolynomial_get_domain_space(x);
    isl_qpolynomial *next = isl_qpolynomial_add(x, isl_qpolynomial_one_on_domain(space));
    for (int i = 0; i <= k; i++) {
        f[i] = isl_qpolynomial_pow(isl_qpolynomial_copy(next), (unsigned)i + 1);
        for (int j = 0; j < i; j++)
            f[i] = isl_qpolynomial_sub(f[i], scale(isl_qpolynomial_copy(f[j]), binomial(i + 1, j)));
        f[i] = isl_qpolynomial_scale_down_val(f[i], isl_val_int_from_si(isl, i + 1));
    }
    for (int i = 0; i < k; i++)
        isl_qpolynomial_free(f[i]);
    isl_qpolynomial_free(next);
    return f[k];
}

/* ---- substitution
 * --------------------------------------------------------------------------------
 */

typedef struct substitution {
    isl_multi_aff *by;
    isl_qpolynomial *out;
} substitution;

/* A term with its floors and its dimensions replaced. */
static isl_stat substitute_term(isl_term *term, void *user)
{
    substitution *s = user;
    isl_space *space = isl_space_domain(isl_multi_aff_get_space(s->by));
    isl_qpolynomial *out =
        isl_qpolynomial_val_on_domain(isl_space_copy(space), isl_term_get_coefficient_val(term));
    for (int type = 0; type < 3; type++) {
        static const enum isl_dim_type types[] = {isl_dim_param, isl_dim_in, isl_dim_div};
        const isl_size n =
            isl_term_dim(term, types[type] == isl_dim_in ? isl_dim_set : types[type]);
        for (isl_size i = 0; i < n; i++) {
            const isl_size e = isl_term_get_exp(
                term, types[type] == isl_dim_in ? isl_dim_set : types[type], (unsigned)i);
            if (e <= 0)
                continue;
            isl_qpolynomial *factor;
            if (types[type] == isl_dim_param) {
                factor = isl_qpolynomial_var_on_domain(isl_space_copy(space), isl_dim_param,
                                                       (unsigned)i);
            } else if (types[type] == isl_dim_in) {
                factor = isl_qpolynomial_from_aff(isl_multi_aff_get_aff(s->by, (int)i));
            } else {
                isl_aff *div = isl_term_get_div(term, (unsigned)i);
                div = isl_aff_pullback_multi_aff(div, isl_multi_aff_copy(s->by));
                factor = isl_qpolynomial_from_aff(isl_aff_floor(div));
            }
            out = isl_qpolynomial_mul(out, isl_qpolynomial_pow(factor, (unsigned)e));
        }
    }
    isl_space_free(space);
    isl_term_free(term);
    s->out = isl_qpolynomial_add(s->out, out);
    return s->out ? isl_stat_ok : isl_stat_error;
}

/* ---- between two bounds -------------------------------------------------------------------------
 */

/* The sum over the last dimension, from low to high, where both are quasi-affine functions of the
 * others. */
typedef struct bounded_sum {
    isl_qpolynomial *what;
    unsigned last;
    isl_pw_aff *low;
    isl_aff *high;
    isl_set *high_on;
    isl_aff *piece_low;
    isl_multi_aff *one; /* the others and a last dimension of 1 */
    isl_qpolynomial *term;
    isl_pw_qpolynomial *out;
} bounded_sum;

static isl_multi_aff *set_last_to_one(isl_space *space)
{
    isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
    isl_aff *one = isl_aff_add_constant_si(isl_aff_zero_on_domain(local), 1);
    return isl_multi_aff_flat_range_product(isl_multi_aff_identity_on_domain_space(space),
                                            isl_multi_aff_from_aff(one));
}

static isl_stat add_term(isl_term *term, void *user)
{
    bounded_sum *s = user;
    const int power = (int)isl_term_get_exp(term, isl_dim_set, s->last);
    if (power < 0 || power > MAX_POWER) {
        isl_term_free(term);
        return isl_stat_error;
    }
    substitution factor = {
        .by = s->one,
        .out = isl_qpolynomial_zero_on_domain(isl_space_domain(isl_multi_aff_get_space(s->one)))};
    if (substitute_term(term, &factor) != isl_stat_ok)
        return isl_stat_error;
    isl_aff *before = isl_aff_add_constant_si(isl_aff_copy(s->piece_low), -1);
    isl_qpolynomial *upto = sum_powers(isl_qpolynomial_from_aff(isl_aff_copy(s->high)), power);
    upto = isl_qpolynomial_sub(upto, sum_powers(isl_qpolynomial_from_aff(before), power));
    s->term = isl_qpolynomial_add(s->term, isl_qpolynomial_mul(factor.out, upto));
    return s->term ? isl_stat_ok : isl_stat_error;
}

static isl_stat from_low(isl_set *on, isl_aff *low, void *user)
{
    bounded_sum *s = user;
    on = isl_set_intersect(on, isl_set_copy(s->high_on));
    isl_stat status = isl_stat_ok;
    if (isl_set_is_empty(on) == isl_bool_false) {
        s->piece_low = low;
        s->term = isl_qpolynomial_zero_on_domain(isl_aff_get_domain_space(low));
        status = isl_qpolynomial_foreach_term(s->what, add_term, s);
        isl_pw_qpolynomial *piece = isl_pw_qpolynomial_alloc(isl_set_copy(on), s->term);
        s->out = isl_pw_qpolynomial_add_disjoint(s->out, piece);
    }
    isl_set_free(on);
    isl_aff_free(low);
    return s->out ? status : isl_stat_error;
}

static isl_stat to_high(isl_set *on, isl_aff *high, void *user)
{
    bounded_sum *s = user;
    s->high = high;
    s->high_on = on;
    const isl_stat status = isl_pw_aff_foreach_piece(s->low, from_low, s);
    isl_set_free(on);
    isl_aff_free(high);
    return status;
}

/* Finds the bounds of the last dimension, along which the set has no gaps. Takes both. */
static bounded_sum begin_sum(isl_set *on, isl_qpolynomial *what, isl_pw_aff **high)
{
    const unsigned last = (unsigned)isl_set_dim(on, isl_dim_set) - 1;
    isl_map *to_last = isl_map_from_range(on);
    to_last = isl_map_move_dims(to_last, isl_dim_in, 0, isl_dim_out, 0, last);
    isl_space *space = isl_space_domain(isl_map_get_space(to_last));
    isl_multi_aff *one = set_last_to_one(isl_space_copy(space));
    space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1);
    isl_pw_multi_aff *least = isl_map_lexmin_pw_multi_aff(isl_map_copy(to_last));
    isl_pw_multi_aff *most = isl_map_lexmax_pw_multi_aff(to_last);
    bounded_sum s = {.what = what,
                     .last = last,
                     .one = one,
                     .low = isl_pw_multi_aff_get_pw_aff(least, 0),
                     .out = isl_pw_qpolynomial_zero(space)};
    *high = isl_pw_multi_aff_get_pw_aff(most, 0);
    isl_pw_multi_aff_free(least);
    isl_pw_multi_aff_free(most);
    return s;
}

static isl_pw_qpolynomial *end_sum(bounded_sum *s, isl_pw_aff *high, bool good)
{
    if (!good)
        s->out = isl_pw_qpolynomial_free(s->out);
    isl_pw_aff_free(high);
    isl_pw_aff_free(s->low);
    isl_multi_aff_free(s->one);
    isl_qpolynomial_free(s->what);
    return s->out;
}

/* The set has no gaps along its last dimension. Takes both. */
static isl_pw_qpolynomial *sum_between(isl_set *on, isl_qpolynomial *what)
{
    isl_pw_aff *high;
    bounded_sum s = begin_sum(on, what, &high);
    return end_sum(&s, high, isl_pw_aff_foreach_piece(high, to_high, &s) == isl_stat_ok);
}

/* ---- residues -----------------------------------------------------------------------------------
 *
 * Where floor(dimension / m) occurs, the dimension is m q + r, for each r on its own.
 */

/* The least common multiple of `modulus` and of the denominators of floors of the last dimension.
 * 0: too large. */
static int64_t widen_modulus(int64_t modulus, isl_aff *floor_of, unsigned last)
{
    if (isl_aff_involves_dims(floor_of, isl_dim_in, last, 1) != isl_bool_true)
        return modulus;
    isl_val *d = isl_aff_get_denominator_val(floor_of);
    const int64_t denominator = isl_val_get_num_si(d);
    isl_val_free(d);
    int64_t a = modulus, b = denominator;
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    if (!a || denominator > MAX_MODULUS || modulus / a * denominator > MAX_MODULUS)
        return 0;
    return modulus / a * denominator;
}

typedef struct modulus_search {
    int64_t modulus;
    unsigned last;
} modulus_search;

static isl_stat of_term(isl_term *term, void *user)
{
    modulus_search *s = user;
    const isl_size n = isl_term_dim(term, isl_dim_div);
    for (isl_size i = 0; i < n && s->modulus; i++) {
        if (isl_term_get_exp(term, isl_dim_div, (unsigned)i) <= 0)
            continue;
        isl_aff *div = isl_term_get_div(term, (unsigned)i);
        s->modulus = widen_modulus(s->modulus, div, s->last);
        isl_aff_free(div);
    }
    isl_term_free(term);
    return isl_stat_ok;
}

static int64_t modulus_of(isl_basic_set *on, isl_qpolynomial *what, unsigned last)
{
    modulus_search s = {1, last};
    const isl_size n = isl_basic_set_dim(on, isl_dim_div);
    for (isl_size i = 0; i < n && s.modulus; i++) {
        isl_aff *div = isl_basic_set_get_div(on, (int)i);
        s.modulus = widen_modulus(s.modulus, div, last);
        isl_aff_free(div);
    }
    if (s.modulus && isl_qpolynomial_foreach_term(what, of_term, &s) != isl_stat_ok)
        return 0;
    return s.modulus;
}

/* ---- dimensions
 * -----------------------------------------------------------------------------------
 */

typedef struct piece_sum {
    isl_qpolynomial *what;
    isl_pw_qpolynomial *out;
    isl_pw_qpolynomial *from;
} piece_sum;

/* Adds those of the function's coefficients, but the last dimension's, times the sign, which are
 * taken to be within half of the divisor of 0. false: one is no integer. */
static bool add_shift(isl_aff *function, enum isl_dim_type type, int64_t divisor, int64_t sign,
                      unsigned last, isl_aff **shift)
{
    const isl_size n = isl_aff_dim(function, type);
    for (isl_size i = 0; i < n; i++) {
        isl_val *v = isl_aff_get_coefficient_val(function, type, (int)i);
        v = isl_val_mul(v, isl_val_int_from_si(isl_aff_get_ctx(function), divisor));
        const bool whole = isl_val_is_int(v) == isl_bool_true;
        int64_t c = whole ? isl_val_get_num_si(v) % divisor * sign : 0;
        isl_val_free(v);
        if (!whole)
            return false;
        c -= 2 * c > divisor ? divisor : 2 * c <= -divisor ? -divisor : 0;
        if (c && !(type == isl_dim_in && (unsigned)i == last))
            *shift = isl_aff_set_coefficient_si(*shift, type, (int)i, (int)c);
    }
    return true;
}

/* Where a floor of (last dimension - others) occurs, residues are those of the difference: so each
 * of them is there or not whatever the others are. The function of the others that is taken off;
 * 0: there is no such floor. */
static isl_aff *shift_of(isl_basic_set *on, unsigned last)
{
    const isl_size n = isl_basic_set_dim(on, isl_dim_div);
    isl_local_space *local = isl_local_space_from_space(isl_basic_set_get_space(on));
    isl_aff *shift = isl_aff_zero_on_domain(local);
    for (isl_size i = 0; i < n; i++) {
        isl_aff *function = isl_basic_set_get_div(on, (int)i);
        isl_val *d = isl_aff_get_denominator_val(function);
        isl_val *c = isl_aff_get_coefficient_val(function, isl_dim_in, (int)last);
        const int64_t divisor = isl_val_get_num_si(d);
        c = isl_val_mul(c, d);
        const int64_t sign = isl_val_is_one(c) == isl_bool_true      ? -1
                             : isl_val_is_negone(c) == isl_bool_true ? 1
                                                                     : 0;
        isl_val_free(c);
        isl_aff *found = isl_aff_copy(shift);
        const bool is =
            sign &&
            isl_aff_involves_dims(function, isl_dim_div, 0,
                                  (unsigned)isl_aff_dim(function, isl_dim_div)) == isl_bool_false &&
            add_shift(function, isl_dim_in, divisor, sign, last, &found) &&
            add_shift(function, isl_dim_param, divisor, sign, last, &found);
        isl_aff_free(function);
        isl_aff_free(is ? shift : found);
        if (is)
            return found;
    }
    return shift;
}

/* The last dimension becomes modulus times itself plus the shift and the residue. */
static isl_multi_aff *residue_map(isl_space *space, unsigned last, int64_t modulus,
                                  const isl_aff *shift, int64_t residue)
{
    isl_ctx *isl = isl_space_get_ctx(space);
    isl_multi_aff *same = isl_multi_aff_identity_on_domain_space(space);
    isl_aff *one = isl_multi_aff_get_aff(same, (int)last);
    one = isl_aff_scale_val(one, isl_val_int_from_si(isl, modulus));
    one = isl_aff_add(one, isl_aff_copy((isl_aff *)shift));
    one = isl_aff_add_constant_si(one, (int)residue);
    return isl_multi_aff_set_aff(same, (int)last, one);
}

/* Adding functions splits the set of each by those of all others. A residue's sum is mostly one
 * polynomial between two bounds; where that is 0 on the rest of the shadow (the set without the
 * last dimension), polynomials are added, on all of it. */
typedef struct residues {
    isl_set *shadow;
    isl_qpolynomial *common;
    isl_pw_qpolynomial *others;
} residues;

/* On the shadow the range is not empty where the piece is, and elsewhere ends one before its begin.
 */
static bool holds_on(const bounded_sum *s, isl_set *piece, isl_set *shadow)
{
    isl_aff *end = isl_aff_add_constant_si(isl_aff_copy(s->high), 1);
    isl_set *ordered = isl_aff_ge_set(end, isl_aff_copy(s->piece_low));
    isl_set *some = isl_aff_ge_set(isl_aff_copy(s->high), isl_aff_copy(s->piece_low));
    some = isl_set_intersect(some, isl_set_copy(shadow));
    const bool is = isl_set_is_subset(shadow, ordered) == isl_bool_true &&
                    isl_set_is_subset(some, piece) == isl_bool_true;
    isl_set_free(ordered);
    isl_set_free(some);
    return is;
}

typedef struct only_piece {
    isl_set *on;
    isl_aff *value;
} only_piece;

static isl_stat take_piece(isl_set *on, isl_aff *value, void *user)
{
    *(only_piece *)user = (only_piece){on, value};
    return isl_stat_ok;
}

/* false: it is no polynomial on all of the shadow, and is not added. */
static bool add_to_common(residues *all, bounded_sum *s, isl_pw_aff *high)
{
    only_piece least, most;
    if (isl_pw_aff_n_piece(s->low) != 1 || isl_pw_aff_n_piece(high) != 1)
        return false;
    isl_pw_aff_foreach_piece(s->low, take_piece, &least);
    isl_pw_aff_foreach_piece(high, take_piece, &most);
    isl_set *piece = isl_set_intersect(least.on, most.on);
    s->piece_low = least.value;
    s->high = most.value;
    s->term = isl_qpolynomial_zero_on_domain(isl_aff_get_domain_space(s->high));
    const bool is = holds_on(s, piece, all->shadow) &&
                    isl_qpolynomial_foreach_term(s->what, add_term, s) == isl_stat_ok;
    if (is)
        all->common = isl_qpolynomial_add(all->common, s->term);
    else
        isl_qpolynomial_free(s->term);
    isl_set_free(piece);
    isl_aff_free(least.value);
    isl_aff_free(most.value);
    return is;
}

static void add_residue(residues *all, isl_basic_set *on, isl_qpolynomial *what, isl_multi_aff *by)
{
    substitution s = {
        .by = by,
        .out = isl_qpolynomial_zero_on_domain(isl_space_domain(isl_multi_aff_get_space(by)))};
    isl_basic_set *q =
        isl_basic_set_preimage_multi_aff(isl_basic_set_copy(on), isl_multi_aff_copy(by));
    isl_pw_aff *high;
    bool good = isl_qpolynomial_foreach_term(what, substitute_term, &s) == isl_stat_ok;
    bounded_sum sum = begin_sum(isl_set_from_basic_set(q), s.out, &high);
    const bool is_common = good && add_to_common(all, &sum, high);
    if (!is_common)
        good = good && isl_pw_aff_foreach_piece(high, to_high, &sum) == isl_stat_ok;
    all->others = isl_pw_qpolynomial_add(all->others, end_sum(&sum, high, good));
    isl_multi_aff_free(by);
}

static isl_pw_qpolynomial *sum_residues(isl_basic_set *on, isl_qpolynomial *what, unsigned last,
                                        int64_t modulus)
{
    isl_set *shadow = isl_set_from_basic_set(
        isl_basic_set_project_out(isl_basic_set_copy(on), isl_dim_set, last, 1));
    shadow = isl_set_make_disjoint(isl_set_compute_divs(shadow));
    isl_space *space = isl_set_get_space(shadow);
    residues all = {.shadow = shadow,
                    .common = isl_qpolynomial_zero_on_domain(isl_space_copy(space))};
    all.others =
        isl_pw_qpolynomial_zero(isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1));
    isl_aff *shift = shift_of(on, last);
    for (int64_t r = 0; r < modulus && all.others; r++)
        add_residue(&all, on, what,
                    residue_map(isl_basic_set_get_space(on), last, modulus, shift, r));
    isl_aff_free(shift);
    return isl_pw_qpolynomial_add(all.others, isl_pw_qpolynomial_alloc(all.shadow, all.common));
}

static isl_stat sum_basic(isl_basic_set *on, void *user)
{
    piece_sum *s = user;
    const unsigned last = (unsigned)isl_basic_set_dim(on, isl_dim_set) - 1;
    const int64_t modulus = modulus_of(on, s->what, last);
    if (modulus == 1) {
        isl_pw_qpolynomial *sum =
            sum_between(isl_set_from_basic_set(on), isl_qpolynomial_copy(s->what));
        s->out = isl_pw_qpolynomial_add(s->out, sum);
        return s->out ? isl_stat_ok : isl_stat_error;
    }
    if (modulus)
        s->out = isl_pw_qpolynomial_add(s->out, sum_residues(on, s->what, last, modulus));
    isl_basic_set_free(on);
    return modulus && s->out ? isl_stat_ok : isl_stat_error;
}

static isl_stat sum_piece(isl_set *on, isl_qpolynomial *what, void *user)
{
    piece_sum *s = user;
    s->what = what;
    on = isl_set_make_disjoint(isl_set_compute_divs(on));
    const isl_stat status = isl_set_foreach_basic_set(on, sum_basic, s);
    isl_set_free(on);
    isl_qpolynomial_free(what);
    return status;
}

/* The sum over the last dimension. Takes it. */
static isl_pw_qpolynomial *sum_last(isl_pw_qpolynomial *what)
{
    isl_space *space = isl_pw_qpolynomial_get_domain_space(what);
    const isl_size n = isl_space_dim(space, isl_dim_set);
    space = isl_space_drop_dims(space, isl_dim_set, (unsigned)n - 1, 1);
    space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, 1);
    piece_sum s = {.out = isl_pw_qpolynomial_zero(space)};
    if (isl_pw_qpolynomial_foreach_piece(what, sum_piece, &s) != isl_stat_ok)
        s.out = isl_pw_qpolynomial_free(s.out);
    isl_pw_qpolynomial_free(what);
    return isl_pw_qpolynomial_coalesce(s.out);
}

isl_pw_qpolynomial *plussi_count_points(isl_set *set, unsigned keep)
{
    const isl_size n = isl_set_dim(set, isl_dim_set);
    set = isl_set_reset_tuple_id(set);
    isl_qpolynomial *one = isl_qpolynomial_one_on_domain(isl_set_get_space(set));
    isl_pw_qpolynomial *sum = isl_pw_qpolynomial_alloc(isl_set_coalesce(set), one);
    for (isl_size i = n; i > (isl_size)keep && sum; i--)
        sum = sum_last(sum);
    return sum;
}

isl_qpolynomial *plussi_keep_dims(isl_qpolynomial *what, const uint32_t *dims, uint32_t n)
{
    isl_space *from = isl_qpolynomial_get_domain_space(what);
    const isl_size all = isl_space_dim(from, isl_dim_set);
    isl_space *to = isl_space_drop_dims(isl_space_copy(from), isl_dim_set, 0, (unsigned)all);
    to = isl_space_add_dims(to, isl_dim_set, n);
    isl_multi_aff *by =
        isl_multi_aff_zero(isl_space_map_from_domain_and_range(isl_space_copy(to), from));
    for (uint32_t i = 0; i < n; i++) {
        isl_local_space *local = isl_local_space_from_space(isl_space_copy(to));
        by = isl_multi_aff_set_aff(by, (int)dims[i], isl_aff_var_on_domain(local, isl_dim_set, i));
    }
    substitution s = {.by = by, .out = isl_qpolynomial_zero_on_domain(to)};
    if (isl_qpolynomial_foreach_term(what, substitute_term, &s) != isl_stat_ok)
        s.out = isl_qpolynomial_free(s.out);
    isl_multi_aff_free(by);
    isl_qpolynomial_free(what);
    return s.out;
}

#endif
