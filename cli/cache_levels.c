/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --cache: sizes, or levels with a name and who shares them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { LABEL = 16, MOST = 64 };

static bool fail(const char **why, const char *text)
{
    *why = text;
    return false;
}

static void add(cli_options *o, const char *label, size_t length, uint64_t bytes,
                uint32_t threads_per_cache)
{
    size_t n = o->n_caches;
    o->cache = cli_grow(o->cache, n, sizeof *o->cache);
    o->cache_label = cli_grow(o->cache_label, n, sizeof *o->cache_label);
    o->threads_per_cache = cli_grow(o->threads_per_cache, n, sizeof *o->threads_per_cache);
    o->cache[n] = bytes;
    o->cache_label[n] = label ? cli_alloc(length + 1, 1) : NULL;
    if (label)
        memcpy(o->cache_label[n], label, length);
    o->threads_per_cache[n] = threads_per_cache;
    o->n_caches++;
}

void cli_free_levels(cli_options *o)
{
    for (size_t i = 0; i < o->n_caches; i++)
        free(o->cache_label[i]);
    free(o->cache);
    free(o->cache_label);
    free(o->threads_per_cache);
    o->cache = NULL;
    o->cache_label = NULL;
    o->threads_per_cache = NULL;
    o->n_caches = 0;
}

/* "shared", "shared=4", "private", or nothing: a level with a name is each thread's own then, a
 * mere size is shared. */
static bool read_threads_per_cache(const char *text, bool named, uint32_t *out, const char **why)
{
    uint64_t n = 0;
    *out = named;
    if (!text)
        return true;
    *out = strcmp(text, "private") == 0;
    if (*out || strcmp(text, "shared") == 0)
        return true;
    if (strncmp(text, "shared=", 7) != 0)
        return fail(why, "behind a cache's size comes :private, :shared or :shared=THREADS");
    if (!cli_read_u64(text + 7, UINT32_MAX, &n, why) || n == 0)
        return fail(why, "a cache is shared by at least one thread");
    *out = (uint32_t)n;
    return true;
}

/* A size without a name that is there already, shared by as many: it would be shown twice. */
static bool is_there(const cli_options *o, uint64_t bytes, uint32_t threads_per_cache)
{
    for (size_t i = 0; i < o->n_caches; i++)
        if (!o->cache_label[i] && o->cache[i] == bytes &&
            o->threads_per_cache[i] == threads_per_cache)
            return true;
    return false;
}

/* [LABEL=]SIZE[:SHARED]; cut up. */
static bool read_level(char *text, cli_options *o, const char **why)
{
    char *shared = strchr(text, ':'), *label = NULL, *size = text;
    uint64_t bytes;
    uint32_t threads_per_cache;
    if (shared)
        *shared++ = '\0';
    char *equals = strchr(text, '=');
    if (equals) {
        *equals = '\0';
        label = text;
        size = equals + 1;
        if (!*label || strlen(label) >= LABEL)
            return fail(why, "the name of a cache has 1 to 15 characters");
        for (size_t i = 0; i < o->n_caches; i++)
            if (o->cache_label[i] && strcmp(o->cache_label[i], label) == 0)
                return fail(why, "two caches have the same name");
    }
    if (!cli_read_size(size, &bytes, why) ||
        !read_threads_per_cache(shared, label != NULL, &threads_per_cache, why))
        return false;
    if (!label && is_there(o, bytes, threads_per_cache))
        return fail(why, "the same cache is given twice");
    if (o->n_caches == MOST)
        return fail(why, "the list is too long");
    add(o, label, label ? strlen(label) : 0, bytes, threads_per_cache);
    return true;
}

/* One thread a core: the processors of a core count once. */
static uint32_t cores_of(const cli_machine *machine, const cli_cache *cache)
{
    uint64_t cores =
        machine->processors ? (uint64_t)cache->shared_by * machine->cores / machine->processors : 1;
    return cores ? (uint32_t)cores : 1;
}

static bool take_machine(cli_options *o, const char **why)
{
    cli_machine machine = {0};
    (void)cli_machine_read(&machine);
    for (size_t i = 0; i < machine.n_caches; i++) {
        const cli_cache *c = &machine.cache[i];
        if (c->type != 'i')
            add(o, c->label, strlen(c->label), c->bytes, cores_of(&machine, c));
    }
    cli_machine_free(&machine);
    return o->n_caches > 0 || fail(why, "the system does not tell about its caches");
}

bool cli_read_levels(const char *text, cli_options *o, const char **why)
{
    cli_free_levels(o);
    if (strcmp(text, "machine") == 0)
        return take_machine(o, why);
    char *copy = cli_alloc(strlen(text) + 1, 1), *next = copy;
    strcpy(copy, text);
    bool good = true;
    while (good && next) {
        char *level = next;
        next = strchr(next, ',');
        if (next)
            *next++ = '\0';
        good = read_level(level, o, why);
    }
    free(copy);
    return good;
}
