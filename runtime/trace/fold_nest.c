/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_nest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NONE UINT32_MAX /* no node */

enum { NUMBERS_A_SUM = 8 }; /* compared in the time in which a sum is tried */

/* ---- runs that match ----------------------------------------------------------------------------
 */

static bool tags_match(const plussi_fold_run *a, const plussi_fold_tag *x, const plussi_fold_run *b,
                       const plussi_fold_tag *y)
{
    return x->kind == y->kind && x->bytes == y->bytes &&
           (!x->bytes || plussi_same_text(a->object[x->object].name, b->object[y->object].name));
}

static const plussi_fold_tag *tag_at(const plussi_fold_run *run, uint32_t node)
{
    int32_t tag = run->tree->node[node].tag;
    return tag < 0 ? NULL : &run->tag[tag];
}

/* The node where the tree first accesses what this node does. */
static uint32_t first_access(const plussi_fold_run *run, uint32_t node)
{
    return run->object[tag_at(run, node)->object].first;
}

/* Whether both nodes are loops, or accesses, of one kind, whatever is in the loops. */
static bool nodes_are_alike(const plussi_fold_run *a, uint32_t i, const plussi_fold_run *b,
                            uint32_t k)
{
    const plussi_fold_node *x = &a->tree->node[i], *y = &b->tree->node[k];
    const plussi_fold_tag *s = tag_at(a, i), *t = tag_at(b, k);
    return x->depth == y->depth && x->capped == y->capped && x->holed == y->holed &&
           x->collapse == y->collapse && !x->chunk == !y->chunk && !s == !t &&
           (!s || tags_match(a, s, b, t));
}

/* Whether nodes [at, end) of a are as those of b from `from` on. */
static bool nodes_match(const plussi_fold_run *a, uint32_t at, uint32_t end,
                        const plussi_fold_run *b, uint32_t from)
{
    uint32_t skipped = at - from;
    for (uint32_t i = at; i < end; i++) {
        const plussi_fold_tag *s = tag_at(a, i);
        if (!nodes_are_alike(a, i, b, i - skipped) ||
            a->tree->node[i].end - skipped != b->tree->node[i - skipped].end)
            return false;
        if (s && s->bytes && !a->object[s->object].name && first_access(a, i) < at - skipped &&
            first_access(a, i) != first_access(b, i - skipped))
            return false;
    }
    return true;
}

uint32_t plussi_fold_runs_agree(const plussi_fold_run *a, const plussi_fold_run *b)
{
    uint32_t n = 0;
    while (n < a->tree->n && n < b->tree->n && nodes_are_alike(a, n, b, n))
        n++;
    return n;
}

bool plussi_fold_runs_match(const plussi_fold_run *a, const plussi_fold_run *b,
                            plussi_fold_part *part)
{
    uint32_t n = a->tree->n, m = b->tree->n;
    *part = (plussi_fold_part){n, n};
    if (n == m)
        return nodes_match(a, 0, n, b, 0);
    for (uint32_t from = 0, next; n > m; from = next) {
        uint32_t to = from + n - m;
        if ((to == n || a->tree->node[to].depth == 0) && nodes_match(a, to, n, b, from)) {
            *part = (plussi_fold_part){from, to};
            return true;
        }
        next = a->tree->node[from].end;
        if (next > m || !nodes_match(a, from, next, b, from))
            break;
    }
    return false;
}

/* ---- the builder --------------------------------------------------------------------------------
 */

typedef struct builder {
    plussi_ctx *ctx;
    const plussi_fold_runs *runs;
    const plussi_fold_tree *tree; /* of the first run */
    const plussi_fold_fitter *fitter;
    plussi_nest *nest;
    plussi_symbol **symbol;
    plussi_array **array;   /* by object of the first run; NULL: not accessed */
    plussi_fold_poly *poly; /* by number of the first run's tree */
    plussi_node *loop[PLUSSI_FOLD_DEPTH + 1];
    uint32_t n_loops;
} builder;

static bool is_in_part(const builder *b, uint32_t node)
{
    return node >= b->runs->part.from && node < b->runs->part.to;
}

/* Runs that have the node, the first of all. */
static uint32_t count_runs(const builder *b, uint32_t node)
{
    return is_in_part(b, node) ? b->runs->n_whole : b->runs->n;
}

/* Its number in the tree of run r. */
static uint32_t node_of_run(const builder *b, uint32_t node, uint32_t r)
{
    const plussi_fold_part *part = &b->runs->part;
    return r < b->runs->n_whole || node < part->from ? node : node - (part->to - part->from);
}

static const plussi_fold_tag *tag_of_run(const builder *b, uint32_t node, uint32_t r)
{
    return tag_at(b->runs->run[r], node_of_run(b, node, r));
}

/* Fits a value of each run that has the node. */
static pluss_status fit(builder *b, uint32_t node, const int64_t *value, const char *what,
                        plussi_fold_poly *out)
{
    char text[160];
    size_t length = 0;
    if (plussi_fold_fit(is_in_part(b, node) ? b->runs->whole : b->fitter, value, out))
        return PLUSS_OK;
    if (*b->fitter->left == 0)
        return plussi_fail(b->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "the numbers of the runs take more than %" PRIu64
                           " sums of products of sizes to be tried",
                           (uint64_t)PLUSSI_FOLD_SUMS);
    for (uint32_t r = 0; r < count_runs(b, node) && length < sizeof text; r++)
        length += (size_t)snprintf(text + length, sizeof text - length, " %" PRId64, value[r]);
    return plussi_fail(b->ctx, PLUSS_EUNSUPPORTED, NULL,
                       "no polynomial of the sizes, simpler than the runs are many, gives %s:%s",
                       what, text);
}

/* The values in the runs of number k of node i. */
static void get_values(const builder *b, uint32_t i, uint32_t k, int64_t *out)
{
    for (uint32_t r = 0; r < count_runs(b, i); r++) {
        const plussi_fold_tree *tree = b->runs->run[r]->tree;
        out[r] = tree->number[tree->node[node_of_run(b, i, r)].first + k];
    }
}

/* A number of an earlier node with the same values; NULL: none. */
static const plussi_fold_poly *find_known(const builder *b, uint32_t node, const int64_t *value)
{
    const plussi_fold_tree *tree = b->tree;
    int64_t other[PLUSSI_FOLD_RUNS];
    uint64_t *left = b->fitter->left, cost = tree->node[node].first / NUMBERS_A_SUM;
    *left -= cost < *left ? cost : *left;
    for (uint32_t i = 0; i < node && *left != 0; i++)
        for (uint32_t k = 0; k < plussi_fold_rows(&tree->node[i]); k++) {
            if (tree->number[tree->node[i].first + k] != value[0] ||
                is_in_part(b, i) != is_in_part(b, node))
                continue;
            get_values(b, i, k, other);
            if (memcmp(other, value, count_runs(b, i) * sizeof *other) == 0)
                return &b->poly[tree->node[i].first + k];
        }
    return NULL;
}

static pluss_status fit_numbers(builder *b)
{
    const plussi_fold_tree *tree = b->tree;
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < tree->n && !status; i++)
        for (uint32_t k = 0; k < plussi_fold_rows(&tree->node[i]) && !status; k++) {
            plussi_fold_poly *out = &b->poly[tree->node[i].first + k];
            int64_t value[PLUSSI_FOLD_RUNS];
            get_values(b, i, k, value);
            const plussi_fold_poly *known = find_known(b, i, value);
            if (known)
                *out = *known;
            else
                status = fit(b, i, value,
                             tree->node[i].tag < 0 ? "a loop's iterations" : "an address", out);
        }
    return status;
}

/* ---- expressions; NULL: 0, or no memory, which the nest remembers ------------------------------
 */

static plussi_expr *number(builder *b, int64_t value)
{
    return plussi_expr_int(b->nest, value);
}

static plussi_expr *operate(builder *b, plussi_expr_kind kind, plussi_expr *x, plussi_expr *y)
{
    return plussi_fold_operate(b->nest, kind, x, y);
}

static plussi_expr *polynomial(builder *b, const plussi_fold_poly *p, int64_t width)
{
    return plussi_fold_express(b->nest, b->fitter, b->symbol, p, width);
}

static bool is_constant(const plussi_fold_poly *p, int64_t *value)
{
    *value = p->n ? p->summand[0].factor : 0;
    return p->n == 0 || (p->n == 1 && p->summand[0].degree == 0 && p->divisor == 1);
}

/* A row of the tree: iterations of the loops around, from the outermost in, then the rest. */
static plussi_expr *affine(builder *b, const plussi_fold_poly *row, uint32_t depth, int64_t width)
{
    plussi_expr *sum = NULL;
    int64_t value;
    for (uint32_t k = depth; k > 0; k--) {
        plussi_expr *iv = plussi_expr_iv(b->nest, b->loop[depth - k]);
        if (is_constant(&row[k], &value)) {
            sum = value ? plussi_fold_add_product(b->nest, sum, value / width, iv) : sum;
            continue;
        }
        iv = operate(b, PLUSSI_E_MUL, polynomial(b, &row[k], width), iv);
        sum = sum ? operate(b, PLUSSI_E_ADD, sum, iv) : iv;
    }
    if (is_constant(&row[0], &value))
        return value || !sum ? plussi_fold_add_product(b->nest, sum, value / width, NULL) : sum;
    plussi_expr *rest = polynomial(b, &row[0], width);
    return sum ? operate(b, PLUSSI_E_ADD, sum, rest) : rest;
}

/* ---- arrays -------------------------------------------------------------------------------------
 */

static bool divides(const plussi_fold_poly *p, int64_t width)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->summand[i].factor % width)
            return false;
    return true;
}

/* Bytes of an element: those of the shortest access, where all addresses are multiples of that. */
static int64_t find_width(const builder *b, uint32_t object)
{
    const plussi_fold_run *run = b->runs->run[0];
    int64_t width = INT64_MAX;
    for (uint32_t i = 0; i < run->tree->n; i++) {
        const plussi_fold_tag *tag = tag_at(run, i);
        if (tag && tag->bytes && tag->object == object && tag->bytes < width)
            width = tag->bytes;
    }
    for (uint32_t i = 0; i < run->tree->n; i++) {
        const plussi_fold_tag *tag = tag_at(run, i);
        for (uint32_t k = 0;
             tag && tag->bytes && tag->object == object && k < plussi_fold_row(&run->tree->node[i]);
             k++)
            if (!divides(&b->poly[run->tree->node[i].first + k], width))
                return 1;
    }
    return width;
}

/* name, then name_, ... until nothing is called so. */
static void choose_name(const builder *b, char *name, size_t room)
{
    while (plussi_nest_declares(b->nest, name) && strlen(name) + 2 < room)
        strcat(name, "_");
}

static pluss_status add_array(builder *b, uint32_t object)
{
    const plussi_fold_run *run = b->runs->run[0];
    const plussi_fold_object *o = &run->object[object];
    char name[PLUSSI_MAX_NAME + 1];
    uint32_t n = 0;
    for (uint32_t i = 0; i < object; i++)
        n += b->array[i] && !run->object[i].name;
    if (o->name)
        snprintf(name, sizeof name - 8, "%s", o->name);
    else
        snprintf(name, sizeof name - 8, "m%" PRIu32, n);
    choose_name(b, name, sizeof name);
    int64_t width = find_width(b, object), bytes[PLUSSI_FOLD_RUNS];
    plussi_array *array =
        plussi_nest_add_array(b->nest, NULL, name, PLUSSI_ELEM_BYTES, (uint64_t)width, 1);
    if (!array)
        return PLUSS_ENOMEM;
    b->array[object] = array;
    bool whole = true;
    uint32_t node = 0; /* where it is accessed first */
    for (const plussi_fold_tag *tag;
         !(tag = tag_at(run, node)) || !tag->bytes || tag->object != object;)
        node++;
    for (uint32_t r = 0; r < count_runs(b, node); r++) {
        bytes[r] = (int64_t)b->runs->run[r]->object[tag_of_run(b, node, r)->object].bytes;
        whole = whole && bytes[r] % width == 0;
        bytes[r] /= width;
    }
    plussi_fold_poly extent;
    if (whole && plussi_fold_fit(is_in_part(b, node) ? b->runs->whole : b->fitter, bytes, &extent))
        array->extents[0] = polynomial(b, &extent, 1);
    if (b->fitter->n_sizes == 0) {
        array->base_kind = PLUSSI_BASE_ADDRESS;
        array->base = number(b, (int64_t)o->address);
    }
    return PLUSS_OK;
}

/* ---- statements ---------------------------------------------------------------------------------
 */

static void add_reference(builder *b, uint32_t at, plussi_body *body, plussi_node *parent)
{
    const plussi_fold_node *node = &b->tree->node[at];
    const plussi_fold_tag *tag = tag_at(b->runs->run[0], at);
    plussi_array *array = b->array[tag->object];
    plussi_node *ref =
        plussi_nest_add_node(b->nest, body, parent, PLUSSI_N_REF, (plussi_loc){.file = NULL});
    if (!ref)
        return;
    ref->u.ref.array = array;
    ref->u.ref.n_subs = 1;
    ref->u.ref.subs = plussi_expr_vec(b->nest, 1);
    if (ref->u.ref.subs)
        ref->u.ref.subs[0] =
            affine(b, &b->poly[node->first], node->depth, (int64_t)array->elem_bytes);
    ref->u.ref.width = tag->bytes;
    ref->u.ref.write = tag->kind == PLUSSI_EVENT_WRITE;
}

static bool has_barrier(const builder *b, uint32_t at)
{
    for (uint32_t i = at; i < b->tree->node[at].end; i++) {
        const plussi_fold_tag *tag = tag_at(b->runs->run[0], i);
        if (tag && tag->kind == PLUSSI_EVENT_BARRIER)
            return true;
    }
    return false;
}

/* Where in the nest statements are. */
typedef struct place {
    plussi_body *body;
    plussi_node *parent;
    uint32_t region; /* the node of its mark, around them; NONE: serial */
    bool shared;     /* in a worksharing loop */
} place;

static pluss_status add_statements(builder *b, uint32_t from, uint32_t to, place where);

static pluss_status give_static_chunk(builder *b, uint32_t at, plussi_schedule *schedule)
{
    plussi_fold_poly chunk;
    int64_t value[PLUSSI_FOLD_RUNS];
    for (uint32_t r = 0; r < count_runs(b, at); r++)
        value[r] = b->runs->run[r]->tree->node[node_of_run(b, at, r)].chunk;
    pluss_status status = fit(b, at, value, "the iterations of a chunk", &chunk);
    schedule->kind = PLUSSI_SCHED_STATIC;
    if (!status)
        schedule->chunk = polynomial(b, &chunk, 1);
    return status;
}

static pluss_status give_schedule(builder *b, uint32_t region, uint32_t at, plussi_node *loop)
{
    plussi_schedule *schedule = &loop->u.loop.schedule;
    plussi_fold_poly chunk;
    int64_t value[PLUSSI_FOLD_RUNS];
    bool is_guided = false;
    for (uint32_t r = 0; r < count_runs(b, region); r++) {
        value[r] = tag_of_run(b, region, r)->chunk;
        is_guided = is_guided || tag_of_run(b, region, r)->is_guided;
    }
    if (value[0] == 0)
        return b->tree->node[at].chunk ? give_static_chunk(b, at, schedule) : PLUSS_OK;
    const uint64_t of_rayon = tag_of_run(b, region, 0)->site / PLUSSI_EVENT_RAYON;
    if (of_rayon == 1 || of_rayon == 2) {
        schedule->kind = PLUSSI_SCHED_RAYON;
        if (of_rayon == 2) { /* a tree is split to its leaves */
            schedule->chunk = number(b, 1);
            schedule->chunk2 = number(b, 1);
        }
        return PLUSS_OK;
    }
    schedule->kind = is_guided ? PLUSSI_SCHED_GUIDED : PLUSSI_SCHED_DYNAMIC;
    if (is_guided) /* the least chunk is not known */
        return PLUSS_OK;
    pluss_status status = fit(b, region, value, "the iterations of a chunk", &chunk);
    if (!status && !(chunk.n == 1 && chunk.summand[0].degree == 0 && chunk.summand[0].factor == 1))
        schedule->chunk = polynomial(b, &chunk, 1);
    return status;
}

static pluss_status add_loop(builder *b, uint32_t at, place where, bool shares, bool nowait)
{
    const plussi_fold_node *node = &b->tree->node[at];
    const plussi_fold_poly *row = &b->poly[node->first];
    char name[32];
    plussi_node *loop = plussi_nest_add_node(b->nest, where.body, where.parent, PLUSSI_N_LOOP,
                                             (plussi_loc){.file = NULL});
    if (!loop)
        return PLUSS_ENOMEM;
    snprintf(name, sizeof name - 8, "i%" PRIu32, node->depth);
    choose_name(b, name, sizeof name);
    plussi_expr *hi = affine(b, row, node->depth, 1);
    if (node->capped)
        hi = operate(b, PLUSSI_E_MIN, hi, affine(b, row + plussi_fold_row(node), node->depth, 1));
    loop->u.loop.iv = plussi_nest_string(b->nest, name);
    loop->u.loop.lo = number(b, 0);
    loop->u.loop.hi = hi;
    loop->u.loop.workshare = shares;
    if (shares && node->collapse)
        loop->u.loop.collapse = node->collapse;
    loop->u.loop.nowait = shares && nowait;
    pluss_status status = shares ? give_schedule(b, where.region, at, loop) : PLUSS_OK;
    b->loop[node->depth] = loop;
    where.body = &loop->body;
    where.parent = loop;
    where.shared = where.shared || shares;
    if (node->holed) {
        plussi_node *guarded = plussi_nest_add_node(b->nest, where.body, where.parent, PLUSSI_N_IF,
                                                    (plussi_loc){.file = NULL});
        if (!guarded)
            return PLUSS_ENOMEM;
        guarded->u.branch.cond = operate(b, PLUSSI_E_NE, plussi_expr_iv(b->nest, loop),
                                         affine(b, row + plussi_fold_row(node), node->depth, 1));
        where.body = &guarded->body;
        where.parent = guarded;
    }
    return status ? status : add_statements(b, at + 1, node->end, where);
}

/* Whether the node, an access, is of a site that a loop among nodes [from, end) accesses, and is
 * not in that loop. */
static bool is_left_of_loop(const builder *b, uint32_t node, uint32_t from, uint32_t end)
{
    const plussi_fold_tag *tag = tag_at(b->runs->run[0], node);
    for (uint32_t at = from; at < end; at = b->tree->node[at].end) {
        bool inside = node >= at && node < b->tree->node[at].end;
        for (uint32_t i = at; i < b->tree->node[at].end && !inside; i++) {
            const plussi_fold_tag *other = tag_at(b->runs->run[0], i);
            if (other && other->bytes && other->site == tag->site)
                return true;
        }
    }
    return false;
}

/* Chunks tell whether all of a loop's iterations are in the loop found: one that is not would be
 * executed by every thread. */
static pluss_status check_chunks(builder *b, uint32_t region, uint32_t end)
{
    bool whole = true;
    for (uint32_t i = region + 1; i < end && tag_at(b->runs->run[0], region)->chunk; i++) {
        const plussi_fold_tag *tag = tag_at(b->runs->run[0], i);
        whole = whole && !(tag && tag->bytes && is_left_of_loop(b, i, region + 1, end));
    }
    return whole ? PLUSS_OK
                 : plussi_fail(b->ctx, PLUSS_EUNSUPPORTED, NULL,
                               "a worksharing loop has iterations of another shape");
}

static pluss_status add_region(builder *b, uint32_t at, uint32_t end, place where)
{
    plussi_node *parallel = plussi_nest_add_node(b->nest, where.body, where.parent,
                                                 PLUSSI_N_PARALLEL, (plussi_loc){.file = NULL});
    if (!parallel)
        return PLUSS_ENOMEM;
    where = (place){.body = &parallel->body, .parent = parallel, .region = at};
    pluss_status status = check_chunks(b, at, end);
    return status ? status : add_statements(b, at + 1, end, where);
}

static pluss_status add_mark(builder *b, uint32_t *at, uint32_t to, place where)
{
    const plussi_fold_node *node = b->tree->node;
    const plussi_fold_tag *tag = tag_at(b->runs->run[0], *at);
    uint32_t open = 1, end = *at + 1;
    if (tag->kind == PLUSSI_EVENT_BARRIER && where.region != NONE && !where.shared)
        return plussi_nest_add_node(b->nest, where.body, where.parent, PLUSSI_N_BARRIER,
                                    (plussi_loc){.file = NULL})
                   ? PLUSS_OK
                   : PLUSS_ENOMEM;
    for (; tag->kind == PLUSSI_EVENT_REGION && end < to; end = node[end].end) {
        const plussi_fold_tag *other = tag_at(b->runs->run[0], end);
        open += other && other->kind == PLUSSI_EVENT_REGION;
        open -= other && other->kind == PLUSSI_EVENT_LEAVE;
        if (open == 0)
            break;
    }
    if (tag->kind != PLUSSI_EVENT_REGION || end >= to)
        return plussi_fail(b->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "marks of regions and barriers are not in order");
    pluss_status status = add_region(b, *at, end, where);
    *at = end;
    return status;
}

static pluss_status add_statement(builder *b, uint32_t *at, uint32_t to, place where)
{
    const plussi_fold_node *node = b->tree->node;
    const plussi_fold_tag *tag = tag_at(b->runs->run[0], *at);
    if (tag && !tag->bytes)
        return add_mark(b, at, to, where);
    if (tag) {
        add_reference(b, *at, where.body, where.parent);
        return PLUSS_OK;
    }
    bool shares = where.region != NONE && !where.shared && !has_barrier(b, *at);
    uint32_t loop = *at, next = node[loop].end;
    const plussi_fold_tag *after = shares && next < to ? tag_at(b->runs->run[0], next) : NULL;
    bool waits = after && after->kind == PLUSSI_EVENT_BARRIER;
    if (waits)
        *at = next;
    return add_loop(b, loop, where, shares, next < to && !waits);
}

static pluss_status add_statements(builder *b, uint32_t from, uint32_t to, place where)
{
    pluss_status status = PLUSS_OK;
    for (uint32_t at = from; at < to && !status; at = b->tree->node[at].end)
        status = add_statement(b, &at, to, where);
    return status;
}

/* The part, guarded by what tells the runs that have it from the others. */
static pluss_status add_part(builder *b, place where)
{
    const plussi_fold_part *part = &b->runs->part;
    plussi_fold_poly guard;
    int64_t has[PLUSSI_FOLD_RUNS];
    if (part->from == part->to)
        return PLUSS_OK;
    for (uint32_t r = 0; r < b->runs->n; r++)
        has[r] = r < b->runs->n_whole;
    if (!plussi_fold_fit(b->fitter, has, &guard))
        return plussi_fail(b->ctx, PLUSS_EUNSUPPORTED, NULL,
                           "no polynomial of the sizes tells which runs have %u more loops and "
                           "accesses",
                           (unsigned)(part->to - part->from));
    plussi_node *guarded = plussi_nest_add_node(b->nest, where.body, where.parent, PLUSSI_N_IF,
                                                (plussi_loc){.file = NULL});
    if (!guarded)
        return PLUSS_ENOMEM;
    guarded->u.branch.cond = operate(b, PLUSSI_E_EQ, polynomial(b, &guard, 1), number(b, 1));
    return add_statements(b, part->from, part->to,
                          (place){.body = &guarded->body, .parent = guarded, .region = NONE});
}

/* ---- all of it ----------------------------------------------------------------------------------
 */

static pluss_status build(builder *b, const char *const *symbol)
{
    const plussi_fold_run *run = b->runs->run[0];
    pluss_status status = fit_numbers(b);
    for (uint32_t i = 0; i < b->fitter->n_sizes; i++)
        b->symbol[i] = plussi_nest_add_symbol(b->nest, NULL, symbol[i], NULL);
    for (uint32_t i = 0; i < run->tree->n && !status; i++) {
        const plussi_fold_tag *tag = tag_at(run, i);
        if (tag && tag->bytes && !b->array[tag->object])
            status = add_array(b, tag->object);
    }
    plussi_region *region =
        status ? NULL : plussi_nest_add_region(b->nest, "folded", (plussi_loc){.file = NULL});
    if (!status && !region)
        status = PLUSS_ENOMEM;
    place where = {.body = status ? NULL : &region->body, .region = NONE};
    if (!status)
        status = add_statements(b, 0, b->runs->part.from, where);
    if (!status)
        status = add_part(b, where);
    if (!status)
        status = add_statements(b, b->runs->part.to, b->tree->n, where);
    return status ? status : plussi_nest_validate(b->ctx, b->nest);
}

pluss_status plussi_fold_build(plussi_ctx *ctx, const plussi_fold_runs *runs,
                               const char *const *symbol, plussi_nest **out)
{
    builder b = {.ctx = ctx, .runs = runs, .tree = runs->run[0]->tree, .fitter = runs->fitter};
    pluss_status status = plussi_nest_new(ctx, &b.nest);
    b.symbol = plussi_calloc(&ctx->mem, b.fitter->n_sizes + 1, sizeof *b.symbol);
    b.array = plussi_calloc(&ctx->mem, runs->run[0]->n_objects + 1, sizeof *b.array);
    b.poly = plussi_calloc(&ctx->mem, b.tree->numbers + 1, sizeof *b.poly);
    if (!b.symbol || !b.array || !b.poly)
        status = PLUSS_ENOMEM;
    if (!status)
        status = build(&b, symbol);
    plussi_free(&ctx->mem, b.symbol);
    plussi_free(&ctx->mem, b.array);
    plussi_free(&ctx->mem, b.poly);
    if (status)
        plussi_nest_free(b.nest);
    else
        *out = b.nest;
    return status;
}
