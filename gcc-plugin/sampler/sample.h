/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mode=sample: a sampler for every region, code that computes the addresses of the region's
 * references without doing its work (runtime/rt/sampler.h). Three steps:
 *
 *     SamplePlan plan = plan_sample(an, ...);        while the shadow exists: which statement of
 * the flow executes which reference slice_sample(fn, &plan);                       what addresses
 * and branches need of the rest gimple_seq s = make_sampler(fn, plan, run);    the code, from a
 * copy of the region
 *
 * Statements are identified by their place in the flow (flatten.h), which all copies share.
 */
#ifndef PLUSSI_PLUGIN_SAMPLE_H
#define PLUSSI_PLUGIN_SAMPLE_H

#include "region/region.h"

namespace pluss
{

struct SampleRef {
    unsigned number; /* among the region's references */
    bool write; /* an access of the statement's left-hand side; else of the memory that it reads */
    bool own;   /* private memory */
    bool postponed; /* until a test, which says whether it is this or another number */
};

/* References in the test of a loop, which are described in the loop and after it: the test's result
 * tells the iterations' from the last ones. */
struct SampleTest {
    bool leave_if = false;                              /* its result when the loop ends */
    std::vector<std::pair<unsigned, unsigned>> numbers; /* in the loop, after it */
};

struct SamplePlan {
    std::string reason; /* why there is no sampler; "": there is one */
    location_t loc = UNKNOWN_LOCATION;
    bool orphaned = false;
    bool closed_form = false; /* NestIndex::closed_form: nothing needs a sampler */
    bool by_contents = false; /* NestIndex::by_contents: nothing else than a sampler can tell it */

    /* Statements of the function that are copied, and their places in the flow: ascending. */
    std::vector<gimple *> range;
    std::vector<std::pair<size_t, size_t>> spans;
    bool holds(size_t place) const;

    std::map<size_t, std::vector<SampleRef>> refs; /* executed by a statement, in order */
    std::map<size_t, SampleTest> tests;
    std::map<size_t, std::string> changing; /* loads that a store of the region may change */

    std::vector<bool> keep; /* by place in the flow */
    std::set<tree> live;    /* variables of the function whose values it needs */
    /* Branches that nothing depends on: the value that their condition or index is taken to have;
     * for a switch, NULL: no case's. */
    std::map<size_t, tree> ways;
    bool data = false; /* an address, a bound or a branch depends on shared memory */

    void refuse(location_t at, const std::string &why)
    {
        if (reason.empty()) {
            reason = why;
            loc = at;
        }
    }
};

SamplePlan plan_sample(Analysis &an, function *fn, const Region &region, const NestIndex &index);
void slice_sample(function *fn, SamplePlan *plan);
/* The sampler's code, for the place where the run has begun; `run` is the variable that holds its
 * handle. NULL: there is no sampler, which a note says. */
gimple_seq make_sampler(function *fn, SamplePlan &plan, tree run);

} // namespace pluss
#endif
