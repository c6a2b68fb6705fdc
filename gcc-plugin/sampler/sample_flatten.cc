/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A worksharing loop over i in a sampler:
 *
 *     trips = pluss_rt_walk_trips (w, first, end, step, relation);
 *     pluss_rt_walk_loop (w, trips, schedule, chunk, nowait);
 *     more: n = pluss_rt_walk_chunk (w, 0, trips);  if (n == 0) goto done;
 *           i = first + pluss_rt_walk_first (w) * step;
 *     top:  body; i += step; if (--n != 0) goto top; else goto more;
 *     done: pluss_rt_walk_loop_end (w);
 *
 * Collapsed loops share one numbering of their iterations. All loops but the innermost are executed
 * twice: once to add up the iterations of the innermost, which may depend on them, and once to ask
 * for the chunks in each of its runs, whose first iteration has number `base'.
 */
#include "sampler/sample_flatten.h"

#include "common/statements.h"

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

tree emit_number(gimple_seq *seq, tree value)
{
    return emit_convert(seq, intDI_type_node, value);
}

tree SampleFlatten::make_temporary(tree type)
{
    variables.push_back(make_local(TYPE_MAIN_VARIANT(type)));
    return variables.back();
}

/* The relation of pluss_rt_walk_trips (runtime/rt/sampler.h). */
static unsigned relation_number(const OmpLoop &l)
{
    unsigned r = POINTER_TYPE_P(l.type()) || TYPE_UNSIGNED(l.type()) ? 8 : 0;
    switch (l.relation) {
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
SampleFlatten::Range SampleFlatten::emit_range(gimple_seq *out, gomp_for *f, unsigned d)
{
    Range r;
    r.counter = make_counter(out, f, d);
    r.step = emit_step(out, r.counter.loop);
    r.trips =
        emit_walk_value(out, Walk::Trips,
                        {walk, emit_number(out, r.counter.first), emit_number(out, r.counter.end),
                         r.step, build_u32(relation_number(r.counter.loop))});
    return r;
}

/* All loops around the innermost shared one, with the code for it in them. */
void SampleFlatten::emit_around(gimple_seq *out, gomp_for *f, unsigned shared,
                                const std::function<void(unsigned, const Range &)> &emit_inner,
                                unsigned d)
{
    Range r = emit_range(out, f, d);
    if (d + 1 == shared)
        emit_inner(d, r);
    else
        emit_counting_loop(out, r.counter, UNKNOWN_LOCATION,
                           [&]() { emit_around(out, f, shared, emit_inner, d + 1); });
}

/* The register's value in a chunk's first iteration. base: NULL for 0. */
void SampleFlatten::emit_start(gimple_seq *out, const Range &r, tree base)
{
    tree u64 = uint64_type_node, reg = r.counter.reg, type = TREE_TYPE(reg);
    tree number = emit_walk_value(out, Walk::First, {walk});
    if (base)
        number = emit_value(out, u64, MINUS_EXPR, number, base);
    tree step = emit_convert(out, u64, r.step);
    tree distance = emit_value(out, u64, MULT_EXPR, number, step);
    if (POINTER_TYPE_P(type)) {
        append_glue(out, gimple_build_assign(reg, POINTER_PLUS_EXPR, r.counter.first,
                                             emit_convert(out, sizetype, distance)));
        return;
    }
    /* in a type that may wrap around */
    tree u = unsigned_type_for(type);
    tree sum = emit_value(out, u, PLUS_EXPR, emit_convert(out, u, r.counter.first),
                          emit_convert(out, u, distance));
    append_glue(out, useless_type_conversion_p(type, u) ? gimple_build_assign(reg, sum)
                                                        : gimple_build_assign(reg, NOP_EXPR, sum));
}

/* The thread's chunks in one run of the innermost shared loop. base: NULL for 0. */
void SampleFlatten::emit_chunks(gimple_seq *out, gomp_for *f, unsigned d, const Range &r, tree base)
{
    location_t loc = r.counter.loop.loc;
    tree u64 = uint64_type_node, zero = build_int_cst(u64, 0);
    tree more = create_artificial_label(loc), some = create_artificial_label(loc),
         top = create_artificial_label(loc), done = create_artificial_label(loc);
    tree left = make_temporary(u64);
    append_glue(out, gimple_build_label(more));
    tree n = emit_walk_value(out, Walk::Chunk, {walk, base ? base : zero, r.trips});
    append_glue(out, gimple_build_assign(left, n));
    append_glue(out, gimple_build_cond(NE_EXPR, left, zero, some, done));
    append_glue(out, gimple_build_label(some));
    emit_start(out, r, base);
    append_glue(out, gimple_build_label(top));
    emit_index(out, r.counter);
    emit_loop_nest(out, f, nullptr, d + 1);
    emit_advance(out, r.counter);
    append_glue(out, gimple_build_assign(left, MINUS_EXPR, left, build_int_cst(u64, 1)));
    append_glue(out, gimple_build_cond(NE_EXPR, left, zero, top, more));
    append_glue(out, gimple_build_label(done));
}

void SampleFlatten::emit_worksharing(gimple_seq *out, const Construct *c, unsigned shared,
                                     tree trips)
{
    unsigned schedule = walk_schedule(c) | (shared > 1 ? WALK_COLLAPSED : 0);
    tree chunk = c->chunk ? emit_number(out, c->chunk) : build_int_cst(intDI_type_node, 0);
    emit_call(
        out, walk_function(Walk::Loop),
        {walk, trips, build_u32(schedule), chunk, build_int_cst(integer_type_node, c->nowait)});
}

void SampleFlatten::emit_loops(gimple_seq *out, gomp_for *f, Construct *c)
{
    if (!c) {
        emit_loop_nest(out, f, nullptr, 0);
        return;
    }
    unsigned shared = MIN(MAX(c->collapse, 1u), (unsigned)gimple_omp_for_collapse(f));
    if (shared == 1) {
        Range r = emit_range(out, f, 0);
        emit_worksharing(out, c, shared, r.trips);
        emit_chunks(out, f, 0, r, NULL_TREE);
    } else {
        tree u64 = uint64_type_node;
        tree total = make_temporary(u64), base = make_temporary(u64);
        append_glue(out, gimple_build_assign(total, build_int_cst(u64, 0)));
        emit_around(out, f, shared, [&](unsigned, const Range &r) {
            append_glue(out, gimple_build_assign(total, PLUS_EXPR, total, r.trips));
        });
        emit_worksharing(out, c, shared, total);
        append_glue(out, gimple_build_assign(base, build_int_cst(u64, 0)));
        emit_around(out, f, shared, [&](unsigned d, const Range &r) {
            emit_chunks(out, f, d, r, base);
            append_glue(out, gimple_build_assign(base, PLUS_EXPR, base, r.trips));
        });
    }
    emit_call(out, walk_function(Walk::LoopEnd), {walk});
}

tree SampleFlatten::begin_section(gimple_seq *out, tree index)
{
    tree u64 = uint64_type_node;
    tree mine = make_label(), skip = make_label();
    tree n = emit_walk_value(out, Walk::Chunk,
                             {walk, emit_convert(out, u64, index), build_int_cst(u64, 1)});
    append_glue(out, gimple_build_cond(NE_EXPR, n, build_int_cst(u64, 0), mine, skip));
    append_glue(out, gimple_build_label(mine));
    return skip;
}

} // namespace pluss
