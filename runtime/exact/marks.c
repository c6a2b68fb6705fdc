/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exact/marks.h"

#include <stdint.h>

#include "base/huge_pages.h"

void plussi_marks_free(const plussi_mem *mem, plussi_marks *m)
{
    plussi_free(mem, m->memory);
    *m = (plussi_marks){0};
}

/* Blocks and nodes are cache lines. */
pluss_status plussi_marks_new(const plussi_mem *mem, size_t cap, plussi_marks *out)
{
    enum { FAN = 1 << PLUSSI_MARKS_FAN, LINE = 64 };
    size_t counters[PLUSSI_MARKS_LEVELS], bytes = cap / 8;
    if (cap > plussi_marks_most)
        return PLUSS_ELIMIT;
    plussi_marks m = {.cap = cap};
    for (size_t n = cap >> PLUSSI_MARKS_BLOCK; m.n_levels == 0 || n > 1; n = (n + FAN - 1) / FAN) {
        counters[m.n_levels] = (n + FAN - 1) / FAN * FAN;
        bytes += counters[m.n_levels++] * sizeof *m.level[0];
    }
    m.memory = plussi_calloc(mem, bytes + LINE, 1);
    if (!m.memory)
        return PLUSS_ENOMEM;
    plussi_prefer_huge_pages(m.memory, bytes + LINE);
    char *at = (char *)m.memory + (LINE - (uintptr_t)m.memory % LINE) % LINE;
    m.word = (uint64_t *)(void *)at;
    at += cap / 8;
    for (unsigned k = 0; k < m.n_levels; k++) {
        m.level[k] = (uint32_t *)(void *)at;
        at += counters[k] * sizeof *m.level[0];
    }
    *out = m;
    return PLUSS_OK;
}

size_t plussi_marks_capacity(size_t present, uint64_t n)
{
    size_t cap = present ? present : PLUSSI_MARKS_LEAST;
    while (cap / 2 < n && cap <= plussi_marks_most)
        cap *= 2;
    return cap;
}

void plussi_marks_first(plussi_marks *m, size_t n)
{
    for (size_t w = 0; w < m->cap >> PLUSSI_MARKS_WORD; w++) {
        size_t first = w << PLUSSI_MARKS_WORD;
        m->word[w] = n >= first + 64 ? UINT64_MAX
                     : n > first     ? ((uint64_t)1 << (n - first)) - 1
                                     : 0;
    }
    unsigned bits = PLUSSI_MARKS_BLOCK;
    for (unsigned k = 0; k < m->n_levels; k++, bits += PLUSSI_MARKS_FAN) {
        for (size_t i = 0; i << bits < m->cap; i++) {
            size_t first = i << bits, width = (size_t)1 << bits;
            m->level[k][i] = (uint32_t)(n >= first + width ? width : n > first ? n - first : 0);
        }
    }
}

void plussi_marks_set(plussi_marks *m, size_t at)
{
    m->word[at >> PLUSSI_MARKS_WORD] |= (uint64_t)1 << (at & 63);
    size_t i = at >> PLUSSI_MARKS_BLOCK;
    for (unsigned k = 0; k < m->n_levels; k++, i >>= PLUSSI_MARKS_FAN)
        m->level[k][i]++;
}
