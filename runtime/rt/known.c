/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/known.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "rt/own_memory.h"

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

/* The path in this line of /proc/self/maps, "" if it has none; NULL: it is of other addresses. */
static const char *path_in(const char *line, uintptr_t address)
{
    char *at;
    const uintptr_t from = strtoul(line, &at, 16);
    const uintptr_t to = *at == '-' ? strtoul(at + 1, &at, 16) : 0;
    if (address < from || address >= to)
        return NULL;
    const char *path = strchr(at, '/');
    return path ? path : "";
}

/* Whole lines of n bytes at `text`: the path_in of the one with the address; NULL: there is none.
 * *rest: bytes after the last line. */
static const char *look_in(char *text, size_t n, uintptr_t address, size_t *rest)
{
    const char *path = NULL;
    char *line = text, *end;
    while (!path && (end = memchr(line, '\n', (size_t)(text + n - line)))) {
        *end = '\0';
        path = path_in(line, address);
        line = end + 1;
    }
    *rest = (size_t)(text + n - line);
    if (!path)
        memmove(text, line, *rest);
    return path;
}

static bool is_gone(const char *path)
{
    static const char gone[] = " (deleted)";
    const size_t n = strlen(path);
    return n >= sizeof gone && strcmp(path + n - (sizeof gone - 1), gone) == 0;
}

static const char *kept_path(const char *path)
{
    for (const object *o = objects; o; o = o->next)
        if (strcmp(o->path, path) == 0)
            return o->path;
    object *o = plussi_alloc(&plussi_own, 1, sizeof *o + strlen(path) + 1);
    if (!o)
        return NULL;
    o->next = objects;
    objects = o;
    return strcpy(o->path, path);
}

/* The file that contains a description: the program or a shared library; of one that was made while
 * the program runs, the program. NULL: it is not known, or gone. The dynamic loader is not asked:
 * it waits for constructors of libraries that are loaded, which may wait for this thread. */
static const char *object_of(const pluss_rt_region *region)
{
    enum { ROOM = PATH_MAX + 256 };
    char *text = plussi_alloc(&plussi_own, ROOM, 1);
    const int fd = text ? open("/proc/self/maps", O_RDONLY | O_CLOEXEC) : -1;
    const char *path = NULL;
    size_t n = 0;
    for (ssize_t got; fd >= 0 && !path && (got = read(fd, text + n, ROOM - n)) > 0;)
        path = look_in(text, n + (size_t)got, (uintptr_t)region, &n);
    if (text && (!path || !*path)) {
        const ssize_t length = readlink("/proc/self/exe", text, ROOM - 1);
        text[length > 0 ? length : 0] = '\0';
        path = text;
    }
    path = path && *path && !is_gone(path) ? kept_path(path) : NULL;
    if (fd >= 0)
        close(fd);
    plussi_free(&plussi_own, text);
    return path;
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
    plussi_known *k = plussi_calloc(&plussi_own, 1, sizeof *k);
    const char **name = plussi_calloc(&plussi_own, pointers + 1, sizeof *name);
    pluss_rt_ref *ref = plussi_calloc(&plussi_own, told->n_refs + (size_t)1, sizeof *ref);
    char *room = plussi_alloc(&plussi_own, text + 1, 1);
    if (!k || !name || !ref || !room) {
        plussi_free(&plussi_own, k);
        plussi_free(&plussi_own, name);
        plussi_free(&plussi_own, ref);
        plussi_free(&plussi_own, room);
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
    if (!known_reserve(&plussi_own, &regions.slot, &regions.size, FIRST_TABLE, regions.n + 1))
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
