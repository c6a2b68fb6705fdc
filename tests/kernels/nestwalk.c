/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a nest description of a kernel says, in the forms in which polybench/driver says what a run
 * of the kernel does, for a team of one:
 *
 *   nestwalk --innermost FILE                 "loop K N N ...": for each parallel loop in text
 * order the references in each innermost loop's body nestwalk --counts FILE [WORD...] "serial N",
 * "loop K N": how many are made nestwalk --trace FILE [WORD...]           each one, as "NAME OFFSET
 * r" or w, OFFSET in units of 8 bytes
 *
 * WORD is symbol=value, or array@file with the contents of an index array, one integer a line.
 * Diagnostics go to stderr. Exit status 1: the description lacks something ("unknown"); 2: usage;
 * 3: the library refuses.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object/object.h"
#include "trace/walk.h"

enum { MAX_WORDS = 32, MAX_PARALLEL = 64, UNIT = 8 };

static plussi_ctx ctx;

static void complain(void)
{
    for (size_t i = 0; i < ctx.n_diags; i++)
        fprintf(stderr, "%s:%u: %s\n", ctx.diags[i].file ? ctx.diags[i].file : "-",
                ctx.diags[i].line, ctx.diags[i].text);
}

static void must(pluss_status status)
{
    if (status == PLUSS_OK)
        return;
    complain();
    fprintf(stderr, "nestwalk: %s\n", plussi_status_text(status));
    exit(3);
}

/* ---- parallel loops ----------------------------------------------------------------------------
 */

static const plussi_node *parallel[MAX_PARALLEL];
static size_t n_parallel;

/* Number of the parallel loop around a node, or that it is, from 1; 0: serial. */
static size_t ordinal(const plussi_node *node)
{
    for (; node; node = node->parent)
        for (size_t k = 0; k < n_parallel; k++)
            if (parallel[k] == node)
                return k + 1;
    return 0;
}

static void find_parallel(const plussi_nest *nest)
{
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, n));)
            if (n->kind == PLUSSI_N_LOOP && n->u.loop.workshare) {
                if (n_parallel == MAX_PARALLEL) {
                    fprintf(stderr, "nestwalk: more than %d parallel loops\n", MAX_PARALLEL);
                    exit(3);
                }
                parallel[n_parallel++] = n;
            }
}

static const plussi_node *innermost_loop(const plussi_node *node)
{
    while (node && node->kind != PLUSSI_N_LOOP)
        node = node->parent;
    return node;
}

/* References whose innermost loop this is; *leaf: no loop lies inside. */
static unsigned own_references(const plussi_node *loop, bool *leaf)
{
    unsigned own = 0;
    *leaf = true;
    for (plussi_node *n = NULL; (n = plussi_nest_walk(&loop->body, n));) {
        own += n->kind == PLUSSI_N_REF && innermost_loop(n) == loop;
        *leaf = *leaf && n->kind != PLUSSI_N_LOOP;
    }
    return own;
}

static void print_innermost(const plussi_nest *nest)
{
    for (size_t k = 1; k <= n_parallel; k++) {
        printf("loop %zu", k);
        for (const plussi_region *r = nest->first_region; r; r = r->next)
            for (plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, n));) {
                bool leaf;
                if (n->kind != PLUSSI_N_LOOP || ordinal(n) != k)
                    continue;
                unsigned own = own_references(n, &leaf);
                if (leaf)
                    printf(" %u", own);
            }
        putchar('\n');
    }
}

/* ---- the walk -----------------------------------------------------------------------------------
 */

/* By where it lies, not by name: arrays may have been swapped. */
static void print_access(const plussi_bound *bound, const plussi_access *access)
{
    int64_t address = (int64_t)access->line * UNIT;
    const plussi_bound_array *found = NULL;
    for (uint32_t a = 0; a < bound->n_arrays; a++) {
        const plussi_bound_array *array = &bound->array[a];
        if (!array->over && array->base <= address && (!found || array->base > found->base))
            found = array;
    }
    printf("%s %" PRId64 " %c\n", found ? found->decl->name : "?",
           found ? (address - found->base) / UNIT : address,
           bound->ref[access->ref]->u.ref.write ? 'w' : 'r');
}

static void walk(const plussi_bound *bound, bool trace)
{
    static plussi_access buf[4096];
    uint64_t total[MAX_PARALLEL + 1] = {0};
    plussi_walk *w;
    must(plussi_walk_new(&ctx, bound, 1, &w));
    do {
        for (size_t n; (n = plussi_walk_fill(w, 0, buf, sizeof buf / sizeof *buf));)
            for (size_t i = 0; i < n; i++) {
                if (trace)
                    print_access(bound, &buf[i]);
                else
                    total[ordinal(bound->ref[buf[i].ref]->decl)]++;
            }
    } while (plussi_walk_next_phase(w));
    must(plussi_walk_status(w));
    plussi_walk_free(w);
    if (trace)
        return;
    printf("serial %" PRIu64 "\n", total[0]);
    for (size_t k = 1; k <= n_parallel; k++)
        printf("loop %zu %" PRIu64 "\n", k, total[k]);
}

/* ---- words
 * --------------------------------------------------------------------------------------- */

static void set_contents(plussi_nest *nest, const char *name, const char *path)
{
    plussi_array *array = nest->first_array;
    while (array && strcmp(array->name, name) != 0)
        array = array->next;
    FILE *file = fopen(path, "r");
    if (!array || !file) {
        fprintf(stderr, "nestwalk: no array %s, or no file %s\n", name, path);
        exit(2);
    }
    size_t n = 0, cap = 1 << 16;
    array->values = plussi_arena_alloc(&nest->arena, cap, sizeof *array->values);
    while (n < cap && fscanf(file, "%" SCNd64, &array->values[n]) == 1)
        n++;
    array->has_values = true;
    array->n_values = n;
    fclose(file);
}

/* A kernel's parameter that no loop and no subscript needs (spmv's nnz) is not in its description.
 */
static bool has_symbol(const plussi_nest *nest, const char *name)
{
    for (const plussi_symbol *s = nest->first_symbol; s; s = s->next)
        if (!strcmp(s->name, name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    bool innermost = argc > 1 && !strcmp(argv[1], "--innermost");
    bool trace = argc > 1 && !strcmp(argv[1], "--trace");
    if (argc < 3 || argc - 3 > MAX_WORDS || (!innermost && !trace && strcmp(argv[1], "--counts"))) {
        fprintf(stderr, "usage: nestwalk --innermost|--counts|--trace FILE [WORD...]\n");
        return 2;
    }
    plussi_texts texts;
    plussi_nest *nest;
    plussi_ctx_init(&ctx, NULL);
    must(plussi_object_read(&ctx, argv[2], &texts));
    if (texts.n != 1) {
        fprintf(stderr, "nestwalk: %zu descriptions in %s, not one\n", texts.n, argv[2]);
        return 3;
    }
    must(plussi_nest_parse(&ctx, texts.text[0].text, texts.text[0].length, texts.text[0].origin,
                           &nest));
    find_parallel(nest);
    if (innermost) {
        print_innermost(nest);
    } else {
        plussi_binding binding[MAX_WORDS];
        plussi_bind_options options = {.team = 1, .line_bytes = UNIT, .binding = binding};
        for (int i = 3; i < argc; i++) {
            char *at = strpbrk(argv[i], "=@"), *end = NULL;
            if (at && *at == '@') {
                *at = 0;
                set_contents(nest, argv[i], at + 1);
                continue;
            }
            if (at)
                *at = 0;
            int64_t value = at ? strtoll(at + 1, &end, 10) : 0;
            if (!at || end == at + 1 || *end) {
                fprintf(stderr, "nestwalk: not symbol=value: %s\n", argv[i]);
                return 2;
            }
            if (has_symbol(nest, argv[i]))
                binding[options.n_bindings++] = (plussi_binding){.name = argv[i], .value = value};
        }
        plussi_bound *bound;
        must(plussi_bind(&ctx, nest, &options, &bound));
        walk(bound, trace);
        plussi_bound_free(bound);
    }
    complain();
    int status = 0;
    for (const plussi_region *r = nest->first_region; r; r = r->next)
        for (plussi_node *n = NULL; (n = plussi_nest_walk(&r->body, n));)
            if (n->kind == PLUSSI_N_UNKNOWN) {
                fprintf(stderr, "line %u is not described: %s\n", n->loc.line, n->u.unknown.reason);
                status = 1;
            }
    plussi_nest_free(nest);
    plussi_texts_free(&texts);
    plussi_ctx_clear(&ctx);
    return status;
}
