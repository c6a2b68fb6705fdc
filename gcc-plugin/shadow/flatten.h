/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenMP constructs of a copied body replaced by plain code between markers. See flatten.cc.
 */
#ifndef PLUSSI_PLUGIN_FLATTEN_H
#define PLUSSI_PLUGIN_FLATTEN_H

#include "common/items.h"

namespace pluss
{

/* A flattened body, and what is known of its statements. */
struct Flat {
    bool orphaned = false; /* a worksharing construct outside of any parallel region */
    std::deque<Construct> constructs;
    std::map<gimple *, gimple *> origin; /* of a copied statement */
    std::set<gimple *> atomic;           /* loads and stores that are atomic */
    std::set<tree> private_vars;         /* memory of which every thread has its own */
    /* A loop's own variables that have behind it what a sequential run leaves (lastprivate, linear,
     * reduction); in it, too (linear); and what stands for a value that one thread has alone. */
    std::set<tree> copied_out, linear, lone;
    /* Where a local variable is assigned, by the original's and by the copied variable. Sizes of
     * variable types are found by it: in SSA form the compiler's own variables lose their names. */
    std::map<tree, std::vector<gimple *>> assigned;
    tree mark_fn = NULL_TREE;
    /* The statements, in the order in which they were flattened, but for the `glue': what counts
     * the iterations of loops. Two copies of a body have the same. */
    std::vector<gimple *> flow;
    std::map<gimple *, size_t> glue;                    /* and the place in the flow */
    std::map<gimple *, std::pair<size_t, size_t>> span; /* of a statement of the source */
    std::set<gimple *> taken_out; /* copies of values out of a construct: the last iteration's, the
                                     team's sum */

    /* Notes which statement a copied one comes from, and mends what copying leaves undone. */
    void adopt(const std::vector<gimple *> &from, const std::vector<gimple *> &to);
    /* Of a body that is not a copy. */
    void note_assigned(const std::vector<gimple *> &all);
    void make_marker();
    /* The marker that a statement is. */
    bool marker(gimple *stmt, Marker *out);
};

class Flatten
{
  public:
    explicit Flatten(Flat &s) : shadow(s) {}
    virtual ~Flatten() = default;
    gimple_seq sequence(gimple_seq in);

  protected:
    Flat &shadow;
    /* The loops of a worksharing construct (c), or of a simd loop that is not shared out. */
    virtual void loops_of(gimple_seq *out, gomp_for *f, Construct *c) { dimension(out, f, c, 0); }
    /* In a section's iteration: a label to be put after its body, or NULL. */
    virtual tree section_head(gimple_seq *, tree) { return NULL_TREE; }
    virtual tree temporary(tree type);
    /* Behind a body that one thread executes: its own variables that it assigned are not the
     * others'. Nothing in code that is to run. */
    virtual void set_apart(gimple_seq *out, const std::vector<tree> &assigned);
    tree bound(gimple_seq *out, tree value, tree type, location_t loc);
    void dimension(gimple_seq *out, gomp_for *f, Construct *c, unsigned d);
    bool inline_call(gimple_seq *out, gcall *call);
    void put(gimple_seq *out, gimple *g)
    {
        shadow.flow.push_back(g);
        gimple_seq_add_stmt(out, g);
    }
    void glue(gimple_seq *out, gimple *g)
    {
        shadow.glue[g] = shadow.flow.size();
        gimple_seq_add_stmt(out, g);
    }

  private:
    int parallel_depth = 0;
    Construct *combined = nullptr; /* the outer half of a combined construct */
    bool only = false;             /* in a `parallel for`: GCC gives the loop a nowait of its own */
    location_t parallel_loc = UNKNOWN_LOCATION;
    tree atomic_addr = NULL_TREE, atomic_lhs = NULL_TREE;

    Construct *add(ConstructKind kind, gimple *at)
    {
        shadow.constructs.emplace_back(kind, gimple_location(at));
        auto from = shadow.origin.find(at);
        if (from != shadow.origin.end() && callers.empty())
            shadow.constructs.back().original = from->second;
        return &shadow.constructs.back();
    }
    void mark(gimple_seq *out, const Construct *c, bool end, tree a = NULL_TREE,
              tree b = NULL_TREE);
    void drop(gimple_seq *out, gimple *g, const char *what);
    void simple(gimple_seq *out, gimple *g, ConstructKind kind);
    void statement(gimple_seq *out, gimple *g);
    void parallel(gimple_seq *out, gomp_parallel *p);
    void loop(gimple_seq *out, gomp_for *f);
    void sections(gimple_seq *out, gomp_sections *s);
    void single(gimple_seq *out, gomp_single *s);
    std::vector<tree> assigns_own(gimple_seq body);
    void assign_var(gimple_seq *out, tree dst, tree src, location_t loc);
    void copy_value(gimple_seq *out, tree dst, tree src, location_t loc);
    gimple_seq with_clauses(gimple *g, gimple_seq *body, tree clauses, gimple_seq *before,
                            gimple_seq *after);
    tree fresh(tree var);
    std::vector<tree> callers; /* functions whose bodies are being put in */
    unsigned inlined_stmts = 0;
    std::map<const Construct *, size_t> numbers; /* of the shadow's constructs */
};

} // namespace pluss
#endif
