/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "codegen/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void plussi_emit(plussi_text *text, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof line) {
        if (!text->status)
            text->status = plussi_fail(text->ctx, PLUSS_EINTERNAL, NULL, "a line is too long");
        return;
    }
    plussi_text_put(text, line, (size_t)n);
}

void plussi_emit_string(plussi_text *text, const char *s)
{
    plussi_text_put(text, "\"", 1);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            plussi_emit(text, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f || c == '?') /* bytes of other alphabets; C's trigraphs */
            plussi_emit(text, c == '?' ? "?" : "_");
        else
            plussi_text_put(text, s, 1);
    }
    plussi_text_put(text, "\"", 1);
}

static void emit_name(plussi_text *text, const char *name, uint32_t id)
{
    char word[24];
    size_t n = 0;
    for (; *name && n < sizeof word; name++) {
        char c = *name;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9' && n > 0);
        if (fits || (n > 0 && word[n - 1] != '_'))
            word[n++] = fits ? c : '_';
    }
    while (n > 0 && word[n - 1] == '_')
        n--;
    plussi_emit(text, "%.*s_%" PRIu32, n ? (int)n : 1, n ? word : "x", id);
}

void plussi_emit_symbol(plussi_text *text, const plussi_symbol *symbol)
{
    emit_name(text, symbol->name, symbol->id);
}

void plussi_emit_iv(plussi_text *text, const plussi_node *loop)
{
    emit_name(text, loop->u.loop.iv, loop->id);
}

typedef struct writer {
    plussi_text *text;
    const plussi_dialect *dialect;
    bool setup;
} writer;

static void emit_expr(const writer *w, const plussi_expr *x);

static void emit_infix(const writer *w, const plussi_expr *x, const char *op)
{
    plussi_text_puts(w->text, "(");
    emit_expr(w, x->a[0]);
    plussi_emit(w->text, " %s ", op);
    emit_expr(w, x->a[1]);
    plussi_text_puts(w->text, ")");
}

static void emit_call(const writer *w, const plussi_expr *x, const char *function)
{
    plussi_emit(w->text, "%s(", function);
    emit_expr(w, x->a[0]);
    plussi_text_puts(w->text, ", ");
    emit_expr(w, x->a[1]);
    plussi_text_puts(w->text, ")");
}

static void emit_prefix(const writer *w, const plussi_expr *x, const char *op)
{
    plussi_emit(w->text, "(%s", op);
    emit_expr(w, x->a[0]);
    plussi_text_puts(w->text, ")");
}

static void emit_int(const writer *w, int64_t value)
{
    if (value == INT64_MIN)
        plussi_text_puts(w->text, w->dialect->is_rust ? "i64::MIN" : "INT64_MIN");
    else if (w->dialect->is_rust)
        plussi_emit(w->text, value < 0 ? "(%" PRId64 "_i64)" : "%" PRId64 "_i64", value);
    else
        plussi_emit(w->text, value < 0 ? "(-INT64_C(%" PRIu64 "))" : "INT64_C(%" PRIu64 ")",
                    value < 0 ? (uint64_t)-value : (uint64_t)value);
}

static void emit_expr(const writer *w, const plussi_expr *x)
{
    switch (x->kind) {
    case PLUSSI_E_INT:
        emit_int(w, x->value);
        return;
    case PLUSSI_E_SYMBOL:
        plussi_text_puts(w->text, w->setup && w->dialect->is_rust ? "s."
                                  : w->setup                      ? "s->"
                                                                  : w->dialect->symbols);
        plussi_emit_symbol(w->text, x->symbol);
        return;
    case PLUSSI_E_IV:
        plussi_emit_iv(w->text, x->loop);
        return;
    case PLUSSI_E_THREAD:
        plussi_emit(w->text, "%sthread", w->dialect->walker);
        return;
    case PLUSSI_E_TEAM:
        plussi_emit(w->text, "%steam", w->dialect->walker);
        return;
    case PLUSSI_E_NEG:
        emit_prefix(w, x, "-");
        return;
    case PLUSSI_E_NOT:
        emit_prefix(w, x, "!");
        return;
    case PLUSSI_E_ADD:
        emit_infix(w, x, "+");
        return;
    case PLUSSI_E_SUB:
        emit_infix(w, x, "-");
        return;
    case PLUSSI_E_MUL:
        emit_infix(w, x, "*");
        return;
    case PLUSSI_E_DIV:
        emit_call(w, x, "floor_div");
        return;
    case PLUSSI_E_MOD:
        emit_call(w, x, "floor_mod");
        return;
    case PLUSSI_E_MIN:
        emit_call(w, x, "least");
        return;
    case PLUSSI_E_MAX:
        emit_call(w, x, "most");
        return;
    case PLUSSI_E_SELECT:
        for (int i = 0; i < 3; i++) {
            plussi_text_puts(w->text, w->dialect->select[i]);
            emit_expr(w, x->a[i]);
        }
        plussi_text_puts(w->text, w->dialect->select[3]);
        return;
    case PLUSSI_E_LT:
        emit_infix(w, x, "<");
        return;
    case PLUSSI_E_LE:
        emit_infix(w, x, "<=");
        return;
    case PLUSSI_E_GT:
        emit_infix(w, x, ">");
        return;
    case PLUSSI_E_GE:
        emit_infix(w, x, ">=");
        return;
    case PLUSSI_E_EQ:
        emit_infix(w, x, "==");
        return;
    case PLUSSI_E_NE:
        emit_infix(w, x, "!=");
        return;
    case PLUSSI_E_AND:
        emit_infix(w, x, "&&");
        return;
    case PLUSSI_E_OR:
        emit_infix(w, x, "||");
        return;
    case PLUSSI_E_LOAD: /* refused before anything is written */
        plussi_text_puts(w->text, "0");
        return;
    }
}

void plussi_emit_expr(plussi_text *text, const plussi_dialect *dialect, const plussi_expr *expr,
                      bool setup)
{
    writer w = {text, dialect, setup};
    emit_expr(&w, expr);
}
