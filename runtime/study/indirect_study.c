/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/indirect_study.h"

#include <math.h>

#include "cost/execution_counts.h"
#include "exact/lru.h"
#include "study/stage.h"
#include "study/symbolic_study.h"
#include "symbolic/references_text.h"
#include "trace/walk.h"

enum {
    BATCH = 256,
    ASK_EVERY = 1 << 12,        /* batches */
    COUNTING_STEPS = 100000000, /* a second */
    MOST_WALKED = 100000000     /* accesses that the estimate is compared with; some ten seconds */
};

/* What an outermost loop (or a reference outside of loops) touches of an array. */
typedef struct row {
    const plussi_node *in;
    const plussi_array *array;
    /* with values */
    double dense;     /* references to elements that follow one another as the loops say */
    double scattered; /* references whose subscripts are loaded: each may touch another line */
    double segments;  /* executions of a loop whose references begin in a line of their own */
    double elements;  /* of the array; 0: not known */
} row;

typedef struct study {
    plussi_ctx *ctx;
    plussi_document *document;
    const plussi_nest *nest;
    const plussi_region *region;
    const plussi_request *request;
    row *row; /* those of a loop, and in it of an array, in order of their first reference */
    size_t n_rows;
    bool has_values, has_exact;
    uint64_t *misses;  /* of each of the request's caches, exactly */
    uint64_t accesses; /* of lines */
    pluss_status status;
} study;

/* ---- rows ---------------------------------------------------------------------------------------
 */

static const plussi_node *outermost_loop(const plussi_node *ref)
{
    const plussi_node *found = ref;
    for (const plussi_node *up = ref->parent; up; up = up->parent)
        found = up->kind == PLUSSI_N_LOOP ? up : found;
    return found;
}

static row *find(study *s, const plussi_node *in, const plussi_array *array)
{
    for (size_t i = 0; i < s->n_rows; i++)
        if (s->row[i].in == in && s->row[i].array == array)
            return &s->row[i];
    return NULL;
}

static pluss_status find_rows(study *s)
{
    s->row = plussi_calloc(&s->ctx->mem, s->nest->n_refs + 1, sizeof *s->row);
    s->misses = plussi_calloc(&s->ctx->mem, s->request->n_caches + 1, sizeof *s->misses);
    if (!s->row || !s->misses)
        return PLUSS_ENOMEM;
    for (plussi_node *n = plussi_nest_walk(&s->region->body, NULL); n;
         n = plussi_nest_walk(&s->region->body, n)) {
        if (n->kind == PLUSSI_N_UNKNOWN)
            return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, &n->text_loc,
                               "the code at this place is not described: nothing tells what it "
                               "touches");
        if (n->kind == PLUSSI_N_REF && !find(s, outermost_loop(n), n->u.ref.array))
            s->row[s->n_rows++] = (row){.in = outermost_loop(n), .array = n->u.ref.array};
    }
    return PLUSS_OK;
}

/* ---- kinds of references
 * -------------------------------------------------------------------------
 */

static bool loads(const plussi_expr *e)
{
    bool is = e->kind == PLUSSI_E_LOAD;
    for (uint32_t i = 0; i < plussi_expr_arity(e->kind) && !is; i++)
        is = loads(e->a[i]);
    return is;
}

static bool is_scattered(const plussi_node *ref)
{
    bool is = false;
    for (uint32_t i = 0; i < ref->u.ref.n_subs; i++)
        is |= loads(ref->u.ref.subs[i]);
    return is;
}

/* The innermost loop that a subscript moves with, if its bounds are loaded; else NULL. */
static const plussi_node *loop_of_segments(const plussi_node *ref)
{
    for (const plussi_node *up = ref->parent; up; up = up->parent) {
        bool moves = false;
        for (uint32_t i = 0; i < ref->u.ref.n_subs && up->kind == PLUSSI_N_LOOP; i++)
            moves |= plussi_expr_uses(ref->u.ref.subs[i], up);
        if (moves)
            return loads(up->u.loop.lo) || loads(up->u.loop.hi) ? up : NULL;
    }
    return NULL;
}

/* Is `later` what `e` is when the loop's variable is one larger? */
static bool is_next(const plussi_expr *e, const plussi_expr *later, const plussi_node *loop)
{
    if (e->kind == PLUSSI_E_IV && e->loop == loop)
        return later->kind == PLUSSI_E_ADD && later->a[0]->kind == PLUSSI_E_IV &&
               later->a[0]->loop == loop && later->a[1]->kind == PLUSSI_E_INT &&
               later->a[1]->value == 1;
    if (e->kind != later->kind || e->value != later->value || e->symbol != later->symbol ||
        e->loop != later->loop || e->array != later->array || e->n_subs != later->n_subs)
        return false;
    bool is = true;
    for (uint32_t i = 0; i < e->n_subs && is; i++)
        is = is_next(e->subs[i], later->subs[i], loop);
    for (uint32_t i = 0; i < plussi_expr_arity(e->kind) && is; i++)
        is = is_next(e->a[i], later->a[i], loop);
    return is;
}

/* Whether each execution of the loop begins where the one before ended, as rows of a matrix in
 * compressed rows do. */
static bool segments_abut(const plussi_node *loop)
{
    const plussi_node *up = loop->parent;
    while (up && up->kind != PLUSSI_N_LOOP)
        up = up->parent;
    return up && (up->u.loop.step == 1 || up->u.loop.step == -1) &&
           is_next(loop->u.loop.lo, loop->u.loop.hi, up);
}

/* ---- values -------------------------------------------------------------------------------------
 */

static double elements_of(const plussi_bound_array *a)
{
    double elements = a->rank ? 1 : 0;
    for (uint32_t i = 0; i < a->rank; i++)
        elements = a->extent[i] < 0 ? 0 : elements * (double)a->extent[i];
    const double touched = ((double)a->hi_byte - (double)a->lo_byte) / (double)a->elem_bytes;
    return elements > 0 ? elements : touched > 0 ? touched : 0;
}

static void count_row(study *s, const plussi_bound *bound, const plussi_executions *executed,
                      const plussi_node *ref)
{
    row *r = find(s, outermost_loop(ref), ref->u.ref.array);
    const plussi_node *loop = loop_of_segments(ref);
    *(is_scattered(ref) ? &r->scattered : &r->dense) += executed->ref[ref->id];
    r->elements = elements_of(&bound->array[r->array->id]);
    if (loop && !is_scattered(ref) && !segments_abut(loop) &&
        r->segments < executed->loop[loop->id])
        r->segments = executed->loop[loop->id];
}

/* Equation 3.7: lines of the array that the loop touches; what begins a segment, and what is
 * scattered, touches a line for itself. */
static double lines_of(const study *s, const row *r)
{
    const double each = (double)r->array->elem_bytes / (double)s->request->line_bytes;
    const double all = r->elements > 0 ? r->elements * each : INFINITY;
    const double dense = (r->elements > 0 ? fmin(r->dense, r->elements) : r->dense) * each;
    const double touched =
        dense + (each < 1 ? r->segments * (1 - each) : 0) + r->scattered * fmax(each, 1);
    return touched > 0 ? ceil(fmin(all, touched) - 1e-9) : 0;
}

/* The region's misses in a cache of that many lines: what all loops together touch, where it fits;
 * else each loop finds nothing of the ones before. */
static double misses_of(const study *s, double lines)
{
    double apart = 0, together = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        double sum = 0;
        bool first = true;
        for (size_t k = 0; k < s->n_rows; k++) {
            if (s->row[k].array != s->row[i].array)
                continue;
            first = first && k >= i;
            sum += lines_of(s, &s->row[k]);
        }
        const double each = (double)s->row[i].array->elem_bytes / (double)s->request->line_bytes;
        apart += lines_of(s, &s->row[i]);
        if (first)
            together += s->row[i].elements > 0 ? fmin(sum, ceil(s->row[i].elements * each)) : sum;
    }
    return together <= lines ? together : apart;
}

static bool is_of_region(const study *s, const plussi_node *ref)
{
    const plussi_node *top = ref;
    while (top->parent)
        top = top->parent;
    for (const plussi_node *n = s->region->body.first; n; n = n->next)
        if (n == top)
            return true;
    return false;
}

/* Exact misses: a stack of the region's own lines. */
static pluss_status walk_exactly(study *s, plussi_walk *walk, const bool *counts)
{
    plussi_access batch[BATCH];
    plussi_lru *lru;
    uint64_t batches = 0;
    pluss_status status = plussi_lru_new(s->ctx, &lru);
    do
        for (size_t n; !status && (n = plussi_walk_fill(walk, 0, batch, BATCH)) > 0;) {
            if (batches++ % ASK_EVERY == 0)
                status = plussi_pipeline_ask(s->request, "simulate", plussi_walk_done(walk),
                                             s->accesses);
            for (size_t i = 0; i < n && !status; i++) {
                if (!counts[batch[i].ref])
                    continue;
                const uint64_t distance = plussi_lru_touch(lru, batch[i].line);
                if (distance == PLUSSI_LRU_FAIL)
                    status = PLUSS_ENOMEM;
                s->accesses++;
                for (size_t c = 0; c < s->request->n_caches; c++)
                    s->misses[c] += distance == PLUSSI_LRU_COLD ||
                                    distance >= s->request->cache[c].bytes / s->request->line_bytes;
            }
        }
    while (!status && plussi_walk_next_phase(walk));
    plussi_lru_free(lru);
    return status ? status : plussi_walk_status(walk);
}

static pluss_status count_and_walk(study *s, const plussi_bound *bound, plussi_walk *walk)
{
    plussi_effort effort = {.left = COUNTING_STEPS};
    plussi_executions executed;
    bool *counts = plussi_calloc(&s->ctx->mem, bound->n_refs + 1, sizeof *counts);
    double all = 0;
    if (!counts)
        return PLUSS_ENOMEM;
    pluss_status status = plussi_count_executions(s->ctx, bound, &effort, &executed);
    for (uint32_t i = 0; i < bound->n_refs && !status; i++) {
        if (!bound->ref[i])
            continue;
        counts[i] = is_of_region(s, bound->ref[i]->decl);
        all += executed.ref[i];
        if (counts[i])
            count_row(s, bound, &executed, bound->ref[i]->decl);
    }
    s->has_values = !status;
    s->has_exact = !status && all <= MOST_WALKED;
    if (!status) {
        plussi_executions_free(s->ctx, &executed);
        if (s->has_exact)
            status = walk_exactly(s, walk, counts);
    }
    plussi_free(&s->ctx->mem, counts);
    return status;
}

static pluss_status evaluate(study *s)
{
    plussi_bound *bound = NULL;
    plussi_walk *walk = NULL;
    pluss_status status = plussi_pipeline_bind(s->ctx, s->nest, s->request, 1, &bound);
    if (!status) /* which refuses what lacks contents */
        status = plussi_walk_new(s->ctx, bound, s->request->seed, &walk);
    if (!status)
        status = count_and_walk(s, bound, walk);
    if (walk)
        plussi_walk_free(walk);
    if (bound)
        plussi_bound_free(bound);
    return status;
}

/* ---- the report ---------------------------------------------------------------------------------
 */

/* The text as one of the document's. */
static const char *keep(study *s, pluss_status status, char *text)
{
    s->status = s->status ? s->status : status;
    const char *kept = plussi_document_text(s->document, "%s", text ? text : "");
    plussi_free(&s->ctx->mem, text);
    return kept;
}

static const char *references_text(study *s, const row *r)
{
    char *text = NULL;
    const pluss_status status = plussi_references_text(s->ctx, s->region, r->in, r->array, &text);
    return keep(s, status, text);
}

static const char *elements_text(study *s, const row *r)
{
    char *text = NULL;
    const pluss_status status = plussi_elements_text(s->ctx, r->array, &text);
    return keep(s, status, text);
}

static void put_rows(study *s, plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "place", .label = "loop", .show = PLUSSI_AS_PLACE},
        {.key = "array", .label = "array"},
        {.key = "references", .label = "references"},
        {.key = "elements", .label = "elements"},
        {.key = "element_bytes", .label = "of", .show = PLUSSI_AS_BYTES},
        {.key = "dense", .label = "dense", .show = PLUSSI_AS_NUMBER},
        {.key = "segments", .label = "segments", .show = PLUSSI_AS_NUMBER},
        {.key = "scattered", .label = "scattered", .show = PLUSSI_AS_NUMBER},
        {.key = "element_count", .label = "at most", .show = PLUSSI_AS_NUMBER},
        {.key = "lines", .label = "lines", .show = PLUSSI_AS_NUMBER}};
    plussi_table *table =
        plussi_add_table(section, "arrays", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->n_rows; i++) {
        const row *r = &s->row[i];
        const char *elements = elements_text(s, r);
        const char *file = r->in->loc.file ? r->in->loc.file : s->region->loc.file;
        plussi_add_row(
            table, (plussi_datum[]){
                       plussi_d_place(file, r->in->loc.line, r->in->loc.col),
                       plussi_d_text(r->array->name), plussi_d_text(references_text(s, r)),
                       plussi_d_if(elements[0] != 0, plussi_d_text(elements)),
                       plussi_d_count(r->array->elem_bytes),
                       plussi_d_if(s->has_values, plussi_d_real(r->dense)),
                       plussi_d_if(s->has_values && r->segments > 0, plussi_d_real(r->segments)),
                       plussi_d_if(s->has_values && r->scattered > 0, plussi_d_real(r->scattered)),
                       plussi_d_if(s->has_values && r->elements > 0, plussi_d_real(r->elements)),
                       plussi_d_if(s->has_values, plussi_d_real(lines_of(s, r)))});
    }
}

/* Whether the size of each array that the loop refers to is known. */
static bool sizes_known(study *s, const plussi_node *in)
{
    bool known = true;
    for (size_t i = 0; i < s->n_rows; i++)
        known &= s->row[i].in != in || elements_text(s, &s->row[i])[0] != 0;
    return known;
}

/* What the arrays of the loop together have at most: "n*m*8/64 + ... + 4", two lines for each as
 * they begin and end anywhere in one; where a size is not known, a line for each reference. */
static const char *bound_text(study *s, const plussi_node *in)
{
    const char *sum = "";
    int ends = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        const row *r = &s->row[i];
        if (r->in != in)
            continue;
        const char *elements = elements_text(s, r), *plus = sum[0] ? " + " : "";
        sum = elements[0]
                  ? plussi_document_text(s->document, "%s%s%s*%llu/%u", sum, plus, elements,
                                         (unsigned long long)r->array->elem_bytes,
                                         s->request->line_bytes)
                  : plussi_document_text(s->document, "%s%s%s", sum, plus, references_text(s, r));
        ends += elements[0] ? 2 : 0;
    }
    return ends ? plussi_document_text(s->document, "%s + %d", sum, ends) : sum;
}

static double bound_of(const study *s, const plussi_node *in)
{
    const double line = (double)s->request->line_bytes;
    double sum = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        const row *r = &s->row[i];
        if (r->in == in)
            sum += r->elements > 0 ? ceil(r->elements * (double)r->array->elem_bytes / line) + 1
                                   : (r->dense + r->scattered) *
                                         (1 + ceil((double)(r->array->elem_bytes - 1) / line));
    }
    return sum;
}

/* Bounds of stack distances that have no formulas: of each touch of a line that the same outermost
 * loop has touched before. */
static void put_bounds(study *s, plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "place", .label = "reuse in loop", .show = PLUSSI_AS_PLACE},
        {.key = "distance_at_most", .label = "hits at the latest where, in lines"},
        {.key = "lines", .label = "lines", .show = PLUSSI_AS_NUMBER},
        {.key = "confidence", .label = "confidence"}};
    plussi_table *table =
        plussi_add_table(section, "bounds", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->n_rows; i++) {
        const plussi_node *in = s->row[i].in;
        if (in->kind != PLUSSI_N_LOOP || (i && s->row[i - 1].in == in))
            continue;
        const char *file = in->loc.file ? in->loc.file : s->region->loc.file;
        plussi_add_row(
            table,
            (plussi_datum[]){
                plussi_d_place(file, in->loc.line, in->loc.col), plussi_d_text(bound_text(s, in)),
                plussi_d_if(s->has_values, plussi_d_real(bound_of(s, in))),
                plussi_d_text(sizes_known(s, in) ? "sizes of arrays" : "numbers of references")});
    }
}

static void put_caches(study *s, plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "bytes", .label = "cache", .show = PLUSSI_AS_BYTES},
        {.key = "accesses", .label = "accesses", .show = PLUSSI_AS_COUNT},
        {.key = "misses", .label = "misses, estimated", .show = PLUSSI_AS_NUMBER},
        {.key = "exact_misses", .label = "exact", .show = PLUSSI_AS_COUNT},
        {.key = "error", .label = "error in %", .show = PLUSSI_AS_NUMBER, .digits = 1}};
    plussi_table *table =
        plussi_add_table(section, "misses", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->request->n_caches; i++) {
        const uint64_t bytes = s->request->cache[i].bytes;
        const double misses = misses_of(s, (double)(bytes / s->request->line_bytes));
        const double exact = (double)s->misses[i];
        const bool compared = s->has_exact && exact > 0;
        plussi_add_row(
            table,
            (plussi_datum[]){
                plussi_d_count(bytes), plussi_d_if(s->has_exact, plussi_d_count(s->accesses)),
                plussi_d_real(misses), plussi_d_if(s->has_exact, plussi_d_count(s->misses[i])),
                plussi_d_if(compared, plussi_d_real(compared ? 100 * (misses / exact - 1) : 0))});
    }
}

pluss_status plussi_indirect_report(plussi_ctx *ctx, const plussi_nest *nest,
                                    const plussi_region *region, const plussi_request *request,
                                    const char *why, plussi_section *list)
{
    study s = {
        .ctx = ctx, .document = list->document, .nest = nest, .region = region, .request = request};
    pluss_status status = find_rows(&s);
    if (!status && (request->n_bindings || request->n_caches || request->n_contents))
        status = evaluate(&s);
    if (!status) {
        plussi_section *section = plussi_symbolic_section(list, region, request->line_bytes);
        plussi_add_field(section, (plussi_heading){.key = "inexact", .label = "an estimate"},
                         plussi_d_text(plussi_document_text(s.document, "%s", why)));
        put_rows(&s, section);
        put_bounds(&s, section);
        if (s.has_values && request->n_caches)
            put_caches(&s, section);
        status = s.status;
    }
    plussi_free(&ctx->mem, s.row);
    plussi_free(&ctx->mem, s.misses);
    return status;
}
