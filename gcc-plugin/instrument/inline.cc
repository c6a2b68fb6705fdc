/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The accesses of a small callee are described at its call (callee.cc), and so have to be recorded
 * there: in programs of mode=profile such calls are put in line for good, before the function is
 * analysed. The copies keep the callee's locations; their variables are in a bind of their own,
 * which makes them private wherever the call is.
 */
#include "instrument/instrument.h"

#include "common/statements.h"
#include "shadow/callee.h"
#include "shadow/flatten.h"

namespace pluss
{

class Inliner : public Flatten
{
  public:
    Inliner(Flat &f, unsigned statements) : Flatten(f, Purpose::Execute)
    {
        inline_limit = statements;
    }
    unsigned n_inlined() const { return inlined_stmts; }
    gimple *body_for(gcall *call); /* NULL: it stays a call */

  protected:
    tree make_temporary(tree type) override;

  private:
    tree vars = NULL_TREE;
};

tree Inliner::make_temporary(tree type)
{
    tree t = make_local(type);
    DECL_CHAIN(t) = vars;
    return vars = t;
}

gimple *Inliner::body_for(gcall *call)
{
    tree fn = gimple_call_fndecl(call);
    if (!fn || gimple_call_internal_p(call) || fndecl_built_in_p(fn))
        return NULL;
    tree result = DECL_RESULT(callee_target(fn));
    if (!result || DECL_BY_REFERENCE(result))
        return NULL;
    vars = NULL_TREE;
    gimple_seq body = NULL;
    if (!inline_call(&body, call))
        return NULL;
    strip_blocks(body); /* they are the callee's */
    return gimple_build_bind(vars, body, NULL_TREE);
}

static tree replace_call(gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *wi)
{
    auto *bodies = walk_info<std::map<gimple *, gimple *>>(wi);
    auto it = bodies->find(gsi_stmt(*gsi));
    *handled = it != bodies->end();
    if (*handled)
        gsi_replace(gsi, it->second, false);
    return NULL_TREE;
}

unsigned inline_calls(function *fn, unsigned limit)
{
    Flat flat;
    Inliner inliner(flat, limit);
    std::map<gimple *, gimple *> bodies;
    for (gimple *g : list_statements(gimple_body(fn->decl)))
        if (gcall *c = dyn_cast<gcall *>(g))
            if (gimple *body = inliner.body_for(c))
                bodies[g] = body;
    gimple_seq all = gimple_body(fn->decl);
    change_sequence(&all, replace_call, NULL, &bodies);
    gimple_set_body(fn->decl, all);
    return inliner.n_inlined();
}

} // namespace pluss
