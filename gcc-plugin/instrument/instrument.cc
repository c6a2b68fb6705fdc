/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the program tells libpluss-rt (rt/rt.h):
 *
 *     run = 0;
 *     try {
 *         ...
 *         run = pluss_rt_enter (&region, symbols, bases, PLUSS_RT_PROFILE);
 *         #pragma omp parallel firstprivate (run)
 *         {
 *             pluss_rt_thread_begin (run, omp_get_thread_num (), omp_get_num_threads ());
 *             ...
 *             pluss_rt_thread_end (run);
 *         }
 *         pluss_rt_leave (run); run = 0;
 *         ...
 *     } finally { pluss_rt_leave (run); }
 *
 * A function whose worksharing loops stand outside of any parallel construct is executed by all
 * threads of a team that its caller made: each of them joins the region by pluss_rt_enter_team.
 *
 * Before every statement that executes a reference of the nest there is a call with the
 * reference's number and the address, in the order of the nest: a compound assignment's read comes
 * with its write. Loops whose chunks are dispatched on demand report who executes which. Time
 * stamps are timing.cc's.
 *
 * A `parallel for` with calls between the two is no longer what GCC calls combined; it is then
 * expanded as a parallel region with a loop in it, which is the same program.
 */
#include "instrument/instrument.h"

#include "common/statements.h"
#include "emit/note.h"
#include "sampler/sample.h"

namespace pluss
{

class Instrument
{
  public:
    Instrument(function *f, Region &r, Told t, SamplePlan *s, const std::vector<Outside> *o)
        : fn(f), region(r), edits(f), told(t), sample(s), outside(o),
          filled(o && (t == Told::Accesses || r.filling.alone) && can_fill(f, r, *o))
    {
    }
    void make();

  private:
    function *fn;
    Region &region;
    Edits edits;
    Told told;
    SamplePlan *sample;
    const std::vector<Outside> *outside;
    const bool filled;   /* what the nest has as unknowns is recorded in its order, too */
    bool called = false; /* the last reference has the accesses of called functions */
    tree handle;         /* the variable `run` */

    void begin_and_end();
    void add_sites();
    std::vector<Outside> list_serial() const;
    void fill_unknowns();
    void record_team(gomp_parallel *p, bool wait);
    void emit_end(gimple_seq *seq, const Entry &entry);
    void keep_outside();
    void record_access(unsigned number, const RegionRef &r);
    void record_test(const RegionTest &t, tree address);
    void record_loop(const RegionLoop &l);
    void record_sections(const RegionLoop &l);
    std::set<MadeBy> seen;
    std::map<gimple *, unsigned>
        arguments; /* of a call: the number after the last one read from memory */
};

static tree emit_thread_number(gimple_seq *seq, built_in_function which)
{
    gcall *call = gimple_build_call(builtin_decl_explicit(which), 0);
    tree n = make_ssa_name(integer_type_node, call);
    gimple_call_set_lhs(call, n);
    gimple_seq_add_stmt(seq, call);
    return emit_convert(seq, uint32_type_node, n);
}

/* Emits the end of the run, if there is one. */
void Instrument::emit_end(gimple_seq *seq, const Entry &entry)
{
    gimple_seq counts = NULL;
    entry.emit_counts(&counts);
    if (counts) {
        tree some = make_label(), none = make_label();
        gimple_seq_add_stmt(seq, gimple_build_cond(NE_EXPR, handle, null_pointer_node, some, none));
        gimple_seq_add_stmt(seq, gimple_build_label(some));
        gimple_seq_add_seq(seq, counts);
        gimple_seq_add_stmt(seq, gimple_build_label(none));
    }
    emit_call(seq, rt_function(Rt::Leave), {handle});
}

/* Number of the unknown that stands for an access; -1: none does. */
static int find_filled(const Region &region, gimple *stmt, LeftOut::Part part)
{
    auto it = region.filling.unknown.find({stmt, part});
    return it != region.filling.unknown.end() ? (int)it->second : -1;
}

std::vector<gimple *> find_parallels(function *fn)
{
    return list_outermost(gimple_body(fn->decl), GIMPLE_OMP_PARALLEL, is_other_team);
}

/* Those of a region. */
static std::vector<gimple *> find_parallels(function *fn, const Region &region)
{
    return region.part ? std::vector<gimple *>{region.part} : find_parallels(fn);
}

/* The thread that reaches the parallel constructs must pass entry and exit: both may not be inside
 * of one. */
void Instrument::keep_outside()
{
    for (gimple *p : find_parallels(fn, region))
        for (gimple *g : list_statements(gimple_omp_body(p))) {
            if (g == region.exit)
                region.exit = nullptr;
            if (g != region.entry)
                continue;
            region.entry = nullptr;
            for (std::vector<Value> *list : {&region.symbols, &region.bases})
                for (Value &v : *list)
                    if (v.kind != Value::Start && v.kind != Value::Address)
                        v = Value();
        }
}

void Instrument::begin_and_end()
{
    Entry entry(region, edits);
    tree begin = rt_function(region.orphaned ? Rt::EnterTeam : Rt::Enter);
    enum { COUNTED = 4, CALLED = 8, FILLED = 16 }; /* rt/rt.h */
    std::vector<tree> args = {entry.descriptor, entry.symbols, entry.bases,
                              build_u32((int)told + (outside ? COUNTED : 0) +
                                        (called ? CALLED : 0) + (filled ? FILLED : 0))};
    if (region.orphaned) {
        args.push_back(emit_thread_number(&entry.seq, BUILT_IN_OMP_GET_THREAD_NUM));
        args.push_back(emit_thread_number(&entry.seq, BUILT_IN_OMP_GET_NUM_THREADS));
    }
    gimple_call_set_lhs(emit_call(&entry.seq, begin, args), handle);
    if (sample)
        gimple_seq_add_seq(&entry.seq, make_sampler(fn, *sample, handle));
    entry.insert();
    if (region.exit) {
        gimple_seq seq = NULL;
        emit_end(&seq, entry);
        gimple_seq_add_stmt(&seq, gimple_build_assign(handle, null_pointer_node));
        gimple_seq_add_seq(region.exit_after ? edits.after(region.exit) : edits.before(region.exit),
                           seq);
    }
    gimple_seq none = NULL;
    gimple_seq_add_stmt(&none, gimple_build_assign(handle, null_pointer_node));
    gimple_seq_add_seq(&none, edits.start);
    edits.start = none;
    emit_end(&edits.cleanup, entry);
}

/* ---- accesses -------------------------------------------------------------------------------- */

void Instrument::record_access(unsigned number, const RegionRef &r)
{
    if (!seen.insert(r.made).second)
        return; /* its second number: described at two places, made at one */
    gimple *at = r.stmt;
    tree address = NULL_TREE;
    gimple_seq seq = NULL;
    if (at && gimple_code(at) == GIMPLE_OMP_ATOMIC_STORE)
        at = find_atomic_load(list_statements(gimple_body(fn->decl)), at);
    if (!at) {
        note_loop(DECL_SOURCE_LOCATION(fn->decl),
                  "accesses that are described are not recorded: `" + r.array + "'");
        return;
    }
    if (gomp_atomic_load *a = dyn_cast<gomp_atomic_load *>(at))
        address = emit_operand(&seq, gimple_omp_atomic_load_rhs(a));
    else if (tree lvalue = find_access(at, r.write, &arguments[at]))
        address = emit_address(&seq, lvalue);
    if (!address)
        return;
    address = emit_convert(&seq, const_ptr_type_node, address);
    gimple_seq *place = is_gimple_call(at) && r.write ? edits.after(at) : edits.before(at);
    for (const RegionTest &t : region.tests)
        if (t.in == number) { /* the test tells which of the two it is */
            gimple_seq_add_seq(place, seq);
            record_test(t, address);
            return;
        }
    emit_call(&seq, rt_function(Rt::Access), {build_u32(number), address});
    gimple_seq_add_seq(place, seq);
}

void Instrument::record_test(const RegionTest &t, tree address)
{
    gimple_seq *seq = edits.before(t.test);
    tree u = uint32_type_node, in = build_int_cst(u, t.in), out = build_int_cst(u, t.after);
    tree truth = emit_value(seq, boolean_type_node, gimple_cond_code(t.test),
                            gimple_cond_lhs(t.test), gimple_cond_rhs(t.test));
    tree number = make_ssa_name(u);
    gimple_seq_add_stmt(seq, gimple_build_assign(number, COND_EXPR, truth, t.leave_if ? out : in,
                                                 t.leave_if ? in : out));
    emit_call(seq, rt_function(Rt::Access), {number, address});
}

/* ---- who executes what ----------------------------------------------------------------------- */

static void prepend(gimple_seq *to, gimple_seq first)
{
    gimple_seq_add_seq(&first, *to);
    *to = first;
}

void Instrument::record_loop(const RegionLoop &l)
{
    gomp_for *outer = as_a<gomp_for *>(l.stmt), *in = get_innermost(outer);
    if (!has_numbered_iterations(outer))
        return;
    size_t n = gimple_omp_for_collapse(outer);
    tree i64 = intDI_type_node;
    gimple_seq head = NULL, each = NULL;
    auto wide = [&](gimple_seq *seq, tree x) {
        return emit_convert(seq, i64, emit_operand(seq, x));
    };
    for (size_t d = 0; d < n; d++) {
        OmpLoop loop = get_loop(outer, d);
        tree first = wide(&head, loop.first);
        tree end = wide(&head, loop.end);
        tree step = emit_step(&head, loop);
        if (loop.relation == LE_EXPR || loop.relation == GE_EXPR)
            end = emit_value(&head, i64, PLUS_EXPR, end,
                             build_int_cst(i64, loop.relation == LE_EXPR ? 1 : -1));
        emit_call(&head, rt_function(Rt::Loop),
                  {build_u32(l.number), build_u32(d), first, end, step});
        tree now = wide(&each, get_loop(in, d).index);
        emit_call(&each, rt_function(Rt::Iteration), {build_u32(d), now});
    }
    gimple_seq_add_seq(gimple_omp_for_pre_body_ptr(outer), head);
    prepend(get_body(in), each);
}

void Instrument::record_sections(const RegionLoop &l)
{
    std::vector<gimple *> parts = list_sections(l.stmt);
    tree i64 = intDI_type_node, u = uint32_type_node;
    emit_call(edits.before(l.stmt), rt_function(Rt::Loop),
              {build_int_cst(u, l.number), build_int_cst(u, 0), build_int_cst(i64, 0),
               build_int_cst(i64, parts.size()), build_int_cst(i64, 1)});
    for (size_t k = 0; k < parts.size(); k++) {
        gimple_seq each = NULL;
        emit_call(&each, rt_function(Rt::Iteration), {build_int_cst(u, 0), build_int_cst(i64, k)});
        prepend(get_body(parts[k]), each);
    }
}

/* May functions of the program be called there? Those of the system call what they are given
 * (qsort). */
static bool may_call_back(gimple *g)
{
    return is_gimple_call(g) && !gimple_call_internal_p(g) && !(gimple_call_flags(g) & ECF_CONST);
}

/* A call of a function that is not the compiler's and not one of a header of the system. */
static bool is_other_call(gimple *g)
{
    if (!may_call_back(g))
        return false;
    tree callee = gimple_call_fndecl(g);
    if (callee && (fndecl_built_in_p(callee) || DECL_IS_UNDECLARED_BUILTIN(callee)))
        return false;
    return !callee || !DECL_EXTERNAL(callee) || !DECL_IN_SYSTEM_HEADER(callee);
}

/* May threads execute tasks of the region in the barrier at its end, after their last action? In
 * a region that can be cancelled there may be no further barrier. */
static bool leaves_tasks(gomp_parallel *p)
{
    bool tasks = false;
    for (gimple *g : list_statements(gimple_omp_body(p))) {
        if (is_libgomp_call(g, BUILT_IN_GOMP_CANCEL))
            return false;
        tasks = tasks || gimple_code(g) == GIMPLE_OMP_TASK || is_other_call(g);
    }
    return tasks;
}

/* Records the first and the last action of every thread of a team. wait: for its tasks. */
void Instrument::record_team(gomp_parallel *p, bool wait)
{
    gimple_seq *body = get_body(p), first = NULL;
    emit_call(&first, rt_function(Rt::ThreadBegin),
              {handle, emit_thread_number(&first, BUILT_IN_OMP_GET_THREAD_NUM),
               emit_thread_number(&first, BUILT_IN_OMP_GET_NUM_THREADS)});
    gimple_seq_add_seq(&first, *body);
    if (wait)
        gimple_seq_add_stmt(&first,
                            gimple_build_call(builtin_decl_explicit(BUILT_IN_GOMP_BARRIER), 0));
    emit_call(&first, rt_function(Rt::ThreadEnd), {handle});
    *body = first;
    gimple_omp_parallel_set_combined_p(p, false);
    tree clause = build_omp_clause(gimple_location(p), OMP_CLAUSE_FIRSTPRIVATE);
    OMP_CLAUSE_DECL(clause) = handle;
    OMP_CLAUSE_CHAIN(clause) = gimple_omp_parallel_clauses(p);
    gimple_omp_parallel_set_clauses(p, clause);
}

/* An access's address is a multiple of this many bytes. */
static unsigned granule_of(tree type)
{
    return std::min(64u, std::max(1u, (unsigned)TYPE_ALIGN_UNIT(type)));
}

/* What the region's teams execute. */
static std::set<gimple *> list_parallel_work(function *fn, const Region &region)
{
    std::set<gimple *> work;
    if (region.orphaned)
        for (gimple *g : list_statements(gimple_body(fn->decl)))
            work.insert(g);
    else
        for (gimple *p : find_parallels(fn, region))
            for (gimple *g : list_statements(gimple_omp_body(p)))
                work.insert(g);
    return work;
}

std::vector<Outside> list_sites(function *fn, const Region &region,
                                const std::vector<Outside> &outside)
{
    if (region.orphaned)
        return outside;
    const std::set<gimple *> work = list_parallel_work(fn, region);
    std::vector<Outside> sites;
    std::copy_if(outside.begin(), outside.end(), std::back_inserter(sites),
                 [&](const Outside &o) { return work.count(o.stmt) != 0; });
    return sites;
}

bool calls_others(function *fn, const Region &region)
{
    const std::set<gimple *> work = list_parallel_work(fn, region);
    return std::any_of(work.begin(), work.end(), is_other_call);
}

bool surrounds_others(function *fn, const Region &region)
{
    const std::set<gimple *> work = list_parallel_work(fn, region);
    return std::any_of(region.calls.begin(), region.calls.end(),
                       [&](gimple *g) { return is_other_call(g) && !work.count(g); });
}

/* Makes accesses that the nest does not have references of the region, after those of the nest. */
void Instrument::add_sites()
{
    for (const Outside &o : list_sites(fn, region, *outside)) {
        tree type = TREE_TYPE(o.memory), size = TYPE_SIZE_UNIT(type);
        if (size && tree_fits_uhwi_p(size) && tree_to_uhwi(size) > 0)
            region.refs.push_back(
                {{o.stmt, o.write}, "", o.stmt, o.write, tree_to_uhwi(size), granule_of(type)});
    }
}

static LeftOut::Part part_of(const Outside &o)
{
    return o.write ? LeftOut::Write : LeftOut::Read;
}

bool can_fill(function *fn, const Region &region, const std::vector<Outside> &outside)
{
    const std::set<gimple *> work = list_parallel_work(fn, region);
    for (const Outside &o : list_sites(fn, region, outside)) {
        tree size = TYPE_SIZE_UNIT(TREE_TYPE(o.memory));
        if (find_filled(region, o.stmt, part_of(o)) < 0 || !size || !tree_fits_uhwi_p(size) ||
            tree_to_uhwi(size) == 0 || tree_to_uhwi(size) > UINT32_MAX)
            return false;
    }
    return std::all_of(work.begin(), work.end(), [&](gimple *g) {
        return !is_other_call(g) || find_filled(region, g, LeftOut::Call) >= 0;
    });
}

/* Records accesses that the nest has as unknowns in their order. */
void Instrument::fill_unknowns()
{
    for (const Outside &o : list_sites(fn, region, *outside)) {
        gimple_seq seq = NULL;
        tree address = emit_address(&seq, o.memory);
        const unsigned unknown = find_filled(region, o.stmt, part_of(o));
        emit_call(&seq, rt_function(Rt::Fill),
                  {build_u32(address ? unknown : UINT32_MAX), build_u32(o.write),
                   address ? emit_convert(&seq, const_ptr_type_node, address) : null_pointer_node,
                   build_u32(tree_to_uhwi(TYPE_SIZE_UNIT(TREE_TYPE(o.memory))))});
        bool after = is_gimple_call(o.stmt) && o.write;
        gimple_seq_add_seq(after ? edits.after(o.stmt) : edits.before(o.stmt), seq);
    }
    for (const auto &part : region.filling.unknown)
        if (part.first.second == LeftOut::Call && may_call_back(part.first.first))
            emit_call(edits.before(part.first.first), rt_function(Rt::FillCalled),
                      {build_u32(part.second)});
    for (const auto &loop : region.filling.done)
        emit_call(edits.before(loop.second), rt_function(Rt::Done), {build_u32(loop.first)});
}

/* What the threads that reach the constructs access besides, in or out of the region. */
std::vector<Outside> Instrument::list_serial() const
{
    std::vector<Outside> serial;
    const std::set<gimple *> work = list_parallel_work(fn, region);
    if (outside)
        std::copy_if(outside->begin(), outside->end(), std::back_inserter(serial),
                     [&](const Outside &o) { return work.count(o.stmt) == 0; });
    return serial;
}

void Instrument::make()
{
    const std::vector<Outside> serial = list_serial();
    region.n_described = region.refs.size();
    if (outside && told == Told::Accesses) {
        add_sites();
        called = calls_others(fn, region) || !serial.empty();
    }
    const size_t n_refs = region.refs.size();
    if (called) /* its accesses have sizes of their own */
        region.refs.push_back({{nullptr, false}, "", nullptr, false, 1, 1});
    if (filled)
        fill_unknowns();
    handle = edits.variable(ptr_type_node, "pluss_run");
    keep_outside();
    begin_and_end();
    for (const RegionLoop &l : region.loops)
        if ((l.on_demand || (filled && region.filling.shared.count(l.number))) &&
            gimple_code(l.stmt) == GIMPLE_OMP_FOR)
            record_loop(l);
        else if (l.on_demand && gimple_code(l.stmt) == GIMPLE_OMP_SECTIONS)
            record_sections(l);
    for (size_t i = 0; told == Told::Accesses && i < n_refs; i++)
        record_access(i, region.refs[i]);
    record_called(serial, true, &edits);
    if (outside)
        count_outside(*outside, &edits);
    std::vector<gimple *> parallels = find_parallels(fn, region);
    if (told == Told::Times)
        stamp_region(fn, region, edits, handle, parallels);
    std::set<gimple *> waits; /* for tasks, whose accesses are counted */
    for (gimple *p : parallels)
        if ((outside || told == Told::Accesses) && leaves_tasks(as_a<gomp_parallel *>(p)))
            waits.insert(p);
    edits.apply();
    for (gimple *p : parallels)
        record_team(as_a<gomp_parallel *>(p), waits.count(p) != 0);
}

void record_serial(function *fn, const std::vector<Outside> &serial)
{
    Edits edits(fn);
    record_called(serial, true, &edits);
    count_outside(serial, &edits);
    edits.apply();
}

void instrument(function *fn, Region &region, Told told, SamplePlan *sample,
                const std::vector<Outside> *outside)
{
    Instrument(fn, region, told, sample, outside).make();
}

} // namespace pluss
