/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which loops of serial code are described as if they were parallel: those that are marked
 * (source_marks.h), or, in a function without marks and with serial=on, the outermost ones that are
 * described in full.
 *
 * A loop whose iterations all write the same elements (a loop over time steps, the loop over k of a
 * matrix product where it is the outer one) cannot be parallel as it is: the loops inside of it are
 * looked at in its place. So are those of a loop that exchanges pointers. Whether iterations depend
 * on each other in another way is not asked; single elements that they all change are taken to be
 * sums.
 *
 * What is declared in a loop's body is each iteration's own, and so each thread's. (Clobbers tell:
 * GCC puts one at the end of each block for the arrays that it declares.)
 */
#include "analysis/serial.h"

#include "common/source_marks.h"
#include "emit/note.h"

namespace pluss
{

class Chooser
{
  public:
    explicit Chooser(Analysis &a) : an(a) {}
    void choose_marked(const std::vector<Mark> &marks, std::vector<Item *> *top);
    void choose_outermost(std::vector<Item *> *items);

  private:
    Analysis &an;

    static bool is_described(const Item *it);
    static bool accesses(const Item *it);
    bool is_inside(const Object *o, const class loop *l);
    bool repeats_writes(const Item *it, const class loop *l, std::set<const Loop *> varying,
                        bool guarded);
    bool can_be_parallel(const Item *it);
    Item *wrap(Item *loop, const Mark *mark);
    const Loop *find_marked(const Mark &mark);
    bool wrap_all(std::vector<Item *> *items, const Loop *l, const Mark &mark);
};

/* Has the nest all of it? */
bool Chooser::is_described(const Item *it)
{
    switch (it->kind) {
    case PLUSSI_N_IF:
        if (!find_unknown(it->cond).empty())
            return false;
        break;
    case PLUSSI_N_LOOP:
        if (it->construct)
            return false;
        break;
    case PLUSSI_N_REF:
        break;
    default:
        return false; /* unknown, a construct, an exchange of pointers */
    }
    auto all = [](const std::vector<Item *> &v) {
        return std::all_of(v.begin(), v.end(), is_described);
    };
    return all(it->body) && all(it->orelse);
}

/* Are there accesses to arrays in it? */
bool Chooser::accesses(const Item *it)
{
    auto any = [](const std::vector<Item *> &v) {
        return std::any_of(v.begin(), v.end(), accesses);
    };
    return (it->ref && !it->ref->levels.empty()) || any(it->body) || any(it->orelse);
}

/* Is the object declared in the loop's body? */
bool Chooser::is_inside(const Object *o, const class loop *l)
{
    if (o->kind != ObjectKind::Decl || is_global_var(o->decl))
        return false;
    bool found = false;
    basic_block *body = get_loop_body(l);
    for (unsigned k = 0; k < l->num_nodes && !found; k++)
        for (gimple_stmt_iterator i = gsi_start_bb(body[k]); !gsi_end_p(i); gsi_next(&i))
            found |= gimple_clobber_p(gsi_stmt(i)) && gimple_assign_lhs(gsi_stmt(i)) == o->decl;
    free(body);
    return found;
}

static bool uses_any(const Poly &p, const std::set<const Loop *> &loops)
{
    return any_atom(
        p, [&](const Atom *a) { return a->kind == AtomKind::Iv && loops.count(a->loop) != 0; });
}

static bool uses_any(const Cond *c, const std::set<const Loop *> &loops)
{
    return any_atom(
        c, [&](const Atom *a) { return a->kind == AtomKind::Iv && loops.count(a->loop) != 0; });
}

/* Is there an array element that every iteration of l writes? `varying': l, and the loops inside of
 * it that depend on it; `guarded': a condition does. */
bool Chooser::repeats_writes(const Item *it, const class loop *l, std::set<const Loop *> varying,
                             bool guarded)
{
    if (it->kind == PLUSSI_N_LOOP && (uses_any(it->lo, varying) || uses_any(it->hi, varying)))
        varying.insert(it->loop);
    if (it->kind == PLUSSI_N_IF)
        guarded |= uses_any(it->cond, varying);
    if (it->kind == PLUSSI_N_REF && it->ref->write && !it->ref->levels.empty() && !guarded) {
        bool moves = uses_any(it->ref->offset, varying);
        for (const Poly &p : it->ref->path)
            moves |= uses_any(p, varying);
        bool one_place = true; /* a sum */
        for (const Level &level : it->ref->levels)
            one_place &= level.sub.is_const(NULL);
        if (!moves && !one_place && !is_inside(it->ref->object, l))
            return true;
    }
    auto any = [&](const std::vector<Item *> &v) {
        return std::any_of(v.begin(), v.end(),
                           [&](const Item *k) { return repeats_writes(k, l, varying, guarded); });
    };
    return any(it->body) || any(it->orelse);
}

bool Chooser::can_be_parallel(const Item *it)
{
    return it->loop->reason.empty() && is_described(it) && accesses(it) &&
           !repeats_writes(it, it->loop->cfg, {it->loop}, false);
}

/* A parallel region with the loop in it, which it becomes a worksharing loop of. */
Item *Chooser::wrap(Item *loop, const Mark *mark)
{
    an.shadow.constructs.emplace_back(ConstructKind::For, loop->loc);
    Construct *c = &an.shadow.constructs.back();
    if (mark) {
        c->schedule = mark->schedule;
        loop->has_chunk = c->has_chunk = mark->chunk > 0;
        loop->chunk = Poly(mark->chunk);
    }
    loop->construct = c;
    for (Object &o : an.objects)
        o.is_private |= is_inside(&o, loop->loop->cfg);
    Item *team = an.make_item(PLUSSI_N_PARALLEL, loop->loc);
    team->bb = loop->bb;
    team->parent = loop->parent;
    loop->parent = team;
    team->body = {loop};
    return team;
}

void Chooser::choose_outermost(std::vector<Item *> *items)
{
    for (Item *&it : *items) {
        if (it->kind == PLUSSI_N_LOOP && can_be_parallel(it)) {
            it = wrap(it, nullptr);
        } else if (it->kind == PLUSSI_N_LOOP || it->kind == PLUSSI_N_IF) {
            choose_outermost(&it->body);
            choose_outermost(&it->orelse);
        }
    }
}

/* The first loop after a mark, by its place in the source; of several there, the outermost. */
const Loop *Chooser::find_marked(const Mark &mark)
{
    const Loop *found = nullptr;
    std::tuple<int, int, int> least;
    for (unsigned i = 1; i < number_of_loops(cfun); i++) {
        const class loop *l = ::get_loop(cfun, i);
        if (!l)
            continue;
        const Loop *r = an.get_loop(l);
        const expanded_location at = expand_location(r->loc);
        if (!at.file || mark.file != at.file || at.line <= mark.line)
            continue;
        std::tuple<int, int, int> place(at.line, at.column, (int)loop_depth(l));
        if (!found || place < least) {
            found = r;
            least = place;
        }
    }
    return found;
}

/* The loop may be described at several places. */
bool Chooser::wrap_all(std::vector<Item *> *items, const Loop *l, const Mark &mark)
{
    bool any = false;
    for (Item *&it : *items) {
        if (it->kind == PLUSSI_N_LOOP && it->loop == l && !it->construct) {
            it = wrap(it, &mark);
            any = true;
        } else if (it->kind != PLUSSI_N_PARALLEL && !it->construct) {
            any |= wrap_all(&it->body, l, mark);
            any |= wrap_all(&it->orelse, l, mark);
        }
    }
    return any;
}

void Chooser::choose_marked(const std::vector<Mark> &marks, std::vector<Item *> *top)
{
    for (const Mark &m : marks) {
        const Loop *l = find_marked(m);
        if (!l && m.loc != UNKNOWN_LOCATION)
            note_loop(m.loc, "no loop follows this mark in its function");
        else if (l && !wrap_all(top, l, m))
            note_loop(l->loc,
                      "loop marked as parallel is not described: " +
                          (l->reason.empty() ? "it accesses nothing, or what is around it is "
                                               "not described or parallel itself"
                                             : l->reason));
    }
}

void make_parallel(Analysis &an, function *fn, std::vector<Item *> *top)
{
    std::vector<Mark> marks = list_marks(fn);
    Chooser chooser(an);
    if (!marks.empty())
        chooser.choose_marked(marks, top);
    else
        chooser.choose_outermost(top);
}

} // namespace pluss
