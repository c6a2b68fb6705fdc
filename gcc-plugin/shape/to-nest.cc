/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds the nest of one function: a region with the symbols and arrays that occur in it, in order
 * of their declaration in the source, then its statements. Names are the source's; where two things
 * of one function have the same, the later one gets a number ("n_2"). Validation is the library's:
 * a nest that it refuses is a fault of the plugin, which is reported and not emitted.
 */
#include "shape/to-nest.h"

#include "emit/note.h"

namespace pluss
{

/* The symbols and arrays that occur in a nest. */
struct Used {
    std::vector<const Atom *> symbols;
    std::vector<const Array *> arrays;
    std::set<const void *> seen;
};

class Builder
{
  public:
    Builder(Analysis &a, Shapes &s, NestIndex *i) : an(a), shapes(s), index(i) {}
    std::string build_text(const std::vector<Item *> &top, std::string *reason);

  private:
    Analysis &an;
    Shapes &shapes;
    NestIndex *index;
    plussi_nest *nest = nullptr;
    plussi_region *region = nullptr;
    std::string region_file;
    std::map<std::string, plussi_symbol *> symbols;
    std::map<const Array *, plussi_array *> arrays;
    std::map<Object *, Array *> main_array;
    std::map<const Loop *, plussi_node *> nodes;
    std::set<std::string> names;  /* of symbols and arrays */
    std::vector<std::string> ivs; /* of the enclosing loops */
    bool counted = false;         /* there are operations */

    std::string make_unique(const std::string &name);
    plussi_loc convert_location(location_t loc);
    std::map<Object *, std::string> alias_groups();
    void note_assumptions(const Used &u);
    void declare_array(const Array *a, const std::map<Object *, std::string> &groups);
    void declare_used(const std::vector<Item *> &top);
    void add_loop(const Item *it, plussi_node *n);
    void add_reference(const Item *it, plussi_node *n);
    void add_body(const std::vector<Item *> &items, plussi_body *out, plussi_node *parent);
    void add_count();
    void add_operations(const Operations &ops, const char *prefix, plussi_body *out,
                        plussi_node *parent);
    void add_item(const Item *it, plussi_body *out, plussi_node *parent);
    plussi_expr *build_expr(const Poly &p);
    plussi_expr *build_atom(const Atom *a);
    plussi_expr *build_cond(const Cond *c);
    plussi_expr *build_extreme(const Atom *a, const Poly &shift);
    plussi_expr *build_op(plussi_expr_kind k, plussi_expr *a, plussi_expr *b)
    {
        return plussi_expr_op(nest, k, a, b, NULL);
    }
};

std::string Builder::make_unique(const std::string &name)
{
    std::string s = name.substr(0, PLUSSI_MAX_NAME - 8);
    for (int k = 2; names.count(s); k++)
        s = name.substr(0, PLUSSI_MAX_NAME - 8) + "_" + std::to_string(k);
    names.insert(s);
    return s;
}

plussi_loc Builder::convert_location(location_t loc)
{
    plussi_loc r = {NULL, 0, 0};
    if (loc == UNKNOWN_LOCATION || loc == BUILTINS_LOCATION)
        return r;
    expanded_location x = expand_location(loc);
    r.line = x.line > 0 ? x.line : 0;
    if (x.file && r.line) {
        const char *file = plussi_recorded_path(x.file);
        if (region_file.empty())
            region_file = file;
        if (region_file != file)
            r.file = plussi_nest_string(nest, file);
    }
    return r;
}

/* ---- expressions ----------------------------------------------------------------------------- */

plussi_expr *Builder::build_atom(const Atom *a)
{
    switch (a->kind) {
    case AtomKind::Iv:
        return plussi_expr_iv(nest, nodes.at(a->loop));
    case AtomKind::Symbol:
        return plussi_expr_symbol(nest, symbols.at(a->name));
    case AtomKind::Thread:
        return plussi_expr_op(nest, PLUSSI_E_THREAD, NULL, NULL, NULL);
    case AtomKind::Team:
        return plussi_expr_op(nest, PLUSSI_E_TEAM, NULL, NULL, NULL);
    case AtomKind::Div:
        return build_op(PLUSSI_E_DIV, build_expr(a->args[0]), build_expr(a->args[1]));
    case AtomKind::Mod:
        return build_op(PLUSSI_E_MOD, build_expr(a->args[0]), build_expr(a->args[1]));
    case AtomKind::Min:
    case AtomKind::Max:
        return build_extreme(a, Poly());
    case AtomKind::Select:
        return plussi_expr_op(nest, PLUSSI_E_SELECT, build_cond(a->cond), build_expr(a->args[0]),
                              build_expr(a->args[1]));
    case AtomKind::Load: {
        const Place &p = shapes.place_of(a);
        index->closed_form = false;
        index->by_contents = true;
        plussi_expr *e = plussi_expr_load(nest, arrays.at(p.array), p.subs.size());
        for (size_t i = 0, k = p.subs.size(); e && i < k; i++)
            e->subs[p.array->column_order ? k - 1 - i : i] = build_expr(p.subs[i]);
        return e;
    }
    default:
        gcc_unreachable(); /* describable() keeps these out */
    }
}

plussi_expr *Builder::build_extreme(const Atom *a, const Poly &shift)
{
    plussi_expr_kind k = a->kind == AtomKind::Min ? PLUSSI_E_MIN : PLUSSI_E_MAX;
    plussi_expr *e = build_expr(a->args[0] + shift);
    for (size_t i = 1; i < a->args.size(); i++)
        e = build_op(k, e, build_expr(a->args[i] + shift));
    return e;
}

/* Terms with positive coefficients come first, the constant last: n - i - 1. */
plussi_expr *Builder::build_expr(const Poly &p)
{
    plussi_expr *sum = NULL;
    const Atom *alone = (p - Poly(p.constant())).is_atom();
    if (alone && (alone->kind == AtomKind::Min || alone->kind == AtomKind::Max))
        return build_extreme(alone, Poly(p.constant()));
    auto product = [&](const Term &t, int64_t coef) {
        plussi_expr *e = coef == 1 ? NULL : plussi_expr_int(nest, coef);
        Mono factors = t.mono; /* in one order, whichever the analysis met first */
        auto place = [&](const Atom *a) {
            return a->kind == AtomKind::Iv       ? (int64_t)loop_depth(a->loop->cfg) - INT_MAX
                   : a->kind == AtomKind::Symbol ? (int64_t)symbols.at(a->name)->id
                                                 : INT64_MAX;
        };
        std::stable_sort(factors.begin(), factors.end(),
                         [&](const Atom *a, const Atom *b) { return place(a) < place(b); });
        for (const Atom *a : factors) {
            plussi_expr *x = build_atom(a);
            e = e ? build_op(PLUSSI_E_MUL, e, x) : x;
        }
        return e;
    };
    /* Outer loops' variables first, then inner ones', then symbols. */
    std::vector<Term> terms(p.terms.begin(), p.terms.end());
    auto depth = [](const Term &t) {
        int d = INT_MAX;
        for (const Atom *a : t.mono)
            if (a->kind == AtomKind::Iv)
                d = std::min(d, (int)loop_depth(a->loop->cfg));
        return d;
    };
    std::stable_sort(terms.begin(), terms.end(),
                     [&](const Term &a, const Term &b) { return depth(a) < depth(b); });
    bool rises = p.constant() > 0;
    for (const Term &t : terms)
        rises &= t.mono.empty() || t.coef < 0;
    if (rises) /* 1 - t % 2 */
        sum = plussi_expr_int(nest, p.constant());
    for (int negative = 0; negative < 2; negative++)
        for (const Term &t : terms) {
            if (t.mono.empty() || (t.coef < 0) != (negative == 1))
                continue;
            if (!negative) {
                plussi_expr *e = product(t, t.coef);
                sum = sum ? build_op(PLUSSI_E_ADD, sum, e) : e;
            } else if (sum && t.coef != INT64_MIN) {
                sum = build_op(PLUSSI_E_SUB, sum, product(t, -t.coef));
            } else if (t.coef == -1) {
                sum = build_op(PLUSSI_E_NEG, product(t, 1), NULL);
            } else {
                plussi_expr *e = product(t, t.coef);
                sum = sum ? build_op(PLUSSI_E_ADD, sum, e) : e;
            }
        }
    int64_t c = p.constant();
    if (!sum || (rises && p.terms.size() == 1))
        return plussi_expr_int(nest, c);
    if (rises)
        return sum;
    if (c > 0 || c == INT64_MIN)
        return build_op(PLUSSI_E_ADD, sum, plussi_expr_int(nest, c));
    if (c < 0)
        return build_op(PLUSSI_E_SUB, sum, plussi_expr_int(nest, -c));
    return sum;
}

plussi_expr *Builder::build_cond(const Cond *c)
{
    static const std::map<Cond::Op, plussi_expr_kind> kinds = {
        {Cond::And, PLUSSI_E_AND}, {Cond::Or, PLUSSI_E_OR}, {Cond::Lt, PLUSSI_E_LT},
        {Cond::Le, PLUSSI_E_LE},   {Cond::Gt, PLUSSI_E_GT}, {Cond::Ge, PLUSSI_E_GE},
        {Cond::Eq, PLUSSI_E_EQ},   {Cond::Ne, PLUSSI_E_NE}};
    auto kind = kinds.find(c->op);
    if (kind == kinds.end()) /* True, False in an if clause */
        return build_op(PLUSSI_E_EQ, plussi_expr_int(nest, c->op == Cond::True ? 0 : 1),
                        plussi_expr_int(nest, 0));
    return c->a ? build_op(kind->second, build_cond(c->a), build_cond(c->b))
                : build_op(kind->second, build_expr(c->l), build_expr(c->r));
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void collect_used(Shapes &shapes, const Poly &p, Used *u);

static void collect_used(Shapes &shapes, const Array *a, Used *u)
{
    if (!a || !u->seen.insert(a).second)
        return;
    if (a->over)
        collect_used(shapes, a->over, u);
    u->arrays.push_back(a);
    for (const Poly &p : a->extent)
        collect_used(shapes, p, u);
    if (a->explicit_strides)
        for (const Poly &p : a->stride)
            collect_used(shapes, p, u);
}

static void collect_used(Shapes &shapes, const Poly &p, Used *u)
{
    any_atom(p, [&](const Atom *a) {
        if (a->kind == AtomKind::Symbol && u->seen.insert(a).second)
            u->symbols.push_back(a);
        if (a->kind == AtomKind::Load && u->seen.insert(a).second) {
            const Place &pl = shapes.place_of(a);
            collect_used(shapes, pl.array, u);
            for (const Poly &s : pl.subs)
                collect_used(shapes, s, u);
        }
        return false;
    });
}

static void collect_used(Shapes &shapes, const Cond *c, Used *u)
{
    if (!c)
        return;
    if (c->a) {
        collect_used(shapes, c->a, u);
        collect_used(shapes, c->b, u);
    } else {
        collect_used(shapes, c->l, u);
        collect_used(shapes, c->r, u);
    }
}

static void collect_used(Shapes &shapes, const std::vector<Item *> &items, Used *u)
{
    for (const Item *it : items) {
        if (it->kind != PLUSSI_N_UNKNOWN) { /* its condition, or its bounds, are not in the nest */
            collect_used(shapes, it->lo, u);
            collect_used(shapes, it->hi, u);
            collect_used(shapes, it->chunk, u);
            collect_used(shapes, it->threads, u);
            collect_used(shapes, it->cond, u);
        }
        if (it->ref) {
            const Place &p = shapes.place_of(it->ref);
            collect_used(shapes, p.array, u);
            for (const Poly &s : p.subs)
                collect_used(shapes, s, u);
        }
        collect_used(shapes, it->body, u);
        collect_used(shapes, it->orelse, u);
    }
}

/* Arrays that are distinct by assumption, in groups named after the member that is declared first.
 */
std::map<Object *, std::string> Builder::alias_groups()
{
    std::map<Object *, Object *> first;
    auto is_before = [](const Object *a, const Object *b) {
        return a->loc != b->loc ? a->loc < b->loc : a->name < b->name;
    };
    for (bool again = true; again;) {
        again = false;
        for (auto &p : an.aliases) {
            if (!main_array.count(p.first) || !main_array.count(p.second))
                continue;
            Object *&x = first.emplace(p.first, p.first).first->second;
            Object *&y = first.emplace(p.second, p.second).first->second;
            again |= is_before(x, y) || is_before(y, x);
            x = y = is_before(y, x) ? y : x;
        }
    }
    std::map<Object *, std::string> groups;
    for (auto &member : first)
        groups[member.first] = member.second->name;
    return groups;
}

void Builder::note_assumptions(const Used &u)
{
    std::set<std::string> noted;
    auto note = [&](location_t loc, const std::string &text) {
        if (!text.empty() && noted.insert(text).second)
            note_loop(loc, text);
    };
    for (const Atom *a : u.symbols)
        note(an.symbols[a->name].loc, an.symbols[a->name].assumption);
    for (const Array *a : u.arrays)
        note(a->object->loc, a->object->assumption);
}

void Builder::declare_array(const Array *a, const std::map<Object *, std::string> &groups)
{
    size_t n = a->stride.size();
    std::string name = make_unique(a->name);
    plussi_array *r = plussi_nest_add_array(nest, region, name.c_str(), a->elem, a->elem_bytes, n);
    index->arrays.push_back(a);
    index->names.arrays.push_back(name);
    arrays[a] = r;
    if (!r)
        return;
    for (size_t d = 0; d < n; d++)
        r->extents[a->column_order ? n - 1 - d : d] =
            d < a->extent.size() && !a->extent[d].zero() ? build_expr(a->extent[d]) : NULL;
    if (a->explicit_strides && n) {
        r->strides = plussi_expr_vec(nest, n);
        for (size_t d = 0; d < n; d++) {
            Poly q;
            if (!a->stride[d].divide(Poly(a->elem_bytes), &q))
                q = an.ex.div(a->stride[d], Poly(a->elem_bytes));
            r->strides[a->column_order ? n - 1 - d : d] = build_expr(q);
        }
    }
    r->column_order = a->column_order;
    if (n && !a->lower.empty())
        r->lower = static_cast<int64_t *>(plussi_arena_alloc(&nest->arena, n, sizeof *r->lower));
    for (size_t d = 0; r->lower && d < n; d++)
        r->lower[a->column_order ? n - 1 - d : d] = a->lower[d];
    if (!a->values.empty())
        r->values = static_cast<int64_t *>(
            plussi_arena_alloc(&nest->arena, a->values.size(), sizeof *r->values));
    if (r->values) {
        std::copy(a->values.begin(), a->values.end(), r->values);
        r->has_values = true;
        r->n_values = a->values.size();
    }
    r->is_private = a->object->is_private;
    auto group = groups.find(a->object);
    if (group != groups.end())
        r->alias = plussi_nest_string(nest, group->second.c_str());
    if (a->is_memory) {
        r->base_kind = PLUSSI_BASE_ADDRESS;
        r->base = plussi_expr_int(nest, 0);
    }
    if (a->over) {
        r->base_kind = PLUSSI_BASE_OVER;
        r->over = arrays.at(a->over);
        r->base = a->shift ? plussi_expr_int(nest, a->shift) : NULL;
    }
}

void Builder::declare_used(const std::vector<Item *> &top)
{
    Used u;
    collect_used(shapes, top, &u);
    for (Array &a : shapes.arrays)
        if (u.seen.count(&a) && !a.over)
            main_array.emplace(a.object, &a);
    std::stable_sort(u.symbols.begin(), u.symbols.end(), [&](const Atom *a, const Atom *b) {
        return an.symbols[a->name].loc < an.symbols[b->name].loc;
    });
    std::stable_sort(u.arrays.begin(), u.arrays.end(), [](const Array *a, const Array *b) {
        if (a->object->loc != b->object->loc)
            return a->object->loc < b->object->loc;
        return !a->over && b->over;
    });
    note_assumptions(u);
    for (const Atom *a : u.symbols) {
        std::string name = make_unique(an.symbols[a->name].name);
        symbols[a->name] = plussi_nest_add_symbol(nest, region, name.c_str(), NULL);
        index->symbols.push_back(a);
        index->names.symbols.push_back(name);
    }
    std::map<Object *, std::string> groups = alias_groups();
    for (const Array *a : u.arrays) {
        declare_array(a, groups);
        if (!arrays.at(a))
            return;
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

void Builder::add_body(const std::vector<Item *> &items, plussi_body *out, plussi_node *parent)
{
    for (const Item *it : items)
        add_item(it, out, parent);
}

/* An `ops` of none where there are no operations: they were counted. */
void Builder::add_count()
{
    plussi_node *n = plussi_nest_add_node(nest, &region->body, NULL, PLUSSI_N_OPS, {NULL, 0, 0});
    if (!n)
        return;
    n->u.ops.op =
        static_cast<plussi_op *>(plussi_arena_alloc(&nest->arena, 1, sizeof *n->u.ops.op));
    if (n->u.ops.op)
        n->u.ops.op[n->u.ops.n++] = {plussi_nest_string(nest, operation_groups[OP_INT_ADD]), 0};
}

/* prefix: "chain_", or "" */
void Builder::add_operations(const Operations &ops, const char *prefix, plussi_body *out,
                             plussi_node *parent)
{
    counted |= !ops.lines.empty();
    for (const LineOperations &l : ops.lines) {
        plussi_node *n =
            plussi_nest_add_node(nest, out, parent, PLUSSI_N_OPS, convert_location(l.loc));
        if (!n)
            return;
        n->u.ops.op = static_cast<plussi_op *>(
            plussi_arena_alloc(&nest->arena, N_OPERATIONS, sizeof *n->u.ops.op));
        for (int g = 0; n->u.ops.op && g < N_OPERATIONS; g++)
            if (l.count[g])
                n->u.ops.op[n->u.ops.n++] = {
                    plussi_nest_string(nest, (prefix + std::string(operation_groups[g])).c_str()),
                    l.count[g]};
    }
}

void Builder::add_loop(const Item *it, plussi_node *n)
{
    const Construct *c = it->construct;
    nodes[it->loop] = n;
    index->loops.push_back(it);
    n->u.loop.lo = build_expr(it->lo);
    n->u.loop.hi = build_expr(it->hi);
    n->u.loop.step = it->step;
    n->u.loop.collapse = 1;
    if (c) {
        n->u.loop.workshare = true;
        n->u.loop.schedule.kind = c->schedule;
        n->u.loop.schedule.modifier = c->modifier;
        if (it->has_chunk)
            n->u.loop.schedule.chunk = build_expr(it->chunk);
        n->u.loop.collapse = c->collapse;
        /* The end of the region is a barrier anyway. */
        bool last =
            it->parent && it->parent->kind == PLUSSI_N_PARALLEL && it->parent->body.back() == it;
        n->u.loop.nowait = c->nowait && !last;
        n->u.loop.ordered = c->ordered;
    }
    std::string name = it->loop->name.empty() ? "iv" : it->loop->name, s = name;
    for (int k = 2; names.count(s) || std::find(ivs.begin(), ivs.end(), s) != ivs.end(); k++)
        s = name + "_" + std::to_string(k);
    n->u.loop.iv = plussi_nest_string(nest, s.c_str());
    ivs.push_back(s);
    add_body(it->body, &n->body, n);
    if (it->body.size() != 1 || !it->body[0]->collapsed) /* else it is the only statement */
        add_operations(it->ops, "", &n->body, n);
    add_operations(it->chain, "chain_", &n->body, n);
    ivs.pop_back();
}

void Builder::add_reference(const Item *it, plussi_node *n)
{
    const Place &p = shapes.place_of(it->ref);
    index->refs.push_back(it);
    n->u.ref.array = arrays.at(p.array);
    size_t k = n->u.ref.n_subs = p.subs.size();
    n->u.ref.subs = plussi_expr_vec(nest, k);
    for (size_t d = 0; d < k; d++)
        n->u.ref.subs[p.array->column_order ? k - 1 - d : d] = build_expr(p.subs[d]);
    bool whole = p.offset == 0 && (int64_t)p.width == p.array->elem_bytes;
    n->u.ref.offset = p.offset;
    n->u.ref.width = whole ? 0 : p.width;
    n->u.ref.write = it->ref->write;
    n->u.ref.atomic = it->ref->atomic;
}

void Builder::add_item(const Item *it, plussi_body *out, plussi_node *parent)
{
    plussi_node *n = plussi_nest_add_node(nest, out, parent, it->kind, convert_location(it->loc));
    if (!n)
        return;
    switch (it->kind) {
    case PLUSSI_N_LOOP:
        add_loop(it, n);
        break;
    case PLUSSI_N_REF:
        add_reference(it, n);
        break;
    case PLUSSI_N_PARALLEL:
        if (it->construct && it->construct->has_threads)
            n->u.parallel.num_threads = build_expr(it->threads);
        if (it->cond)
            n->u.parallel.cond = build_cond(it->cond);
        add_body(it->body, &n->body, n);
        if (it->body.size() != 1 || !it->body[0]->loop) /* else those of the loop's bounds */
            add_operations(it->ops, "", &n->body, n);
        break;
    case PLUSSI_N_IF:
    case PLUSSI_N_BRANCH:
        if (it->kind == PLUSSI_N_IF)
            n->u.branch.cond = build_cond(it->cond);
        else
            n->u.branch.probability = it->probability;
        add_body(it->body, &n->body, n);
        add_operations(it->ops, "", &n->body, n);
        add_body(it->orelse, &n->orelse, n);
        add_operations(it->orelse_ops, "", &n->orelse, n);
        break;
    case PLUSSI_N_SINGLE:
        n->u.single.nowait = it->construct && it->construct->nowait;
        add_body(it->body, &n->body, n);
        add_operations(it->ops, "", &n->body, n);
        break;
    case PLUSSI_N_SWAP:
        n->u.swap.a = arrays.at(main_array.at(it->a));
        n->u.swap.b = arrays.at(main_array.at(it->b));
        break;
    case PLUSSI_N_UNKNOWN:
        index->closed_form = false;
        index->unknowns.push_back(it);
        n->u.unknown.kind = it->unknown;
        n->u.unknown.array =
            it->a && main_array.count(it->a) ? arrays.at(main_array.at(it->a)) : NULL;
        n->u.unknown.reason = plussi_nest_string(nest, it->reason.c_str());
        break;
    case PLUSSI_N_MASTER:
    case PLUSSI_N_CRITICAL:
    case PLUSSI_N_ORDERED:
        add_body(it->body, &n->body, n);
        add_operations(it->ops, "", &n->body, n);
        break;
    default:
        break;
    }
}

/* Drops swaps of arrays that no reference uses. */
static void drop_swaps(std::vector<Item *> *items, const std::map<Object *, Array *> &known)
{
    items->erase(std::remove_if(items->begin(), items->end(),
                                [&](Item *it) {
                                    return it->kind == PLUSSI_N_SWAP &&
                                           (!known.count(it->a) || !known.count(it->b));
                                }),
                 items->end());
    for (Item *it : *items) {
        drop_swaps(&it->body, known);
        drop_swaps(&it->orelse, known);
    }
}

std::string Builder::build_text(const std::vector<Item *> &top, std::string *reason)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    std::string text;
    pluss_status st = plussi_nest_new(&ctx, &nest);
    if (st == PLUSS_OK) {
        tree decl = an.shadow.decl;
        plussi_loc loc = convert_location(an.shadow.part ? gimple_location(an.shadow.part)
                                                         : DECL_SOURCE_LOCATION(decl));
        loc.file = region_file.empty() ? NULL : plussi_nest_string(nest, region_file.c_str());
        NestNames &names = index->names;
        names.name = lang_hooks.decl_printable_name(decl, 1);
        names.file = region_file;
        names.line = loc.line;
        region = plussi_nest_add_region(nest, names.name.c_str(), loc);
        if (region) {
            declare_used(top);
            std::vector<Item *> items = top;
            drop_swaps(&items, main_array);
            add_body(items, &region->body, NULL);
            if (options.ops && !counted)
                add_count();
        }
        st = plussi_nest_validate(&ctx, nest);
        char *out;
        size_t length;
        if (st == PLUSS_OK)
            st = plussi_nest_print(&ctx, nest, &out, &length);
        if (st == PLUSS_OK) {
            text.assign(out, length);
            plussi_free(&ctx.mem, out);
        }
    }
    if (st != PLUSS_OK)
        *reason = ctx.n_diags ? ctx.diags[0].text : plussi_status_text(st);
    if (nest)
        plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
    return text;
}

std::string nest_text(Analysis &an, Shapes &shapes, const std::vector<Item *> &top,
                      std::string *reason, NestIndex *index)
{
    return Builder(an, shapes, index).build_text(top, reason);
}

} // namespace pluss
