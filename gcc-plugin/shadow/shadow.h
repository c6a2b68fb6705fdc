/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shadow body: a throw-away copy of a function, made sequential and brought into SSA form with
 * a CFG and a loop tree by GCC's own passes, while the function itself stays untouched in high
 * GIMPLE.
 *
 *   1. A second `struct function` on the same FUNCTION_DECL. Parameters and globals are shared,
 * local variables and labels are copied and keep their names.
 *   2. The copy is walked in lockstep with the original: statement -> original statement.
 *   3. OpenMP constructs are flattened into plain code between marker calls (flatten.cc).
 *   4. Stock passes: lower_cf, refactor_eh, lower_eh, build_cfg, build_ssa; loops; dominators.
 *   5. The destructor puts everything back. Nothing of the shadow reaches the object file.
 *
 * While a Shadow lives, cfun is the shadow function.
 */
#ifndef PLUSSI_PLUGIN_SHADOW_H
#define PLUSSI_PLUGIN_SHADOW_H

#include "shadow/flatten.h"

namespace pluss
{

class Shadow : public Flat
{
  public:
    /* refuse: the reason to build none, or "". members: members of C++ objects become registers
     * where they can. part: of this statement of the function alone; what is declared around it has
     * the value that it has when the statement begins. */
    explicit Shadow(function *original, const std::string &refuse = "", bool members = true,
                    gimple *part = nullptr);
    ~Shadow();
    Shadow(const Shadow &) = delete;
    Shadow &operator=(const Shadow &) = delete;

    bool ok() const { return reason.empty(); }
    gimple *const part;
    /* Has a variable the function's own value where the shadow begins? */
    bool is_given(tree var) const;
    /* The shadow's copy of a variable of the function's, and the function's variable for one of the
     * shadow's; NULL: there is none. */
    tree find_copy(tree var) const;
    tree find_own(tree var) const;
    /* Of a part: variables of the function, or what its pointers point to, and bytes into them,
     * that loops around the part assign. */
    std::set<std::pair<tree, int64_t>> changing, changing_behind;
    std::string reason; /* why there is no shadow; "": there is one */

    function *fn = nullptr; /* the shadow */
    tree decl;
    std::vector<gimple *> own_statements; /* of the function itself */
    std::map<tree, tree> source;          /* copied local variable -> the function's own */
    std::map<tree, tree> vla_pointer; /* the pointer to a VLA's memory -> the VLA's own variable */
    /* The markers of a block, in order. They and the loops stay as they are from the first of the
     * calls of these three functions on. */
    struct Marked {
        gimple *stmt;
        Marker marker;
    };
    const std::vector<Marked> &markers_in(basic_block bb);
    /* Those of its block that come before a statement. O(statements of the block), if it has any.
     */
    size_t count_markers(gimple *before);
    /* Is it a worksharing loop, or one of several collapsed into one? */
    bool is_shared_loop(const class loop *l);
    std::vector<const Construct *>
        lost; /* loops whose body was removed: no path leads from there to the function's end */

  private:
    void build_body(gimple_seq body);
    void find_changing(const std::vector<gimple *> &all);
    gimple_seq take_part(gimple_seq copy, std::vector<gimple *> *from, std::vector<gimple *> *to);
    void find_vla_pointers(gimple_seq seq);
    void prune_dead_ends();
    void estimate_branches();
    void note_lost(basic_block bb);
    void make_accesses_direct();
    void make_registers();

    void find_markers();
    std::vector<std::vector<Marked>> markers; /* by block; empty: not found yet */
    std::set<const class loop *> shared;
    function *original;
    tree saved_initial;
    struct Flags {
        tree decl;
        bool not_reg, addressable;
    };
    std::vector<Flags> saved; /* of parameters and result */
    bool has_loops = false, members;
    bool in_place; /* the function itself is used: this is a child, of which nothing stays */
};

/* Finds the local variable and offset that a pointer in SSA form holds, through copies. False: not
 * known. */
bool find_known_address(tree p, tree *base, poly_int64 *offset);

} // namespace pluss
#endif
