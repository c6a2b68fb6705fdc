/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive_inner.h"

int64_t naive_floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    while (q * b > a)
        q--;
    return q;
}

static int64_t load(naive_state *s, const plussi_expr *e)
{
    int64_t at = 0;
    for (uint32_t d = 0; d < e->n_subs; d++) {
        int64_t extent = e->array->extents[d] ? naive_eval(s, e->array->extents[d]) : 0;
        at = (d ? at * extent : 0) + naive_eval(s, e->subs[d]);
    }
    if (at < 0 || (uint64_t)at >= e->array->n_values)
        abort();
    return e->array->values[at];
}

int64_t naive_eval(naive_state *s, const plussi_expr *e)
{
    switch (e->kind) {
    case PLUSSI_E_INT:
        return e->value;
    case PLUSSI_E_SYMBOL:
        return s->symbol[e->symbol->id];
    case PLUSSI_E_IV:
        return s->iv[e->loop->id];
    case PLUSSI_E_THREAD:
        return s->level == 1 ? s->thread : 0;
    case PLUSSI_E_TEAM:
        return s->level == 1 ? s->team : 1;
    case PLUSSI_E_LOAD:
        return load(s, e);
    case PLUSSI_E_NEG:
        return -naive_eval(s, e->a[0]);
    case PLUSSI_E_NOT:
        return !naive_eval(s, e->a[0]);
    case PLUSSI_E_SELECT:
        return naive_eval(s, naive_eval(s, e->a[0]) ? e->a[1] : e->a[2]);
    default:
        break;
    }
    int64_t a = naive_eval(s, e->a[0]), b = naive_eval(s, e->a[1]);
    switch (e->kind) {
    case PLUSSI_E_ADD:
        return a + b;
    case PLUSSI_E_SUB:
        return a - b;
    case PLUSSI_E_MUL:
        return a * b;
    case PLUSSI_E_DIV:
        return naive_floor_div(a, b);
    case PLUSSI_E_MOD:
        return a - b * naive_floor_div(a, b);
    case PLUSSI_E_MIN:
        return a < b ? a : b;
    case PLUSSI_E_MAX:
        return a > b ? a : b;
    case PLUSSI_E_LT:
        return a < b;
    case PLUSSI_E_LE:
        return a <= b;
    case PLUSSI_E_GT:
        return a > b;
    case PLUSSI_E_GE:
        return a >= b;
    case PLUSSI_E_EQ:
        return a == b;
    case PLUSSI_E_NE:
        return a != b;
    case PLUSSI_E_AND:
        return a && b;
    case PLUSSI_E_OR:
        return a || b;
    default:
        abort();
    }
}

/* By name, then by region and name; else as written, in order of declaration. */
void naive_symbols(naive_state *s)
{
    const naive_options *o = s->options;
    for (const plussi_symbol *y = s->nest->first_symbol; y; y = y->next) {
        const naive_symbol_value *given = NULL;
        char qualified[600];
        snprintf(qualified, sizeof qualified, "%s.%s", y->region ? y->region->name : "", y->name);
        for (size_t i = 0; i < o->n_values; i++)
            if (strcmp(o->value[i].name, y->name) == 0)
                given = &o->value[i];
        for (size_t i = 0; i < o->n_values; i++)
            if (y->region && strcmp(o->value[i].name, qualified) == 0)
                given = &o->value[i];
        if (given)
            s->symbol[y->id] = given->value;
        else if (y->value)
            s->symbol[y->id] = naive_eval(s, y->value);
    }
}
