/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The run-time side of a nest: where in the function its region begins and ends, and where the
 * program has the values of its symbols and the addresses of its arrays.
 *
 * There are two steps, since the analysis works on the shadow and code goes into the function
 * itself:
 *
 *     Region region = plan_region(an, shapes, top, index);     while the shadow exists
 *     ...                                                      after its end
 *     Edits edits(fn);
 *     Entry entry(region, edits);                              entry.descriptor, .symbols, .bases
 *     emit_call(&entry.seq, something, {entry.descriptor, entry.symbols, entry.bases});
 *     entry.insert();                                          after the last addition to entry.seq
 *     edits.apply();
 */
#ifndef PLUSSI_PLUGIN_REGION_H
#define PLUSSI_PLUGIN_REGION_H

#include "region/edits.h"
#include "shape/to-nest.h"

namespace pluss
{

/* A value that the program computes, as instructions for the original body. */
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
        Moved,   /* a + b * offset bytes; with a third value, a + b * c */
        Sum,     /* of all */
        Product, /* of all, times offset */
        There,   /* whether a is not null */
        Count    /* how often the statement `at` is reached; known when the region ends */
    } kind = Unknown;
    tree operand = NULL_TREE, type = NULL_TREE;
    std::vector<gimple *> at; /* statements of the function */
    bool late = false;        /* known only after the region has begun */
    bool perhaps = false;     /* `at` comes before the region, but not on every way */
    int64_t offset = 0;
    std::vector<Value> of; /* a, b, c */
};

/* Identifies an access, which may be described at several places. A call can load several times.
 * Never dereferenced: the object may no longer exist. */
typedef std::pair<const void *, bool> MadeBy;
inline MadeBy made_by(const Ref *r)
{
    return {is_gimple_call(r->stmt) ? (const void *)r : r->stmt, r->write};
}

struct RegionRef {
    MadeBy made;
    std::string array; /* its name, for messages */
    gimple *stmt;      /* of the function; NULL: none is the reference's own */
    bool write;        /* the statement's write; else its read */
    uint64_t width;    /* bytes */
    unsigned granule;  /* pluss_rt_ref.stride_gcd */
};

/* A read in the test of a loop, which the nest has in the loop and after it: the test's result says
 * which of the two an access is. */
struct RegionTest {
    unsigned in, after; /* numbers of the reference in the loop and after it */
    gcond *test;        /* of the shadow, in a plan of the function; NULL: it cannot be followed */
    bool leave_if;      /* the test's result when the loop ends */
};
/* All such reads: the items that occur twice. */
std::vector<RegionTest> list_tests(const std::vector<const Item *> &refs);

/* A worksharing loop (or sections) of the outermost teams. */
struct RegionLoop {
    uint32_t number; /* in the nest */
    gimple *stmt;
    bool on_demand; /* only the run knows which thread executed what */
};

/* Accesses in worksharing loops that the nest has as unknowns, and that the run records in their
 * order, iteration by iteration, to be put in their places (trace/fill_unknowns.h). */
struct Filling {
    /* Statements of the function, to the number of the unknown, in the nest's order. Of an atomic
     * update its load. */
    std::map<std::pair<gimple *, LeftOut::Part>, unsigned> unknown;
    std::map<unsigned, gimple *> done; /* inner loops by number: where an iteration ends */
    std::set<unsigned> shared;         /* the numbers of the worksharing loops */
    unsigned depth = 0;                /* of the innermost loop that one of the unknowns is in */
    bool alone = false;                /* nothing else is recorded: all else is described */
};

/* The result of the analysis; it holds no pointers into it. */
struct Region {
    NestNames names;
    std::vector<RegionRef> refs;
    size_t n_described = 0;     /* of them: the nest's, which come first */
    unsigned depth = 0;         /* of the innermost loop that one of these is in */
    std::set<MadeBy> described; /* accesses of the function that the nest has, or need not have */
    std::vector<RegionTest> tests; /* those that can be followed */
    std::vector<RegionLoop> loops;
    Filling filling;
    std::vector<std::pair<location_t, std::string>>
        unstamped;                     /* loops that are not stamped, and why */
    std::vector<Value> symbols, bases; /* in the nest's order */
    std::set<gimple *> calls;          /* in its midst: after its entry, before some of its items */
    gimple *part = nullptr;   /* the parallel construct that it is of; NULL: the function's all */
    bool changing = false;    /* of a part: a symbol changes in a loop around it */
    bool closed_form = true;  /* NestIndex::closed_form */
    bool by_contents = false; /* NestIndex::by_contents */
    bool orphaned = false;    /* the threads of a caller's team execute all of it */
    bool serial = false;      /* code without OpenMP: one thread does */
    bool elsewhere = false;   /* holds target regions, teams or taskloops */
    /* Entry: before or after a statement, NULL: at the function's start. Exit likewise; NULL: not
     * before the function is left. */
    gimple *entry = nullptr, *exit = nullptr;
    bool entry_after = false, exit_after = false;
};

/* index: as nest_text filled it in for top. */
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
    void insert(); /* inserts seq at the region's entry; to be called once */
    void emit_counts(
        gimple_seq *end) const; /* appends the calls that report values known at the region's end */

  private:
    Region &region;
    Edits &edits;
    tree emit_moved(const Value &v, tree from, gimple_seq *out);
    void emit_late(const Value &v, Rt report, unsigned number);
    tree emit_early(const Value &v, gimple_seq *out);
    tree emit_perhaps(const Value &v, tree type, tree otherwise);
    tree emit_array(const std::vector<Value> &values, tree type, const char *name, Rt report);
    std::vector<std::pair<gimple *, gimple_seq>> captures; /* after a statement */
    std::vector<std::pair<unsigned, tree>> counters;       /* symbol, variable */
};

} // namespace pluss
#endif
