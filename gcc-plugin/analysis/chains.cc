/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The dependence of a loop's iteration on the one before through variables: for each value that the
 * loop's header merges, the operations on the longest way from it to the value that the next
 * iteration gets. A load is followed where the last store before it is to the same place, as the
 * optimisers take the value itself; a loop inside is passed by, and has a chain of its own.
 */
#include "analysis/operations.h"

namespace pluss
{

namespace
{

/* Cycles of an operation, as it is on most processors: they decide which way is longest. */
const std::array<unsigned, N_OPERATIONS> usual_latency = {1, 3, 20, 4, 12, 4, 15, 20, 45, 2, 20};

enum { SAME_MOST = 12 /* operations on the way to an address */ };

struct Way {
    bool leads = false; /* it comes from the header */
    unsigned latency = 0;
    std::array<uint64_t, N_OPERATIONS> count{};
};

/* Two operands, or places in memory, that are computed alike of the same variables. */
bool is_same(tree a, tree b, int hops)
{
    if (operand_equal_p(a, b, 0))
        return true;
    if (TREE_CODE(a) != TREE_CODE(b) || hops == 0)
        return false;
    if (TREE_CODE(a) == SSA_NAME) {
        gassign *x = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(a));
        gassign *y = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(b));
        bool same = x && y && !gimple_vuse(x) && !gimple_vuse(y) &&
                    gimple_assign_rhs_code(x) == gimple_assign_rhs_code(y);
        for (unsigned i = 1; same && i < gimple_num_ops(x); i++)
            same = is_same(gimple_op(x, i), gimple_op(y, i), hops - 1);
        return same;
    }
    bool same = TREE_CODE(a) == MEM_REF || handled_component_p(a);
    for (int i = 0; same && i < TREE_OPERAND_LENGTH(a); i++) {
        tree x = TREE_OPERAND(a, i), y = TREE_OPERAND(b, i);
        same = x == y || (x && y && is_same(x, y, hops - 1));
    }
    return same;
}

class Chain
{
  public:
    Chain(Analysis &an, const class loop *l, tree from) : an(an), l(l), from(from) {}
    const Way &find(tree name);

  private:
    Way follow(gimple *def);
    void take_longer(tree operand, Way *out);

    Analysis &an;
    const class loop *l;
    tree from;
    std::map<tree, Way> known; /* what is being followed leads nowhere */
};

void Chain::take_longer(tree operand, Way *out)
{
    if (!operand || TREE_CODE(operand) != SSA_NAME)
        return;
    const Way &way = find(operand);
    if (way.leads && (!out->leads || way.latency > out->latency))
        *out = way;
}

Way Chain::follow(gimple *def)
{
    Way longest;
    const basic_block bb = gimple_bb(def);
    if (gphi *phi = dyn_cast<gphi *>(def)) {
        const bool header = bb == bb->loop_father->header;
        for (unsigned i = 0; bb != l->header && i < gimple_phi_num_args(phi); i++)
            if (!header ||
                !flow_bb_inside_loop_p(bb->loop_father, gimple_phi_arg_edge(phi, i)->src))
                take_longer(gimple_phi_arg_def(phi, i), &longest);
        return longest;
    }
    if (gimple_vuse(def) &&
        is_gimple_assign(def)) { /* a load: of what was just stored, or an end */
        gassign *store = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(gimple_vuse(def)));
        if (store && is_same(gimple_assign_lhs(store), gimple_assign_rhs1(def), SAME_MOST))
            take_longer(gimple_assign_rhs1(store), &longest);
        return longest;
    }
    for (unsigned i = is_gimple_call(def) ? 3 : 1; i < gimple_num_ops(def); i++)
        take_longer(gimple_op(def, i), &longest);
    if (longest.leads) {
        Operations own;
        add_operations(an, def, &own);
        for (const LineOperations &line : own.lines)
            for (int g = 0; g < N_OPERATIONS; g++) {
                longest.count[g] += line.count[g];
                longest.latency += line.count[g] * usual_latency[g];
            }
    }
    return longest;
}

const Way &Chain::find(tree name)
{
    auto found = known.find(name);
    if (found != known.end())
        return found->second;
    known[name] = Way();
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (name == from)
        known[name].leads = true;
    else if (gimple_bb(def) && flow_bb_inside_loop_p(l, gimple_bb(def)))
        known[name] = follow(def);
    return known[name];
}

} // namespace

void add_chain(Analysis &an, const class loop *l, location_t at, Operations *out)
{
    Way longest;
    location_t loc = UNKNOWN_LOCATION;
    if (!l->latch)
        return;
    for (gphi_iterator i = gsi_start_phis(l->header); !gsi_end_p(i); gsi_next(&i)) {
        tree from = gimple_phi_result(i.phi());
        tree next = PHI_ARG_DEF_FROM_EDGE(i.phi(), loop_latch_edge(l));
        if (virtual_operand_p(from) || TREE_CODE(next) != SSA_NAME)
            continue;
        const Way way = Chain(an, l, from).find(next);
        if (way.leads && way.latency > longest.latency) {
            longest = way;
            loc = gimple_location(SSA_NAME_DEF_STMT(next));
        }
    }
    for (int g = 0; g < N_OPERATIONS; g++)
        out->add(loc == UNKNOWN_LOCATION ? at : loc, static_cast<OperationGroup>(g),
                 longest.count[g]);
}

} // namespace pluss
