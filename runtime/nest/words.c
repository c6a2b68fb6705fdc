/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest/words.h"

#include <string.h>

static const char *const keywords[] = {
#define PLUSSI_X(name, text) text,
    PLUSSI_KEYWORDS(PLUSSI_X)
#undef PLUSSI_X
};

/* Compares a text of known length with a C string in the order of strcmp. */
static int compare_text(const char *word, size_t length, const char *text)
{
    int order = strncmp(word, text, length);
    return order ? order : text[length] ? -1 : 0;
}

plussi_keyword plussi_keyword_of(const char *word, size_t length)
{
    size_t lo = 0, hi = sizeof keywords / sizeof *keywords;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        int order = compare_text(word, length, keywords[middle]);
        if (order == 0)
            return (plussi_keyword)(middle + 1);
        if (order < 0)
            hi = middle;
        else
            lo = middle + 1;
    }
    return PLUSSI_KW_NONE;
}

bool plussi_name_is_plain(const char *name)
{
    const char *p = name;
    for (; *p; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        bool digit = *p >= '0' && *p <= '9';
        if (!letter && !(digit && p > name))
            return false;
    }
    return p > name && plussi_keyword_of(name, (size_t)(p - name)) == PLUSSI_KW_NONE;
}

static const struct {
    const char *word;
    uint64_t bytes;
} elems[] = {
    [PLUSSI_ELEM_F32] = {"f32", 4},    [PLUSSI_ELEM_F64] = {"f64", 8},
    [PLUSSI_ELEM_F80] = {"f80", 16},   [PLUSSI_ELEM_C64] = {"c64", 8},
    [PLUSSI_ELEM_C128] = {"c128", 16}, [PLUSSI_ELEM_I8] = {"i8", 1},
    [PLUSSI_ELEM_I16] = {"i16", 2},    [PLUSSI_ELEM_I32] = {"i32", 4},
    [PLUSSI_ELEM_I64] = {"i64", 8},    [PLUSSI_ELEM_I128] = {"i128", 16},
    [PLUSSI_ELEM_BYTES] = {"b", 0},
};

uint64_t plussi_elem_bytes(plussi_elem elem)
{
    return (size_t)elem < sizeof elems / sizeof *elems ? elems[elem].bytes : 0;
}

const char *plussi_elem_name(plussi_elem elem)
{
    return (size_t)elem < sizeof elems / sizeof *elems ? elems[elem].word : "?";
}

int plussi_elem_of(const char *word, size_t length)
{
    for (int i = 0; i < PLUSSI_ELEM_BYTES; i++)
        if (compare_text(word, length, elems[i].word) == 0)
            return i;
    return -1;
}

static const char *const schedules[] = {
    [PLUSSI_SCHED_STATIC] = "static",     [PLUSSI_SCHED_DYNAMIC] = "dynamic",
    [PLUSSI_SCHED_GUIDED] = "guided",     [PLUSSI_SCHED_AUTO] = "auto",
    [PLUSSI_SCHED_RUNTIME] = "runtime",   [PLUSSI_SCHED_RAYON] = "rayon",
    [PLUSSI_SCHED_RECORDED] = "recorded",
};

static const char *const modifiers[] = {
    [PLUSSI_SCHED_MONOTONIC] = "monotonic",
    [PLUSSI_SCHED_NONMONOTONIC] = "nonmonotonic",
};

static const char *const unknowns[] = {
    [PLUSSI_UNKNOWN_LOOP] = "loop",           [PLUSSI_UNKNOWN_REFERENCE] = "reference",
    [PLUSSI_UNKNOWN_CALL] = "call",           [PLUSSI_UNKNOWN_CONTROL] = "control",
    [PLUSSI_UNKNOWN_CONSTRUCT] = "construct",
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *word_at(const char *const *table, size_t n, size_t i)
{
    return i < n ? table[i] : NULL;
}

static int index_of(const char *const *table, size_t n, const char *word, size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (table[i] && compare_text(word, length, table[i]) == 0)
            return (int)i;
    return -1;
}

const char *plussi_schedule_word(plussi_schedule_kind kind)
{
    return word_at(schedules, COUNT(schedules), (size_t)kind);
}

const char *plussi_modifier_word(plussi_sched_modifier modifier)
{
    return word_at(modifiers, COUNT(modifiers), (size_t)modifier);
}

const char *plussi_unknown_word(plussi_unknown_kind kind)
{
    return word_at(unknowns, COUNT(unknowns), (size_t)kind);
}

int plussi_schedule_of(const char *word, size_t length)
{
    return index_of(schedules, COUNT(schedules), word, length);
}

int plussi_modifier_of(const char *word, size_t length)
{
    return index_of(modifiers, COUNT(modifiers), word, length);
}

int plussi_unknown_of(const char *word, size_t length)
{
    return index_of(unknowns, COUNT(unknowns), word, length);
}
