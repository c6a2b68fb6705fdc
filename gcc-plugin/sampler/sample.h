/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mode=sample: a sampler for every region, code that makes the addresses of the region's references
 * without doing its work (runtime/rt/sampler.h). Three steps:
 *
 *     SamplePlan plan = plan_sample(an, ...);      while the shadow lives: which statement of the
 *                                                  flow executes which reference
 *     slice_sample(fn, &plan);                     what addresses and branches need of the rest
 *     gimple_seq s = make_sampler(fn, plan, run);       the code, from a copy of the region
 *
 * Statements are named by their place in the flow (flatten.h), which all copies share.
 */
#ifndef PLUSSI_PLUGIN_SAMPLE_H
#define PLUSSI_PLUGIN_SAMPLE_H

#include "region/region.h"

namespace pluss
{

struct SampleRef {
    unsigned number; /* among the region's references */
    bool write;      /* the statement's left-hand side; else the memory that it reads */
    bool own;        /* memory of which every thread has its own */
    bool postponed;  /* to a test, which says whether this or another number is meant */
};

/* References in the test of a loop, described in the loop and after it: those of the iterations
 * and that of the way out are told apart by what the test says. */
struct SampleTest {
    bool leave_if = false;                              /* what it says on the way out */
    std::vector<std::pair<unsigned, unsigned>> numbers; /* in the loop, after it */
};

struct SamplePlan {
    std::string reason; /* why there is no sampler; "" if there is one */
    location_t loc = UNKNOWN_LOCATION;
    bool orphaned = false;

    /* Statements of the function that are copied, and their places in the flow: ascending. */
    std::vector<gimple *> range;
    std::vector<std::pair<size_t, size_t>> spans;
    bool holds(size_t place) const;

    std::map<size_t, std::vector<SampleRef>> refs; /* executed by a statement, in order */
    std::map<size_t, SampleTest> tests;
    std::map<size_t, std::string> changing; /* loads that a store of the region may change */

    std::vector<bool> keep; /* by place in the flow */
    std::set<tree> live;    /* variables of the function that it needs the values of */
    /* Branches that nothing depends on: what their condition or index is taken to be, for the way
     * to go; a switch's NULL: no case's. */
    std::map<size_t, tree> ways;
    bool data = false; /* an address, a bound or a branch depends on memory that is not its own */

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
/* To be put where the run has begun; `run` is the variable that holds its handle. NULL: there is no
 * sampler, which a note tells. */
gimple_seq make_sampler(function *fn, SamplePlan &plan, tree run);

} // namespace pluss
#endif
