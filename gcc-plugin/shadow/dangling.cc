/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shadow/dangling.h"

namespace pluss
{

const pass_data dangling_pass_data = {
    GIMPLE_PASS, "pluss-names", OPTGROUP_NONE, TV_PLUGIN_RUN, PROP_cfg, 0, 0, 0, 0};

class DanglingPass : public gimple_opt_pass
{
  public:
    DanglingPass() : gimple_opt_pass(dangling_pass_data, g) {}
    bool gate(function *) final override { return flag_openmp && !seen_error(); }
    unsigned int execute(function *fn) final override
    {
        unsigned i;
        tree name;
        if (!gimple_in_ssa_p(fn) && fn->gimple_df)
            FOR_EACH_SSA_NAME(i, name, fn)
        if (!SSA_NAME_DEF_STMT(name))
            release_ssa_name_fn(fn, name);
        return 0;
    }
};

void register_dangling_names(const char *name)
{
    if (!plussi_keeps_dangling_names)
        return;
    register_pass_info pass;
    pass.pass = new DanglingPass;
    pass.reference_pass_name = "ompexp";
    pass.ref_pass_instance_number = 1;
    pass.pos_op = PASS_POS_INSERT_AFTER;
    register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
}

} // namespace pluss
