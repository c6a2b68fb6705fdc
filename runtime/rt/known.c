/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/known.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

enum { FIRST_TABLE = 64 };

/* All of them; base/map.h. */
static struct {
    plussi_known **slot;
    size_t n, size;
} regions;

/* Files that contain regions. */
typedef struct object {
    struct object *next;
    char path[];
} object;
static object *objects;

static bool same_names(const char *const *a, const char *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!plussi_same_text(a[i], b[i]))
            return false;
    return true;
}

static bool same_region(const pluss_rt_region *a, const pluss_rt_region *b)
{
    return a->line == b->line && a->n_refs == b->n_refs && a->n_symbols == b->n_symbols &&
           a->n_arrays == b->n_arrays && plussi_same_text(a->name, b->name) &&
           plussi_same_text(a->file, b->file) &&
           (a->n_refs == 0 || memcmp(a->ref, b->ref, a->n_refs * sizeof *a->ref) == 0) &&
           same_names(a->symbol, b->symbol, a->n_symbols) &&
           same_names(a->array, b->array, a->n_arrays);
}

/* The file that contains a description: the program or a shared library. */
static const char *object_of(const pluss_rt_region *region)
{
    Dl_info info = {0};
    struct link_map *map = NULL;
    char path[PATH_MAX];
    bool known = dladdr1(region, &info, (void **)&map, RTLD_DL_LINKMAP) != 0;
    /* the program's own name is that of its call, which may not be a file */
    const char *name = known && map && *map->l_name ? map->l_name : "/proc/self/exe";
    if (!realpath(name, path))
        return NULL;
    for (const object *o = objects; o; o = o->next)
        if (strcmp(o->path, path) == 0)
            return o->path;
    object *o = malloc(sizeof *o + strlen(path) + 1);
    if (!o)
        return NULL;
    o->next = objects;
    objects = o;
    return strcpy(o->path, path);
}

/* Copies to `text`, which has the space; returns its end. */
static char *copy_string(char *text, const char *s, const char **out)
{
    *out = s ? strcpy(text, s) : NULL;
    return s ? text + strlen(s) + 1 : text;
}

static size_t bytes_of(const char *s)
{
    return s ? strlen(s) + 1 : 0;
}

static plussi_known *copy_of(const pluss_rt_region *told)
{
    size_t pointers = (size_t)told->n_symbols + told->n_arrays;
    size_t text = bytes_of(told->name) + bytes_of(told->file);
    for (uint32_t i = 0; i < told->n_symbols; i++)
        text += bytes_of(told->symbol[i]);
    for (uint32_t i = 0; i < told->n_arrays; i++)
        text += bytes_of(told->array[i]);
    plussi_known *k = calloc(1, sizeof *k);
    const char **name = calloc(pointers + 1, sizeof *name);
    pluss_rt_ref *ref = calloc(told->n_refs + (size_t)1, sizeof *ref);
    char *room = malloc(text + 1);
    if (!k || !name || !ref || !room) {
        free(k);
        free(name);
        free(ref);
        free(room);
        return NULL;
    }
    k->told = told;
    memcpy(&k->region, told, told->size < sizeof *told ? told->size : sizeof *told);
    if (told->n_refs)
        memcpy(ref, told->ref, told->n_refs * sizeof *ref);
    k->region.ref = ref;
    k->region.symbol = name;
    k->region.array = name + told->n_symbols;
    room = copy_string(room, told->name, &k->region.name);
    room = copy_string(room, told->file, &k->region.file);
    for (uint32_t i = 0; i < told->n_symbols; i++)
        room = copy_string(room, told->symbol[i], &name[i]);
    for (uint32_t i = 0; i < told->n_arrays; i++)
        room = copy_string(room, told->array[i], &name[told->n_symbols + i]);
    return k;
}

static bool is_used(plussi_known *const *slot)
{
    return *slot;
}

static uint64_t place_of(plussi_known *const *slot)
{
    return (uintptr_t)(*slot)->told;
}

static bool is_copy_of(plussi_known *const *slot, const pluss_rt_region *told)
{
    return (*slot)->told == told && same_region(&(*slot)->region, told);
}

PLUSSI_MAP(known, plussi_known *, const pluss_rt_region *, is_used, place_of, is_copy_of)

plussi_known *plussi_known_region(const pluss_rt_region *told)
{
    if (!known_reserve(&plussi_mem_libc, &regions.slot, &regions.size, FIRST_TABLE, regions.n + 1))
        return NULL;
    plussi_known **slot = known_find(regions.slot, regions.size, (uintptr_t)told, told);
    if (*slot)
        return *slot;
    plussi_known *k = copy_of(told);
    if (!k)
        return NULL;
    k->object = object_of(told);
    regions.n++;
    return *slot = k;
}
