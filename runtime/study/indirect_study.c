/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/indirect_study.h"

#include <math.h>

#include "study/indirect_reuse.h"
#include "study/stage.h"
#include "study/symbolic_study.h"
#include "symbolic/references_text.h"

typedef plussi_indirect_row row;

typedef struct study {
    plussi_ctx *ctx;
    plussi_document *document;
    const plussi_nest *nest;
    const plussi_region *region;
    const plussi_request *request;
    const plussi_indirect_values *values; /* NULL: symbols have none */
    size_t number;                        /* of the region in its nest */
    plussi_indirect_rows rows;
    row **row_of; /* by reference; NULL: of another region */
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

/* The row of a loop and an array, which is added where there is none yet. */
static row *row_for(study *s, const plussi_node *in, const plussi_array *array)
{
    plussi_indirect_rows *r = &s->rows;
    size_t loop = 0;
    while (loop < r->n_loops && r->loop[loop].in != in)
        loop++;
    for (size_t i = 0; i < r->n_rows; i++)
        if (r->row[i].loop == loop && r->row[i].array == array)
            return &r->row[i];
    if (loop == r->n_loops)
        r->loop[r->n_loops++].in = in;
    r->row[r->n_rows] = (row){.loop = loop, .array = array};
    return &r->row[r->n_rows++];
}

static pluss_status find_rows(study *s)
{
    const size_t most = s->nest->n_refs + 1;
    s->rows.row = plussi_calloc(&s->ctx->mem, most, sizeof *s->rows.row);
    s->rows.loop = plussi_calloc(&s->ctx->mem, most, sizeof *s->rows.loop);
    s->row_of = plussi_calloc(&s->ctx->mem, most, sizeof(row *));
    if (!s->rows.row || !s->rows.loop || !s->row_of)
        return PLUSS_ENOMEM;
    for (const plussi_region *r = s->nest->first_region; r != s->region; r = r->next)
        s->number++;
    for (plussi_node *n = plussi_nest_walk(&s->region->body, NULL); n;
         n = plussi_nest_walk(&s->region->body, n)) {
        if (n->kind == PLUSSI_N_UNKNOWN)
            return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, &n->text_loc,
                               "the code at this place is not described: nothing tells what it "
                               "touches");
        if (n->kind == PLUSSI_N_REF)
            s->row_of[n->id] = row_for(s, outermost_loop(n), n->u.ref.array);
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

static void count_row(study *s, const plussi_node *ref)
{
    const plussi_executions *executed = &s->values->executed;
    row *r = s->row_of[ref->id];
    const plussi_node *loop = loop_of_segments(ref);
    *(is_scattered(ref) ? &r->scattered : &r->dense) += executed->ref[ref->id];
    r->elements = elements_of(&s->values->bound->array[r->array->id]);
    if (loop && !is_scattered(ref) && !segments_abut(loop) &&
        r->segments < executed->loop[loop->id])
        r->segments = executed->loop[loop->id];
}

/* Equation 3.7: lines of the array that the loop touches. Where they are not counted, what begins a
 * segment, and what is scattered, touches a line for itself. */
static double lines_of(const study *s, const row *r)
{
    if (r->counted)
        return r->lines;
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
    for (size_t i = 0; i < s->rows.n_rows; i++) {
        const row *of = &s->rows.row[i];
        double sum = 0;
        bool first = true;
        for (size_t k = 0; k < s->rows.n_rows; k++) {
            if (s->rows.row[k].array != of->array)
                continue;
            first = first && k >= i;
            sum += lines_of(s, &s->rows.row[k]);
        }
        const double each = (double)of->array->elem_bytes / (double)s->request->line_bytes;
        if (first)
            together += of->elements > 0 ? fmin(sum, ceil(of->elements * each)) : sum;
    }
    for (size_t i = 0; i < s->rows.n_loops; i++)
        apart += plussi_indirect_loop_misses(&s->rows.loop[i], lines);
    return together <= lines ? together : apart;
}

static pluss_status evaluate(study *s)
{
    const plussi_bound *bound = s->values->bound;
    for (uint32_t i = 0; i < bound->n_refs; i++)
        if (bound->ref[i] && s->row_of[i])
            count_row(s, bound->ref[i]->decl);
    pluss_status status = plussi_indirect_count_lines(s->ctx, s->values, s->row_of, &s->rows);
    for (size_t i = 0; i < s->rows.n_rows; i++)
        if (!s->rows.row[i].counted)
            s->rows.loop[s->rows.row[i].loop].streamed += lines_of(s, &s->rows.row[i]);
    return status ? status : plussi_indirect_curves(s->ctx, &s->rows);
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

static const plussi_node *loop_of(const study *s, const row *r)
{
    return s->rows.loop[r->loop].in;
}

static const char *references_text(study *s, const row *r)
{
    char *text = NULL;
    const pluss_status status =
        plussi_references_text(s->ctx, s->region, loop_of(s, r), r->array, &text);
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
    for (size_t i = 0; i < s->rows.n_rows; i++) {
        const row *r = &s->rows.row[i];
        const char *elements = elements_text(s, r);
        const plussi_loc *loc = &loop_of(s, r)->loc;
        plussi_add_row(
            table,
            (plussi_datum[]){
                plussi_d_place(loc->file ? loc->file : s->region->loc.file, loc->line, loc->col),
                plussi_d_text(r->array->name), plussi_d_text(references_text(s, r)),
                plussi_d_if(elements[0] != 0, plussi_d_text(elements)),
                plussi_d_count(r->array->elem_bytes),
                plussi_d_if(s->values != NULL, plussi_d_real(r->dense)),
                plussi_d_if(s->values && r->segments > 0, plussi_d_real(r->segments)),
                plussi_d_if(s->values && r->scattered > 0, plussi_d_real(r->scattered)),
                plussi_d_if(s->values && r->elements > 0, plussi_d_real(r->elements)),
                plussi_d_if(s->values != NULL, plussi_d_real(lines_of(s, r)))});
    }
}

/* Whether the size of each array that the loop refers to is known. */
static bool sizes_known(study *s, size_t loop)
{
    bool known = true;
    for (size_t i = 0; i < s->rows.n_rows; i++)
        known &= s->rows.row[i].loop != loop || elements_text(s, &s->rows.row[i])[0] != 0;
    return known;
}

/* What the arrays of the loop together have at most: "n*m*8/64 + ... + 4", two lines for each as
 * they begin and end anywhere in one; where a size is not known, a line for each reference. */
static const char *bound_text(study *s, size_t loop)
{
    const char *sum = "";
    int ends = 0;
    for (size_t i = 0; i < s->rows.n_rows; i++) {
        const row *r = &s->rows.row[i];
        if (r->loop != loop)
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

static double bound_of(const study *s, size_t loop)
{
    const double line = (double)s->request->line_bytes;
    double sum = 0;
    for (size_t i = 0; i < s->rows.n_rows; i++) {
        const row *r = &s->rows.row[i];
        if (r->loop == loop)
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
    for (size_t i = 0; i < s->rows.n_loops; i++) {
        const plussi_node *in = s->rows.loop[i].in;
        if (in->kind != PLUSSI_N_LOOP)
            continue;
        const char *file = in->loc.file ? in->loc.file : s->region->loc.file;
        plussi_add_row(
            table,
            (plussi_datum[]){
                plussi_d_place(file, in->loc.line, in->loc.col), plussi_d_text(bound_text(s, i)),
                plussi_d_if(s->values != NULL, plussi_d_real(bound_of(s, i))),
                plussi_d_text(sizes_known(s, i) ? "sizes of arrays" : "numbers of references")});
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
    const plussi_indirect_values *v = s->values;
    const size_t n_caches = s->request->n_caches;
    for (size_t i = 0; i < n_caches; i++) {
        const uint64_t bytes = s->request->cache[i].bytes;
        const double misses = misses_of(s, (double)(bytes / s->request->line_bytes));
        const uint64_t exact = v->misses[s->number * n_caches + i];
        const double error = v->has_exact && exact > 0 ? 100 * (misses / (double)exact - 1) : 0;
        plussi_add_row(table,
                       (plussi_datum[]){
                           plussi_d_count(bytes),
                           plussi_d_if(v->has_exact, plussi_d_count(v->accesses[s->number])),
                           plussi_d_real(misses), plussi_d_if(v->has_exact, plussi_d_count(exact)),
                           plussi_d_if(v->has_exact && exact > 0, plussi_d_real(error))});
    }
}

static void free_study(study *s)
{
    for (size_t i = 0; i < s->rows.n_loops; i++) {
        plussi_histo_free(&s->rows.loop[i].intervals);
        plussi_mrc_free(&s->rows.loop[i].mrc);
    }
    plussi_free(&s->ctx->mem, s->rows.row);
    plussi_free(&s->ctx->mem, s->rows.loop);
    plussi_free(&s->ctx->mem, s->row_of);
}

pluss_status plussi_indirect_report(plussi_ctx *ctx, const plussi_nest *nest,
                                    const plussi_region *region, const plussi_request *request,
                                    const char *why, plussi_indirect_values *values,
                                    plussi_section *list)
{
    study s = {
        .ctx = ctx, .document = list->document, .nest = nest, .region = region, .request = request};
    pluss_status status = find_rows(&s);
    if (!status && (request->n_bindings || request->n_caches || request->n_contents)) {
        status = values->bound ? PLUSS_OK : plussi_indirect_evaluate(ctx, nest, request, values);
        s.values = values;
    }
    if (!status && s.values)
        status = evaluate(&s);
    if (!status) {
        plussi_section *section = plussi_symbolic_section(list, region, request->line_bytes);
        plussi_add_field(section, (plussi_heading){.key = "inexact", .label = "an estimate"},
                         plussi_d_text(plussi_document_text(s.document, "%s", why)));
        put_rows(&s, section);
        put_bounds(&s, section);
        if (s.values && request->n_caches)
            put_caches(&s, section);
        status = s.status;
    }
    free_study(&s);
    return status;
}
