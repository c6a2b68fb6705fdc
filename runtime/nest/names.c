/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest/names.h"

#include <string.h>

#include "base/map.h"

enum { FIRST_TABLE = 64 };

bool plussi_name_qualified(const char *text, const plussi_region *region, const char *name)
{
    if (!region)
        return false;
    size_t length = strlen(region->name);
    return strncmp(text, region->name, length) == 0 && text[length] == '.' &&
           strcmp(text + length + 1, name) == 0;
}

void plussi_names_init(plussi_names *names, const plussi_mem *mem)
{
    *names = (plussi_names){0};
    plussi_arena_init(&names->arena, mem);
}

void plussi_names_free(plussi_names *names)
{
    plussi_free(&names->arena.mem, names->table);
    plussi_free(&names->arena.mem, names->stack);
    plussi_arena_free(&names->arena);
}

static uint64_t hash_text(const char *text, size_t length) /* FNV-1a */
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash ^ (hash >> 32);
}

/* A name to look for. */
typedef struct wanted {
    const char *text;
    size_t length;
    uint64_t hash;
} wanted;

static bool is_used(plussi_name *const *slot)
{
    return *slot;
}

static uint64_t stored_hash(plussi_name *const *slot)
{
    return (*slot)->hash;
}

static bool is_name(plussi_name *const *slot, wanted name)
{
    return (*slot)->hash == name.hash && (*slot)->length == name.length &&
           memcmp((*slot)->text, name.text, name.length) == 0;
}

PLUSSI_MAP(table, plussi_name *, wanted, is_used, stored_hash, is_name)

plussi_name *plussi_names_intern(plussi_names *names, const char *text, size_t length,
                                 plussi_arena *copies)
{
    if (!table_reserve(&names->arena.mem, &names->table, &names->size, FIRST_TABLE, names->n + 1))
        return NULL;
    const uint64_t hash = hash_text(text, length);
    plussi_name **place = table_find(names->table, names->size, hash, (wanted){text, length, hash});
    if (*place)
        return *place;
    plussi_name *name = plussi_arena_alloc(&names->arena, 1, sizeof *name);
    const char *kept = copies ? plussi_arena_strndup(copies, text, length) : text;
    if (!name || !kept)
        return NULL;
    *name = (plussi_name){.text = kept, .length = length, .hash = hash};
    names->n++;
    return *place = name;
}

bool plussi_names_push(plussi_names *names, plussi_name *name, plussi_meaning_kind kind,
                       uint32_t level, void *object)
{
    if (plussi_grow(&names->arena.mem, &names->stack, &names->stack_cap, names->depth,
                    sizeof *names->stack) != PLUSS_OK)
        return false;
    plussi_meaning *meaning = names->free;
    if (meaning)
        names->free = meaning->hidden;
    else
        meaning = plussi_arena_alloc(&names->arena, 1, sizeof *meaning);
    if (!meaning)
        return false;
    *meaning =
        (plussi_meaning){.kind = kind, .level = level, .u.any = object, .hidden = name->meaning};
    name->meaning = meaning;
    names->stack[names->depth++] = name;
    return true;
}

void plussi_names_pop(plussi_names *names, size_t depth)
{
    while (names->depth > depth) {
        plussi_name *name = names->stack[--names->depth];
        plussi_meaning *meaning = name->meaning;
        name->meaning = meaning->hidden;
        meaning->hidden = names->free;
        names->free = meaning;
    }
}
