/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as what an index array holds: its integers, as another reader finds them, or a message.
 * A nest that follows them is walked.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../cli/cli.h"
#include "../unit/option_text.h"
#include "public_target.h"

#define EFFORT "1000000"

static const char text[] = "pluss-nest 1 symbol n array i64 idx[n] array f64 A[1000] "
                           "region r parallel for i in 0..n { read idx[i] read A[idx[i]] }";

/* The next word as strtoll reads it; false: there is none, or it is no integer. */
static bool next_integer(const uint8_t **at, const uint8_t *end, int64_t *out)
{
    while (*at < end && isspace(**at))
        ++*at;
    const uint8_t *word = *at;
    while (*at < end && !isspace(**at))
        ++*at;
    size_t n = (size_t)(*at - word);
    char *copy = calloc(n + 1, 1), *last;
    require(copy != NULL, "memory");
    memcpy(copy, word, n);
    bool hex = strncmp(copy + (*copy == '-'), "0x", 2) == 0 ||
               strncmp(copy + (*copy == '-'), "0X", 2) == 0;
    errno = 0;
    *out = strtoll(copy, &last, hex ? 16 : 10);
    bool good = n > 0 && *copy != '+' && last == copy + n && !errno;
    free(copy);
    return good;
}

static void check_values(const cli_contents *c, const uint8_t *data, size_t size)
{
    const uint8_t *at = data;
    int64_t value;
    for (size_t i = 0; i < c->n; i++)
        require(next_integer(&at, data + size, &value) && value == c->values[i],
                "the values are the file's");
    require(!next_integer(&at, data + size, &value), "all values are read");
}

static pluss_status walk(pluss_context *ctx, const cli_contents *c)
{
    const pluss_contents contents = {c->array, c->values, c->n};
    pluss_options *options;
    pluss_nest *nest, *filled;
    pluss_result *result;
    require(pluss_nest_parse(ctx, text, sizeof text - 1, NULL, &nest) == PLUSS_OK,
            "the nest parses");
    pluss_status status = pluss_nest_with_contents(ctx, nest, &contents, 1, &filled);
    pluss_nest_free(nest);
    if (status)
        return status;
    require(make_options(ctx, "threads=2 effort=" EFFORT, &options) == PLUSS_OK &&
                pluss_options_set_binding(ctx, options, "n", (int64_t)c->n) == PLUSS_OK,
            "options are set");
    status = pluss_predict(ctx, filled, options, &result);
    pluss_options_free(options);
    pluss_nest_free(filled);
    if (!status) {
        check_result(ctx, result);
        pluss_result_free(result);
    }
    return status;
}

static pluss_status read_contents(pluss_context *ctx, const uint8_t *data, size_t size)
{
    char path[PATH_ROOM], argument[PATH_ROOM + 8] = "idx=";
    cli_options options = {.verb = "simulate"};
    const char *why;
    put_file("file", data, size, path);
    strcat(argument, path);
    require(cli_take_contents(argument, &options, &why), "the argument is NAME=FILE");
    pluss_status status = PLUSS_OK;
    if (cli_read_contents(&options)) {
        check_values(&options.contents[0], data, size);
        status = walk(ctx, &options.contents[0]);
    }
    cli_free_contents(&options);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_context(data, size, read_contents);
    return 0;
}
