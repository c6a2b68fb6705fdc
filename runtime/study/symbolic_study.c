/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/symbolic_study.h"

#include <string.h>

#include "symbolic/formula_text.h"

pluss_status plussi_symbolic_derive(plussi_ctx *ctx, const plussi_nest *nest,
                                    const plussi_region *region, const plussi_request *request,
                                    plussi_formula **out)
{
    const plussi_formula_options options = {request->line_bytes, request->effort};
    return plussi_formula_derive(ctx, nest, region, &options, out);
}

/* ---- formulas
 * -------------------------------------------------------------------------------------
 */

typedef struct writing {
    plussi_ctx *ctx;
    plussi_document *document;
    const plussi_formula *f;
    pluss_status status;
} writing;

/* The text as one of the document's, which frees it. */
static const char *keep(writing *w, plussi_text *text)
{
    char *bytes = NULL;
    size_t length;
    const pluss_status status = plussi_text_finish(text, &bytes, &length);
    if (status) {
        w->status = status;
        return "";
    }
    const char *kept = plussi_document_text(w->document, "%s", bytes);
    plussi_free(&w->ctx->mem, bytes);
    return kept;
}

static const char *poly_text(writing *w, const plussi_formula_class *c,
                             const plussi_formula_poly *p)
{
    plussi_text text;
    plussi_text_init(&text, w->ctx);
    plussi_text_poly(&text, w->f, c, p);
    return keep(w, &text);
}

/* "i, k: 1 <= i, i <= ni - 1" */
static const char *iterations_text(writing *w, const plussi_formula_class *c)
{
    plussi_text text;
    plussi_text_init(&text, w->ctx);
    for (uint32_t i = 0; i < c->n_dims; i++) {
        plussi_text_puts(&text, i ? ", " : "");
        plussi_text_iteration(&text, c, i);
    }
    if (c->n_dims && c->n_guards)
        plussi_text_puts(&text, ": ");
    plussi_text_guards(&text, w->f, c);
    return keep(w, &text);
}

static const char *ref_text(writing *w, uint32_t ref)
{
    const plussi_node *node = w->f->ref[ref];
    plussi_text text;
    plussi_text_init(&text, w->ctx);
    plussi_text_subscripted(&text, node->u.ref.array, node->u.ref.n_subs, node->u.ref.subs);
    return keep(w, &text);
}

static const char *access_of(const plussi_node *ref)
{
    return ref->u.ref.write ? "write" : "read";
}

static plussi_datum place_of(const writing *w, const plussi_node *node)
{
    const char *file = node->loc.file ? node->loc.file : w->f->region->loc.file;
    return plussi_d_place(file, node->loc.line, node->loc.col);
}

static void put_classes(writing *w, plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "access", .label = ""},
        {.key = "reference", .label = "reference"},
        {.key = "place", .label = "", .show = PLUSSI_AS_PLACE},
        {.key = "previous_access", .label = ""},
        {.key = "previous", .label = "last touched by"},
        {.key = "previous_place", .label = "", .show = PLUSSI_AS_PLACE},
        {.key = "iterations", .label = "for each"},
        {.key = "accesses", .label = "accesses"},
        {.key = "distance"},
        {.key = "hit_condition", .label = "hits where"}};
    plussi_table *table =
        plussi_add_table(section, "classes", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < w->f->classes.n; i++) {
        const plussi_formula_class *c = &w->f->classes.class[i];
        const plussi_node *sink = w->f->ref[c->sink];
        const bool cold = c->source == UINT32_MAX;
        const plussi_node *source = cold ? NULL : w->f->ref[c->source];
        const char *distance = cold ? "" : poly_text(w, c, &c->distance);
        plussi_add_row(
            table,
            (plussi_datum[]){
                plussi_d_text(access_of(sink)), plussi_d_text(ref_text(w, c->sink)),
                place_of(w, sink), plussi_d_if(!cold, plussi_d_text(cold ? "" : access_of(source))),
                plussi_d_if(!cold, plussi_d_text(cold ? "" : ref_text(w, c->source))),
                cold ? plussi_d_absent() : place_of(w, source),
                plussi_d_text(iterations_text(w, c)), plussi_d_text(poly_text(w, c, &c->count)),
                cold ? plussi_d_null() : plussi_d_text(distance),
                cold ? plussi_d_text("never")
                     : plussi_d_text(plussi_document_text(w->document, "%s <= lines", distance))});
    }
}

/* Formulas that are the region's whole: one for each of the conditions on symbols. */
static void put_accesses(writing *w, plussi_section *section)
{
    static const plussi_heading columns[] = {{.key = "accesses", .label = "accesses in all"},
                                             {.key = "condition", .label = "where"}};
    plussi_table *table =
        plussi_add_table(section, "accesses", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < w->f->accesses.n; i++) {
        const plussi_formula_class *c = &w->f->accesses.class[i];
        plussi_add_row(table, (plussi_datum[]){plussi_d_text(poly_text(w, c, &c->count)),
                                               plussi_d_text(iterations_text(w, c))});
    }
}

static void put_conditions(writing *w, plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "symbol", .label = "symbol"},
        {.key = "least", .label = "from", .show = PLUSSI_AS_NUMBER},
        {.key = "multiple_of", .label = "multiple of", .show = PLUSSI_AS_NUMBER}};
    plussi_table *table =
        plussi_add_table(section, "symbols", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < w->f->n_symbols; i++) {
        const plussi_formula_symbol *s = &w->f->symbol[i];
        plussi_add_row(table,
                       (plussi_datum[]){plussi_d_text(s->symbol->name), plussi_d_integer(s->least),
                                        plussi_d_if(s->unit > 1, plussi_d_integer(s->unit))});
    }
}

/* ---- values
 * ---------------------------------------------------------------------------------------
 */

/* What the request says of the symbol; NULL: nothing. REGION.NAME precedes NAME. */
static const plussi_binding *binding_of(const plussi_formula *f, const plussi_request *request,
                                        const char *name)
{
    const size_t length = strlen(f->region->name);
    const plussi_binding *found = NULL;
    for (size_t i = 0; i < request->n_bindings; i++) {
        const plussi_binding *b = &request->binding[i];
        if (strncmp(b->name, f->region->name, length) == 0 && b->name[length] == '.' &&
            strcmp(b->name + length + 1, name) == 0)
            return b;
        if (strcmp(b->name, name) == 0)
            found = b;
    }
    return found;
}

/* The locality metric of Cascaval's thesis, section 4.1: the mean stack distance of all accesses
 * but cold ones. */
typedef struct mean_distance {
    double sum, accesses;
} mean_distance;

static bool add_distance(void *user, uint64_t distance, uint64_t count)
{
    mean_distance *mean = user;
    if (distance) {
        mean->sum += (double)distance * (double)count;
        mean->accesses += (double)count;
    }
    return true;
}

static pluss_status put_mean(writing *w, const int64_t *values, plussi_section *section)
{
    mean_distance mean = {0, 0};
    const pluss_status status = plussi_formula_histogram(w->ctx, w->f, values, add_distance, &mean);
    if (!status && mean.accesses > 0)
        plussi_add_figure(section, "mean_stack_distance", "mean stack distance", PLUSSI_AS_NUMBER,
                          3, "lines", plussi_d_real(mean.sum / mean.accesses));
    return status;
}

static pluss_status put_values(writing *w, const plussi_request *request, const int64_t *values,
                               plussi_section *section)
{
    static const plussi_heading columns[] = {
        {.key = "bytes", .label = "cache", .show = PLUSSI_AS_BYTES},
        {.key = "lines", .label = "lines", .show = PLUSSI_AS_COUNT},
        {.key = "accesses", .label = "accesses", .show = PLUSSI_AS_COUNT},
        {.key = "cold", .label = "cold", .show = PLUSSI_AS_COUNT},
        {.key = "misses", .label = "misses", .show = PLUSSI_AS_COUNT},
        {.key = "miss_ratio", .label = "miss ratio", .show = PLUSSI_AS_NUMBER, .digits = 4}};
    plussi_table *table =
        plussi_add_table(section, "misses", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < request->n_caches; i++) {
        const uint64_t bytes = request->cache[i].bytes, lines = bytes / w->f->line;
        plussi_formula_misses m;
        const pluss_status status = plussi_formula_count_misses(w->ctx, w->f, values, lines, &m);
        if (status)
            return status;
        const double ratio = m.accesses ? (double)m.misses / (double)m.accesses : 0;
        plussi_add_row(table, (plussi_datum[]){plussi_d_count(bytes), plussi_d_count(lines),
                                               plussi_d_count(m.accesses), plussi_d_count(m.cold),
                                               plussi_d_count(m.misses), plussi_d_real(ratio)});
    }
    return PLUSS_OK;
}

static pluss_status evaluate(writing *w, const plussi_request *request, plussi_section *section)
{
    const plussi_formula *f = w->f;
    const char *lacks = NULL;
    uint32_t known = 0;
    int64_t *values = plussi_calloc(&w->ctx->mem, f->n_symbols + 1, sizeof *values);
    if (!values)
        return PLUSS_ENOMEM;
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const plussi_binding *b = binding_of(f, request, f->symbol[i].symbol->name);
        if (b)
            values[i] = b->value;
        else
            lacks = f->symbol[i].symbol->name;
        known += b != NULL;
    }
    pluss_status status = PLUSS_OK;
    if (known == f->n_symbols && (known || request->n_caches))
        status = put_mean(w, values, section);
    if (!status && known == f->n_symbols && request->n_caches)
        status = put_values(w, request, values, section);
    else if (known > 0 && lacks)
        status = plussi_fail(w->ctx, PLUSS_EUNBOUND, &f->region->text_loc,
                             "symbol '%s' of %s has no value, while others have one", lacks,
                             f->region->name);
    plussi_free(&w->ctx->mem, values);
    return status;
}

plussi_section *plussi_symbolic_section(plussi_section *list, const plussi_region *region,
                                        uint64_t line)
{
    const char *name = plussi_document_text(list->document, "%s", region->name);
    plussi_section *section = plussi_add_section(list, "", name);
    plussi_add_field(section, (plussi_heading){.key = "region", .identifies = true},
                     plussi_d_text(region->name));
    plussi_add_figure(section, "line_bytes", "line", PLUSSI_AS_BYTES, 0, NULL,
                      plussi_d_count(line));
    return section;
}

pluss_status plussi_symbolic_report(plussi_ctx *ctx, const plussi_formula *f,
                                    const plussi_request *request, plussi_section *list)
{
    writing w = {.ctx = ctx, .document = list->document, .f = f};
    plussi_section *section = plussi_symbolic_section(list, f->region, f->line);
    put_conditions(&w, section);
    put_accesses(&w, section);
    put_classes(&w, section);
    const pluss_status status = evaluate(&w, request, section);
    return status ? status : w.status;
}

pluss_status plussi_symbolic_code(plussi_ctx *ctx, const plussi_formula *f, char **out,
                                  size_t *length)
{
    plussi_text text;
    plussi_text_init(&text, ctx);
    plussi_emit_formula(&text, f);
    return plussi_text_finish(&text, out, length);
}
