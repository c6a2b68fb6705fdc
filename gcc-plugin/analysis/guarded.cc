/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements that one condition guards at two places:
 *
 *     if (c) allocate (a(n))
 *     ...
 *     if (c) a = 0
 *
 * The first is executed before the second, though it does not dominate it, if the condition is one
 * of symbols alone, which have one value.
 */
#include "analysis/analysis.h"

namespace pluss
{

/* The ways out of branches that all paths to a block take. (Of a branch whose other way ends the
 * program, the shadow has no other way.) */
static std::vector<edge> list_guards(basic_block bb)
{
    std::vector<edge> guards;
    basic_block entry = ENTRY_BLOCK_PTR_FOR_FN(cfun);
    for (basic_block at = bb; at && at != entry; at = get_immediate_dominator(CDI_DOMINATORS, at))
        if (single_pred_p(at) && EDGE_COUNT(single_pred(at)->succs) == 2 &&
            safe_dyn_cast<gcond *>(plussi_last_stmt(single_pred(at))))
            guards.push_back(single_pred_edge(at));
    return guards;
}

static edge other_way(edge e)
{
    return EDGE_SUCC(e->src, EDGE_SUCC(e->src, 0) == e);
}

/* Does a path lead there from the function's start that takes none of these ways, nor passes a
 * block? */
static bool leads_around(basic_block passed, const std::set<edge> &shut, basic_block to)
{
    std::set<basic_block> seen = {passed};
    std::vector<basic_block> work = {ENTRY_BLOCK_PTR_FOR_FN(cfun)};
    while (!work.empty()) {
        basic_block bb = work.back();
        work.pop_back();
        if (bb == to)
            return true;
        edge e;
        edge_iterator ei;
        FOR_EACH_EDGE(e, ei, bb->succs)
        if (!shut.count(e) && seen.insert(e->dest).second)
            work.push_back(e->dest);
    }
    return false;
}

/* Does a condition have one value whenever it is evaluated? */
static bool is_fixed(const Cond *c)
{
    return !(c->kinds() & ~kind_bit(AtomKind::Symbol)) && find_unknown(c).empty();
}

bool Analysis::executed_with(gimple *first, gimple *then, std::set<edge> *shut)
{
    basic_block end = gimple_bb(then);
    const std::vector<edge> guards = list_guards(end);
    for (edge e : list_guards(gimple_bb(first))) {
        if (dominated_by_p(CDI_DOMINATORS, end, e->dest))
            continue;
        const Cond *c = read_condition(e->src);
        auto is_same = [&](edge guard) {
            return !((e->flags ^ guard->flags) & EDGE_TRUE_VALUE) &&
                   c->same(*read_condition(guard->src));
        };
        if (!is_fixed(c) || std::none_of(guards.begin(), guards.end(), is_same))
            return false;
        shut->insert(other_way(e));
    }
    return !shut->empty() && !leads_around(gimple_bb(first), *shut, end);
}

} // namespace pluss
