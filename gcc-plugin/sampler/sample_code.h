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
    gimple_seq make();

  private:
    function *fn;
    SamplePlan &plan;
    tree run, walk;
    Flat flat;
    std::map<gimple *, size_t> place;  /* in the flow */
    std::map<tree, tree> outer_names;  /* SSA names that the region reads -> variable in a walk */
    std::map<tree, tree> outer_source; /* variable in a walk -> what it begins with */
    std::set<tree> shared;             /* variables in memory */
    std::vector<tree> variables;       /* of a walk */
    std::set<tree> labels;             /* that the copy holds */
    tree exit = NULL_TREE;
    int depth = 0, once = 0; /* of parallel regions; of master and single */
    std::vector<tree> outs;  /* labels after the open parallel regions' bodies */
    std::map<unsigned, tree> postponed;
    std::map<gimple *, unsigned> arguments; /* of a call, that were met */
    unsigned flags = 0;

    void refuse(const std::string &why) { plan.refuse(UNKNOWN_LOCATION, why); }

    /* sample_copy.cc */
    gimple_seq copy();

    /* sample_code.cc */
    void sequence(gimple_seq in, gimple_seq *out);
    void statement(gimple *g, gimple_seq *out);
    void marker(const Marker &m, gimple_seq *out);
    void access(gimple *g, const SampleRef &r, gimple_seq *out);
    void condition(gcond *c, size_t at, gimple_seq *out);
    tree settled(gimple *g, size_t at);
    gswitch *retargeted(gswitch *s);
    bool replaced_call(gcall *c, gimple_seq *out);
    void call_access(unsigned number, tree address, gimple_seq *out);
    tree target(tree label) { return labels.count(label) ? label : exit; }

    /* sample_frame.cc */
    tree variable(tree type);
    void own_variables(gimple_seq *body);
    gbind *walk_loop(tree handle, gimple_seq start, gimple_seq body);
    void copy_in(gimple_seq *before, gimple_seq *start, tree *vars, tree *clauses);
    gimple_seq frame(gimple_seq body);
};

} // namespace pluss
#endif
