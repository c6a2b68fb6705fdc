/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/symbolic_study.h"

#include <string.h>

#include "symbolic/formula_text.h"
#include "symbolic/line_forms.h"

pluss_status plussi_symbolic_derive(plussi_ctx *ctx, const plussi_nest *nest,
                                    const plussi_region *region, const plussi_request *request,
                                    plussi_formula **out)
{
    const plussi_formula_options options = {request->line_bytes, request->effort, request->ask};
    return plussi_formula_derive(ctx, nest, region, &options, out);
}

/* Bytes of the largest element that the region refers to, as a power of two. */
static uint64_t largest_element(const plussi_region *region)
{
    uint64_t bytes = 1;
    for (plussi_node *n = plussi_nest_walk(&region->body, NULL); n;
         n = plussi_nest_walk(&region->body, n))
        while (n->kind == PLUSSI_N_REF && bytes < n->u.ref.array->elem_bytes)
            bytes *= 2;
    return bytes;
}

/* Whether class by class the formulas are of the same references. */
static bool correspond(const plussi_formula *a, const plussi_formula *b)
{
    bool same = a->n_symbols == b->n_symbols && a->classes.n == b->classes.n &&
                a->accesses.n == b->accesses.n;
    for (uint32_t i = 0; i < a->n_symbols && same; i++)
        same = (a->symbol[i].unit > 1) == (b->symbol[i].unit > 1);
    for (size_t i = 0; i < a->classes.n && same; i++)
        same = a->classes.class[i].sink == b->classes.class[i].sink &&
               a->classes.class[i].source == b->classes.class[i].source;
    return same;
}

static pluss_status refuse_forms(plussi_ctx *ctx, const plussi_region *region, const char *what)
{
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &region->text_loc,
                       "%s: %s for lines of different sizes differ in more than numbers; formulas "
                       "for one size are what --line gives",
                       region->name, what);
}

pluss_status plussi_symbolic_derive_lines(plussi_ctx *ctx, const plussi_nest *nest,
                                          const plussi_region *region,
                                          const plussi_request *request, plussi_formula **out)
{
    const uint64_t element = largest_element(region);
    const uint64_t effort = request->effort ? request->effort : PLUSSI_SYMBOLIC_EFFORT;
    pluss_status status = PLUSS_OK;
    for (uint32_t i = 0; i < PLUSSI_LINE_FORMS; i++)
        out[i] = NULL;
    for (uint32_t i = 0; i < PLUSSI_LINE_FORMS && !status; i++) {
        plussi_ask_part part;
        const double share = 1.0 / PLUSSI_LINE_FORMS;
        const plussi_formula_options options = {
            element * (uint64_t)plussi_line_form(i), effort / PLUSSI_LINE_FORMS,
            plussi_ask_of_part(&request->ask, NULL, i * share, share, &part)};
        status = plussi_formula_derive(ctx, nest, region, &options, &out[i]);
        if (!status && !correspond(out[0], out[i]))
            status = refuse_forms(ctx, region, "numbers of reuses");
    }
    return status;
}

/* ---- formulas
 * -------------------------------------------------------------------------------------
 */

typedef struct writing {
    plussi_ctx *ctx;
    plussi_document *document;
    const plussi_formula *f;
    /* Lines of any size: the formulas for PLUSSI_LINE_FORMS sizes, of which f is one; else NULL.
     * Texts are what theirs are the cases of. */
    plussi_formula *const *forms;
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

/* What is written of a class. */
typedef enum part { COUNT, DISTANCE, ITERATIONS, PARTS } part;

static void put_part(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                     part what)
{
    if (what == COUNT || what == DISTANCE) {
        plussi_text_poly(text, f, c, what == COUNT ? &c->count : &c->distance);
        return;
    }
    /* "i, k: 1 <= i, i <= ni - 1" */
    for (uint32_t i = 0; i < c->n_dims; i++) {
        plussi_text_puts(text, i ? ", " : "");
        plussi_text_iteration(text, c, i);
    }
    if (c->n_dims && c->n_guards)
        plussi_text_puts(text, ": ");
    plussi_text_guards(text, f, c);
}

static const plussi_formula_class *class_of(const plussi_formula *f, bool all, size_t i)
{
    return all ? &f->accesses.class[i] : &f->classes.class[i];
}

/* The text that these are the cases of. */
static const char *merge(writing *w, const char *const *text)
{
    plussi_text out;
    plussi_text_init(&out, w->ctx);
    if (!plussi_merge_line_forms(&out, text) && !out.status)
        w->status = refuse_forms(w->ctx, w->f->region, "formulas");
    return keep(w, &out);
}

/* A part of the i-th class, or of the i-th one of all accesses. */
static const char *part_text(writing *w, bool all, size_t i, part what)
{
    const char *text[PLUSSI_LINE_FORMS];
    const uint32_t n = w->forms ? PLUSSI_LINE_FORMS : 1;
    for (uint32_t k = 0; k < n; k++) {
        const plussi_formula *f = w->forms ? w->forms[k] : w->f;
        plussi_text one;
        plussi_text_init(&one, w->ctx);
        put_part(&one, f, class_of(f, all, i), what);
        text[k] = keep(w, &one);
    }
    return n > 1 && !w->status ? merge(w, text) : text[0];
}

static const char *ref_text(writing *w, uint32_t ref)
{
    const plussi_node *node = w->f->ref[ref];
    plussi_text text;
    plussi_text_init(&text, w->ctx);
    text.for_people = true;
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
        const char *distance = cold ? "" : part_text(w, false, i, DISTANCE);
        plussi_add_row(
            table,
            (plussi_datum[]){
                plussi_d_text(access_of(sink)), plussi_d_text(ref_text(w, c->sink)),
                place_of(w, sink), plussi_d_if(!cold, plussi_d_text(cold ? "" : access_of(source))),
                plussi_d_if(!cold, plussi_d_text(cold ? "" : ref_text(w, c->source))),
                cold ? plussi_d_absent() : place_of(w, source),
                plussi_d_text(part_text(w, false, i, ITERATIONS)),
                plussi_d_text(part_text(w, false, i, COUNT)),
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
        plussi_add_row(table, (plussi_datum[]){plussi_d_text(part_text(w, true, i, COUNT)),
                                               plussi_d_text(part_text(w, true, i, ITERATIONS))});
    }
}

/* The least value of a symbol, or what it is a multiple of. */
static plussi_datum condition(writing *w, uint32_t symbol, bool least)
{
    const char *text[PLUSSI_LINE_FORMS];
    for (uint32_t k = 0; w->forms && k < PLUSSI_LINE_FORMS; k++) {
        const plussi_formula_symbol *s = &w->forms[k]->symbol[symbol];
        text[k] =
            plussi_document_text(w->document, "%lld", (long long)(least ? s->least : s->unit));
    }
    const plussi_formula_symbol *s = &w->f->symbol[symbol];
    return w->forms ? plussi_d_text(merge(w, text)) : plussi_d_integer(least ? s->least : s->unit);
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
                       (plussi_datum[]){plussi_d_text(s->symbol->name), condition(w, i, true),
                                        plussi_d_if(s->unit > 1, condition(w, i, false))});
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

pluss_status plussi_symbolic_report_lines(plussi_ctx *ctx, plussi_formula *const *f,
                                          plussi_section *list)
{
    /* the last: of it are the conditions that only longer lines have */
    writing w = {.ctx = ctx, .document = list->document, .f = f[PLUSSI_LINE_FORMS - 1], .forms = f};
    for (size_t i = 0; i < w.f->classes.n && !w.status; i++)
        for (part what = COUNT; what < PARTS; what++)
            if (what != DISTANCE || w.f->classes.class[i].source != UINT32_MAX)
                (void)part_text(&w, false, i, what);
    if (w.status) /* before anything is in the report */
        return w.status;
    plussi_section *section = plussi_add_section(list, "", w.f->region->name);
    plussi_add_field(section, (plussi_heading){.key = "region", .identifies = true},
                     plussi_d_text(w.f->region->name));
    const uint64_t element = f[0]->line / PLUSSI_LEAST_LINE_FORM;
    plussi_add_figure(section, "element_bytes", "lines of L elements of", PLUSSI_AS_BYTES, 0, NULL,
                      plussi_d_count(element));
    put_conditions(&w, section);
    put_accesses(&w, section);
    put_classes(&w, section);
    return w.status;
}

pluss_status plussi_symbolic_code(plussi_ctx *ctx, const plussi_formula *f, char **out,
                                  size_t *length)
{
    plussi_text text;
    plussi_text_init(&text, ctx);
    plussi_emit_formula(&text, f);
    return plussi_text_finish(&text, out, length);
}

pluss_status plussi_symbolic_counters(plussi_ctx *ctx, const plussi_nest *nest,
                                      const plussi_region *region, char **out, size_t *length)
{
    plussi_text text;
    plussi_text_init(&text, ctx);
    const char *unsupported = plussi_emit_counters(&text, nest, region);
    const pluss_status status = plussi_text_finish(&text, out, length);
    if (status || !unsupported)
        return status;
    plussi_free(&ctx->mem, *out);
    *out = NULL;
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &region->text_loc, "%s has no counters: %s",
                       region->name, unsupported);
}
