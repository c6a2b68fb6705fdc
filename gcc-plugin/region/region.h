/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The run-time side of a nest: where in the function its region begins and ends, and where the
 * program has the values of its symbols and the addresses of its arrays.
 *
 * Two steps, since the analysis works on the shadow and code goes into the function itself:
 *
 *     Region region = plan_region(an, shapes, top, index);     while the shadow lives
 *     ...                                                      the shadow is gone
 *     Edits edits(fn);
 *     Entry entry(region, edits);                              entry.descriptor, .symbols, .bases
 *     emit_call(&entry.seq, something, {entry.descriptor, entry.symbols, entry.bases});
 *     entry.insert();                                           after what was appended to
 * entry.seq edits.apply();
 */
#ifndef PLUSSI_PLUGIN_REGION_H
#define PLUSSI_PLUGIN_REGION_H

#include "region/edits.h"
#include "shape/to-nest.h"

namespace pluss
{

/* A value that the program computes, as a recipe for the original body. */
struct Value {
    enum Kind {
        Unknown,
        Start,   /* what `operand` (a parameter) is at the function's start */
        After,   /* what `operand` is after each of the statements `at` */
        Before,  /* ... before them */
        Truth,   /* whether the condition `at` holds */
        Read,    /* what `operand` (a variable or a part of one) is at the region's entry */
        Follow,  /* what is stored `offset` bytes after the address `a`, of type `type` */
        Address, /* of `operand` */
        Apart,   /* (a - b) / offset */
        There,   /* whether a is not null */
        Count    /* how often the statement `at` is reached; known when the region ends */
    } kind = Unknown;
    tree operand = NULL_TREE, type = NULL_TREE;
    std::vector<gimple *> at; /* statements of the function */
    bool late = false;        /* known only after the region has begun */
    bool perhaps = false;     /* `at` comes before the region, but not on every way */
    int64_t offset = 0;
    std::vector<Value> of; /* a, b */
};

/* Tells an access, which may be described at several places. A call can load several times. Never
 * to be followed: what it points to may be gone. */
typedef std::pair<const void *, bool> MadeBy;
inline MadeBy made_by(const Ref *r)
{
    return {is_gimple_call(r->stmt) ? (const void *)r : r->stmt, r->write};
}

struct RegionRef {
    MadeBy made;
    std::string array; /* its name, for messages */
    gimple *stmt;      /* of the function; NULL: it has none of its own */
    bool write;        /* what the statement writes; else what it reads */
    uint64_t width;    /* bytes */
    unsigned granule;  /* pluss_rt_ref.stride_gcd */
};

/* A read in the test of a loop, which the nest has in the loop and after it: one of the iterations
 * or that of the way out, which the test tells. */
struct RegionTest {
    unsigned in, behind; /* numbers among the references */
    gcond *test;         /* of the shadow, in a plan of the function; NULL: it cannot be followed */
    bool leave_if;       /* what it says on the way out */
};
/* All of them, by the items that are there twice. */
std::vector<RegionTest> list_tests(const std::vector<const Item *> &refs);

/* A worksharing loop (or sections) of the outermost teams. */
struct RegionLoop {
    uint32_t number; /* in the nest */
    gimple *stmt;
    bool on_demand; /* who executes what is known when it has run */
};

/* What the analysis leaves: nothing in it belongs to that. */
struct Region {
    NestNames names;
    std::vector<RegionRef> refs;
    std::vector<RegionTest> tests; /* those that can be followed */
    std::vector<RegionLoop> loops;
    std::vector<std::pair<location_t, std::string>> unstamped; /* those that are not, and why */
    std::vector<Value> symbols, bases;                         /* in the nest's order */
    bool orphaned = false; /* the threads of a team that is made elsewhere execute all of it */
    /* Entry: before or after a statement, NULL: at the function's start. Exit likewise; NULL: not
     * before the function is left. */
    gimple *entry = nullptr, *exit = nullptr;
    bool entry_after = false, exit_after = false;
};

/* index is what nest_text filled in for top. */
Region plan_region(Analysis &an, Shapes &shapes, const std::vector<Item *> &top,
                   const NestIndex &index);

/* A static const pluss_rt_region (rt/rt.h); gives its address. */
tree region_descriptor(const Region &region);

class Entry
{
  public:
    Entry(Region &region, Edits &edits);
    tree descriptor;     /* const pluss_rt_region * */
    tree symbols, bases; /* const int64_t *, const void *const *: filled in where seq ends */
    gimple_seq seq = NULL;
    void insert(); /* puts seq at the region's entry; once */
    void
    emit_counts(gimple_seq *end) const; /* appends what tells values that are known at its end */

  private:
    Region &region;
    Edits &edits;
    void emit_late(const Value &v, Rt report, unsigned number);
    tree emit_early(const Value &v, gimple_seq *out);
    tree emit_perhaps(const Value &v, tree type, tree otherwise);
    tree emit_array(const std::vector<Value> &values, tree type, const char *name, Rt report);
    std::vector<std::pair<gimple *, gimple_seq>> captures; /* after a statement */
    std::vector<std::pair<unsigned, tree>> counters;       /* symbol, variable */
};

} // namespace pluss
#endif
