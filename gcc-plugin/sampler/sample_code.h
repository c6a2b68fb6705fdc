/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sampler as code, put where the region's run has begun:
 *
 *     s = pluss_rt_sample_begin (run, flags);
 *     if (s != 0) {
 *         v1 = v; ...                            what the region reads of the function's variables
 *         #pragma omp parallel num_threads (pluss_rt_sample_workers (s)) firstprivate (s, v1, ...)
 *         {
 *             w = 0;
 *             next: w = pluss_rt_sample_next (s, w);  if (w == 0) goto done;
 *             v2 = v1; ...
 *             the copied, flattened region, with
 *               - what the slice keeps (sample_slice.cc), of all else nothing;
 *               - a call for each access of a reference, with its address;
 *               - calls for markers: teams, sections, barriers;
 *             exit: goto next;
 *             done:
 *         }
 *         pluss_rt_sample_end (s);
 *     }
 *
 * Every walk has its own copy (v2) of the registers, and they begin with the values at the region's
 * entry (v1); variables in memory are shared and not changed. Exceptional ways are not walked.
 */
#ifndef PLUSSI_PLUGIN_SAMPLE_CODE_H
#define PLUSSI_PLUGIN_SAMPLE_CODE_H

#include "sampler/sample.h"

#include "sampler/sample_flatten.h"

namespace pluss
{

class SampleCode
{
  public:
    SampleCode(function *f, SamplePlan &p, tree r) : fn(f), plan(p), run(r) {}
    gimple_seq make_code();

  private:
    function *fn;
    SamplePlan &plan;
    tree run, walk;
    Flat flat;
    std::map<gimple *, size_t> place;  /* in the flow */
    std::map<tree, tree> outer_names;  /* SSA names that the region reads -> variables of a walk */
    std::map<tree, tree> outer_source; /* variable of a walk -> its first value */
    std::set<tree> shared;             /* variables in memory */
    std::vector<tree> variables;       /* of a walk */
    std::set<tree> labels;             /* that the copy holds */
    tree exit = NULL_TREE;
    int depth = 0, once = 0; /* of parallel regions; of master and single */
    std::vector<tree> outs;  /* labels after the open parallel regions' bodies */
    std::map<unsigned, tree> postponed;
    std::map<gimple *, unsigned>
        arguments; /* of a call: the number after the last one read from memory */
    unsigned flags = 0;

    void refuse(const std::string &why) { plan.refuse(UNKNOWN_LOCATION, why); }

    /* sample_copy.cc */
    gimple_seq copy_region();

    /* sample_code.cc */
    void emit_sequence(gimple_seq in, gimple_seq *out);
    void emit_statement(gimple *g, gimple_seq *out);
    void follow_marker(const Marker &m, gimple_seq *out);
    void emit_access(gimple *g, const SampleRef &r, gimple_seq *out);
    void emit_condition(gcond *c, size_t at, gimple_seq *out);
    tree choose_target(gimple *g, size_t at);
    gswitch *retarget_switch(gswitch *s);
    bool replace_team_query(gcall *c, gimple_seq *out);
    void emit_access_call(unsigned number, tree address, gimple_seq *out);
    tree find_target(tree label) { return labels.count(label) ? label : exit; }

    /* sample_frame.cc */
    tree make_variable(tree type);
    void replace_variables(gimple_seq *body);
    gbind *build_walk_loop(tree handle, gimple_seq start, gimple_seq body);
    void emit_copies_in(gimple_seq *before, gimple_seq *start, tree *vars, tree *clauses);
    gimple_seq emit_frame(gimple_seq body);
};

} // namespace pluss
#endif
