/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any nest through the public interface: all that it tells about itself, its regions taken out and
 * joined again, and programs that sample it in C and in Rust.
 */
#include <string.h>

#include "public_target.h"

static int drop(void *user, const char *data, size_t length)
{
    *(size_t *)user += length + (data == NULL);
    return 0;
}

static void look(const pluss_nest *nest, const pluss_nest_info *info)
{
    pluss_region_info region = {.size = sizeof region};
    pluss_symbol_info symbol = {.size = sizeof symbol};
    pluss_array_info array = {.size = sizeof array};
    pluss_loop_info loop = {.size = sizeof loop};
    pluss_ref_info ref = {.size = sizeof ref};
    pluss_unknown_info unknown = {.size = sizeof unknown};
    for (uint32_t i = 0; i < info->regions; i++)
        require(pluss_nest_get_region(nest, i, &region) == PLUSS_OK && region.name,
                "a region has a name");
    for (uint32_t i = 0; i < info->symbols; i++)
        require(pluss_nest_get_symbol(nest, i, &symbol) == PLUSS_OK && symbol.name &&
                    symbol.region < (int64_t)info->regions,
                "a symbol has a name");
    for (uint32_t i = 0; i < info->arrays; i++)
        require(pluss_nest_get_array(nest, i, &array) == PLUSS_OK && array.name && array.element,
                "an array has a name");
    for (uint32_t i = 0; i < info->loops; i++)
        require(pluss_nest_get_loop(nest, i, &loop) == PLUSS_OK && loop.iv && loop.lo && loop.hi &&
                    loop.step,
                "a loop has bounds");
    for (uint32_t i = 0; i < info->refs; i++)
        require(pluss_nest_get_ref(nest, i, &ref) == PLUSS_OK && ref.text &&
                    ref.loop < (int64_t)info->loops,
                "a reference has a text");
    for (uint32_t i = 0; i < info->unknowns; i++)
        require(pluss_nest_get_unknown(nest, i, &unknown) == PLUSS_OK && unknown.kind,
                "what is unknown has a kind");
    require(pluss_nest_get_ref(nest, info->refs, &ref) == PLUSS_ENOTFOUND,
            "there is nothing past the end");
}

static pluss_status take_apart(pluss_context *ctx, const pluss_nest *nest, uint32_t regions)
{
    pluss_nest *part[4], *joined;
    size_t n = regions < 4 ? regions : 4;
    for (uint32_t i = 0; i < n; i++)
        require(pluss_nest_extract(ctx, nest, i, &part[i]) == PLUSS_OK, "a region is a nest");
    pluss_status status =
        n ? pluss_nest_join(ctx, (const pluss_nest *const *)part, n, &joined) : PLUSS_OK;
    require(!status, "regions that were one nest can be joined");
    if (n)
        pluss_nest_free(joined);
    for (uint32_t i = 0; i < n; i++)
        pluss_nest_free(part[i]);
    return status;
}

static pluss_status view(pluss_context *ctx, const uint8_t *data, size_t size)
{
    pluss_nest *nest;
    pluss_nest_info info = {.size = sizeof info};
    size_t written = 0;
    pluss_status status = pluss_nest_parse(ctx, (const char *)data, size, "fuzz", &nest);
    if (status)
        return status;
    require(pluss_nest_get_info(nest, &info) == PLUSS_OK, "a nest tells about itself");
    look(nest, &info);
    status = take_apart(ctx, nest, info.regions);
    for (pluss_language language = PLUSS_LANGUAGE_C; language <= PLUSS_LANGUAGE_RUST; language++) {
        pluss_status one = pluss_nest_codegen(ctx, nest, language, drop, &written);
        require(one == PLUSS_OK || one == PLUSS_EUNSUPPORTED || one == PLUSS_ELIMIT,
                "a program, or a construct that it cannot follow");
        status = status ? status : one;
    }
    pluss_nest_free(nest);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_context(data, size, view);
    return 0;
}
