/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mode=auto: the program counts its loads and stores that no nest describes, so that a figure can
 * tell what share of all of them it stands for. A count is a constant that is added to
 * pluss_rt_counted (rt/rt.h) where a sequence of statements without branches begins; optimisers
 * take it out of loops. Left out is what a register would hold: single variables and members of
 * single structures, and array descriptors.
 *
 * Where a region records what it calls, or the program what is outside of regions, each of these
 * accesses is also a call of the library. A function without parallel work has its body twice for
 * that; in others each access asks.
 */
#include "instrument/instrument.h"

#include "analysis/analysis.h"
#include "common/statements.h"
#include "emit/note.h"
#include "shadow/callee.h"

namespace pluss
{

static bool is_counted(tree access, location_t loc)
{
    if (!is_memory(access))
        return false;
    bool element = TREE_CODE(TREE_TYPE(access)) == ARRAY_TYPE;
    for (tree t = access; handled_component_p(t); t = TREE_OPERAND(t, 0)) {
        element |= TREE_CODE(t) == ARRAY_REF || TREE_CODE(t) == ARRAY_RANGE_REF;
        if (TREE_CODE(t) == COMPONENT_REF && is_descriptor(TREE_TYPE(TREE_OPERAND(t, 0))))
            return false;
    }
    /* where a container of the library has its elements */
    if (TREE_CODE(access) == COMPONENT_REF && POINTER_TYPE_P(TREE_TYPE(access)) &&
        in_system_header_at(loc))
        return false;
    tree base = strip_components(access);
    if (TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == ADDR_EXPR)
        base = strip_components(TREE_OPERAND(TREE_OPERAND(base, 0), 0));
    return !DECL_P(base) || element;
}

/* The memory that a statement reads and writes, and may be counted. */
static std::vector<std::pair<tree, bool>> list_accesses(gimple *g)
{
    std::vector<std::pair<tree, bool>> all;
    if (is_gimple_debug(g) || gimple_clobber_p(g))
        return all;
    if (!is_gimple_assign(g) && !is_gimple_call(g))
        return all;
    unsigned argument = 0;
    for (bool write : {false, true})
        while (tree t = find_access(g, write, &argument)) {
            if (is_counted(t, gimple_location(g)))
                all.push_back({t, write});
            if (write || !is_gimple_call(g))
                break;
        }
    return all;
}

static bool is_target(gimple *g)
{
    return gimple_code(g) == GIMPLE_OMP_TARGET;
}

std::vector<Outside> list_outside(gimple_seq body, const std::set<MadeBy> &described)
{
    std::vector<Outside> all;
    gomp_atomic_load *load = nullptr;
    for (gimple *g : list_statements(body, is_target)) {
        if (gimple_code(g) == GIMPLE_OMP_ATOMIC_LOAD)
            load = as_a<gomp_atomic_load *>(g);
        if (gimple_code(g) == GIMPLE_OMP_ATOMIC_STORE && !described.count({load, false}) &&
            !described.count({g, true})) /* no code may come between the two */
            for (bool write : {false, true})
                all.push_back({load, gimple_omp_atomic_load_rhs(load), write});
        for (const auto &a : list_accesses(g))
            if (!described.count({g, a.second}))
                all.push_back({g, a.first, a.second});
    }
    return all;
}

/* The fields of pluss_rt_counted, as operands. */
struct Counter {
    tree accesses, called;
};

static const Counter &counter()
{
    static Counter made;
    if (made.accesses)
        return made;
    tree type = make_node(RECORD_TYPE);
    tree field =
        build_decl(UNKNOWN_LOCATION, FIELD_DECL, get_identifier("accesses"), uint64_type_node);
    tree second =
        build_decl(UNKNOWN_LOCATION, FIELD_DECL, get_identifier("called"), uint32_type_node);
    DECL_CHAIN(second) = field; /* the last one first */
    finish_builtin_struct(type, "pluss_rt_count", second, NULL_TREE);
    tree v = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("pluss_rt_counted"), type);
    TREE_PUBLIC(v) = DECL_EXTERNAL(v) = DECL_ARTIFICIAL(v) = DECL_IGNORED_P(v) = TREE_USED(v) = 1;
    set_decl_tls_model(v, TLS_MODEL_INITIAL_EXEC);
    made.accesses = build3(COMPONENT_REF, uint64_type_node, v, field, NULL_TREE);
    made.called = build3(COMPONENT_REF, uint32_type_node, v, second, NULL_TREE);
    keep_for_collector(made.accesses);
    keep_for_collector(made.called);
    return made;
}

/* The end of the accesses from number `first` on that have nothing but assignments between them. */
static size_t end_of_straight(const std::vector<Outside> &outside, size_t first)
{
    gimple *last = outside[first].stmt;
    size_t next = first + 1;
    for (; next < outside.size(); next++) {
        gimple *g = outside[next].stmt;
        while (g != last && is_gimple_assign(last) && last->next)
            last = last->next;
        if (g != last)
            break;
    }
    return next;
}

void count_outside(const std::vector<Outside> &outside, Edits *edits)
{
    for (size_t i = 0, next; i < outside.size(); i = next) {
        next = end_of_straight(outside, i);
        gimple_seq *seq = edits->before(outside[i].stmt), add = NULL;
        tree sum =
            emit_value(&add, uint64_type_node, COMPONENT_REF, unshare_expr(counter().accesses));
        sum = emit_value(&add, uint64_type_node, PLUS_EXPR, sum,
                         build_int_cst(uint64_type_node, next - i));
        gimple_seq_add_stmt(&add, gimple_build_assign(unshare_expr(counter().accesses), sum));
        gimple_seq_add_seq(&add, *seq);
        *seq = add;
    }
}

static bool is_after(const Outside &o)
{
    return is_gimple_call(o.stmt) && o.write;
}

/* An access whose address is known, and its size as the library is told it. */
struct CalledAccess {
    tree address;
    uint64_t bytes;
};

/* Finds the address at the access's own place; NULL: it is not recorded. */
static CalledAccess find_called(const Outside &o, Edits *edits)
{
    const uint32_t store = 0x80000000; /* rt/rt.h */
    gimple_seq seq = NULL;
    tree size = TYPE_SIZE_UNIT(TREE_TYPE(o.memory));
    tree address = size && tree_fits_uhwi_p(size) ? emit_address(&seq, o.memory) : NULL_TREE;
    if (address && tree_to_uhwi(size) > INT32_MAX)
        note_loop(gimple_location(o.stmt), "access not recorded, as it is of 2 GiB or more");
    if (!address || tree_to_uhwi(size) == 0 || tree_to_uhwi(size) > INT32_MAX)
        return {NULL_TREE, 0};
    address = emit_convert(&seq, const_ptr_type_node, address);
    if (DECL_P(address)) /* what it is now */
        address = emit_value(&seq, TREE_TYPE(address), TREE_CODE(address), address);
    gimple_seq_add_seq(is_after(o) ? edits->after(o.stmt) : edits->before(o.stmt), seq);
    return {address, tree_to_uhwi(size) + (o.write ? store : 0)};
}

/* The call for one to four accesses. */
static void emit_called(const std::vector<CalledAccess> &all, bool ask, gimple_seq *seq)
{
    tree some = make_label(), none = make_label();
    if (ask) {
        tree asked =
            emit_value(seq, uint32_type_node, COMPONENT_REF, unshare_expr(counter().called));
        gimple_seq_add_stmt(seq, gimple_build_cond(NE_EXPR, asked, build_u32(0), some, none));
        gimple_seq_add_stmt(seq, gimple_build_label(some));
    }
    if (all.size() == 1) {
        emit_call(seq, rt_function(Rt::Called), {all[0].address, build_u32(all[0].bytes)});
    } else {
        std::vector<tree> args(4, null_pointer_node);
        uint64_t bytes[2] = {0, 0};
        for (size_t k = 0; k < all.size(); k++) {
            args[k] = all[k].address;
            bytes[k / 2] |= all[k].bytes << (k % 2 ? 32 : 0);
        }
        for (uint64_t b : bytes)
            args.push_back(build_int_cst(uint64_type_node, b));
        emit_call(seq, rt_function(Rt::CalledFour), args);
    }
    if (ask)
        gimple_seq_add_stmt(seq, gimple_build_label(none));
}

/* Up to four accesses without a branch or call between them are one call, at the last one. */
void record_called(const std::vector<Outside> &outside, bool ask, Edits *edits)
{
    for (size_t i = 0, end; i < outside.size(); i = end) {
        end = end_of_straight(outside, i);
        for (size_t k = i; k < end;) {
            std::vector<CalledAccess> all;
            const Outside *last = nullptr;
            do {
                const CalledAccess a = find_called(outside[k], edits);
                if (a.address) {
                    all.push_back(a);
                    last = &outside[k];
                }
                k++;
            } while (k < end && all.size() < 4 && is_after(outside[k]) == is_after(outside[k - 1]));
            if (last)
                emit_called(all, ask,
                            is_after(*last) ? edits->after(last->stmt) : edits->before(last->stmt));
        }
    }
}

/* Puts a copy of the body beside it, which is executed where what is called is recorded: code
 * with a question at each access is several times as slow. NULL: not possible; nothing has changed.
 */
static gimple_seq split_body(function *fn, Edits *edits)
{
    gbind *bind = only_bind(gimple_body(fn->decl));
    std::vector<gimple *> all = list_statements(gimple_body(fn->decl));
    bool whole = bind && has_own_labels(all) && std::none_of(all.begin(), all.end(), [](gimple *g) {
                     return is_gimple_omp(g) || gimple_code(g) == GIMPLE_TRANSACTION ||
                            (is_gimple_call(g) && gimple_call_flags(g) & ECF_RETURNS_TWICE);
                 });
    gimple_seq copy = whole ? copy_body(gimple_bind_body(bind)) : NULL;
    if (!copy)
        return NULL;
    strip_blocks(copy);
    tree asked =
        emit_value(&edits->start, uint32_type_node, COMPONENT_REF, unshare_expr(counter().called));
    tree some = make_label(), none = make_label(), end = make_label();
    gimple_seq both = NULL;
    gimple_seq_add_stmt(&both, gimple_build_cond(NE_EXPR, asked, build_u32(0), some, none));
    gimple_seq_add_stmt(&both, gimple_build_label(some));
    gimple_seq_add_stmt(&both, gimple_build_bind(NULL_TREE, copy, NULL_TREE));
    gimple_seq_add_stmt(&both, gimple_build_goto(end));
    gimple_seq_add_stmt(&both, gimple_build_label(none));
    gimple_seq_add_seq(&both, gimple_bind_body(bind));
    gimple_seq_add_stmt(&both, gimple_build_label(end));
    gimple_bind_set_body(bind, both);
    return copy;
}

/* A body of so many statements is put in line as before, though it is larger now. */
enum { SMALL_BODY = 24 };

void count_function(function *fn)
{
    for (const char *left_alone : {"no_instrument_function", "naked"})
        if (lookup_attribute(left_alone, DECL_ATTRIBUTES(fn->decl)))
            return;
    Edits edits(fn);
    std::vector<Outside> outside = list_outside(gimple_body(fn->decl), {});
    if (outside.empty())
        return;
    if (DECL_DECLARED_INLINE_P(fn->decl) &&
        (DECL_EXTERNAL(fn->decl) || list_statements(gimple_body(fn->decl)).size() <= SMALL_BODY))
        DECL_DISREGARD_INLINE_LIMITS(fn->decl) = 1;
    if (gimple_seq copy = split_body(fn, &edits)) {
        std::vector<Outside> recorded = list_outside(copy, {});
        record_called(recorded, false, &edits);
        count_outside(recorded, &edits);
    } else {
        record_called(outside, true, &edits);
    }
    count_outside(outside, &edits);
    edits.apply();
}

} // namespace pluss
