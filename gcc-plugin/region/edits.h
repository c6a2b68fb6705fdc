/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes of a function's body in high GIMPLE: collected by statement while the function is
 * analysed, made in one walk. Values that are used where they are computed are anonymous SSA names,
 * like the gimplifier's own: they belong to no block and are private everywhere. What is emitted
 * has copies of its operands: even the address of a variable is a tree that OpenMP's lowering
 * changes in place, once for each statement that has it.
 */
#ifndef PLUSSI_PLUGIN_EDITS_H
#define PLUSSI_PLUGIN_EDITS_H

#include "common/openmp.h"

namespace pluss
{

class Edits
{
  public:
    explicit Edits(function *f) : fn(f) {}
    gimple_seq start = NULL;   /* at the function's start */
    gimple_seq cleanup = NULL; /* on every way out of it: return, exception */
    gimple_seq *before(gimple *stmt) { return &around[stmt].before; }
    gimple_seq *after(gimple *stmt) { return &around[stmt].after; }
    /* A local variable of the function, in memory if it is an array. */
    tree variable(tree type, const char *name);
    /* Makes the changes; those at statements that the function does not have are lost. */
    void apply();

  private:
    struct Around {
        gimple_seq before = NULL, after = NULL;
        bool done = false;
    };
    friend tree edit_stmt(gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *wi);
    function *fn;
    std::map<gimple *, Around> around;
    std::vector<tree> variables;
};

inline tree make_label()
{
    return create_artificial_label(UNKNOWN_LOCATION);
}
inline tree build_u32(uint64_t n)
{
    return build_int_cst(uint32_type_node, n);
}

/* An SSA name whose value is computed at the end of the sequence. */
tree emit_value(gimple_seq *seq, tree type, tree_code code, tree a, tree b = NULL_TREE);
/* The value of a gimple register or constant in another type; the value itself if that is no
 * change. */
tree emit_convert(gimple_seq *seq, tree type, tree value);
/* A value that can be an argument: the value itself, or what is loaded from it. */
tree emit_operand(gimple_seq *seq, tree value);
/* The address of a variable, element or field (of a bit-field: of its first byte); marks the
 * variable as addressable. NULL: it has none. */
tree emit_address(gimple_seq *seq, tree lvalue);
/* What one iteration adds to a loop's index, as a signed 64-bit number. */
tree emit_step(gimple_seq *seq, const OmpLoop &loop);
gcall *emit_call(gimple_seq *seq, tree fn, const std::vector<tree> &args);

/* Functions of libpluss-rt (rt/rt.h). Their effects on memory of the program decide how the program
 * may be optimised around them. */
enum class Rt {
    Enter,
    EnterTeam,
    Leave,
    ThreadBegin,
    ThreadEnd,
    Access,
    Called,
    CalledFour,
    CalledLoop,
    AccessLoop,
    Fill,
    FillCalled,
    Done,
    Symbol,
    Decision,
    Base,
    Loop,
    Iteration,
    Fork,
    Mark,
    Stamp,
    Count
};
tree rt_function(Rt which);
/* A function of libpluss-rt as a declaration. types: its result's and parameters', a letter each
 * (see edits.cc). apart: it neither reads nor changes memory of the program. */
struct RtFunction {
    const char *name, *types;
    bool apart;
};
/* The declaration, made when it is first needed and then kept in *made. */
tree declare_rt(const RtFunction &function, tree *made);
void keep_for_collector(tree t); /* as long as the compiler runs */
void mark_rt_functions();        /* for the garbage collector */

/* A static constant of this unit. */
tree static_constant(tree type, tree init, const char *prefix);
tree string_pointer(const std::string &s); /* a pointer to a string constant */

} // namespace pluss
#endif
