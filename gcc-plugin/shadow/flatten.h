/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replaces the OpenMP constructs of a copied body by plain code between markers. See flatten.cc,
 * sharing.cc and inline_call.cc.
 */
#ifndef PLUSSI_PLUGIN_FLATTEN_H
#define PLUSSI_PLUGIN_FLATTEN_H

#include "common/openmp.h"

namespace pluss
{

/* A flattened body, and what is known of its statements. */
struct Flat {
    bool orphaned = false; /* a worksharing construct outside of any parallel region */
    std::deque<Construct> constructs;
    std::map<gimple *, gimple *> origin; /* copied statement -> the statement it is a copy of */
    std::set<gimple *> atomic;           /* loads and stores that are atomic */
    std::set<tree> private_vars;         /* memory of which every thread has its own */
    /* Private variables of a construct: those that have, after it, the value that a sequential run
     * leaves (lastprivate, linear, reduction); those that have it inside of it, too (linear). */
    std::set<tree> copied_out, linear;
    bool elsewhere = false; /* a target region, teams, a taskloop or a scan */
    std::vector<std::pair<location_t, std::string>> assumed; /* notes on how it is taken to run */
    std::set<tree> lone; /* stand for values that one thread alone has */
    /* Statements that assign a local variable, by the original's and by the copied variable. Sizes
     * of variable types are found by it: in SSA form the compiler's own variables lose their names.
     */
    std::map<tree, std::vector<gimple *>> assigned;
    std::map<tree, tree> pointed; /* pointer to void that a memory call is given -> type there */
    tree marker = NULL_TREE;      /* the function pluss_mark */
    /* The statements in the order in which they were flattened, without the glue: the statements
     * that count the iterations of loops. Two copies of one body have the same flow. */
    std::vector<gimple *> flow;
    std::map<gimple *, size_t> glue; /* and the place in the flow after it */
    std::map<gimple *, std::pair<size_t, size_t>>
        span;                     /* source statement -> its part of the flow */
    std::set<gimple *> taken_out; /* copies of values out of a construct: the last iteration's, the
                                     team's sum */

    /* Notes which statement a copied one comes from, and repairs what copying leaves undone. */
    void map_copies(const std::vector<gimple *> &from, const std::vector<gimple *> &to);
    /* The same for a body that is not a copy. */
    void map_assignments(const std::vector<gimple *> &all);
    /* memory_calls.cc */
    void find_pointed(const std::vector<gimple *> &all);
    /* Calls of Fortran and those of their arguments that are counters of loops around them. */
    std::set<std::pair<gimple *, unsigned>> counting;
    void find_counting(const std::vector<gimple *> &all);
    /* What assigns or loads a counter in memory, and the counter: the jump at its loop's end. */
    std::map<std::pair<gimple *, tree>, gimple *> mirrored;
    void mirror_counter(const std::vector<gimple *> &all, size_t first, size_t end, tree counter);
    void declare_marker();
    /* True if a statement is a marker call. */
    bool read_marker(gimple *stmt, Marker *out);
};

/* Statements of callees in one function, in all. */
enum { MAX_INLINED_STMTS = 20000 };

/* What becomes of flattened code: it describes, it is a sampler's, or it takes the place of the
 * program's own and has all of its effects. */
enum class Purpose { Describe, Sample, Execute };

class Flatten
{
  public:
    explicit Flatten(Flat &f, Purpose p = Purpose::Describe) : flat(f), purpose(p) {}
    virtual ~Flatten() = default;
    gimple_seq flatten_sequence(gimple_seq in);

  protected:
    Flat &flat;
    const Purpose purpose;
    unsigned inlined_stmts = 0, inline_limit = MAX_INLINED_STMTS;

    /* A loop that counts in a register: reg = first; while (reg relation end) { ...; reg advance=
     * by; } */
    struct Counter {
        OmpLoop loop;
        tree reg; /* the index, or a register in its place if the index is in memory */
        tree first, end;
    };
    Counter make_counter(gimple_seq *out, gomp_for *f, unsigned depth);
    void emit_index(gimple_seq *out, const Counter &c);
    void emit_advance(gimple_seq *out, const Counter &c, location_t loc = UNKNOWN_LOCATION);
    /* loc: of the statements, which a sampler leaves without a place. */
    void emit_counting_loop(gimple_seq *out, const Counter &c, location_t loc,
                            const std::function<void()> &emit_body);
    /* All loops of a construct from one depth on, and the body in them. */
    void emit_loop_nest(gimple_seq *out, gomp_for *f, Construct *c, unsigned depth);

    /* The loops of a worksharing construct c, or, where c is NULL, of a simd loop that is not
     * shared. */
    virtual void emit_loops(gimple_seq *out, gomp_for *f, Construct *c)
    {
        emit_loop_nest(out, f, c, 0);
    }
    /* Begins a section's iteration; returns a label to be put after its body, or NULL. */
    virtual tree begin_section(gimple_seq *, tree) { return NULL_TREE; }
    virtual tree make_temporary(tree type);
    /* After a body that one thread executes: the other threads do not have what it assigned to
     * variables of its own. (Code that is to run needs nothing.) */
    virtual void forget_assigned(gimple_seq *out, const std::vector<tree> &assigned);

    bool inline_call(gimple_seq *out, gcall *call);
    struct Reaching;
    static tree reach_frame(tree *tp, int *walk_subtrees, void *data);
    std::vector<gimple *> reach_frames(gimple_seq *before, gimple *g);
    void append(gimple_seq *out, gimple *g)
    {
        flat.flow.push_back(g);
        gimple_seq_add_stmt(out, g);
    }
    void append_glue(gimple_seq *out, gimple *g)
    {
        flat.glue[g] = flat.flow.size();
        gimple_seq_add_stmt(out, g);
    }

  private:
    int parallel_depth = 0, target_depth = 0;
    tree league = NULL_TREE, team = NULL_TREE; /* the number of teams, and that of the team */
    /* The construct of one thread that is open, and its statement, if nothing but straight code is
     * around. */
    struct Lone {
        Construct *construct;
        gimple *stmt;
    } *lone = nullptr;
    Construct *combined = nullptr; /* the outer half of a combined construct */
    bool whole_parallel = false;   /* in a `parallel for': GCC gives the loop a nowait of its own */
    location_t parallel_loc = UNKNOWN_LOCATION;
    tree atomic_addr = NULL_TREE, atomic_lhs = NULL_TREE;
    std::vector<tree> callers;                   /* functions whose bodies are being put in line */
    std::map<const Construct *, size_t> numbers; /* of the constructs */

    /* flatten.cc */
    Construct *add_construct(ConstructKind kind, gimple *at);
    void emit_marker(gimple_seq *out, const Construct *c, bool end, tree a = NULL_TREE,
                     tree b = NULL_TREE);
    void emit_body_marker(gimple_seq *out, Construct *of, unsigned depth, location_t loc);
    void emit_unknown(gimple_seq *out, gimple *g, const std::string &what);
    void emit_atomic(gimple_seq *out, gimple *from, tree to, tree value);
    tree emit_bound(gimple_seq *out, tree value, tree type, location_t loc);
    std::set<tree> counters; /* of loop constructs */
    /* Registers with the values of counters in memory, by loop and counter. */
    std::map<std::pair<gimple *, tree>, tree> mirrors;
    tree find_mirror(gimple *g, tree memory);
    void append_mirrored(gimple_seq *out, gimple *g);
    void note_counters(gomp_for *f, gimple_seq body);
    bool stays_same(gcall *call, unsigned argument, tree var);
    void pass_copies(gimple_seq *out, gcall *call);
    void flatten_statement(gimple_seq *out, gimple *g);
    bool flatten_inside(gimple_seq *out, gimple *g);
    bool flatten_construct(gimple_seq *out, gimple *g);
    bool flatten_atomic(gimple_seq *out, gimple *g);
    void flatten_wrapper(gimple_seq *out, gimple *g, ConstructKind kind);
    void flatten_parallel(gimple_seq *out, gomp_parallel *p);
    void flatten_loop(gimple_seq *out, gomp_for *f);
    Construct *begin_worksharing(gimple_seq *out, gomp_for *f);
    void flatten_sections(gimple_seq *out, gomp_sections *s);
    void flatten_section(gimple_seq *out, gomp_sections *s, gimple *section, tree index, size_t k);
    void flatten_single(gimple_seq *out, gomp_single *s);
    std::vector<tree> find_assigned_registers(gimple_seq body);

    /* host_constructs.cc */
    void flatten_target(gimple_seq *out, gomp_target *t);
    void flatten_teams(gimple_seq *out, gomp_teams *t);
    void flatten_distribute(gimple_seq *out, gomp_for *f);
    bool set_block(gimple_seq *out, gomp_for *f);
    Construct *begin_taskloop(gimple_seq *out, gomp_for *f);
    void end_taskloop(gimple_seq *out, Construct *c);
    tree emit_operation(gimple_seq *out, tree_code code, tree a, tree b);
    tree emit_count(gimple_seq *out, gomp_for *f, unsigned depth);
    tree emit_task_size(gimple_seq *out, gomp_for *f);
    void note_host(gimple *g, const std::string &how);

    /* scan.cc */
    struct Scan {
        gimple_seq phase[2] = {NULL, NULL}; /* in the source's order, flattened */
        unsigned n = 0;
        gomp_scan *separator = nullptr; /* the statement with the clause */
    };
    Scan *scan = nullptr;              /* of the loop around, where its phases are parted */
    Construct *second_phase = nullptr; /* of the last such loop */
    static bool is_scanned(gomp_for *f);
    std::vector<std::pair<tree, tree>> make_partial_sums(gimple_seq *out, gomp_scan *s);
    tree emit_iteration(gimple_seq *out, gomp_for *f, tree first);
    Construct *emit_scan(gimple_seq *out, gomp_for *f, Construct *c, const Scan &s);
    void take_phase(gomp_scan *g);

    /* memory_calls.cc */
    bool expand_memory_call(gimple_seq *out, gcall *call);

    /* sharing.cc */
    struct Privatization;
    void privatize_variable(const Sharing &s, Privatization *p);
    bool privatize_object(const Sharing &s, Privatization *p);
    void emit_assignment(gimple_seq *out, tree dst, tree src, location_t loc);
    void emit_copy(gimple_seq *out, tree dst, tree src, location_t loc);
    bool emit_combination(const Sharing &s, tree own, Privatization *p);
    void combine_elements(gimple_seq *out, tree shared, tree own, location_t loc);
    gimple_seq flatten_with_clauses(gimple *g, gimple_seq *body, tree clauses, gimple_seq *before,
                                    gimple_seq *after);
    void flatten_around(gimple_seq *out, gimple *g, gimple_seq *body, tree clauses);
    tree make_private(tree var);

    /* inline_call.cc */
    bool is_inlinable(gcall *call, tree fn) const;
    tree make_formal(tree var);
    void emit_parameters(gimple_seq *out, gcall *call, tree fn, std::map<tree, tree> *to);
    void emit_result(gimple_seq *out, gcall *call, tree result);
};

/* What replaces variables when a construct's or a callee's body is put in place. */
struct Renaming {
    std::map<tree, tree> to;
    std::map<tree, tree> referred; /* reference -> the variable that takes its object's place */
    std::set<tree> named; /* references that are used otherwise than to get at the object */
};
tree rename_operand(tree *tp, int *walk_subtrees, void *data);

} // namespace pluss
#endif
