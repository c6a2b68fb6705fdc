/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbolic/references_text.h"

#include "nest/text.h"

bool plussi_expr_uses(const plussi_expr *e, const plussi_node *loop)
{
    if (!e)
        return false;
    if (e->kind == PLUSSI_E_IV)
        return e->loop == loop;
    bool is = false;
    for (uint32_t i = 0; e->kind == PLUSSI_E_LOAD && i < e->array->rank; i++)
        is |= plussi_expr_uses(e->subs[i], loop);
    for (uint32_t i = 0; i < plussi_expr_arity(e->kind); i++)
        is |= plussi_expr_uses(e->a[i], loop);
    return is;
}

/* What lies between the region and a reference and tells how often it is executed. */
typedef struct path {
    const plussi_node *node[PLUSSI_MAX_DEPTH];  /* loops, guards, branches; the outermost first */
    const plussi_node *child[PLUSSI_MAX_DEPTH]; /* the child that leads to the reference */
    uint32_t n;
} path;

static void add_ancestors(const plussi_node *child, path *p)
{
    const plussi_node *node = child->parent;
    if (!node)
        return;
    add_ancestors(node, p);
    if (node->kind == PLUSSI_N_LOOP || node->kind == PLUSSI_N_IF || node->kind == PLUSSI_N_BRANCH) {
        p->node[p->n] = node;
        p->child[p->n++] = child;
    }
}

static bool is_summed(const path *p, uint32_t at)
{
    for (uint32_t i = at + 1; i < p->n; i++) {
        const plussi_node *n = p->node[i];
        if (n->kind == PLUSSI_N_LOOP
                ? plussi_expr_uses(n->u.loop.lo, p->node[at]) ||
                      plussi_expr_uses(n->u.loop.hi, p->node[at])
                : n->kind == PLUSSI_N_IF && plussi_expr_uses(n->u.branch.cond, p->node[at]))
            return true;
    }
    return false;
}

/* Whether the reference is in the branch that is taken where the condition is false. */
static bool is_otherwise(const path *p, uint32_t at)
{
    for (const plussi_node *n = p->node[at]->orelse.first; n; n = n->next)
        if (n == p->child[at])
            return true;
    return false;
}

static bool is_zero(const plussi_expr *e)
{
    return e->kind == PLUSSI_E_INT && e->value == 0;
}

/* "n", "(m - 1)", "(m - i)/2": iterations of a loop; alone: no factor of a product. */
static void put_iterations(plussi_text *text, const plussi_node *loop, bool alone)
{
    const int64_t step = loop->u.loop.step;
    const plussi_expr *low = step > 0 ? loop->u.loop.lo : loop->u.loop.hi;
    const plussi_expr *high = step > 0 ? loop->u.loop.hi : loop->u.loop.lo;
    const bool by_one = step == 1 || step == -1;
    const bool bare = by_one && (alone || (is_zero(low) && plussi_expr_arity(high->kind) == 0));
    plussi_text_puts(text, bare ? "" : "(");
    plussi_text_expr(text, high);
    if (!is_zero(low)) {
        const bool sum = low->kind == PLUSSI_E_ADD || low->kind == PLUSSI_E_SUB;
        plussi_text_puts(text, sum ? " - (" : " - ");
        plussi_text_expr(text, low);
        plussi_text_puts(text, sum ? ")" : "");
    }
    plussi_text_puts(text, bare ? "" : ")");
    if (!by_one)
        plussi_text_format(text, "/%lld", (long long)(step < 0 ? -step : step));
}

static void put_factors(plussi_text *text, const path *p, uint32_t at);

static void put_sum(plussi_text *text, const path *p, uint32_t at)
{
    const plussi_node *loop = p->node[at];
    plussi_text_format(text, "sum(%.40s in ", loop->u.loop.iv);
    plussi_text_expr(text, loop->u.loop.lo);
    plussi_text_puts(text, "..");
    plussi_text_expr(text, loop->u.loop.hi);
    if (loop->u.loop.step != 1)
        plussi_text_format(text, " step %lld", (long long)loop->u.loop.step);
    plussi_text_puts(text, ": ");
    put_factors(text, p, at + 1);
    plussi_text_puts(text, ")");
}

static void put_factors(plussi_text *text, const path *p, uint32_t at)
{
    if (at == p->n) {
        plussi_text_puts(text, "1");
        return;
    }
    const plussi_node *n = p->node[at];
    if (n->kind == PLUSSI_N_LOOP && is_summed(p, at)) {
        put_sum(text, p, at);
        return;
    }
    if (n->kind == PLUSSI_N_LOOP) {
        put_iterations(text, n, at + 1 == p->n && (at == 0 || is_summed(p, at - 1)));
    } else if (n->kind == PLUSSI_N_IF) {
        const bool otherwise = is_otherwise(p, at);
        plussi_text_puts(text, otherwise ? "[not (" : "[");
        plussi_text_expr(text, n->u.branch.cond);
        plussi_text_puts(text, otherwise ? ")]" : "]");
    } else {
        const double taken = n->u.branch.probability;
        plussi_text_number(text, is_otherwise(p, at) ? 1 - taken : taken);
    }
    if (at + 1 < p->n) {
        plussi_text_puts(text, "*");
        put_factors(text, p, at + 1);
    }
}

static pluss_status finish(plussi_text *text, char **out)
{
    size_t length;
    return plussi_text_finish(text, out, &length);
}

static bool is_within(const plussi_node *node, const plussi_node *in)
{
    while (node && node != in)
        node = node->parent;
    return node != NULL;
}

pluss_status plussi_references_text(plussi_ctx *ctx, const plussi_region *region,
                                    const plussi_node *in, const plussi_array *array, char **out)
{
    plussi_text text;
    bool first = true;
    plussi_text_init(&text, ctx);
    text.for_people = true;
    if (region->repeat) {
        plussi_text_puts(&text, "(");
        plussi_text_expr(&text, region->repeat);
        plussi_text_puts(&text, ")*(");
    }
    for (plussi_node *n = plussi_nest_walk(&region->body, NULL); n;
         n = plussi_nest_walk(&region->body, n)) {
        path p = {.n = 0};
        if (n->kind != PLUSSI_N_REF || n->u.ref.array != array || !is_within(n, in))
            continue;
        add_ancestors(n, &p);
        plussi_text_puts(&text, first ? "" : " + ");
        put_factors(&text, &p, 0);
        first = false;
    }
    plussi_text_puts(&text, region->repeat ? ")" : "");
    return finish(&text, out);
}

pluss_status plussi_elements_text(plussi_ctx *ctx, const plussi_array *array, char **out)
{
    plussi_text text;
    bool known = true;
    plussi_text_init(&text, ctx);
    text.for_people = true;
    plussi_text_puts(&text, array->rank == 0 ? "1" : "");
    for (uint32_t i = 0; i < array->rank; i++)
        known = known && array->extents[i];
    for (uint32_t i = 0; i < array->rank && known; i++) {
        const bool plain = plussi_expr_arity(array->extents[i]->kind) == 0;
        plussi_text_puts(&text, i ? "*" : "");
        plussi_text_puts(&text, plain ? "" : "(");
        plussi_text_expr(&text, array->extents[i]);
        plussi_text_puts(&text, plain ? "" : ")");
    }
    return finish(&text, out);
}
