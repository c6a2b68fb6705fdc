/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "symbolic/formula_text.h"

/* Once in a file, however many regions follow. */
static const char head[] =
    "/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n"
    "#ifndef PLUSS_FORMULAS\n"
    "#define PLUSS_FORMULAS\n"
    "#include <stdint.h>\n"
    "\n"
    "typedef __int128 pluss_wide;\n"
    "\n"
    "/* Accesses at a stack distance, counted from 1; distance 0: of lines not touched before. */\n"
    "typedef void pluss_take(void *user, uint64_t distance, uint64_t accesses);\n"
    "\n"
    "static inline pluss_wide pluss_floor(pluss_wide a, pluss_wide b) /* a / b, b > 0 */\n"
    "{\n"
    "    return a / b - (a % b < 0);\n"
    "}\n"
    "\n"
    "static inline pluss_wide pluss_larger(pluss_wide a, pluss_wide b)\n"
    "{\n"
    "    return a > b ? a : b;\n"
    "}\n"
    "\n"
    "static inline pluss_wide pluss_smaller(pluss_wide a, pluss_wide b)\n"
    "{\n"
    "    return a < b ? a : b;\n"
    "}\n"
    "#endif\n"
    "\n";

void plussi_text_word(plussi_text *text, const char *name)
{
    if (isdigit((unsigned char)*name))
        plussi_text_puts(text, "_");
    for (; *name; name++)
        plussi_text_format(text, "%c", isalnum((unsigned char)*name) ? *name : '_');
}

static void put(plussi_text *text, const char *s)
{
    plussi_text_puts(text, s);
}

static void put_indent(plussi_text *text, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        put(text, "    ");
}

/* Symbols: s_NAME; iterations: i0, i1, ...; floors: f0, f1, ... */
static void put_variable(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                         uint32_t v)
{
    if (v < f->n_symbols)
        plussi_text_format(text, "p%u", v);
    else if (v < f->n_symbols + c->n_dims)
        plussi_text_format(text, "i%u", v - f->n_symbols);
    else
        plussi_text_format(text, "f%u", v - f->n_symbols - c->n_dims);
}

static uint32_t count_variables(const plussi_formula *f, const plussi_formula_class *c)
{
    return f->n_symbols + c->n_dims + c->n_floors;
}

/* The row times the sign, without one variable (UINT32_MAX: with all). */
static void put_row(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                    const plussi_formula_row *row, int sign, uint32_t without)
{
    plussi_text_format(text, "%lldLL", (long long)(row->constant * sign));
    for (uint32_t v = 0; v < count_variables(f, c); v++) {
        const int64_t a = row->coefficient[v] * sign;
        if (a == 0 || v == without)
            continue;
        plussi_text_format(text, a < 0 ? " - %lldLL * " : " + %lldLL * ",
                           (long long)(a < 0 ? -a : a));
        put_variable(text, f, c, v);
    }
}

static void put_poly(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                     const plussi_formula_poly *p)
{
    put(text, "(");
    for (uint32_t i = 0; i < p->n; i++) {
        plussi_text_format(text, "%s(pluss_wide)%lldLL", i ? " + " : "",
                           (long long)p->term[i].factor);
        for (uint32_t v = 0; v < count_variables(f, c); v++)
            for (uint8_t k = 0; k < p->term[i].power[v]; k++) {
                put(text, " * ");
                put_variable(text, f, c, v);
            }
    }
    plussi_text_format(text, "%s) / %lldLL", p->n ? "" : "0",
                       (long long)(p->n ? p->denominator : 1));
}

/* ---- a class
 * --------------------------------------------------------------------------------------
 */

/* Iterations that the floor speaks of: none after this many. */
static uint32_t level_of(const plussi_formula *f, const plussi_formula_class *c, uint32_t floor)
{
    const plussi_formula_row *row = &c->floors[floor].row;
    uint32_t level = 0;
    for (uint32_t d = 0; d < c->n_dims; d++)
        if (row->coefficient[f->n_symbols + d])
            level = d + 1;
    for (uint32_t i = 0; i < floor; i++)
        if (row->coefficient[f->n_symbols + c->n_dims + i] && level_of(f, c, i) > level)
            level = level_of(f, c, i);
    return level;
}

static void put_floors(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                       uint32_t level, uint32_t depth)
{
    for (uint32_t i = 0; i < c->n_floors; i++) {
        if (level_of(f, c, i) != level)
            continue;
        put_indent(text, depth);
        plussi_text_format(text, "const pluss_wide f%u = pluss_floor(", i);
        put_row(text, f, c, &c->floors[i].row, 1, UINT32_MAX);
        plussi_text_format(text, ", %lldLL);\n", (long long)c->floors[i].over);
        put_indent(text, depth);
        plussi_text_format(text, "(void)f%u;\n", i);
    }
}

static bool is_bound(const plussi_formula *f, const plussi_formula_class *c,
                     const plussi_formula_guard *g)
{
    if (g->level == 0 || !g->row.coefficient[f->n_symbols + g->level - 1])
        return false;
    for (uint32_t i = 0; i < c->n_floors; i++)
        if (g->row.coefficient[f->n_symbols + c->n_dims + i] && level_of(f, c, i) >= g->level)
            return false;
    return true;
}

/* Opens a block that is executed where the guards of the level hold. */
static void put_guards(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                       uint32_t level, uint32_t depth)
{
    put_indent(text, depth);
    put(text, "if (1");
    for (uint32_t i = 0; i < c->n_guards; i++) {
        const plussi_formula_guard *g = &c->guards[i];
        if (g->level != level || (is_bound(f, c, g) && !g->equal))
            continue;
        put(text, " &&\n");
        put_indent(text, depth + 1);
        put_row(text, f, c, &g->row, 1, UINT32_MAX);
        put(text, g->equal ? " == 0" : " >= 0");
    }
    put(text, ") {\n");
}

/* low0 and high0, and so on: the bounds of an iteration. */
static void put_bounds(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                       uint32_t level, uint32_t depth)
{
    const uint32_t v = f->n_symbols + level - 1;
    put_indent(text, depth);
    plussi_text_format(text, "pluss_wide low%u = INT64_MIN, ", level - 1);
    plussi_text_format(text, "high%u = INT64_MAX;\n", level - 1);
    for (uint32_t i = 0; i < c->n_guards; i++) {
        const plussi_formula_guard *g = &c->guards[i];
        if (g->level != level || !is_bound(f, c, g))
            continue;
        const int64_t a = g->row.coefficient[v];
        for (int upper = 0; upper < 2; upper++) {
            if (!g->equal && upper == (a > 0))
                continue;
            /* a i + rest >= 0: i >= -floor(rest / a), or i <= floor(rest / -a) */
            const bool flip = g->equal && upper == (a > 0);
            const int64_t over = a < 0 ? -a : a;
            put_indent(text, depth);
            plussi_text_format(text,
                               upper ? "high%u = pluss_smaller(high%u, pluss_floor("
                                     : "low%u = pluss_larger(low%u, -pluss_floor(",
                               level - 1, level - 1);
            put_row(text, f, c, &g->row, flip ? -1 : 1, v);
            plussi_text_format(text, ", %lldLL));\n", (long long)over);
        }
    }
}

static void put_level(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                      uint32_t level, uint32_t depth)
{
    if (level > c->n_dims) {
        put_indent(text, depth);
        put(text, "take(user, (uint64_t)(");
        put_poly(text, f, c, &c->distance);
        put(text, "),\n");
        put_indent(text, depth);
        put(text, "     (uint64_t)(");
        put_poly(text, f, c, &c->count);
        put(text, "));\n");
        return;
    }
    put_bounds(text, f, c, level, depth);
    put_indent(text, depth);
    plussi_text_format(text, "for (pluss_wide i%u = low%u; ", level - 1, level - 1);
    plussi_text_format(text, "i%u <= high%u; i%u++) {\n", level - 1, level - 1, level - 1);
    put_floors(text, f, c, level, depth + 1);
    put_guards(text, f, c, level, depth + 1);
    put_level(text, f, c, level + 1, depth + 2);
    put_indent(text, depth + 1);
    put(text, "}\n");
    put_indent(text, depth);
    put(text, "}\n");
}

static void put_class(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c)
{
    put(text, "    {\n");
    put_floors(text, f, c, 0, 2);
    put_guards(text, f, c, 0, 2);
    put_level(text, f, c, 1, 3);
    put(text, "        }\n    }\n");
}

/* ---- the functions
 * ----------------------------------------------------------------------------------
 */

static void put_parameters(plussi_text *text, const plussi_formula *f)
{
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        put(text, "int64_t ");
        plussi_text_word(text, f->symbol[i].symbol->name);
        plussi_text_format(text, "_%u, ", i);
    }
}

static void put_arguments(plussi_text *text, const plussi_formula *f)
{
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        plussi_text_word(text, f->symbol[i].symbol->name);
        plussi_text_format(text, "_%u, ", i);
    }
}

static void put_histogram(plussi_text *text, const plussi_formula *f)
{
    put(text, "/* All accesses of ");
    plussi_text_word(text, f->region->name);
    plussi_text_format(text, ", lines of %llu bytes. ", (unsigned long long)f->line);
    put(text, "-1: the formulas do not hold for these values. */\nint ");
    plussi_text_word(text, f->region->name);
    put(text, "_histogram(");
    put_parameters(text, f);
    put(text, "pluss_take *take, void *user);\nint ");
    plussi_text_word(text, f->region->name);
    put(text, "_histogram(");
    put_parameters(text, f);
    put(text, "pluss_take *take, void *user)\n{\n");
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const plussi_formula_symbol *s = &f->symbol[i];
        put(text, "    if (");
        plussi_text_word(text, s->symbol->name);
        plussi_text_format(text, "_%u < %lldLL || ", i, (long long)s->least);
        plussi_text_word(text, s->symbol->name);
        plussi_text_format(text, "_%u %% %lldLL)\n        return -1;\n", i, (long long)s->unit);
    }
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        plussi_text_format(text, "    const pluss_wide p%u = ", i);
        plussi_text_word(text, f->symbol[i].symbol->name);
        plussi_text_format(text, "_%u / %lldLL;\n", i, (long long)f->symbol[i].unit);
        plussi_text_format(text, "    (void)p%u;\n", i);
    }
    for (size_t i = 0; i < f->classes.n; i++)
        put_class(text, f, &f->classes.class[i]);
    put(text, "    return 0;\n}\n\n");
}

static void put_misses(plussi_text *text, const plussi_formula *f)
{
    put(text, "typedef struct ");
    plussi_text_word(text, f->region->name);
    put(text, "_sum {\n    uint64_t lines;\n    int64_t misses;\n} ");
    plussi_text_word(text, f->region->name);
    put(text, "_sum;\n\nstatic void ");
    plussi_text_word(text, f->region->name);
    put(text, "_add(void *user, uint64_t distance, uint64_t accesses)\n{\n    ");
    plussi_text_word(text, f->region->name);
    put(text, "_sum *sum = user;\n    if (distance == 0 || distance > sum->lines)\n"
              "        sum->misses += (int64_t)accesses;\n}\n\n"
              "/* Misses in a fully associative LRU cache of that many lines; -1: as above. */\n"
              "int64_t ");
    for (int definition = 0; definition < 2; definition++) {
        plussi_text_word(text, f->region->name);
        put(text, "_misses(");
        put_parameters(text, f);
        put(text, definition ? "uint64_t lines)\n{\n    " : "uint64_t lines);\nint64_t ");
    }
    plussi_text_word(text, f->region->name);
    put(text, "_sum sum = {lines, 0};\n    if (");
    plussi_text_word(text, f->region->name);
    put(text, "_histogram(");
    put_arguments(text, f);
    plussi_text_word(text, f->region->name);
    put(text, "_add, &sum))\n        return -1;\n    return sum.misses;\n}\n");
}

void plussi_emit_formula(plussi_text *text, const plussi_formula *f)
{
    put(text, head);
    put_histogram(text, f);
    put_misses(text, f);
}
