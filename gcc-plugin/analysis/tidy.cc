/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prepares the tree for the nest, after structure.cc.
 *
 * The parallel part: serial code before the first and after the last parallel construct, at
 * function level, is removed. A function with a worksharing construct whose parallel region is in a
 * caller is put into one, whole.
 *
 * The order of references: GIMPLE evaluates `C[i][j] += a * b` as read C, read a, read b, write C
 * if C[i][j] is an array element, and as a, b, read C, write C if it is reached through a pointer.
 * In the description the read is immediately before the write. The two accesses of a compound
 * assignment are known by their place: both come from one expression of the source, so line and
 * column agree, while C = C + a has two. For the same reason the subscript loads of such an
 * expression (`h[idx[i]] += 1`) occur twice in GIMPLE and once in the source: one is dropped.
 */
#include "analysis/tidy.h"

#include "emit/note.h"

namespace pluss
{

static bool holds_parallel(const Item *it)
{
    if (it->kind == PLUSSI_N_PARALLEL || (it->kind == PLUSSI_N_LOOP && it->construct) ||
        it->holds_parallel)
        return true;
    for (const std::vector<Item *> *v : {&it->body, &it->orelse})
        for (const Item *k : *v)
            if (holds_parallel(k))
                return true;
    return false;
}

bool is_executed_by_all(const Item *it)
{
    for (const Item *p = it->parent; p; p = p->parent)
        if ((p->kind == PLUSSI_N_LOOP && p->construct) || p->kind == PLUSSI_N_SINGLE ||
            p->kind == PLUSSI_N_MASTER || p->kind == PLUSSI_N_CRITICAL)
            return false;
    return true;
}

static void drop_registers(Item *loop)
{
    std::vector<Item *> &v = loop->body;
    v.erase(std::remove_if(v.begin(), v.end(),
                           [](const Item *k) { return k->ref && k->ref->object->is_register; }),
            v.end());
}

static void add_left_out(const Item *it, LeftOut *left)
{
    if (it->ref)
        left->parts.push_back({it->ref->stmt, it->ref->write ? LeftOut::Write : LeftOut::Read});
    if (it->kind == PLUSSI_N_LOOP && it->loop)
        left->loops.push_back(it->loop->cfg);
    left->parts.insert(left->parts.end(), it->left.parts.begin(), it->left.parts.end());
    left->loops.insert(left->loops.end(), it->left.loops.begin(), it->left.loops.end());
    for (const std::vector<Item *> *v : {&it->body, &it->orelse})
        for (const Item *k : *v)
            add_left_out(k, left);
}

void leave_out(Item *it)
{
    LeftOut left;
    add_left_out(it, &left);
    it->left = left;
}

/* Makes a collapsed nest unknown unless all its loops are described, one directly in the other. */
static void check_collapse(Item *it)
{
    std::string why;
    Item *at = it;
    for (unsigned d = 1; d < it->construct->collapse && why.empty(); d++) {
        drop_registers(at); /* a nest has no place for them */
        if (at->body.size() == 1 && at->body[0]->kind == PLUSSI_N_LOOP)
            at = at->body[0];
        else if (at->body.size() == 1 && at->body[0]->kind == PLUSSI_N_UNKNOWN)
            why = at->body[0]->reason;
        else
            why = "its body is not reached, or does not end";
    }
    if (why.empty())
        return;
    it->kind = PLUSSI_N_UNKNOWN;
    it->unknown = PLUSSI_UNKNOWN_LOOP;
    it->reason = "one of the collapsed loops: " + why;
    it->holds_parallel = true;
    it->body.clear();
    it->a = nullptr;
}

/* Replaces the unknown parts of a condition that all threads decide alike by symbols of value 0 or
 * 1, one for each statement that decides, or else one for the whole. */
static const Cond *by_symbols(Analysis &an, const Cond *c, const Item *it)
{
    if (c->op == Cond::And)
        return an.ex.both(by_symbols(an, c->a, it), by_symbols(an, c->b, it));
    if (c->op == Cond::Or)
        return an.ex.either(by_symbols(an, c->a, it), by_symbols(an, c->b, it));
    if (find_unknown(c, true).empty())
        return c;
    char key[32];
    snprintf(key, sizeof key, "taken:%p", c->test ? (void *)c->test : (const void *)it);
    SymbolInfo &info = an.symbols[key];
    info.loc = c->loc ? c->loc : it->loc;
    info.name = "if_" + std::to_string(expand_location(info.loc).line);
    info.origin.def = c->test;
    info.origin.decides = true;
    return an.ex.relation(c->flipped ? Cond::Eq : Cond::Ne, an.ex.symbol(key, info.name, info.loc),
                          Poly(0));
}

/* Makes guards and clauses that cannot be described unknown. */
static void find_unknowns(Analysis &an, std::vector<Item *> *items)
{
    for (Item *it : *items) {
        if (it->kind == PLUSSI_N_IF) {
            bool of_all = is_executed_by_all(it) && holds_parallel(it);
            std::string why = find_unknown(it->cond, of_all);
            if (!why.empty() && of_all) {
                note_loop(it->loc, "whether this branch is taken is not known (" + why +
                                       "); it becomes a symbol");
                it->cond = by_symbols(an, it->cond, it);
                why.clear();
            }
            if (!why.empty() && options.branches && !holds_parallel(it)) {
                it->kind = PLUSSI_N_BRANCH;
                it->cond = nullptr;
            } else if (!why.empty()) {
                it->holds_parallel = holds_parallel(it);
                leave_out(it);
                it->kind = PLUSSI_N_UNKNOWN;
                it->unknown = PLUSSI_UNKNOWN_CONTROL;
                it->reason = why;
                it->a = nullptr;
                it->body.clear();
                it->orelse.clear();
                continue;
            }
        }
        std::string why;
        if (it->kind == PLUSSI_N_LOOP && it->has_chunk) {
            const Atom *o = find_opaque(it->chunk);
            if (o || it->chunk.bad)
                why = "its chunk size: " + (o ? o->reason : std::string("it does not fit 64 bits"));
        }
        if (it->kind == PLUSSI_N_PARALLEL && it->construct) {
            const Atom *o = find_opaque(it->threads);
            if (o)
                why = "its number of threads: " + o->reason;
            if (it->cond && !find_unknown(it->cond).empty())
                why = "its if clause: " + find_unknown(it->cond);
        }
        if (!why.empty()) {
            it->kind = PLUSSI_N_UNKNOWN;
            it->unknown = it->loop ? PLUSSI_UNKNOWN_LOOP : PLUSSI_UNKNOWN_CONSTRUCT;
            it->reason = why;
            it->holds_parallel = true;
            it->body.clear();
            continue;
        }
        find_unknowns(an, &it->body);
        find_unknowns(an, &it->orelse);
        if (it->kind == PLUSSI_N_LOOP && it->construct)
            check_collapse(it);
    }
}

void tidy_tree(Analysis &an, std::vector<Item *> *top)
{
    find_unknowns(an, top);
    size_t first = 0, end = top->size();
    while (first < end && !holds_parallel((*top)[first]))
        first++;
    while (end > first && !holds_parallel((*top)[end - 1]))
        end--;
    if (first == end) {
        top->clear();
        return;
    }
    /* The loads of a loop's test are executed once more to leave it. */
    const std::vector<Item *> &last = (*top)[end - 1]->body;
    while (end < top->size() && std::find(last.begin(), last.end(), (*top)[end]) != last.end())
        end++;
    if (!an.shadow.orphaned) {
        std::vector<Item *> kept(top->begin() + first, top->begin() + end);
        *top = kept;
    } else { /* all of it is executed by a team */
        Item *team = an.make_item(PLUSSI_N_PARALLEL, top->front()->loc);
        for (Item *it : *top)
            it->parent = team;
        team->body = *top;
        *top = {team};
    }
}

static bool same_address(const Ref *a, const Ref *b)
{
    return a->object == b->object && a->offset == b->offset && a->path == b->path &&
           a->width == b->width;
}

void order_references(std::vector<Item *> *items)
{
    std::vector<Item *> &v = *items;
    for (Item *it : v) {
        order_references(&it->body);
        order_references(&it->orelse);
    }
    for (size_t w = 0; w < v.size(); w++) {
        if (v[w]->kind != PLUSSI_N_REF || !v[w]->ref->write || v[w]->ref->atomic ||
            v[w]->ref->place == UNKNOWN_LOCATION)
            continue;
        const Ref *write = v[w]->ref;
        size_t r = w;
        while (r-- > 0) {
            const Ref *ref = v[r]->ref;
            if (v[r]->kind != PLUSSI_N_REF || !same_address(ref, write))
                continue;
            if (ref->write || ref->place != write->place)
                r = 0; /* some other access of the same place: not a compound assignment */
            break;
        }
        if (r >= w || v[r]->kind != PLUSSI_N_REF || v[r]->ref->write ||
            !same_address(v[r]->ref, write) || v[r]->ref->place != write->place)
            continue;
        /* Subscript loads: evaluated for the read (before r) and again for the write. */
        if (!lang_GNU_Fortran())
            for (size_t second = r + 1; second < w; second++) {
                const Ref *b = v[second]->ref;
                if (v[second]->kind != PLUSSI_N_REF || b->write || b->place == UNKNOWN_LOCATION)
                    continue;
                for (size_t one = r; one-- > 0;) {
                    const Ref *a = v[one]->ref;
                    if (v[one]->kind != PLUSSI_N_REF || a->write)
                        break;
                    if (a->place == b->place && same_address(a, b)) {
                        v[one]->ref->unneeded = true;
                        v.erase(v.begin() + one);
                        r--, w--, second--;
                        break;
                    }
                }
            }
        Item *read = v[r];
        read->ref->with = write;
        v.erase(v.begin() + r);
        v.insert(v.begin() + (w - 1), read);
    }
}

/* Are these the same statements, described twice? */
static bool same_code(const std::vector<Item *> &a, const std::vector<Item *> &b)
{
    bool same = a.size() == b.size();
    for (size_t i = 0; same && i < a.size(); i++)
        same = a[i]->kind == b[i]->kind && a[i]->bb == b[i]->bb && a[i]->loc == b[i]->loc &&
               a[i]->construct == b[i]->construct && a[i]->loop == b[i]->loop &&
               !a[i]->ref == !b[i]->ref &&
               (!a[i]->ref ||
                (a[i]->ref->stmt == b[i]->ref->stmt && same_address(a[i]->ref, b[i]->ref))) &&
               same_code(a[i]->body, b[i]->body) && same_code(a[i]->orelse, b[i]->orelse);
    return same;
}

void negate_branch(Exprs &ex, Item *it)
{
    it->cond = ex.negate(it->cond);
    it->probability = 1 - it->probability;
    it->body.swap(it->orelse);
    std::swap(it->ops, it->orelse_ops);
}

/* if (a) X else if (b) X else Y, X the same statements: if (a || b) X else Y. The later X is kept:
 * its items are those that the loops refer to. */
static void join_alternatives(Exprs &ex, Item *it)
{
    while (it->orelse.size() == 1 && it->orelse[0]->kind == PLUSSI_N_IF &&
           same_code(it->body, it->orelse[0]->body)) {
        const Item *inner = it->orelse[0];
        std::vector<Item *> body = inner->body, orelse = inner->orelse;
        it->cond = ex.either(it->cond, inner->cond);
        it->body = body;
        it->orelse = orelse;
        it->orelse_ops = inner->orelse_ops;
        for (const std::vector<Item *> *v : {&it->body, &it->orelse})
            for (Item *k : *v)
                k->parent = it;
    }
}

/* The statements of another item become its own. */
static void take_body(Item *it, const std::vector<Item *> body)
{
    it->body = body;
    for (Item *k : it->body)
        k->parent = it;
}

/* if (a) { if (b) X else Y } else Y, Y the same statements: if (a && b) X else Y. The later Y is
 * kept. */
static void join_rests(Exprs &ex, Item *it)
{
    while (!it->orelse.empty() && it->body.size() == 1 && it->body[0]->kind == PLUSSI_N_IF) {
        Item *inner = it->body[0];
        if (same_code(inner->body, it->orelse))
            negate_branch(ex, inner);
        else if (!same_code(inner->orelse, it->orelse))
            break;
        it->cond = ex.both(it->cond, inner->cond);
        it->ops = inner->ops;
        take_body(it, inner->body);
    }
}

/* if (a) { if (b) X } else if (c) X, X the same statements: if (a ? b : c) X, where that is one
 * condition of && and ||. */
static void join_chosen(Exprs &ex, Item *it)
{
    auto single = [](const std::vector<Item *> &way) {
        return way.size() == 1 && way[0]->kind == PLUSSI_N_IF && way[0]->orelse.empty() ? way[0]
                                                                                        : nullptr;
    };
    const Item *x = single(it->body), *y = single(it->orelse);
    if (!x || !y || !same_code(x->body, y->body))
        return;
    auto truth = [&](const Cond *c) { return ex.select(c, Poly(1), Poly(0)); };
    const Cond *c =
        ex.relation(Cond::Ne, ex.select(it->cond, truth(x->cond), truth(y->cond)), Poly(0));
    if (!find_unknown(c).empty() || (c->kinds() & kind_bit(AtomKind::Select)))
        return;
    it->cond = c;
    it->ops.add(it->orelse_ops);
    it->ops.add(y->ops);
    it->orelse_ops.lines.clear();
    take_body(it, y->body);
    it->orelse.clear();
}

void join_nested(Exprs &ex, Item *it)
{
    while (it->orelse.empty() && it->body.size() == 1 && it->body[0]->kind == PLUSSI_N_IF &&
           it->body[0]->orelse.empty()) {
        const Item *inner = it->body[0];
        it->cond = ex.both(it->cond, inner->cond);
        it->probability *= inner->probability;
        it->ops.add(inner->ops);
        take_body(it, inner->body);
    }
}

void prune_items(Exprs &ex, std::vector<Item *> *items, const std::function<bool(Ref *)> &drop)
{
    std::vector<Item *> kept;
    for (Item *it : *items) {
        prune_items(ex, &it->body, drop);
        prune_items(ex, &it->orelse, drop);
        bool empty = it->body.empty() && it->orelse.empty();
        switch (it->kind) {
        case PLUSSI_N_REF:
            if (drop(it->ref))
                continue;
            break;
        case PLUSSI_N_LOOP:
            if (empty && !it->construct && !it->collapsed && it->ops.lines.empty())
                continue;
            break;
        case PLUSSI_N_BRANCH:
            if (empty && it->ops.lines.empty() && it->orelse_ops.lines.empty())
                continue;
            break;
        case PLUSSI_N_IF:
            if (empty && it->ops.lines.empty() && it->orelse_ops.lines.empty())
                continue;
            join_alternatives(ex, it);
            join_rests(ex, it);
            join_chosen(ex, it);
            if (it->body.empty() && !it->orelse.empty())
                negate_branch(ex, it);
            join_nested(ex, it);
            break;
        case PLUSSI_N_SINGLE:
            if (empty && it->construct && it->construct->tasks && it->ops.lines.empty())
                continue; /* before or after a taskloop */
            break;
        case PLUSSI_N_CRITICAL:
        case PLUSSI_N_ORDERED:
        case PLUSSI_N_MASTER:
            if (empty && it->ops.lines.empty())
                continue;
            break;
        default:
            break;
        }
        kept.push_back(it);
    }
    *items = kept;
}

} // namespace pluss
