/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_loops.h"

#include <string.h>

#include "trace/fold_terms.h"

/* Accesses to be taken (again) before the stream goes on. */
typedef struct pending {
    plussi_fold_tree *tree; /* owned; NULL: the one access below */
    plussi_fold_cursor cursor;
    uint64_t n; /* how many */
    int32_t tag;
    int64_t address;
} pending;

struct plussi_fold_loops {
    plussi_mem mem;
    plussi_fold_term *term;
    size_t n, cap;
    uint32_t nodes;   /* of all terms */
    pending *pending; /* the last is the next */
    size_t n_pending, cap_pending;
    bool given_up;
    /* The top term is a loop of which an iteration more is expected: done accesses of it have come,
     * tag and address are the next. No terms are on top of it meanwhile. */
    bool predicting;
    plussi_fold_tree *capped; /* what is followed in place of the top's tree; owned, or NULL */
    plussi_fold_cursor cursor;
    uint64_t done;
    int32_t tag;
    int64_t address;
};

enum { END_OF_STREAM = -2 }; /* a tag that no access has */

pluss_status plussi_fold_loops_new(const plussi_mem *mem, plussi_fold_loops **out)
{
    plussi_fold_loops *f = plussi_calloc(mem, 1, sizeof *f);
    if (!f)
        return PLUSS_ENOMEM;
    f->mem = *mem;
    *out = f;
    return PLUSS_OK;
}

void plussi_fold_loops_free(plussi_fold_loops *f)
{
    if (!f)
        return;
    plussi_mem mem = f->mem;
    for (size_t i = 0; i < f->n; i++)
        plussi_fold_term_free(&mem, &f->term[i]);
    for (size_t i = 0; i < f->n_pending; i++)
        plussi_free(&mem, f->pending[i].tree);
    plussi_free(&mem, f->capped);
    plussi_free(&mem, f->term);
    plussi_free(&mem, f->pending);
    plussi_free(&mem, f);
}

static uint32_t count_nodes(const plussi_fold_term *term)
{
    return term->tree ? term->tree->n : 1;
}

static pluss_status push(plussi_fold_loops *f, plussi_fold_term term)
{
    uint32_t nodes = count_nodes(&term);
    pluss_status status = f->n < PLUSSI_FOLD_TERMS && nodes <= PLUSSI_FOLD_NODES - f->nodes
                              ? plussi_grow(&f->mem, &f->term, &f->cap, f->n, sizeof *f->term)
                              : PLUSS_ELIMIT;
    if (status) {
        plussi_fold_term_free(&f->mem, &term);
        return status;
    }
    f->term[f->n++] = term;
    f->nodes += nodes;
    return PLUSS_OK;
}

/* The top, removed. */
static plussi_fold_term take_off(plussi_fold_loops *f)
{
    plussi_fold_term top = f->term[--f->n];
    f->nodes -= count_nodes(&top);
    return top;
}

static void pop(plussi_fold_loops *f, size_t n)
{
    while (n-- > 0) {
        plussi_fold_term top = take_off(f);
        plussi_fold_term_free(&f->mem, &top);
    }
}

/* p.tree becomes the list's, on failure too. */
static pluss_status postpone(plussi_fold_loops *f, pending p)
{
    if (plussi_grow(&f->mem, &f->pending, &f->cap_pending, f->n_pending, sizeof p)) {
        plussi_free(&f->mem, p.tree);
        return PLUSS_ENOMEM;
    }
    f->pending[f->n_pending++] = p;
    return PLUSS_OK;
}

/* ---- what is before a loop ---------------------------------------------------------------------
 */

/* The accesses of terms [at, n), from the skip-th of term at. */
typedef struct reader {
    const plussi_fold_loops *loops;
    size_t at, end;
    bool inside;
    plussi_fold_cursor cursor;
} reader;

static bool read_next(reader *r, int32_t *tag, int64_t *address)
{
    for (; r->at < r->end; r->at++, r->inside = false) {
        const plussi_fold_term *term = &r->loops->term[r->at];
        if (!term->tree && !r->inside) {
            r->inside = true;
            *tag = term->tag;
            *address = term->address;
            return true;
        }
        if (!term->tree)
            continue;
        if (!r->inside)
            plussi_fold_begin(&r->cursor, term->tree);
        r->inside = true;
        if (plussi_fold_next(&r->cursor, tag, address))
            return true;
    }
    return false;
}

/* Where the last n accesses below the top begin: in iteration `iteration` of term `term`, after
 * `skip` accesses of it. Access terms: 0 and 0. */
typedef struct place {
    size_t term;
    int64_t iteration;
    uint64_t skip, before; /* before: accesses of the term before the place */
} place;

static bool find_place(const plussi_fold_loops *f, uint64_t n, place *out)
{
    size_t at = f->n - 1;
    uint64_t covered = 0;
    while (covered < n) {
        if (at == 0)
            return false;
        covered += f->term[--at].accesses;
    }
    *out = (place){.term = at, .before = covered - n};
    if (out->before == 0)
        return true;
    const plussi_fold_tree *tree = f->term[at].tree; /* not NULL: an access cannot be divided */
    uint64_t tail = f->term[at].accesses - out->before, found = 0;
    for (out->iteration = tree->number[0]; found < tail && out->iteration > 0;)
        found += plussi_fold_count_iteration(tree, --out->iteration, UINT64_MAX);
    out->skip = found - tail;
    return found >= tail;
}

static void begin_reading(const plussi_fold_loops *f, const place *from, reader *r)
{
    int32_t tag;
    int64_t address;
    *r = (reader){.loops = f, .at = from->term, .end = f->n - 1};
    if (from->before == 0)
        return;
    const plussi_fold_tree *tree = f->term[from->term].tree;
    plussi_fold_begin(&r->cursor, tree);
    r->cursor.depth = r->cursor.at = 1;
    r->cursor.loop[0] = 0;
    r->cursor.index[0] = from->iteration;
    r->cursor.count[0] = tree->number[0];
    r->inside = true;
    for (uint64_t i = 0; i < from->skip; i++)
        (void)plussi_fold_next(&r->cursor, &tag, &address);
}

/* Whether the rest of the cursor's accesses are what is read. */
static bool are_read(plussi_fold_cursor cursor, reader *r)
{
    int32_t tag, t;
    int64_t address, a;
    while (plussi_fold_next(&cursor, &tag, &address))
        if (!read_next(r, &t, &a) || t != tag || a != address)
            return false;
    return true;
}

static uint64_t count_rest(plussi_fold_cursor cursor, uint64_t most)
{
    int32_t tag;
    int64_t address;
    uint64_t n = 0;
    while (n < most && plussi_fold_next(&cursor, &tag, &address))
        n++;
    return n;
}

static uint64_t count_below(const plussi_fold_loops *f)
{
    uint64_t n = 0;
    for (size_t i = 0; i + 1 < f->n; i++)
        n += f->term[i].accesses;
    return n;
}

/* Pushes the iterations of a loop before `iteration`, `before` accesses, and `skip` accesses of
 * that one. tree is the callee's. */
static pluss_status push_front(plussi_fold_loops *f, plussi_fold_tree *tree, int64_t iteration,
                               uint64_t before, uint64_t skip)
{
    pluss_status status = PLUSS_OK;
    plussi_fold_tree *whole = iteration > 0 ? plussi_fold_tree_copy(&f->mem, tree) : NULL;
    if (iteration > 0 && !whole)
        status = PLUSS_ENOMEM;
    if (whole) {
        whole->number[0] = iteration;
        status = push(f, plussi_fold_term_loop(whole, before));
    }
    for (uint32_t at = 1; skip > 0 && !status; at = tree->node[at].end) {
        plussi_fold_tree *child = plussi_fold_tree_child(&f->mem, tree, at, iteration);
        if (!child) {
            status = PLUSS_ENOMEM;
            break;
        }
        if (child->node[0].tag >= 0) {
            status = push(f, plussi_fold_term_access(child->node[0].tag, child->number[0]));
            plussi_free(&f->mem, child);
            skip--;
            continue;
        }
        plussi_fold_cursor cursor;
        plussi_fold_begin(&cursor, child);
        uint64_t n = count_rest(cursor, skip + 1), passed = 0, some;
        int64_t i = 0;
        if (n == 0) {
            plussi_free(&f->mem, child);
        } else if (n <= skip) {
            if (child->node[0].capped && child->number[1] < child->number[0])
                child->number[0] = child->number[1];
            if (child->node[0].capped) /* a cap of its own is no longer needed */
                child->number[1] = child->number[0];
            status = push(f, plussi_fold_term_loop(child, n));
        } else {
            n = skip;
            while ((some = plussi_fold_count_iteration(child, i, skip - passed + 1)) <=
                   skip - passed) {
                passed += some;
                i++;
            }
            status = push_front(f, child, i, passed, skip - passed);
        }
        skip -= n;
    }
    plussi_free(&f->mem, tree);
    return status;
}

/* Removes the terms below the top from the place on, and the top, which is given back. */
static pluss_status cut_off(plussi_fold_loops *f, const place *from, plussi_fold_term *top)
{
    *top = take_off(f);
    pop(f, f->n - from->term - (from->before > 0));
    if (from->before == 0)
        return PLUSS_OK;
    plussi_fold_tree *tree = take_off(f).tree;
    return push_front(f, tree, from->iteration, from->before - from->skip, from->skip);
}

/* Iterations before the first join the loop on top. */
static pluss_status absorb_backward(plussi_fold_loops *f)
{
    for (;;) {
        plussi_fold_term *loop = &f->term[f->n - 1];
        uint64_t below = count_below(f), n;
        plussi_fold_cursor cursor;
        place from;
        reader r;
        n = plussi_fold_count_iteration(loop->tree, -1, below + 1);
        if (n == 0 || n > below || !find_place(f, n, &from))
            return PLUSS_OK;
        begin_reading(f, &from, &r);
        plussi_fold_begin_iteration(&cursor, loop->tree, -1);
        if (!are_read(cursor, &r))
            return PLUSS_OK;
        plussi_fold_term top;
        pluss_status status = cut_off(f, &from, &top);
        plussi_fold_tree_shift(top.tree, 1);
        top.tree->number[0]++;
        top.accesses += n;
        pluss_status pushed = push(f, top);
        if (status || pushed)
            return status ? status : pushed;
    }
}

/* The loop on top begins in the middle of its body where a part of that is before it. */
static pluss_status rotate(plussi_fold_loops *f)
{
    const plussi_fold_tree *tree = f->term[f->n - 1].tree;
    bool has_loops = false;
    for (uint32_t i = 1; i < tree->n; i++)
        has_loops = has_loops || tree->node[i].tag < 0;
    if (!has_loops || tree->n < 2)
        return PLUSS_OK;
    uint64_t below = count_below(f);
    for (uint32_t at = tree->node[1].end; at < tree->n; at = tree->node[at].end) {
        plussi_fold_cursor cursor;
        place from;
        reader r;
        plussi_fold_begin_iteration(&cursor, tree, -1);
        cursor.at = at;
        uint64_t n = count_rest(cursor, below + 1);
        if (n == 0 || n > below || !find_place(f, n, &from) || from.before > 0)
            continue;
        begin_reading(f, &from, &r);
        if (!are_read(cursor, &r))
            continue;
        plussi_fold_tree *turned = plussi_fold_tree_rotate(&f->mem, tree, at);
        if (!turned)
            return PLUSS_ENOMEM;
        plussi_fold_term top;
        pluss_status status = cut_off(f, &from, &top);
        pending rest = {.tree = top.tree};
        plussi_fold_begin_iteration(&rest.cursor, top.tree, top.tree->number[0] - 1);
        rest.cursor.at = at;
        rest.n = count_rest(rest.cursor, UINT64_MAX);
        pluss_status pushed = push(f, plussi_fold_term_loop(turned, top.accesses + n - rest.n));
        pluss_status later = postpone(f, rest);
        return status ? status : pushed ? pushed : later;
    }
    return PLUSS_OK;
}

/* ---- creation ----------------------------------------------------------------------------------
 */

/* Terms of a block of which the last three progress; 0: none do. */
static size_t find_blocks(const plussi_fold_loops *f)
{
    const plussi_fold_term *top = &f->term[f->n - 1];
    for (size_t b = 1; b <= PLUSSI_FOLD_WINDOW && 3 * b <= f->n; b++) {
        if (top->hash != top[-(ptrdiff_t)b].hash || top->hash != top[-(ptrdiff_t)(2 * b)].hash)
            continue;
        const plussi_fold_term *last = top - b + 1, *middle = last - b, *first = middle - b;
        bool alike = true;
        for (size_t i = 0; i < b && alike; i++)
            alike = first[i].hash == middle[i].hash && middle[i].hash == last[i].hash;
        if (alike && plussi_fold_terms_progress(first, middle, last, b))
            return b;
    }
    return 0;
}

static void predict(plussi_fold_loops *f)
{
    const plussi_fold_term *top = &f->term[f->n - 1];
    f->predicting = false;
    f->done = 0;
    if (!top->tree)
        return;
    plussi_fold_begin_iteration(&f->cursor, top->tree, top->tree->number[0]);
    f->predicting = plussi_fold_next(&f->cursor, &f->tag, &f->address);
}

/* Makes loops of the terms on top, as long as there are three blocks; the last one predicts. */
static pluss_status create_loops(plussi_fold_loops *f)
{
    pluss_status status = PLUSS_OK;
    for (size_t b; !status && (b = find_blocks(f)) > 0;) {
        const plussi_fold_term *first = &f->term[f->n - 3 * b];
        bool too_deep = false;
        uint64_t accesses = 0;
        for (size_t i = 0; i < 3 * b; i++)
            accesses += first[i].accesses;
        plussi_fold_tree *loop = plussi_fold_terms_join(&f->mem, first, first + b, b, &too_deep);
        if (!loop)
            return too_deep ? PLUSS_ELIMIT : PLUSS_ENOMEM;
        pop(f, 3 * b);
        status = push(f, plussi_fold_term_loop(loop, accesses));
        if (!status)
            status = absorb_backward(f);
        if (!status)
            status = rotate(f);
    }
    if (!status)
        predict(f);
    return status;
}

/* ---- predictions --------------------------------------------------------------------------------
 */

/* All of an iteration of the loop on top has come. */
static pluss_status end_iteration(plussi_fold_loops *f)
{
    plussi_fold_term *top = &f->term[f->n - 1];
    top->accesses += f->done;
    if (f->capped) {
        plussi_free(&f->mem, top->tree);
        *top = plussi_fold_term_loop(f->capped, top->accesses);
        f->capped = NULL;
    }
    top->tree->number[0]++;
    return create_loops(f);
}

/* Whether all numbers below node `loop`, a loop of `count` iterations at depth d, advance with the
 * root by as much as with `count` iterations of that loop, and some address does. */
static bool is_tile(const plussi_fold_tree *tree, uint32_t loop)
{
    const plussi_fold_node *tile = &tree->node[loop];
    const int64_t *counts = &tree->number[tile->first];
    bool moves = false;
    for (uint32_t k = 1; k < plussi_fold_row(tile); k++)
        if (counts[k] != 0)
            return false;
    if (tile->capped || counts[0] < 2)
        return false;
    for (uint32_t i = loop + 1; i < tile->end; i++) {
        const plussi_fold_node *node = &tree->node[i];
        uint32_t row = plussi_fold_row(node);
        for (uint32_t from = 0; from < plussi_fold_rows(node); from += row) {
            const int64_t *c = &tree->number[node->first + from];
            int64_t inner = c[node->depth - tile->depth], outer = c[node->depth];
            if ((uint64_t)inner * (uint64_t)counts[0] != (uint64_t)outer)
                return false;
            moves = moves || (node->tag >= 0 && outer != 0);
        }
    }
    return moves;
}

/* The root with caps: in iteration `last` tile loops end after `part` of every `tile` iterations.
 */
static plussi_fold_tree *add_caps(const plussi_mem *mem, const plussi_fold_tree *tree, int64_t last,
                                  int64_t part, int64_t tile)
{
    uint32_t numbers = tree->numbers, at = 0;
    for (uint32_t i = 1; i < tree->n; i++)
        if (tree->node[i].tag < 0)
            numbers += plussi_fold_row(&tree->node[i]);
    plussi_fold_tree *capped = plussi_fold_tree_new(mem, tree->n, numbers);
    if (!capped)
        return NULL;
    for (uint32_t i = 0; i < tree->n; i++) {
        plussi_fold_node *node = &capped->node[i];
        *node = tree->node[i];
        node->first = at;
        int64_t *to = &capped->number[at];
        memcpy(to, &tree->number[tree->node[i].first], plussi_fold_rows(node) * sizeof *to);
        at += plussi_fold_rows(node);
        if (node->tag >= 0 || i == 0 || to[0] % tile || !is_tile(tree, i))
            continue;
        node->capped = true;
        capped->number[at] = part * (to[0] / tile) + to[0] * last;
        capped->number[at + node->depth] = -to[0];
        at += plussi_fold_row(node);
    }
    capped->numbers = at;
    return capped;
}

/* Finds the tile loop that ends early where another access, or the end, comes in place of what is
 * predicted. *fits: with its cap, the iteration is as it came so far; then f->capped is followed.
 */
static pluss_status try_cap(plussi_fold_loops *f, int32_t tag, int64_t address, bool *fits)
{
    const plussi_fold_tree *tree = f->term[f->n - 1].tree;
    const plussi_fold_cursor *c = &f->cursor;
    uint32_t inner = c->depth - 1;
    while (inner > 0 && c->index[inner] == 0)
        inner--;
    *fits = false;
    /* what is predicted is the first access of that loop's iteration */
    if (f->capped || inner == 0 || c->at - 1 != c->loop[inner] + c->depth - inner)
        return PLUSS_OK;
    int64_t count = tree->number[tree->node[c->loop[inner]].first], part = c->index[inner];
    if (!is_tile(tree, c->loop[inner]))
        return PLUSS_OK;
    int64_t tile = count;
    for (uint32_t i = 1; i < tree->n; i++)
        if (tree->node[i].tag < 0 && tree->number[tree->node[i].first] < tile && is_tile(tree, i))
            tile = tree->number[tree->node[i].first];
    if (count % tile || part % (count / tile))
        return PLUSS_OK;
    plussi_fold_tree *capped =
        add_caps(&f->mem, tree, tree->number[0], part / (count / tile), tile);
    if (!capped)
        return PLUSS_ENOMEM;
    plussi_fold_cursor old, new;
    int32_t t = END_OF_STREAM, u;
    int64_t a = 0, b;
    plussi_fold_begin_iteration(&old, tree, tree->number[0]);
    plussi_fold_begin_iteration(&new, capped, tree->number[0]);
    bool same = true;
    for (uint64_t i = 0; i < f->done && same; i++)
        same = plussi_fold_next(&old, &t, &a) && plussi_fold_next(&new, &u, &b) && t == u && a == b;
    bool more = same && plussi_fold_next(&new, &t, &a);
    *fits = same && (!more || (t == tag && a == address));
    if (!*fits) {
        plussi_free(&f->mem, capped);
        return PLUSS_OK;
    }
    f->capped = capped;
    f->cursor = new;
    f->tag = more ? t : END_OF_STREAM;
    f->address = a;
    return PLUSS_OK;
}

/* What came of an iteration that did not go on as predicted is taken again, access by access. */
static pluss_status fail(plussi_fold_loops *f)
{
    plussi_fold_term *top = &f->term[f->n - 1];
    pending again = {.tree = f->capped, .n = f->done};
    f->predicting = false;
    f->capped = NULL;
    if (f->done > 0 && !again.tree && !(again.tree = plussi_fold_tree_copy(&f->mem, top->tree)))
        return PLUSS_ENOMEM;
    if (f->done == 0)
        return PLUSS_OK;
    plussi_fold_begin_iteration(&again.cursor, again.tree, top->tree->number[0]);
    return postpone(f, again);
}

static pluss_status take(plussi_fold_loops *f, int32_t tag, int64_t address)
{
    pluss_status status = PLUSS_OK;
    bool fits = true;
    if (f->predicting && (tag != f->tag || address != f->address))
        status = try_cap(f, tag, address, &fits);
    if (!status && f->predicting && fits) {
        if (f->tag == END_OF_STREAM) { /* the cap ends the iteration before this access */
            status = end_iteration(f);
            return status ? status : postpone(f, (pending){.tag = tag, .address = address, .n = 1});
        }
        f->done++;
        return plussi_fold_next(&f->cursor, &f->tag, &f->address) ? PLUSS_OK : end_iteration(f);
    }
    if (!status && f->predicting && f->done > 0) {
        status = postpone(f, (pending){.tag = tag, .address = address, .n = 1});
        return status ? status : fail(f);
    }
    f->predicting = false;
    if (!status)
        status = push(f, plussi_fold_term_access(tag, address));
    return status ? status : create_loops(f);
}

static pluss_status take_pending(plussi_fold_loops *f)
{
    pluss_status status = PLUSS_OK;
    while (f->n_pending > 0 && !status) {
        pending *p = &f->pending[f->n_pending - 1];
        plussi_fold_tree *used = NULL;
        int32_t tag = p->tag;
        int64_t address = p->address;
        if (p->tree)
            (void)plussi_fold_next(&p->cursor, &tag, &address);
        if (--p->n == 0) {
            used = p->tree;
            f->n_pending--;
        }
        plussi_free(&f->mem, used);
        status = take(f, tag, address);
    }
    f->given_up = f->given_up || status;
    return status;
}

pluss_status plussi_fold_loops_add(plussi_fold_loops *f, int32_t tag, int64_t address)
{
    if (f->given_up)
        return PLUSS_ELIMIT;
    pluss_status status = take(f, tag, address);
    f->given_up = status != PLUSS_OK;
    return status || f->n_pending == 0 ? status : take_pending(f);
}

/* ---- the end -----------------------------------------------------------------------------------
 */

static pluss_status join_terms(plussi_fold_loops *f, plussi_fold_tree **out)
{
    uint32_t n = 0, numbers = 0;
    for (size_t i = 0; i < f->n; i++) {
        n += count_nodes(&f->term[i]);
        numbers += f->term[i].tree ? f->term[i].tree->numbers : 1;
    }
    plussi_fold_tree *tree = plussi_fold_tree_new(&f->mem, n, numbers);
    if (!tree)
        return PLUSS_ENOMEM;
    n = numbers = 0;
    for (size_t i = 0; i < f->n; i++) {
        const plussi_fold_term *term = &f->term[i];
        uint32_t nodes = count_nodes(term);
        if (!term->tree) {
            tree->node[n] = (plussi_fold_node){.tag = term->tag, .end = n + 1, .first = numbers};
            tree->number[numbers++] = term->address;
        }
        for (uint32_t k = 0; term->tree && k < nodes; k++) {
            plussi_fold_node *node = &tree->node[n + k];
            *node = term->tree->node[k];
            memcpy(&tree->number[numbers], &term->tree->number[node->first],
                   plussi_fold_rows(node) * sizeof *tree->number);
            node->first = numbers;
            node->end += n;
            numbers += plussi_fold_rows(node);
        }
        n += nodes;
    }
    tree->numbers = numbers;
    *out = tree;
    return PLUSS_OK;
}

pluss_status plussi_fold_loops_end(plussi_fold_loops *f, plussi_fold_tree **out)
{
    pluss_status status = f->given_up ? PLUSS_ELIMIT : PLUSS_OK;
    while (!status && f->predicting && f->done > 0) {
        bool fits = false;
        status = try_cap(f, END_OF_STREAM, 0, &fits);
        if (!status)
            status = fits && f->tag == END_OF_STREAM ? end_iteration(f) : fail(f);
        if (!status)
            status = take_pending(f);
    }
    return status ? status : join_terms(f, out);
}
