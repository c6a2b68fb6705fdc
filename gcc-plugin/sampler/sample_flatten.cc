/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A worksharing loop over i in a sampler:
 *
 *     trips = pluss_rt_walk_trips (w, initial, final, step, relation);
 *     pluss_rt_walk_loop (w, trips, schedule, chunk, nowait);
 *     more: n = pluss_rt_walk_chunk (w, 0, trips);  if (n == 0) goto done;
 *           i = initial + pluss_rt_walk_first (w) * step;
 *     top:  body; i += step; if (--n != 0) goto top; else goto more;
 *     done: pluss_rt_walk_loop_end (w);
 *
 * Collapsed loops are numbered through. All but the innermost are gone through twice: once to add
 * up the iterations of the innermost, which may depend on them, and once to ask for the chunks that
 * lie in its stretch, which begins at number `base'.
 */
#include "sampler/sample_flatten.h"

namespace pluss
{

unsigned walk_schedule(const Construct *c)
{
    switch (c->schedule) {
    case PLUSSI_SCHED_DYNAMIC:
        return c->kind == ConstructKind::Sections ? WALK_SECTIONS : WALK_DYNAMIC;
    case PLUSSI_SCHED_GUIDED:
        return WALK_GUIDED;
    case PLUSSI_SCHED_RUNTIME:
        return WALK_RUNTIME;
    default:
        return WALK_STATIC;
    }
}

tree as_number(gimple_seq *seq, tree value)
{
    return emit_convert(seq, intDI_type_node, value);
}

tree SampleFlatten::temporary(tree type)
{
    tree t = create_tmp_var_raw(TYPE_MAIN_VARIANT(type), NULL);
    DECL_CONTEXT(t) = current_function_decl;
    DECL_SEEN_IN_BIND_EXPR_P(t) = 1;
    variables.push_back(t);
    return t;
}

static unsigned relation(gomp_for *f, unsigned d)
{
    tree type = TREE_TYPE(gimple_omp_for_index(f, d));
    unsigned r = POINTER_TYPE_P(type) || TYPE_UNSIGNED(type) ? 8 : 0;
    switch (gimple_omp_for_cond(f, d)) {
    case LT_EXPR:
        return r;
    case LE_EXPR:
        return r + 1;
    case GT_EXPR:
        return r + 2;
    case GE_EXPR:
        return r + 3;
    default:
        return r + 4;
    }
}

/* The loop's range, as code; its register is not set. */
SampleFlatten::Dim SampleFlatten::dim(gimple_seq *out, gomp_for *f, unsigned d)
{
    Dim m;
    location_t loc = gimple_location(f);
    m.index = m.reg = gimple_omp_for_index(f, d);
    tree type = TREE_TYPE(m.index);
    m.final = bound(out, gimple_omp_for_final(f, d), type, loc);
    m.initial = bound(out, gimple_omp_for_initial(f, d), type, loc);
    if (!is_gimple_reg(m.index))
        m.reg = temporary(type);
    tree incr = gimple_omp_for_incr(f, d), by = TREE_OPERAND(incr, 1);
    /* A step down is a large number where the type is unsigned. */
    by = emit_convert(out, signed_type_for(TREE_TYPE(by)), by);
    m.step = as_number(out, by);
    if (TREE_CODE(incr) == MINUS_EXPR)
        m.step = TREE_CODE(m.step) == INTEGER_CST
                     ? fold_build1(NEGATE_EXPR, intDI_type_node, m.step)
                     : emit_value(out, intDI_type_node, NEGATE_EXPR, m.step);
    m.trips = walk_value(out, Walk::Trips,
                         {walk, as_number(out, m.initial), as_number(out, m.final), m.step,
                          build_int_cst(uint32_type_node, relation(f, d))});
    return m;
}

void SampleFlatten::advance(gimple_seq *out, gomp_for *f, unsigned d, tree reg)
{
    tree incr = gimple_omp_for_incr(f, d);
    glue(out, gimple_build_assign(reg, TREE_CODE(incr), reg, TREE_OPERAND(incr, 1)));
}

/* All iterations of dimension d, one after the other. */
void SampleFlatten::around(gimple_seq *out, gomp_for *f, unsigned d,
                           const std::function<void()> &inner)
{
    location_t loc = gimple_location(f);
    Dim m = dim(out, f, d);
    tree test = create_artificial_label(loc), top = create_artificial_label(loc),
         done = create_artificial_label(loc);
    glue(out, gimple_build_assign(m.reg, m.initial));
    glue(out, gimple_build_label(test));
    glue(out, gimple_build_cond(gimple_omp_for_cond(f, d), m.reg, m.final, top, done));
    glue(out, gimple_build_label(top));
    if (m.reg != m.index)
        glue(out, gimple_build_assign(m.index, m.reg));
    inner();
    advance(out, f, d, m.reg);
    glue(out, gimple_build_goto(test));
    glue(out, gimple_build_label(done));
}

void SampleFlatten::count(gimple_seq *out, gomp_for *f, unsigned d, unsigned shared, tree total)
{
    if (d + 1 < shared) {
        around(out, f, d, [&]() { count(out, f, d + 1, shared, total); });
        return;
    }
    Dim m = dim(out, f, d);
    glue(out, gimple_build_assign(total, PLUS_EXPR, total, m.trips));
}

void SampleFlatten::body(gimple_seq *out, gomp_for *f, unsigned d)
{
    if (d < gimple_omp_for_collapse(f))
        dimension(out, f, nullptr, d);
    else
        gimple_seq_add_seq(out, gimple_omp_body(f));
}

/* The thread's pieces of an innermost stretch. base: NULL for 0. */
void SampleFlatten::pieces(gimple_seq *out, gomp_for *f, unsigned d, const Dim &m, tree base)
{
    location_t loc = gimple_location(f);
    tree u64 = uint64_type_node, type = TREE_TYPE(m.reg), zero = build_int_cst(u64, 0);
    tree more = create_artificial_label(loc), some = create_artificial_label(loc),
         top = create_artificial_label(loc), done = create_artificial_label(loc);
    tree left = temporary(u64);
    glue(out, gimple_build_label(more));
    tree n = walk_value(out, Walk::Chunk, {walk, base ? base : zero, m.trips});
    glue(out, gimple_build_assign(left, n));
    glue(out, gimple_build_cond(NE_EXPR, left, zero, some, done));
    glue(out, gimple_build_label(some));
    tree first = walk_value(out, Walk::First, {walk});
    if (base)
        first = emit_value(out, u64, MINUS_EXPR, first, base);
    tree step = emit_convert(out, u64, m.step);
    tree off = emit_value(out, u64, MULT_EXPR, first, step);
    if (POINTER_TYPE_P(type)) {
        glue(out, gimple_build_assign(m.reg, POINTER_PLUS_EXPR, m.initial,
                                      emit_convert(out, sizetype, off)));
    } else { /* in a type that may wrap */
        tree u = unsigned_type_for(type);
        tree sum = emit_value(out, u, PLUS_EXPR, emit_convert(out, u, m.initial),
                              emit_convert(out, u, off));
        glue(out, useless_type_conversion_p(type, u) ? gimple_build_assign(m.reg, sum)
                                                     : gimple_build_assign(m.reg, NOP_EXPR, sum));
    }
    glue(out, gimple_build_label(top));
    if (m.reg != m.index)
        glue(out, gimple_build_assign(m.index, m.reg));
    body(out, f, d + 1);
    advance(out, f, d, m.reg);
    glue(out, gimple_build_assign(left, MINUS_EXPR, left, build_int_cst(u64, 1)));
    glue(out, gimple_build_cond(NE_EXPR, left, zero, top, more));
    glue(out, gimple_build_label(done));
}

void SampleFlatten::loops_of(gimple_seq *out, gomp_for *f, Construct *c)
{
    if (!c) {
        dimension(out, f, nullptr, 0);
        return;
    }
    unsigned shared = MIN(MAX(c->collapse, 1u), (unsigned)gimple_omp_for_collapse(f));
    tree u64 = uint64_type_node;
    unsigned schedule = walk_schedule(c) | (shared > 1 ? WALK_COLLAPSED : 0);
    auto begin = [&](tree trips) {
        tree chunk = c->chunk ? as_number(out, c->chunk) : build_int_cst(intDI_type_node, 0);
        emit_call(out, walk_function(Walk::Loop),
                  {walk, trips, build_int_cst(uint32_type_node, schedule), chunk,
                   build_int_cst(integer_type_node, c->nowait)});
    };
    if (shared == 1) {
        Dim m = dim(out, f, 0);
        begin(m.trips);
        pieces(out, f, 0, m, NULL_TREE);
    } else {
        tree total = temporary(u64), base = temporary(u64);
        glue(out, gimple_build_assign(total, build_int_cst(u64, 0)));
        count(out, f, 0, shared, total);
        begin(total);
        glue(out, gimple_build_assign(base, build_int_cst(u64, 0)));
        std::function<void(unsigned)> go = [&](unsigned d) {
            if (d + 1 < shared) {
                around(out, f, d, [&]() { go(d + 1); });
                return;
            }
            Dim m = dim(out, f, d);
            pieces(out, f, d, m, base);
            glue(out, gimple_build_assign(base, PLUS_EXPR, base, m.trips));
        };
        go(0);
    }
    emit_call(out, walk_function(Walk::LoopEnd), {walk});
}

tree SampleFlatten::section_head(gimple_seq *out, tree index)
{
    tree u64 = uint64_type_node;
    tree mine = create_artificial_label(UNKNOWN_LOCATION),
         skip = create_artificial_label(UNKNOWN_LOCATION);
    tree n =
        walk_value(out, Walk::Chunk, {walk, emit_convert(out, u64, index), build_int_cst(u64, 1)});
    glue(out, gimple_build_cond(NE_EXPR, n, build_int_cst(u64, 0), mine, skip));
    glue(out, gimple_build_label(mine));
    return skip;
}

} // namespace pluss
