/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any calls of a builder with any texts: a nest that prints and parses to an equal one, or
 * messages. Each line of the input is a call: a letter, a digit for its choices, and words between
 * '|', of which "-" is NULL.
 */
#include <stdlib.h>
#include <string.h>

#include "public_target.h"

enum { WORDS = 8, MAX_CALLS = 400 };

typedef struct call {
    char letter;
    unsigned choice;
    const char *word[WORDS]; /* NULL: not given */
    uint32_t n;
} call;

static call split(char *line)
{
    call c = {.letter = *line};
    char *rest = *line ? line + 1 : NULL;
    if (rest && *rest)
        c.choice = (unsigned char)*rest++;
    for (char *word; c.n < WORDS && (word = strsep(&rest, "|")); c.n++)
        c.word[c.n] = strcmp(word, "-") == 0 ? NULL : word;
    return c;
}

static void add_array(pluss_builder *b, const call *c)
{
    static const int64_t values[] = {0, 1, -1, 5};
    const pluss_array_spec spec = {.size = sizeof spec,
                                   .element = c->word[0],
                                   .name = c->word[1],
                                   .rank = c->n > 4 ? c->n - 4 : 0,
                                   .extents = c->word + 4,
                                   .strides = c->choice & 1 ? c->word + 4 : NULL,
                                   .column = c->choice >> 1 & 1,
                                   .is_private = c->choice >> 2 & 1,
                                   .base_kind = (pluss_base)(c->choice >> 3 & 3),
                                   .base = c->word[2],
                                   .over = c->word[3],
                                   .alias = c->choice & 64 ? c->word[3] : NULL,
                                   .values = values,
                                   .n_values = c->choice & 32 ? 4 : 0};
    pluss_builder_array(b, &spec);
}

static void add_loop(pluss_builder *b, const call *c)
{
    const pluss_loop_spec spec = {.size = sizeof spec,
                                  .iv = c->word[0],
                                  .lo = c->word[1],
                                  .hi = c->word[2],
                                  .step = (int)(c->choice >> 2 & 7) - 3,
                                  .kind = (pluss_loop_kind)(c->choice & 3),
                                  .schedule = c->word[3],
                                  .chunk = c->word[4],
                                  .chunk2 = c->word[5],
                                  .collapse = c->choice >> 6,
                                  .nowait = c->choice >> 5 & 1,
                                  .num_threads = c->word[6],
                                  .condition = c->word[7]};
    pluss_builder_loop(b, &spec);
}

static void add_ref(pluss_builder *b, const call *c)
{
    const pluss_ref_spec spec = {.size = sizeof spec,
                                 .array = c->word[0],
                                 .n_subscripts = c->n > 1 ? c->n - 1 : 0,
                                 .subscripts = c->word + 1,
                                 .write = c->choice & 1,
                                 .atomic = c->choice >> 1 & 1,
                                 .first_byte = c->choice >> 4,
                                 .bytes = c->choice >> 2 & 3};
    pluss_builder_ref(b, &spec);
}

static void make_call(pluss_builder *b, const call *c)
{
    const uint64_t counts[WORDS] = {c->choice, 1, UINT64_MAX, 0, 3};
    switch (c->letter) {
    case '@':
        pluss_builder_place(b, c->word[0], c->choice, c->choice / 2);
        break;
    case 'r':
        pluss_builder_region(b, c->word[0], c->word[1]);
        break;
    case 's':
        pluss_builder_symbol(b, c->word[0], c->word[1], c->word[2]);
        break;
    case 'a':
        add_array(b, c);
        break;
    case 'l':
        add_loop(b, c);
        break;
    case 'p':
        pluss_builder_parallel(b, c->word[0], c->word[1]);
        break;
    case 'i':
        pluss_builder_if(b, c->word[0]);
        break;
    case 'b':
        pluss_builder_branch(b, c->choice / 100.);
        break;
    case 'k':
        pluss_builder_block(b, (pluss_block_kind)(c->choice % 6));
        break;
    case 'e':
        pluss_builder_else(b);
        break;
    case '.':
        pluss_builder_end(b);
        break;
    case 'x':
        add_ref(b, c);
        break;
    case '|':
        pluss_builder_barrier(b);
        break;
    case '~':
        pluss_builder_swap(b, c->word[0], c->word[1]);
        break;
    case 'o':
        pluss_builder_ops(b, c->word, counts, c->n);
        break;
    case 'u':
        pluss_builder_unknown(b, c->word[0], c->word[1], c->word[2]);
        break;
    default:
        break;
    }
}

typedef struct text {
    char *bytes;
    size_t n;
} text;

static int keep(void *user, const char *data, size_t length)
{
    text *t = user;
    t->bytes = realloc(t->bytes, t->n + length + 1);
    require(t->bytes != NULL, "memory");
    memcpy(t->bytes + t->n, data, length);
    t->n += length;
    return 0;
}

static void check_round_trip(pluss_context *ctx, const pluss_nest *nest)
{
    text first = {0}, second = {0};
    pluss_nest *again;
    require(pluss_nest_write(ctx, nest, keep, &first) == PLUSS_OK, "a nest that was built prints");
    require(pluss_nest_parse(ctx, first.bytes, first.n, NULL, &again) == PLUSS_OK,
            "its print parses");
    require(pluss_nest_write(ctx, again, keep, &second) == PLUSS_OK && first.n == second.n &&
                memcmp(first.bytes, second.bytes, first.n) == 0,
            "it prints the same");
    pluss_nest_free(again);
    free(first.bytes);
    free(second.bytes);
}

static pluss_status build(pluss_context *ctx, const uint8_t *data, size_t size)
{
    pluss_builder *b;
    pluss_nest *nest;
    char *calls = strndup((const char *)data, size), *rest = calls, *line;
    require(calls && pluss_builder_new(ctx, "fuzz", &b) == PLUSS_OK, "memory");
    for (size_t i = 0; i < MAX_CALLS && (line = strsep(&rest, "\n")); i++) {
        call c = split(line);
        make_call(b, &c);
    }
    pluss_status status = pluss_builder_finish(b, &nest);
    if (!status) {
        check_round_trip(ctx, nest);
        pluss_nest_free(nest);
    }
    pluss_builder_free(b);
    free(calls);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_context(data, size, build);
    return 0;
}
