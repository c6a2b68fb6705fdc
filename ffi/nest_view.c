/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A nest as flat lists of regions, symbols, loops, references and unknowns, with their texts: made
 * once, when the nest is, so that queries cannot fail and what they give stays.
 */
#include "ffi.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct viewer {
    plussi_ctx *ctx;
    pluss_nest *view;
    const plussi_region *region;
    bool *moving; /* by loop id; loops that were seen */
    uint32_t n_regions, n_symbols, n_arrays, n_loops, n_refs, n_unknowns;
} viewer;

static char *keep(viewer *v, const char *s)
{
    return plussi_arena_strndup(&v->view->arena, s, strlen(s));
}

/* NULL: no memory. Takes s. */
static const char *adopt(viewer *v, char *s)
{
    char *kept = keep(v, s);
    plussi_free(&v->ctx->mem, s);
    return kept;
}

static const char *expr_text(viewer *v, const plussi_expr *expr)
{
    char *text = NULL;
    return plussi_expr_print(v->ctx, expr, &text) ? NULL : adopt(v, text);
}

static const char *file_of(const viewer *v, const plussi_node *node)
{
    return node->loc.file ? node->loc.file : v->region->loc.file;
}

static bool constant(const plussi_expr *e)
{
    return e->kind == PLUSSI_E_INT || (e->kind == PLUSSI_E_NEG && constant(e->a[0]));
}

static pluss_status view_symbols(viewer *v)
{
    for (const plussi_symbol *s = v->view->nest->first_symbol; s; s = s->next) {
        pluss_symbol_info *info = &v->view->symbol[v->n_symbols++];
        *info = (pluss_symbol_info){.size = sizeof *info,
                                    .kind = !s->value            ? PLUSS_SYMBOL_UNBOUND
                                            : constant(s->value) ? PLUSS_SYMBOL_BOUND
                                                                 : PLUSS_SYMBOL_DERIVED,
                                    .name = s->name,
                                    .origin = s->origin,
                                    .region = s->region ? (int32_t)s->region->id : -1};
        if (s->value && !(info->value = expr_text(v, s->value)))
            return PLUSS_ENOMEM;
    }
    return PLUSS_OK;
}

static pluss_status view_arrays(viewer *v)
{
    for (const plussi_array *a = v->view->nest->first_array; a; a = a->next) {
        char bytes[32];
        snprintf(bytes, sizeof bytes, "b%" PRIu64, a->elem_bytes);
        const char *element = a->elem == PLUSSI_ELEM_BYTES
                                  ? plussi_arena_strndup(&v->view->arena, bytes, strlen(bytes))
                                  : plussi_elem_name(a->elem);
        if (!element)
            return PLUSS_ENOMEM;
        v->view->array[v->n_arrays++] =
            (pluss_array_info){.size = sizeof(pluss_array_info),
                               .name = a->name,
                               .element = element,
                               .rank = a->rank,
                               .region = a->region ? (int32_t)a->region->id : -1,
                               .is_private = a->is_private,
                               .has_contents = a->has_values};
    }
    return PLUSS_OK;
}

/* "static, 4"; "" without a clause. */
static const char *schedule_text(viewer *v, const plussi_schedule *schedule)
{
    static const char *const kind[] = {"",     "static",  "dynamic", "guided",
                                       "auto", "runtime", "rayon",   "recorded"};
    static const char *const modifier[] = {"", "monotonic: ", "nonmonotonic: "};
    const plussi_expr *part[] = {schedule->chunk, schedule->chunk2};
    const char *text[2] = {"", ""};
    size_t length = 64;
    for (int i = 0; i < 2; i++)
        if (part[i]) {
            text[i] = expr_text(v, part[i]);
            if (!text[i])
                return NULL;
            length += strlen(text[i]);
        }
    char *out = plussi_arena_alloc(&v->view->arena, length, 1);
    if (!out)
        return NULL;
    char *end = stpcpy(stpcpy(out, modifier[schedule->modifier]), kind[schedule->kind]);
    for (int i = 0; i < 2; i++)
        if (part[i])
            end = stpcpy(stpcpy(end, ", "), text[i]);
    return out;
}

static uint32_t depth_of(const plussi_node *node)
{
    uint32_t depth = 0;
    for (const plussi_node *p = node->parent; p; p = p->parent)
        depth += p->kind == PLUSSI_N_LOOP;
    return depth;
}

/* Whether the value moves with the parallel loop, by the rule of docs/models.md, "Reference
 * classes": it depends on $thread, on a loop that is shared out, or on a loop both of whose bounds
 * do so. What an index array holds is data. */
static bool moves(const viewer *v, const plussi_expr *e)
{
    if (!e || e->kind == PLUSSI_E_LOAD)
        return false;
    if (e->kind == PLUSSI_E_THREAD || (e->kind == PLUSSI_E_IV && v->moving[e->loop->id]))
        return true;
    return moves(v, e->a[0]) || moves(v, e->a[1]) || moves(v, e->a[2]);
}

/* Whether the loop is one of those that a worksharing loop shares out: itself, collapsed ones. */
static bool shared_out(const plussi_node *loop)
{
    uint32_t inner = 0;
    for (const plussi_node *p = loop; p; p = p->parent) {
        if (p->kind != PLUSSI_N_LOOP)
            continue;
        if (p->u.loop.workshare)
            return inner < p->u.loop.collapse;
        inner++;
    }
    return false;
}

static pluss_status view_loop(viewer *v, const plussi_node *node)
{
    pluss_loop_info *info = &v->view->loop[v->n_loops++];
    *info = (pluss_loop_info){.size = sizeof *info,
                              .region = v->region->id,
                              .depth = depth_of(node),
                              .file = file_of(v, node),
                              .line = node->loc.line,
                              .col = node->loc.col,
                              .iv = node->u.loop.iv,
                              .lo = expr_text(v, node->u.loop.lo),
                              .hi = expr_text(v, node->u.loop.hi),
                              .step = node->u.loop.step,
                              .parallel = node->u.loop.workshare,
                              .collapse = node->u.loop.collapse,
                              .nowait = node->u.loop.nowait};
    v->moving[node->id] =
        shared_out(node) || (moves(v, node->u.loop.lo) && moves(v, node->u.loop.hi));
    if (info->parallel)
        info->schedule = schedule_text(v, &node->u.loop.schedule);
    return info->lo && info->hi && (info->schedule || !info->parallel) ? PLUSS_OK : PLUSS_ENOMEM;
}

static pluss_sharing sharing_of(const viewer *v, const plussi_node *ref, bool team)
{
    if (!team || ref->u.ref.array->is_private)
        return PLUSS_SHARING_NONE;
    for (uint32_t i = 0; i < ref->u.ref.n_subs; i++)
        if (moves(v, ref->u.ref.subs[i]))
            return PLUSS_SHARING_SPLIT;
    return PLUSS_SHARING_FULL;
}

static pluss_status view_ref(viewer *v, const plussi_node *node)
{
    const plussi_node *inner = NULL;
    bool workshare = false, team = false;
    for (const plussi_node *p = node->parent; p; p = p->parent) {
        if (p->kind == PLUSSI_N_LOOP && !inner)
            inner = p;
        workshare = workshare || (p->kind == PLUSSI_N_LOOP && p->u.loop.workshare);
        team = team || p->kind == PLUSSI_N_PARALLEL;
    }
    pluss_ref_info *info = &v->view->ref[v->n_refs++];
    *info = (pluss_ref_info){.size = sizeof *info,
                             .region = v->region->id,
                             .loop = inner ? (int64_t)inner->id : -1,
                             .file = file_of(v, node),
                             .line = node->loc.line,
                             .col = node->loc.col,
                             .array = node->u.ref.array->name,
                             .write = node->u.ref.write,
                             .atomic = node->u.ref.atomic,
                             .parallel = workshare,
                             .sharing = sharing_of(v, node, team)};
    char *text = NULL;
    pluss_status status = plussi_ref_print(v->ctx, node, &text);
    if (status)
        return status;
    info->text = adopt(v, text);
    return info->text ? PLUSS_OK : PLUSS_ENOMEM;
}

static void view_unknown(viewer *v, const plussi_node *node)
{
    static const char *const kind[] = {"loop", "reference", "call", "control", "construct"};
    pluss_unknown_info *info = &v->view->unknown[v->n_unknowns++];
    *info =
        (pluss_unknown_info){.size = sizeof *info,
                             .region = v->region->id,
                             .file = file_of(v, node),
                             .line = node->loc.line,
                             .col = node->loc.col,
                             .kind = kind[node->u.unknown.kind],
                             .array = node->u.unknown.array ? node->u.unknown.array->name : NULL,
                             .reason = node->u.unknown.reason};
}

static pluss_status view_region(viewer *v)
{
    const plussi_region *region = v->region;
    pluss_region_info *info = &v->view->region[v->n_regions++];
    *info = (pluss_region_info){.size = sizeof *info,
                                .name = region->name,
                                .file = region->loc.file,
                                .line = region->loc.line,
                                .col = region->loc.col};
    pluss_status status = PLUSS_OK;
    for (const plussi_node *node = NULL;
         (node = plussi_nest_walk(&region->body, (plussi_node *)node));) {
        if (node->kind == PLUSSI_N_LOOP)
            status = view_loop(v, node);
        else if (node->kind == PLUSSI_N_REF)
            status = view_ref(v, node);
        else if (node->kind == PLUSSI_N_UNKNOWN)
            view_unknown(v, node);
        if (status)
            return status;
    }
    return PLUSS_OK;
}

static pluss_status fill(viewer *v)
{
    pluss_nest *view = v->view;
    const plussi_nest *nest = view->nest;
    uint32_t unknowns = 0;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            unknowns += node->kind == PLUSSI_N_UNKNOWN;
    view->info.regions = nest->n_regions;
    view->info.symbols = nest->n_symbols;
    view->info.arrays = nest->n_arrays;
    view->info.loops = nest->n_loops;
    view->info.refs = nest->n_refs;
    view->info.unknowns = unknowns;
    view->region = plussi_arena_alloc(&view->arena, nest->n_regions, sizeof *view->region);
    view->symbol = plussi_arena_alloc(&view->arena, nest->n_symbols, sizeof *view->symbol);
    view->array = plussi_arena_alloc(&view->arena, nest->n_arrays, sizeof *view->array);
    view->loop = plussi_arena_alloc(&view->arena, nest->n_loops, sizeof *view->loop);
    view->ref = plussi_arena_alloc(&view->arena, nest->n_refs, sizeof *view->ref);
    view->unknown = plussi_arena_alloc(&view->arena, unknowns, sizeof *view->unknown);
    v->moving = plussi_arena_alloc(&view->arena, nest->n_loops, sizeof *v->moving);
    if (!view->region || !view->symbol || !view->array || !view->loop || !view->ref ||
        !view->unknown || !v->moving)
        return PLUSS_ENOMEM;
    pluss_status status = view_symbols(v);
    if (!status)
        status = view_arrays(v);
    for (v->region = nest->first_region; v->region && !status; v->region = v->region->next)
        status = view_region(v);
    return status;
}

pluss_status plussi_ffi_view(plussi_ctx *ctx, plussi_nest *nest, const char *origin,
                             pluss_nest **out)
{
    pluss_nest *view = plussi_calloc(&ctx->mem, 1, sizeof *view);
    if (!view) {
        plussi_nest_free(nest);
        return PLUSS_ENOMEM;
    }
    view->mem = ctx->mem;
    view->nest = nest;
    plussi_arena_init(&view->arena, &ctx->mem);
    viewer v = {.ctx = ctx, .view = view};
    view->info = (pluss_nest_info){.size = sizeof view->info, .origin = keep(&v, origin)};
    pluss_status status = view->info.origin ? fill(&v) : PLUSS_ENOMEM;
    if (status)
        pluss_nest_free(view);
    else
        *out = view;
    return status;
}

pluss_status plussi_ffi_view_symbol(pluss_nest *view, const char *symbol, bool absent)
{
    if (!symbol || view->info.regions == 0)
        return PLUSS_OK;
    char *kept = plussi_arena_strndup(&view->arena, symbol, strlen(symbol));
    if (!kept)
        return PLUSS_ENOMEM;
    view->region[0].symbol = kept;
    view->region[0].no_symbol = absent;
    return PLUSS_OK;
}

void pluss_nest_free(pluss_nest *nest)
{
    if (!nest)
        return;
    plussi_mem mem = nest->mem;
    plussi_arena_free(&nest->arena);
    plussi_nest_free(nest->nest);
    plussi_free(&mem, nest);
}

#define GETTER(name, type, member, count)                                                          \
    pluss_status name(const pluss_nest *nest, uint32_t i, type *out)                               \
    {                                                                                              \
        if (!nest || !out)                                                                         \
            return PLUSS_EINVAL;                                                                   \
        if (i >= nest->info.count)                                                                 \
            return PLUSS_ENOTFOUND;                                                                \
        return plussi_ffi_give(out, &nest->member[i], sizeof *out);                                \
    }
GETTER(pluss_nest_get_region, pluss_region_info, region, regions)
GETTER(pluss_nest_get_symbol, pluss_symbol_info, symbol, symbols)
GETTER(pluss_nest_get_array, pluss_array_info, array, arrays)
GETTER(pluss_nest_get_loop, pluss_loop_info, loop, loops)
GETTER(pluss_nest_get_ref, pluss_ref_info, ref, refs)
GETTER(pluss_nest_get_unknown, pluss_unknown_info, unknown, unknowns)
#undef GETTER

pluss_status pluss_nest_get_info(const pluss_nest *nest, pluss_nest_info *out)
{
    if (!nest || !out)
        return PLUSS_EINVAL;
    return plussi_ffi_give(out, &nest->info, sizeof *out);
}
