/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recorded runs as programs: a region with values and addresses put in, and the sequence of them.
 */
#include <stdio.h>
#include <string.h>

#include "nest/copier.h"
#include "trace/fill_unknowns.h"
#include "trace/record_try.h"
#include "trace/recorded.h"

enum { NAMED_REGIONS = 4, PREFIX = 128 /* bytes of a region's name in front of others */ };

bool plussi_record_is_serial(const plussi_record_block *block)
{
    return strcmp(block->region, PLUSSI_SERIAL_PARTS) == 0 && !*block->file && !block->line;
}

const plussi_region *plussi_record_region(const plussi_record_block *block,
                                          const plussi_nest *const *nests, size_t n,
                                          const plussi_nest **nest)
{
    for (size_t i = 0; i < n; i++)
        for (const plussi_region *r = nests[i]->first_region; r; r = r->next)
            if (strcmp(r->name, block->region) == 0 && r->loc.line == block->line &&
                plussi_same_text(r->loc.file ? r->loc.file : "", block->file)) {
                *nest = nests[i];
                return r;
            }
    return NULL;
}

/* ---- declarations ------------------------------------------------------------------------------
 */

/* Whether the nest or the region declares the symbol. */
static bool declares_symbol(const plussi_nest *nest, const plussi_region *region, const char *name)
{
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
        if (s->region == region && strcmp(s->name, name) == 0)
            return true;
    for (const plussi_array *a = nest->first_array; a; a = a->next)
        if (a->region == region && strcmp(a->name, name) == 0)
            return true;
    return false;
}

static bool is_number(const plussi_expr *e)
{
    return !e || e->kind == PLUSSI_E_INT || (e->kind == PLUSSI_E_NEG && is_number(e->a[0]));
}

/* A value where nothing that depends on it was executed: any at which the nest holds. */
static int64_t unreached_value(const plussi_symbol *symbol)
{
    return symbol->least > 1 ? symbol->least : 1;
}

/* A recorded value of a symbol that is no function of others. */
static void give_value(plussi_copier *c, const plussi_symbol *source,
                       const plussi_record_block *block)
{
    plussi_symbol *symbol = c->symbols[source->id];
    for (size_t i = 0; symbol && is_number(source->value) && i < block->n_symbols; i++) {
        const int64_t value = block->symbol[i].value;
        if (strcmp(block->symbol[i].name, source->name) == 0 && value != PLUSSI_RECORD_NO_VALUE)
            symbol->value = plussi_expr_int(
                c->dst, value == PLUSSI_RECORD_UNREACHED ? unreached_value(source) : value);
    }
}

/* An array's address at a placement, or at the first; 0: the record does not tell it. */
static uint64_t address_of(const plussi_record_block *block, const char *name, int64_t place)
{
    const uint64_t *addresses = block->address;
    if (place != PLUSSI_RECORD_UNKNOWN)
        addresses += (size_t)place * block->n_arrays;
    for (size_t i = 0; i < block->n_arrays; i++)
        if (strcmp(block->array[i], name) == 0)
            return addresses[i];
    return 0;
}

/* The address at a placement; without one what all have in common, the place in the line. */
static void give_address(plussi_copier *c, const plussi_array *source,
                         const plussi_record_block *block, int64_t place, uint32_t line_bytes)
{
    plussi_array *array = c->arrays[source->id];
    if (!array || array->over)
        return;
    const uint64_t address = address_of(block, source->name, place);
    if (address == 0 || address == PLUSSI_RECORD_UNTOUCHED || address > INT64_MAX)
        return;
    bool whole = place != PLUSSI_RECORD_UNKNOWN && !array->is_private;
    array->base_kind = whole ? PLUSSI_BASE_ADDRESS : PLUSSI_BASE_OFFSET;
    array->base = plussi_expr_int(c->dst, (int64_t)(whole ? address : address % line_bytes));
}

/* What is declared by `of` (NULL: nest-wide), where the copier says. Recorded names mean what they
 * mean in the region. */
static void declare_names(plussi_copier *c, const plussi_region *region, const plussi_region *of,
                          const plussi_record_block *block, int64_t place, uint32_t line_bytes)
{
    for (const plussi_symbol *s = c->src->first_symbol; s; s = s->next)
        if (s->region == of) {
            plussi_copy_symbol(c, s);
            if (of || !declares_symbol(c->src, region, s->name))
                give_value(c, s, block);
        }
    for (const plussi_array *a = c->src->first_array; a; a = a->next)
        if (a->region == of) {
            plussi_copy_array(c, a);
            if (of || !declares_symbol(c->src, region, a->name))
                give_address(c, a, block, place, line_bytes);
        }
}

static plussi_loc keep_place(plussi_nest *nest, plussi_loc loc)
{
    loc.file = plussi_nest_string(nest, loc.file);
    return loc;
}

/* The block's region with the declarations that it uses, as a nest of its own; NULL: no nest has
 * it.
 */
static pluss_status take_region(plussi_ctx *ctx, const plussi_record_block *block,
                                const plussi_nest *const *nests, size_t n, plussi_nest **out)
{
    const plussi_nest *nest = NULL;
    const plussi_region *region = plussi_record_region(block, nests, n, &nest);
    char *text = NULL;
    size_t length = 0;
    *out = NULL;
    if (!region)
        return PLUSS_OK;
    TRY(plussi_nest_print_region(ctx, nest, region, &text, &length));
    pluss_status status = plussi_nest_parse(ctx, text, length, NULL, out);
    plussi_free(&ctx->mem, text);
    if (!status && block->n_iterations)
        status = plussi_fill_unknowns(ctx, block, *out);
    if (status && *out) {
        plussi_nest_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- one region --------------------------------------------------------------------------------
 */

static pluss_status build_nest(plussi_ctx *ctx, const plussi_record *record,
                               const plussi_record_block *block, int64_t place,
                               const plussi_nest *src, plussi_nest *dst)
{
    const plussi_region *region = src->first_region;
    plussi_copier c;
    pluss_status status = plussi_copier_init(&c, ctx, dst, src);
    if (!status) {
        declare_names(&c, region, NULL, block, place, record->line_bytes);
        c.region = plussi_nest_add_region(dst, region->name, keep_place(dst, region->loc));
        declare_names(&c, region, region, block, place, record->line_bytes);
        if (c.region) {
            c.region->text_loc = plussi_copy_text_loc(&c, region->text_loc);
            c.region->repeat = plussi_copy_expr(&c, region->repeat);
            plussi_copy_body(&c, &region->body, &c.region->body, NULL);
        }
        status = plussi_nest_validate(ctx, dst);
    }
    plussi_copier_free(&c);
    return status;
}

pluss_status plussi_record_nest(plussi_ctx *ctx, const plussi_record *record, size_t block,
                                int64_t place, const plussi_nest *const *nests, size_t n,
                                plussi_nest **out)
{
    if (block >= record->n_blocks || place < PLUSSI_RECORD_UNKNOWN ||
        (place >= 0 && (uint64_t)place >= record->block[block].n_places))
        return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL,
                           "the record has no region %zu with placement %lld", block,
                           (long long)place);
    const plussi_record_block *b = &record->block[block];
    plussi_nest *src = NULL, *nest = NULL;
    TRY(take_region(ctx, b, nests, n, &src));
    if (!src)
        return plussi_fail(ctx, PLUSS_ENOTFOUND, &b->loc, "there is no description of '%s' (%s:%u)",
                           b->region, b->file, b->line);
    pluss_status status = plussi_nest_new(ctx, &nest);
    if (!status)
        status = build_nest(ctx, record, b, place, src, nest);
    plussi_nest_free(src);
    if (status)
        plussi_nest_free(nest);
    else
        *out = nest;
    return status;
}

pluss_status plussi_record_bare_nest(plussi_ctx *ctx, const plussi_record_block *block,
                                     const char *reason, plussi_nest **out)
{
    plussi_nest *nest = NULL;
    TRY(plussi_nest_new(ctx, &nest));
    const plussi_loc loc = {*block->file ? plussi_nest_string(nest, block->file) : NULL,
                            block->line, 0};
    plussi_region *region = plussi_nest_add_region(nest, block->region, loc);
    plussi_node *all =
        region ? plussi_nest_add_node(nest, &region->body, NULL, PLUSSI_N_UNKNOWN, loc) : NULL;
    if (all) {
        all->u.unknown.kind = PLUSSI_UNKNOWN_CONTROL;
        all->u.unknown.reason = plussi_nest_string(nest, reason);
    }
    pluss_status status = plussi_nest_validate(ctx, nest);
    if (status)
        plussi_nest_free(nest);
    else
        *out = nest;
    return status;
}

/* ---- the sequence ------------------------------------------------------------------------------
 */

/* A block at a placement. */
typedef struct part {
    plussi_nest *src; /* its region alone; NULL: no nest has it */
    const plussi_region *region;
    plussi_copier copier;
    bool used;
} part;

typedef struct composer {
    plussi_ctx *ctx;
    const plussi_record *record;
    const plussi_nest *const *nests;
    size_t n_nests;
    plussi_nest *dst;
    part *part;    /* of all blocks at all placements and at none */
    size_t *first; /* a block's first part: that at no placement, then at 0, 1, ... */
    size_t n_parts;
} composer;

static size_t number_of(const composer *c, const plussi_record_node *run)
{
    return c->first[run->block] + (size_t)(run->place + 1);
}

static bool refers_to(const plussi_region *region, const plussi_array *array)
{
    for (plussi_node *node = NULL; (node = plussi_nest_walk(&region->body, node));)
        if (node->kind == PLUSSI_N_REF && node->u.ref.array == array)
            return true;
    return false;
}

static void warn_unplaced(composer *c, const plussi_record_block *block, const part *p,
                          int64_t place)
{
    for (const plussi_array *a = p->copier.src->first_array; a; a = a->next) {
        const plussi_array *copy = p->copier.arrays[a->id];
        if (copy && !copy->over && !copy->is_private && copy->base_kind != PLUSSI_BASE_ADDRESS &&
            address_of(block, a->name, place) != PLUSSI_RECORD_UNTOUCHED && refers_to(p->region, a))
            plussi_report(c->ctx, PLUSSI_WARNING, PLUSS_OK, &block->loc,
                          "where '%s' of '%s' lay is not known: taken as memory of its own",
                          a->name, block->region);
    }
}

/* "kernel.", or where that is taken "kernel#2.". */
static void name_part(const composer *c, size_t at, const char *name, char *out, size_t room)
{
    size_t before = 0;
    for (size_t i = 0; i < c->n_parts; i++)
        before += c->part[i].used && strcmp(c->part[i].region->name, name) == 0;
    if (strlen(name) > PREFIX)
        snprintf(out, room, "region#%zu.", at);
    else if (before)
        snprintf(out, room, "%s#%zu.", name, before + 1);
    else
        snprintf(out, room, "%s.", name);
}

/* All declarations of a part, nest-wide and under its prefix. */
static pluss_status declare_part(composer *c, size_t at, uint32_t number, int64_t place)
{
    const plussi_record_block *block = &c->record->block[number];
    part *p = &c->part[at];
    char prefix[PREFIX + 32], outer[PREFIX + 40];
    TRY(take_region(c->ctx, block, c->nests, c->n_nests, &p->src));
    const plussi_nest *src = p->src;
    if (!src)
        return PLUSS_OK;
    p->region = src->first_region;
    name_part(c, at, p->region->name, prefix, sizeof prefix);
    p->used = true;
    TRY(plussi_copier_init(&p->copier, c->ctx, c->dst, src));
    snprintf(outer, sizeof outer, "%snest.", prefix);
    bool hidden = false;
    for (const plussi_symbol *s = src->first_symbol; s; s = s->next)
        hidden = hidden || (!s->region && declares_symbol(src, p->region, s->name));
    for (const plussi_array *a = src->first_array; a; a = a->next)
        hidden = hidden || (!a->region && declares_symbol(src, p->region, a->name));
    p->copier.prefix = hidden ? outer : prefix;
    declare_names(&p->copier, p->region, NULL, block, place, c->record->line_bytes);
    p->copier.prefix = prefix;
    declare_names(&p->copier, p->region, p->region, block, place, c->record->line_bytes);
    p->copier.prefix = NULL;
    warn_unplaced(c, block, p, place);
    return PLUSS_OK;
}

static pluss_status declare_all(composer *c, const plussi_record_node *node, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (node[i].n) {
            TRY(declare_all(c, node[i].body, node[i].n));
            continue;
        }
        size_t at = number_of(c, &node[i]);
        if (!c->part[at].used)
            TRY(declare_part(c, at, node[i].block, node[i].place));
    }
    return PLUSS_OK;
}

/* Tells of the regions that are left out, once each. */
static void warn_missing(composer *c, const plussi_record_node *node, size_t n, bool *told)
{
    for (size_t i = 0; i < n; i++) {
        if (node[i].n) {
            warn_missing(c, node[i].body, node[i].n, told);
        } else if (!c->part[number_of(c, &node[i])].used && !told[node[i].block]) {
            const plussi_record_block *b = &c->record->block[node[i].block];
            told[node[i].block] = true;
            plussi_report(c->ctx, PLUSSI_WARNING, PLUSS_OK, &b->loc,
                          "there is no description of '%s' (%s:%u): left out of the whole",
                          b->region, b->file, b->line);
        }
    }
}

static bool has_swaps(const plussi_region *region)
{
    for (plussi_node *node = NULL; (node = plussi_nest_walk(&region->body, node));)
        if (node->kind == PLUSSI_N_SWAP)
            return true;
    return false;
}

/* Tells of exchanged arrays, once a block: in the program the exchange outlives the run, while the
 * run's addresses are those that the caller hands over. */
static void warn_swaps(composer *c, const plussi_record_node *node, size_t n, uint64_t times,
                       bool *told)
{
    for (size_t i = 0; i < n; i++) {
        bool again = times > 1 || node[i].times > 1;
        if (node[i].n) {
            warn_swaps(c, node[i].body, node[i].n, again ? 2 : 1, told);
            continue;
        }
        const part *p = &c->part[number_of(c, &node[i])];
        const plussi_record_block *b = &c->record->block[node[i].block];
        if (!again || !p->used || told[node[i].block] || !has_swaps(p->region))
            continue;
        told[node[i].block] = true;
        plussi_report(c->ctx, PLUSSI_WARNING, PLUSS_OK, &b->loc,
                      "arrays that '%s' exchanges stay exchanged from one run of it to the next",
                      b->region);
    }
}

/* Whether there is something to be done. */
static bool has_work(const composer *c, const plussi_record_node *node)
{
    if (node->n == 0)
        return c->part[number_of(c, node)].used;
    for (size_t i = 0; i < node->n; i++)
        if (has_work(c, &node->body[i]))
            return true;
    return false;
}

/* for `run DEPTH` in 0..times */
static plussi_node *add_loop(composer *c, plussi_body *to, plussi_node *parent, uint32_t depth,
                             plussi_expr *times)
{
    char iv[24];
    plussi_node *loop = plussi_nest_add_node(c->dst, to, parent, PLUSSI_N_LOOP, (plussi_loc){0});
    snprintf(iv, sizeof iv, "run %u", depth);
    if (loop) {
        loop->u.loop.iv = plussi_nest_string(c->dst, iv);
        loop->u.loop.lo = plussi_expr_int(c->dst, 0);
        loop->u.loop.hi = times;
    }
    return loop;
}

/* Nodes in a region's file name it, as the region that they become part of may hold those of
 * several. */
static void name_file(plussi_node *node, const char *file)
{
    for (; node; node = node->next) {
        if (node->loc.line && !node->loc.file)
            node->loc.file = file;
        name_file(node->body.first, file);
        name_file(node->orelse.first, file);
    }
}

static void add_work(composer *c, const plussi_record_node *node, plussi_body *to,
                     plussi_node *parent, uint32_t depth)
{
    part *p = node->n ? NULL : &c->part[number_of(c, node)];
    const plussi_expr *repeat = p && p->used ? p->region->repeat : NULL;
    if (c->dst->out_of_memory || !has_work(c, node))
        return;
    for (int level = 0; level < 2; level++) {
        if (level == 0 ? node->times == 1 : !repeat)
            continue;
        plussi_expr *times = level == 0 ? plussi_expr_int(c->dst, (int64_t)node->times)
                                        : plussi_copy_expr(&p->copier, repeat);
        parent = add_loop(c, to, parent, depth++, times);
        if (!parent)
            return;
        to = &parent->body;
    }
    if (p) {
        plussi_node *before = to->last;
        plussi_copy_body(&p->copier, &p->region->body, to, parent);
        name_file(before ? before->next : to->first, keep_place(c->dst, p->region->loc).file);
    }
    for (size_t i = 0; i < node->n; i++)
        add_work(c, &node->body[i], to, parent, depth);
}

/* "a+b+3 more", of the runs in the body. */
static size_t add_names(const composer *c, const plussi_record_node *node, char *out, size_t room,
                        size_t used, uint32_t *n)
{
    if (node->n == 0) {
        const part *p = &c->part[number_of(c, node)];
        if (p->used && (*n)++ < NAMED_REGIONS && used < room)
            used += (size_t)snprintf(out + used, room - used, used ? "+%s" : "%s", p->region->name);
        return used < room ? used : room;
    }
    for (size_t i = 0; i < node->n; i++)
        used = add_names(c, &node->body[i], out, room, used, n);
    return used;
}

static void add_region(composer *c, const plussi_record_node *node)
{
    char name[PLUSSI_MAX_NAME - 20];
    uint32_t n = 0;
    size_t used = add_names(c, node, name, sizeof name, 0, &n);
    char whole[PLUSSI_MAX_NAME + 1];
    (void)used;
    snprintf(whole, sizeof whole, n > NAMED_REGIONS ? "%s+%u more" : "%s", name, n - NAMED_REGIONS);
    plussi_loc loc = {0};
    if (node->n == 0)
        loc = keep_place(c->dst, c->part[number_of(c, node)].region->loc);
    plussi_region *region = plussi_nest_add_region(c->dst, whole, loc);
    if (!region)
        return;
    plussi_record_node once = *node;
    if (node->n == 0 && !c->part[number_of(c, node)].region->repeat) {
        once.times = 1;
        if (node->times > 1)
            region->repeat = plussi_expr_int(c->dst, (int64_t)node->times);
    }
    add_work(c, &once, &region->body, NULL, 1);
}

static pluss_status number_parts(composer *c)
{
    const plussi_mem *mem = &c->ctx->mem;
    c->first = plussi_alloc(mem, c->record->n_blocks, sizeof *c->first);
    if (!c->first)
        return PLUSS_ENOMEM;
    for (size_t b = 0; b < c->record->n_blocks; b++) {
        c->first[b] = c->n_parts;
        c->n_parts += c->record->block[b].n_places + 1;
    }
    c->part = plussi_calloc(mem, c->n_parts, sizeof *c->part);
    return c->part ? PLUSS_OK : PLUSS_ENOMEM;
}

static pluss_status compose_program(composer *c)
{
    const plussi_record *r = c->record;
    if (r->n_sequence > PLUSSI_MAX_REGIONS)
        return plussi_fail(c->ctx, PLUSS_ELIMIT, NULL,
                           "%zu runs that differ follow one another, a program has at most %d",
                           r->n_sequence, PLUSSI_MAX_REGIONS);
    TRY(number_parts(c));
    TRY(declare_all(c, r->sequence, r->n_sequence));
    bool *told = plussi_calloc(&c->ctx->mem, r->n_blocks, sizeof *told);
    if (!told)
        return PLUSS_ENOMEM;
    warn_missing(c, r->sequence, r->n_sequence, told);
    warn_swaps(c, r->sequence, r->n_sequence, 1, told);
    plussi_free(&c->ctx->mem, told);
    bool any = false;
    for (size_t i = 0; i < r->n_sequence && !c->dst->out_of_memory; i++)
        if (has_work(c, &r->sequence[i])) {
            if (c->dst->n_nodes > PLUSSI_MAX_NODES)
                break; /* the validator says so */
            add_region(c, &r->sequence[i]);
            any = true;
        }
    if (!any)
        return plussi_fail(c->ctx, PLUSS_ENOTFOUND, NULL,
                           "no run of a region that is described is in the record");
    return plussi_nest_validate(c->ctx, c->dst);
}

pluss_status plussi_record_program(plussi_ctx *ctx, const plussi_record *record,
                                   const plussi_nest *const *nests, size_t n, plussi_nest **out)
{
    composer c = {.ctx = ctx, .record = record, .nests = nests, .n_nests = n};
    TRY(plussi_nest_new(ctx, &c.dst));
    pluss_status status = compose_program(&c);
    for (size_t i = 0; c.part && i < c.n_parts; i++)
        if (c.part[i].used) {
            plussi_copier_free(&c.part[i].copier);
            plussi_nest_free(c.part[i].src);
        }
    plussi_free(&ctx->mem, c.part);
    plussi_free(&ctx->mem, c.first);
    if (status)
        plussi_nest_free(c.dst);
    else
        *out = c.dst;
    return status;
}
