/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The analysis of one shadow body: values (eval.cc) and what branches choose (conditions.cc),
 * memory (memory.cc, stores.cc), loops (loops.cc), the tree (structure.cc) and the shapes of arrays
 * (shape.cc). There is one Analysis object for a function; it owns everything that it returns.
 *
 * Values have two forms. Raw: over Phi atoms, one for each loop header PHI; memoized, independent
 * of the place of use. Resolved at a loop: over the induction variables of that loop and those
 * around it; a PHI of a loop that has ended has its final value.
 */
#ifndef PLUSSI_PLUGIN_ANALYSIS_H
#define PLUSSI_PLUGIN_ANALYSIS_H

#include "common/items.h"
#include "shadow/shadow.h"

namespace pluss
{

struct SymbolInfo {
    std::string name; /* in the source; the nest's builder makes it unique */
    location_t loc = 0;
    Origin origin; /* where the program computes it */
    Object *up = nullptr,
           *down = nullptr; /* it is the distance of these in units of `unit` bytes */
    int64_t unit = 0;
    Object *there = nullptr;      /* it is whether this pointer is not null */
    const Loop *trips = nullptr;  /* it is how often this loop's body runs */
    basic_block passed = nullptr; /* it is how often this block is executed */
    /* If it is loaded: from where. */
    Object *object = nullptr;
    int64_t offset = 0;
    std::string version;
    std::string assumption; /* noted if the symbol is used; "": none */
};

struct AccessPath;
struct Effects; /* shadow/effects.h */

/* The stores before a load, and the assumptions under which it has one value. */
struct LoadHistory {
    std::set<gimple *> before;      /* stores and calls that come before it only */
    std::vector<gimple *> calls;    /* between two parallel regions; taken to change nothing */
    std::vector<gimple *> away;     /* of functions elsewhere; taken to change no variable here */
    std::vector<gimple *> racing;   /* would race for the place with other iterations */
    std::vector<gimple *> elements; /* stores taken to be elsewhere; the load is of one place */
    std::vector<Object *> assumed;  /* arrays taken to be other ones; the load is of an array */
};

class Analysis
{
  public:
    explicit Analysis(Shadow &s) : shadow(s) {}
    Shadow &shadow;
    bool serial = false;     /* serial code, whose loops are asked about */
    bool by_contents = true; /* are values that depend on numbers in arrays described? */
    Exprs ex;
    std::map<std::string, SymbolInfo> symbols; /* by key */

    /* ---- eval.cc, conditions.cc, names.cc */
    Poly value(tree v);
    Poly resolve(const Poly &p, const class loop *at, const class loop *keep = nullptr);
    const Cond *resolve(const Cond *c, const class loop *at);
    Poly at(tree v, basic_block bb) { return resolve(value(v), bb->loop_father); }
    /* Raw; of the condition at the end of bb, for its true edge. */
    const Cond *read_condition(basic_block bb);
    const Cond *which_iteration(Cond::Op op, tree l, tree r, gimple *at);
    /* counter: in the exit test of a loop, whose counter stays in its type's range. */
    const Cond *read_comparison(enum tree_code code, tree l, tree r, gimple *at,
                                bool counter = false);
    /* wrap.cc: an unsigned number as the statement `at` uses it, where wrapping around matters: its
     * size; a place (a subscript, where a loop that goes down begins, where one that goes up ends);
     * where a loop of the other direction begins or ends, which then does not run at all. */
    enum class Wrapped { Size, Place, Edge };
    Poly unwrap(const Poly &p, tree type, gimple *at, Wrapped as = Wrapped::Size);
    bool wraps(const Poly &p, tree type, gimple *at);
    bool is_open_difference(const Poly &p, tree type, gimple *at);
    const Cond *range_test(Cond::Op op, tree l, tree r);
    const Cond *read_nonzero(tree x, gimple *at);
    const Cond *combined_truth(tree name, gimple *at);
    const Cond *null_test(Cond::Op op, const Poly &a, const Poly &b);
    const Cond *decided_once(gimple *c, location_t loc);
    typedef std::function<const Cond *(gimple *, location_t, const std::string &why)> StandIn;
    const Cond *decide(gimple *test, location_t loc, const StandIn &stand_in);
    /* guarded.cc: does every path to `then` on which the conditions that guard both hold pass
     * `first`, which does not dominate it? Then *shut gets the ways that no such path takes. */
    bool executed_with(gimple *first, gimple *then, std::set<edge> *shut);
    bool is_taken_for_there(tree x, tree y);
    bool rests_on_null_test(basic_block bb);
    const Cond *joined_signs(Cond::Op op, tree l, tree r, gimple *at);
    const Cond *order(Cond::Op op, tree l, tree r, gimple *at, bool counter);
    bool may_wrap(Poly *p, tree type, gimple *at, bool counter);
    const Cond *decide_by_bounds(const Cond *c);
    /* whole_numbers.cc: floating-point numbers that integers were converted to */
    const Cond *compare_whole_numbers(tree_code code, tree l, tree r, gimple *at);
    const Cond *compare_fields(Cond::Op op, tree l, tree r); /* NULL: they are none */
    bool find_whole_value(tree v, gimple *at, Poly *out);
    Poly whole_value(tree integer, gimple *at);
    Poly read_truth(tree name, gassign *g);
    Poly truth_value(const Cond *c, tree name, gassign *g);
    const class loop *outermost() const { return loops_for_fn(cfun)->tree_root; }
    /* A symbol for a value that is computed once; an opaque atom for one that may change. */
    Poly make_leaf(tree name, gimple *def, const std::string &reason);
    Poly once_or_opaque(const std::string &key, const std::string &name, gimple *def,
                        const std::string &reason, tree type = NULL_TREE);
    bool runs_once(gimple *stmt); /* outside of all loops */
    /* Of a part of a function: does a loop around it assign the symbol's variable? */
    bool changes_between_runs(const SymbolInfo &info) const;
    bool same_for_all_threads(tree v); /* uniform.cc */
    std::string describe(tree v);      /* source-like text of a tree, for names */
    std::string describe_name(tree name);
    std::string describe_field(tree ref);

    /* ---- memory.cc, stores.cc */
    /* Resolved at bb's loop. accessed false: of what the address alone is taken. */
    bool find_address(tree ref, basic_block bb, Ref *out, bool accessed = true);
    /* Which way choices of pointers (Ref::choice) go, where find_address() is asked for one way. */
    std::map<const Atom *, bool> taken;
    Poly read_load(gimple *stmt, tree ref); /* ref: what it loads, or a field in that */
    /* The symbol for the integer of `width` bytes at a place of an object. */
    Poly symbol_at(Object *o, int64_t offset, unsigned width, const std::string &version,
                   const std::string &name, tree type = NULL_TREE);
    Object *decl_object(tree decl);
    Object *register_object(tree var); /* its memory, if no register held it: scalars=all */
    Object *pointer_object(const std::string &key, ObjectKind kind, const std::string &name,
                           tree type, location_t loc);
    Object *rows_object(Object *table);
    Poly row_pointer(const Ref &r); /* eval.cc */
    bool may_alias(const Ref &store, tree store_type, const Ref &load, tree load_type);
    bool reaches(gimple *a, gimple *b); /* a path of length >= 1 statement */
    bool inside_parallel(gimple *stmt);
    bool comes_before_regions(gimple *stmt);
    const Construct *region_of(gimple *stmt); /* the outermost parallel region, of this function */
    const Construct *worksharing_loop_of(gimple *stmt); /* the outermost one */
    std::deque<Object> objects;
    std::set<std::pair<Object *, Object *>> aliases; /* taken as distinct without proof */
    std::map<const Atom *, Ref> load_ref;            /* where a Load atom first occurs */
    /* A store or call, among those that `counts` accepts and that come before the load, that may
     * change the loaded memory; NULL: none. */
    gimple *changed_by(gimple *load, const std::function<bool(gimple *)> &counts);
    Poly type_size(tree type);
    /* Does no store or call, but those that `mine` accepts, change a place? */
    bool stores_alone(const Ref &r, const std::function<bool(const Object *, gimple *)> &mine);
    /* The load of `type` through the pointer that has the same memory before it as `at`; NULL:
     * none.
     */
    gassign *loaded_before(gimple *at, tree pointer, tree type);
    /* Does a load read what the program has just read, and is not to count? */
    bool is_read_again(gimple *load);
    /* Its pointer was chosen among places that were loaded, with no store since then:
     * std::max (a[i], b[j]). */
    bool is_chosen_again(gimple *load);
    /* It is the second of two in a condition of && or || that ask for one range, of which GCC makes
     * one when it optimises: x[i] > 0 && x[i] < 8. */
    bool is_tested_again(gimple *load);
    /* The load of the same memory that the block before tests, too; NULL: it is none of two tests.
     */
    gassign *tested_before(gimple *load);
    std::map<gimple *, gassign *> tested;
    Poly chosen_load(gimple *load, tree pointer); /* its value, by that of what was read */
    Poly variable_value(tree v);

    /* ---- loops.cc */
    Loop *get_loop(const class loop *l); /* analysed */
    Poly closed_form(tree phi_result, const class loop *at, const class loop *keep);
    Poly trip_count(Loop *l); /* how often its body runs */
    Poly trips_symbol(const Loop *r);
    bool counts_trips(Loop *r);
    Poly iterations_before(Loop *r, bool inside);
    Poly exchanged_pointer(tree name, Loop *r, bool inside);
    Poly header_value(gphi *phi, Loop *r, const class loop *at);
    Poly value_after_steps(Loop *r, tree name, const Poly &first, const Poly &step, bool inside);
    void find_swaps(Loop *l);
    bool is_as_far_from_start(Loop *r, const Poly &p, tree name);
    void named_control(Loop *l);
    bool count_few_trips(Loop *r, gphi *phi, Cond::Op op, const Poly &step, const Poly &bound);
    Poly find_toggle(gphi *phi, Loop *l);
    bool counts_own_iterations(gphi *phi);
    Poly find_relative(gphi *phi, Loop *l);
    bool leaf_after(gphi *phi, const class loop *at, Poly *out);
    Poly make_leaf_after(gphi *phi, const class loop *at);
    std::deque<Loop> loops;

    /* ---- structure.cc */
    std::vector<Item *> build_tree();
    Item *make_item(plussi_node_kind kind, location_t loc);
    std::deque<Item> items;
    std::deque<Ref> refs;
    std::vector<gimple *> read_again; /* loads that are no references of their own */

  private:
    friend class Structure;
    Poly ssa_value(tree name);
    Poly initial_value(tree name);
    Poly defined_value(tree name);
    bool same_on_all_ways(gphi *phi, Poly *out);
    Poly rounded_pointer(const Poly &p, tree name);
    Poly known_once(const Poly &p, tree name);
    Poly assign_value(gassign *g, tree name);
    Poly term_value(tree t);
    Poly sum_or_product(gassign *g, tree name);
    Poly converted_value(gassign *g, tree name);
    Poly address_value(gassign *g, tree name);
    bool divide_or_shift(gassign *g, Poly *out);
    static bool is_truth(const Poly &p);
    bool mask_bits(const Poly &x, int64_t mask, Poly *out);
    bool combine_bits(gassign *g, tree name, Poly *out);
    Poly chosen_value(gassign *g);
    bool other_value(gassign *g, tree name, Poly *out);
    Poly allocated_block(gcall *g, tree name);
    Poly call_value(gcall *g, tree name);
    Poly phi_value(gphi *phi);
    bool holds_result(const Poly &p);
    Poly merge_choice(const Poly &p, tree name, gphi *phi);
    Poly pointer_difference(const Poly &p);
    Poly exchanged_start(const Poly &p);
    /* The ways from a branch to the block of a PHI. */
    struct Ways {
        basic_block top, join;
        std::map<basic_block, Poly> value; /* on the ways from a block */
        std::set<basic_block> leading;     /* blocks between from which a way leads to the join */
        bool lead(edge e);
    };
    Poly phi_path(gphi *phi, edge e, Ways *ways);
    Poly choose_way(gphi *phi, basic_block bb, Ways *ways);
    Poly convert(const Poly &p, tree to, tree from, tree source);
    Poly truncated_div(const Poly &a, const Poly &b, bool is_unsigned);
    bool not_negative(const Poly &p);
    bool is_guarded(const Poly &p, gimple *at);
    bool in_guard = false;
    bool is_uniform(tree v, std::set<tree> *seen);
    bool has_uniform_operands(gimple *stmt, std::set<tree> *seen);
    bool is_uniform_load(gassign *load, std::set<tree> *seen);
    bool is_uniform_choice(gphi *phi, std::set<tree> *seen);
    void collect_stores();
    void analyse_loop(Loop *l);
    const Cond *stay_condition(gcond *cond, Loop *r);
    std::string control_by(const Atom *v, const Poly &diff, Cond::Op op, gcond *cond, Loop *r);
    void check_bounds(tree type, Loop *r);
    void count_iterations(const Poly &step, bool up, Loop *r);
    bool step_of(gphi *phi, const class loop *l, Poly *step);
    bool is_invariant(const Poly &p, const class loop *l);

    std::map<tree, Poly> memo;
    std::map<std::tuple<tree, const class loop *, const class loop *>, Poly> closed_memo;
    std::set<tree> open; /* SSA names being evaluated */
    unsigned busy_hits = 0, effort = 0, repeated = 0;
    std::vector<bool> met; /* SSA names, by version */
    /* Evaluations of SSA names in a function, some thousands are usual, and those of names that
     * were evaluated before, hundreds are. After the first two numbers, a store may go anywhere
     * that its type allows; after the third, no value is known. */
    enum { ENOUGH_EFFORT = 30000, ENOUGH_REPEATED = 8000, MAX_EFFORT = 100000 };
    bool is_enough() const { return effort > ENOUGH_EFFORT || repeated > ENOUGH_REPEATED; }
    enum { MAX_DEPTH = 4000 }; /* of nested evaluations: the stack is limited */
    bool last_resort = false;  /* resolving what find_relative() left */

    struct Store {
        gimple *stmt;
        tree ref; /* NULL: a call that may write anywhere */
        Ref where;
        enum { New, Busy, Done } state;
    };
    bool store_address(Store &st);
    /* memory.cc */
    Level array_level(tree t, const class loop *l);
    tree declared_array(tree ref, const Object *o);
    bool add_components(tree ref, const class loop *l, AccessPath *path, Ref *out, tree *base);
    bool pointed_address(tree ref, basic_block bb, int64_t fields, Ref *out);
    bool pointer_target(tree t, const class loop *l, AccessPath *path, Ref *out);
    const Store *look_back(gimple *load, const Ref &r, LoadHistory *out);
    Poly changed_load(gimple *stmt, tree ref, const Ref &r, const Store &s);
    Poly load_element(gimple *stmt, tree ref, const Ref &r, const std::string &version,
                      const LoadHistory &past);
    Poly load_pointer(gimple *stmt, tree ref, const std::string &name, const Ref &r, int64_t offset,
                      const std::string &version, const LoadHistory &past);
    bool choose_pointer(gimple *stmt, tree ref, const Ref &r, const std::string &version,
                        const LoadHistory &past, Poly *out);
    /* stores.cc */
    Object *base_object(tree ref);
    Object *pointed_object(tree p);
    /* calls.cc */
    bool stores_elsewhere(gcall *g, const Ref &r);
    bool is_out_of_reach(gcall *g, const Object *o);
    bool is_captured(const Object *o);
    std::set<const Object *> captured;
    bool captured_done = false;
    bool may_change(Store &s, const Ref &r);
    enum Answer : unsigned char { Unknown, Yes, No };
    typedef std::vector<Answer> Answers; /* by store */
    Answers &answers_for(const Ref &r);
    bool may_change(size_t n, const Ref &r, Answers &known);
    std::map<std::pair<const Object *, tree>, Answers> answers; /* of a type in an object */
    tree last_stored(gimple *load, const Ref &r, gimple **between_them = nullptr);
    bool is_read_first(Store &s, gimple *load, const Ref &r);
    bool is_elsewhere_by_assumption(Store &s, const Ref &r);
    bool leaves_alone(gimple *call, const Ref &r, bool *assumed);
    bool would_race(const Store &s, gimple *load, const Ref &r);
    std::string explain_unchanged(tree ref, const LoadHistory &past);
    std::vector<Store> stores;
    std::vector<gimple *>
        result_by_pointer; /* harmless calls that store their result through a pointer */
    bool stores_done = false;
    std::map<Object *, std::map<gimple *, std::string>> load_version; /* of each use */
    std::map<std::string, Object *> object_table;
    std::map<const class loop *, Loop *> loop_table;
    std::vector<std::vector<bool>>
        reach; /* by block: others that can be reached; empty: not known */
    struct Regions {
        int depth = 0;
        const Construct *outermost = nullptr, *loop = nullptr;
    };
    Regions regions_at(gimple *stmt);
    void follow_regions(basic_block bb, gimple *stop, Regions *at);
    std::map<basic_block, Regions> regions_at_start;
    std::vector<gimple *> regions_begin; /* markers of constructs */
};

/* A pointer that memory is accessed through is not null: drops the null alternatives of a choice.
 */
Poly not_null(Exprs &ex, const Poly &p);
/* exchanged.cc: makes pointers that loops around parallel regions exchange registers of the shadow.
 * False: there are none, the shadow is as it was. */
void make_exchanged_registers(Shadow &shadow);
/* " in line 12", for messages. */
std::string in_line(gimple *stmt);
/* An integer of at most 64 bits, or a pointer. */
bool is_number(tree type);
/* The constant as a signed number; negative if an unsigned constant with its top bit set is added.
 */
bool constant_value(tree c, bool added, int64_t *out);
/* Sets *op to the relation of a comparison; false: it is none. */
bool read_relation(tree_code code, Cond::Op *op);
/* stores.cc: may two objects share bytes; may one type's accesses reach what the other's do; does a
 * call store to a variable by its name? */
bool objects_may_overlap(const Object *a, const Object *b);
bool types_may_alias(tree a, tree b);
bool stores_by_name(gimple *call, const Ref &r);
bool is_subscript(tree name, int hops); /* wrap.cc: is it used in addresses only? */
/* The type of an array descriptor (Fortran). */
bool is_descriptor(tree type);
/* Where empty blocks from bb on lead. */
basic_block skip_empty(basic_block bb);
unsigned descriptor_rank(tree type); /* 0: it is none */
/* Is it an access to bits, which may share their bytes with others? */
bool is_bit_field(tree ref);
/* The key of an SSA name's symbol or object. */
std::string ssa_key(tree name);
/* The source name of a variable or SSA name; "" if it has none. */
std::string name_of(tree v);

/* Is p not negative, if symbols (and products of them) are sizes and a team has one thread? */
bool is_size(const Poly &p);
/* A bound of p that holds for every iteration of the loops around it and is free of induction
 * variables. False: not known. */
bool upper_bound(Exprs &ex, const Poly &p, Poly *out);
bool lower_bound(Exprs &ex, const Poly &p, Poly *out);

} // namespace pluss
#endif
