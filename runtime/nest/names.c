/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest/names.h"

#include <string.h>

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

static uint64_t hash_of(const char *text, size_t length) /* FNV-1a */
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash ^ (hash >> 32);
}

static plussi_name **place_of(plussi_name **table, size_t size, const char *text, size_t length,
                              uint64_t hash)
{
    size_t i = hash & (size - 1);
    while (table[i] && (table[i]->hash != hash || table[i]->length != length ||
                        memcmp(table[i]->text, text, length) != 0))
        i = (i + 1) & (size - 1);
    return &table[i];
}

static bool make_room(plussi_names *names)
{
    if (names->n < names->size / 2)
        return true;
    size_t size = names->size ? names->size * 2 : 64;
    plussi_name **table = plussi_calloc(&names->arena.mem, size, sizeof(plussi_name *));
    if (!table)
        return false;
    for (size_t i = 0; i < names->size; i++) {
        plussi_name *name = names->table[i];
        if (name)
            *place_of(table, size, name->text, name->length, name->hash) = name;
    }
    plussi_free(&names->arena.mem, names->table);
    names->table = table;
    names->size = size;
    return true;
}

plussi_name *plussi_names_intern(plussi_names *names, const char *text, size_t length,
                                 plussi_arena *copies)
{
    if (!make_room(names))
        return NULL;
    uint64_t hash = hash_of(text, length);
    plussi_name **place = place_of(names->table, names->size, text, length, hash);
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
