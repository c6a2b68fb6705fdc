/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as what an index array holds: its integers, as another reader finds them, or a message.
 * A nest that follows them is walked.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/option_text.h"
#include "public_target.h"
#include "study/request.h"

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

static void check_values(const int64_t *values, size_t n, const uint8_t *data, size_t size)
{
    const uint8_t *at = data;
    int64_t value;
    for (size_t i = 0; i < n; i++)
        require(next_integer(&at, data + size, &value) && value == values[i],
                "the values are the file's");
    require(!next_integer(&at, data + size, &value), "all values are read");
}

static size_t read_alone(const char *path, const uint8_t *data, size_t size)
{
    plussi_ctx ctx;
    int64_t *values = NULL;
    size_t n = 0;
    plussi_ctx_init(&ctx, NULL);
    if (plussi_read_index_array(&ctx, path, &values, &n) == PLUSS_OK)
        check_values(values, n, data, size);
    plussi_free(&ctx.mem, values);
    plussi_ctx_clear(&ctx);
    return n;
}

static pluss_status walk(pluss_context *ctx, const char *nest_path, pluss_options *options,
                         size_t n)
{
    pluss_nests *nests;
    pluss_result *result;
    require(pluss_options_set_binding(ctx, options, "n", (int64_t)n) == PLUSS_OK,
            "options are set");
    pluss_status status = pluss_nests_read(ctx, nest_path, &nests);
    require(status == PLUSS_OK, "the nest parses");
    status = pluss_nests_predict(ctx, nests, options, &result);
    pluss_nests_free(nests);
    if (!status) {
        check_result(ctx, result);
        pluss_result_free(result);
    }
    return status;
}

static pluss_status read_contents(pluss_context *ctx, const uint8_t *data, size_t size)
{
    char path[PATH_ROOM], nest_path[PATH_ROOM], argument[PATH_ROOM + 8] = "idx=";
    pluss_options *options;
    put_file("file", data, size, path);
    put_file("nest", (const uint8_t *)text, sizeof text - 1, nest_path);
    strcat(argument, path);
    size_t n = read_alone(path, data, size);
    require(make_options(ctx, "threads=2 effort=" EFFORT, &options) == PLUSS_OK, "options are set");
    pluss_status status = pluss_options_set(ctx, options, "contents", argument);
    if (!status)
        status = walk(ctx, nest_path, options, n);
    pluss_options_free(options);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_context(data, size, read_contents);
    return 0;
}
