/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the statements of a function that its sampler is made of, and which of them execute the
 * references of the nest. See sample.h.
 *
 * The copied range begins at the region's entry and ends, in the same sequence of statements, where
 * nothing of the region follows and nothing jumps back.
 */
#include "sampler/sample.h"

#include "common/statements.h"

namespace pluss
{

/* ---- the range ------------------------------------------------------------------------------- */

typedef std::vector<std::pair<gimple_seq, gimple *>>
    Path; /* sequence and statement, outermost first */

static bool find_path(gimple_seq seq, gimple *needed, Path *path)
{
    for (gimple_stmt_iterator i = gsi_start(seq); !gsi_end_p(i); gsi_next(&i)) {
        gimple *g = gsi_stmt(i);
        path->push_back({seq, g});
        if (g == needed)
            return true;
        if (gbind *b = dyn_cast<gbind *>(g)) {
            if (find_path(gimple_bind_body(b), needed, path))
                return true;
        } else if (gtry *t = dyn_cast<gtry *>(g)) {
            if (find_path(gimple_try_eval(t), needed, path))
                return true;
        }
        path->pop_back();
    }
    return false;
}

/* The statement and all that it holds. */
static std::vector<gimple *> list_within(gimple *g)
{
    std::vector<gimple *> all{g};
    auto add = [&](gimple_seq s) {
        std::vector<gimple *> v = list_statements(s);
        all.insert(all.end(), v.begin(), v.end());
    };
    if (gbind *b = dyn_cast<gbind *>(g))
        add(gimple_bind_body(b));
    else if (gtry *t = dyn_cast<gtry *>(g)) {
        add(gimple_try_eval(t));
        add(gimple_try_cleanup(t));
    } else if (is_gimple_omp(g) && gimple_has_substatements(g)) {
        add(gimple_omp_body(g));
        if (gomp_for *f = dyn_cast<gomp_for *>(g))
            add(gimple_omp_for_pre_body(f));
    }
    return all;
}

bool SamplePlan::holds(size_t place) const
{
    auto past = std::upper_bound(spans.begin(), spans.end(), std::make_pair(place, SIZE_MAX));
    return past != spans.begin() && place < past[-1].second;
}

/* The statements after the entry, in its own sequence and then in those around it, to the
 * function's end. */
static std::vector<gimple *> list_following(function *fn, const Region &region, SamplePlan *plan)
{
    std::vector<gimple *> stmts;
    gimple_seq body = fn->gimple_body;
    Path path;
    if (!region.entry) {
        if (gbind *b = only_bind(body))
            body = gimple_bind_body(b);
        for (gimple_stmt_iterator i = gsi_start(body); !gsi_end_p(i); gsi_next(&i))
            stmts.push_back(gsi_stmt(i));
        return stmts;
    }
    if (!find_path(body, region.entry, &path))
        plan->refuse(DECL_SOURCE_LOCATION(fn->decl), "where it begins cannot be told");
    for (size_t level = path.size(); level-- > 0;) {
        bool begun = false, innermost = level + 1 == path.size();
        for (gimple_stmt_iterator i = gsi_start(path[level].first); !gsi_end_p(i); gsi_next(&i)) {
            bool here = gsi_stmt(i) == path[level].second;
            if (begun || (here && innermost && !region.entry_after))
                stmts.push_back(gsi_stmt(i));
            begun |= here;
        }
    }
    return stmts;
}

static void find_range(function *fn, const Region &region, SamplePlan *plan)
{
    std::vector<gimple *> stmts = list_following(fn, region, plan);
    std::vector<std::vector<tree>> jumps(stmts.size());
    std::map<gimple *, size_t>
        held; /* statement -> the number of the one in stmts that it is, or is in */
    std::map<tree, size_t> label; /* likewise */
    for (size_t k = 0; k < stmts.size(); k++)
        for (gimple *x : list_within(stmts[k])) {
            held.emplace(x, k);
            if (glabel *l = dyn_cast<glabel *>(x))
                label[gimple_label_label(l)] = k;
            std::vector<tree> to = list_targets(x);
            jumps[k].insert(jumps[k].end(), to.begin(), to.end());
        }
    size_t end = 0;
    std::set<gimple *> needed;
    for (const RegionRef &r : region.refs)
        if (r.stmt)
            needed.insert(r.stmt);
    for (gimple *g : list_statements(fn->gimple_body))
        if (begins_parallel_work(g))
            needed.insert(g);
    for (gimple *w : needed) {
        auto k = held.find(w);
        if (k == held.end()) {
            plan->refuse(gimple_location(w), "it is not reached from where the region begins");
            return;
        }
        end = std::max(end, k->second + 1);
    }
    for (size_t k = end; k < stmts.size(); k++)
        for (tree l : jumps[k]) {
            auto t = label.find(l);
            if (t != label.end() && t->second < end)
                end = k + 1;
        }
    plan->range.assign(stmts.begin(), stmts.begin() + end);
    if (plan->range.empty())
        plan->refuse(DECL_SOURCE_LOCATION(fn->decl), "it is empty");
}

/* ---- references ------------------------------------------------------------------------------ */

static bool same_place(const Ref *a, const Ref *b)
{
    return a->object == b->object && a->offset == b->offset && a->path == b->path &&
           a->width == b->width && a->place == b->place && !a->atomic && !b->atomic;
}

class SamplePlanner
{
  public:
    SamplePlanner(Analysis &a, const NestIndex &i, SamplePlan *p) : an(a), index(i), plan(p) {}
    bool find_spans();
    bool place_references();
    void find_changing_loads();

  private:
    Analysis &an;
    const NestIndex &index;
    SamplePlan *plan;
    std::map<gimple *, size_t> flow; /* statement -> its place */
    hash_set<gimple *>
        held; /* a hash set, since it is searched for each load and each store before it */
    bool inside(gimple *g) { return held.contains(g); }
};

/* The places of the range's statements. */
bool SamplePlanner::find_spans()
{
    for (size_t k = 0; k < an.shadow.flow.size(); k++)
        flow[an.shadow.flow[k]] = k;
    for (gimple *g : plan->range) {
        auto span = an.shadow.span.find(g);
        if (span == an.shadow.span.end()) {
            plan->refuse(gimple_location(g), "its statements cannot be followed");
            return false;
        }
        plan->spans.push_back(span->second);
        for (size_t k = span->second.first; k < span->second.second; k++)
            held.add(an.shadow.flow[k]);
    }
    return true;
}

/* Which statement executes which reference. */
bool SamplePlanner::place_references()
{
    const std::vector<const Item *> &items = index.refs;
    std::map<unsigned, RegionTest> tests; /* by the number after the loop */
    std::set<unsigned> postponed;
    for (const RegionTest &t : list_tests(items)) {
        tests[t.after] = t;
        postponed.insert(t.in);
    }
    std::set<MadeBy> made;
    for (unsigned n = 0; n < items.size(); n++) {
        const Item *it = items[n];
        const Ref *r = it->ref;
        /* A read that was moved to its write is executed there. */
        if (!r->write && n + 1 < items.size() && items[n + 1]->ref->write &&
            items[n + 1]->parent == it->parent && same_place(r, items[n + 1]->ref))
            r = items[n + 1]->ref;
        if (!inside(r->stmt)) {
            plan->refuse(it->loc, "the statement of one of its references cannot be followed");
            return false;
        }
        auto test = tests.find(n);
        if (test == tests.end()) {
            if (made.insert(made_by(it->ref)).second) /* described at two places, made at one */
                plan->refs[flow[r->stmt]].push_back(
                    {n, r->write, r->object->is_private, postponed.count(n) != 0});
            continue;
        }
        const RegionTest &t = test->second;
        if (!t.test || !inside(t.test)) {
            plan->refuse(it->loc, "the test of a loop cannot be followed");
            return false;
        }
        plan->tests[flow[t.test]].leave_if = t.leave_if;
        plan->tests[flow[t.test]].numbers.push_back({t.in, n});
    }
    return true;
}

/* The loads that a store of the region may change. */
void SamplePlanner::find_changing_loads()
{
    for (auto &f : flow) {
        gimple *g = f.first;
        if (!inside(g) || !gimple_bb(g) || !is_gimple_assign(g) || !gimple_vuse(g) ||
            gimple_vdef(g))
            continue;
        gimple *by = an.changed_by(g, [&](gimple *store) { return inside(store); });
        if (!by)
            continue;
        tree to = gimple_get_lhs(by);
        plan->changing[f.second] =
            "`" + an.describe(gimple_assign_rhs1(g)) + "' may be changed by the " +
            (to && TREE_CODE(to) != SSA_NAME ? "store to `" + an.describe(to) + "'"
                                             : std::string("call")) +
            in_line(by);
    }
}

SamplePlan plan_sample(Analysis &an, function *fn, const Region &region, const NestIndex &index)
{
    SamplePlan plan;
    plan.orphaned = region.orphaned;
    plan.closed_form = index.closed_form;
    plan.by_contents = index.by_contents;
    find_range(fn, region, &plan);
    SamplePlanner planner(an, index, &plan);
    if (plan.reason.empty() && planner.find_spans() && planner.place_references())
        planner.find_changing_loads();
    return plan;
}

} // namespace pluss
