/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/sweep_spec.h"

#include <string.h>

#include "base/arith.h"
#include "model/model.h"

enum { CELLS_BITS_MOST = 40, VALUES_MOST = 1 << 20 };

static const char as_written[] = "as-written", simulate[] = "simulate";

/* The word that begins the line, and the option that its values are texts of; NULL: of none. */
static const struct {
    const char *word, *option, *by_default; /* by_default NULL: one must be given */
} kinds[PLUSSI_DIMENSION_KINDS] = {
    [PLUSSI_DIMENSION_FILES] = {"files", NULL, NULL},
    [PLUSSI_DIMENSION_SIZES] = {"sizes", "define", NULL},
    [PLUSSI_DIMENSION_SCHEDULES] = {"schedules", "schedule", as_written},
    [PLUSSI_DIMENSION_THREADS] = {"threads", "threads", "1"},
    [PLUSSI_DIMENSION_CACHES] = {"caches", "cache", NULL},
    [PLUSSI_DIMENSION_MODELS] = {"models", "model", NULL},
};

typedef struct reader {
    plussi_ctx *ctx;
    plussi_sweep_spec *spec;
    const char *at, *end;
    plussi_loc place;       /* of the word read last */
    const char *line_start; /* of the line that is read */
    plussi_request trial;   /* what values are tried on */
} reader;

void plussi_sweep_spec_identify(plussi_sweep_spec *spec, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        spec->identity = (spec->identity ^ byte[i]) * 0x100000001b3u;
}

static void identify_text(plussi_sweep_spec *spec, const char *text)
{
    plussi_sweep_spec_identify(spec, text, strlen(text) + 1);
}

/* ---- words -------------------------------------------------------------------------------------
 */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line, copied, between quotes or not; *out NULL: the line ends. */
static pluss_status read_word(reader *r, const char **out)
{
    while (r->at < r->end && is_space(*r->at))
        r->at++;
    *out = NULL;
    if (r->at == r->end || *r->at == '\n' || *r->at == '#')
        return PLUSS_OK;
    r->place.col = (uint32_t)(r->at - r->line_start) + 1;
    const bool quoted = *r->at == '"';
    const char *start = r->at += quoted;
    while (r->at < r->end && *r->at != '\n' && (quoted ? *r->at != '"' : !is_space(*r->at)))
        r->at++;
    const size_t length = (size_t)(r->at - start);
    if (quoted && (r->at == r->end || *r->at != '"'))
        return plussi_fail(r->ctx, PLUSS_EINVAL, &r->place, "the quotation mark is not closed");
    r->at += quoted;
    if (memchr(start, 0, length) || length == 0)
        return plussi_fail(r->ctx, PLUSS_EINVAL, &r->place, "an empty word");
    *out = plussi_arena_strndup(&r->spec->arena, start, length);
    return *out ? PLUSS_OK : PLUSS_ENOMEM;
}

static void end_line(reader *r)
{
    while (r->at < r->end && *r->at != '\n')
        r->at++;
    r->at += r->at < r->end;
    r->line_start = r->at;
    r->place.line++;
}

/* ---- values ------------------------------------------------------------------------------------
 */

/* Whether the option takes the text; what is wrong gets a place. */
static pluss_status try_option(reader *r, const char *name, const char *text)
{
    const size_t before = r->ctx->n_diags;
    const pluss_status status = plussi_request_set(r->ctx, &r->trial, name, text);
    for (size_t i = before; i < r->ctx->n_diags; i++) {
        plussi_diag *d = &r->ctx->diags[i];
        if (d->file || !r->place.file)
            continue;
        d->file = plussi_strndup(&r->ctx->mem, r->place.file, strlen(r->place.file));
        d->line = r->place.line;
        d->col = r->place.col;
    }
    return status;
}

static pluss_status add_value(reader *r, plussi_dimension *d, const char *text)
{
    pluss_status status = plussi_grow(&r->ctx->mem, &d->value, &d->room, d->n, sizeof *d->value);
    if (status)
        return status;
    if (d->n == VALUES_MOST)
        return plussi_fail(r->ctx, PLUSS_ELIMIT, &r->place, "too many values");
    if (!d->n)
        d->place = r->place;
    d->value[d->n++] = text;
    identify_text(r->spec, text);
    return PLUSS_OK;
}

static pluss_status add_dimension(reader *r, plussi_dimension_kind kind, plussi_dimension **out)
{
    plussi_sweep_spec *spec = r->spec;
    pluss_status status =
        plussi_grow(&r->ctx->mem, &spec->dimension, &spec->room, spec->n, sizeof *spec->dimension);
    if (status)
        return status;
    size_t at = spec->n++; /* in the order of kinds, those of one kind as they come */
    for (; at && spec->dimension[at - 1].kind > kind; at--)
        spec->dimension[at] = spec->dimension[at - 1];
    spec->dimension[at] = (plussi_dimension){.kind = kind, .place = r->place};
    *out = &spec->dimension[at];
    return PLUSS_OK;
}

/* The dimension of this kind; a new one where there is none yet. */
static pluss_status find_dimension(reader *r, plussi_dimension_kind kind, plussi_dimension **out)
{
    for (size_t i = 0; i < r->spec->n; i++)
        if (r->spec->dimension[i].kind == kind) {
            *out = &r->spec->dimension[i];
            return PLUSS_OK;
        }
    return add_dimension(r, kind, out);
}

static bool is_tried(plussi_dimension_kind kind, const char *text)
{
    return kinds[kind].option &&
           !(kind == PLUSSI_DIMENSION_SCHEDULES && strcmp(text, as_written) == 0) &&
           !(kind == PLUSSI_DIMENSION_MODELS && strcmp(text, simulate) == 0);
}

static pluss_status read_texts(reader *r, plussi_dimension_kind kind)
{
    plussi_dimension *d = NULL;
    const char *text;
    pluss_status status = find_dimension(r, kind, &d);
    while (!status && !(status = read_word(r, &text)) && text) {
        if (is_tried(kind, text))
            status = try_option(r, kinds[kind].option, text);
        if (!status)
            status = add_value(r, d, text);
    }
    if (!status && !d->n)
        status =
            plussi_fail(r->ctx, PLUSS_EINVAL, &r->place, "%s: no value follows", kinds[kind].word);
    return status;
}

/* ---- sizes: NAME=VALUES:NAME=VALUES, values N, N..M+STEP, N..M*FACTOR and lists of them
 * ----------
 */

/* Column `symbol` of the numbers; the first symbol decides how many there are. */
static pluss_status put_number(reader *r, plussi_dimension *d, size_t symbol, size_t i,
                               int64_t value)
{
    if (symbol == 0) {
        if (i == VALUES_MOST)
            return plussi_fail(r->ctx, PLUSS_ELIMIT, &r->place, "too many values");
        while (d->numbers_room < (i + 1) * d->n_symbols) {
            pluss_status status = plussi_grow(&r->ctx->mem, &d->number, &d->numbers_room,
                                              d->numbers_room, sizeof *d->number);
            if (status)
                return status;
        }
        d->n = i + 1;
    }
    if (i < d->n)
        d->number[i * d->n_symbols + symbol] = value;
    plussi_sweep_spec_identify(r->spec, &value, sizeof value);
    return PLUSS_OK;
}

/* N, N..M, N..M+STEP or N..M*FACTOR. */
static pluss_status read_range(reader *r, plussi_argument *a, plussi_dimension *d, size_t symbol,
                               size_t *used)
{
    int64_t first, last, by = 1;
    bool product = false;
    if (!plussi_read_integer(a, &first))
        return PLUSS_EINVAL;
    last = first;
    if (plussi_skip(a, "..")) {
        if (!plussi_read_integer(a, &last))
            return PLUSS_EINVAL;
        product = plussi_skip(a, "*");
        if ((product || plussi_skip(a, "+")) && !plussi_read_integer(a, &by))
            return PLUSS_EINVAL;
    }
    if (last < first || by < 1 + product || (product && first < 1)) {
        (void)plussi_refuse(a, "a range ascends: 64..1024, 64..1024+64 or 64..1024*2");
        return PLUSS_EINVAL;
    }
    pluss_status status = PLUSS_OK;
    for (int64_t value = first; !status && value <= last; (*used)++) {
        status = put_number(r, d, symbol, *used, value);
        if (product ? plussi_mul_over(value, by, &value) : plussi_add_over(value, by, &value))
            value = INT64_MAX;
        if (value == INT64_MAX)
            break;
    }
    return status;
}

static pluss_status read_symbol(reader *r, plussi_argument *a, plussi_dimension *d, size_t symbol)
{
    const size_t length = strcspn(a->at, "=");
    size_t used = 0;
    if (!a->at[length] || !length) {
        (void)plussi_refuse(a, "it is NAME=VALUE,VALUE,..., with ':' between several names");
        return PLUSS_EINVAL;
    }
    char *name = plussi_arena_strndup(&r->spec->arena, a->at, length);
    if (!name)
        return PLUSS_ENOMEM;
    for (size_t i = 0; i < r->spec->n; i++)
        for (size_t k = 0; k < r->spec->dimension[i].n_symbols; k++) {
            const char *other = r->spec->dimension[i].symbol[k];
            if (other && strcmp(other, name) == 0) {
                (void)plussi_refuse(a, "the symbol has values already");
                return PLUSS_EINVAL;
            }
        }
    d->symbol[symbol] = name;
    identify_text(r->spec, name);
    a->at += length + 1;
    pluss_status status;
    do
        status = read_range(r, a, d, symbol, &used);
    while (!status && plussi_skip(a, ","));
    if (!status && used != d->n) {
        (void)plussi_refuse(a, "symbols of one list have as many values each");
        status = PLUSS_EINVAL;
    }
    return status;
}

static pluss_status read_sizes(reader *r)
{
    const char *text;
    plussi_dimension *d = NULL;
    pluss_status status = read_word(r, &text);
    if (!status && !text)
        status = plussi_fail(r->ctx, PLUSS_EINVAL, &r->place, "sizes: no value follows");
    if (!status)
        status = add_dimension(r, PLUSSI_DIMENSION_SIZES, &d);
    if (status)
        return status;
    plussi_argument a = {.text = text, .at = text};
    size_t n = 1;
    for (const char *c = text; *c; c++)
        n += *c == ':';
    d->symbol = plussi_calloc(&r->ctx->mem, n, sizeof *d->symbol);
    if (!d->symbol)
        return PLUSS_ENOMEM;
    d->n_symbols = n;
    for (size_t k = 0; !status && k < n; k++) {
        status = read_symbol(r, &a, d, k);
        if (!status && k + 1 < n && !plussi_skip(&a, ":"))
            status = PLUSS_EINVAL;
    }
    if (!status && !plussi_at_end(&a))
        status = PLUSS_EINVAL;
    if (status == PLUSS_EINVAL) {
        r->place.col += (uint32_t)(a.at - a.text);
        return plussi_fail(r->ctx, status, &r->place, "sizes '%s': %s", text,
                           a.why ? a.why : "a number is expected");
    }
    if (!status && !(status = read_word(r, &text)) && text)
        status = plussi_fail(r->ctx, PLUSS_EINVAL, &r->place,
                             "'%s' is one too many: each line of sizes is a dimension", text);
    return status;
}

/* ---- options -----------------------------------------------------------------------------------
 */

static const plussi_option *find_option(const char *name)
{
    const plussi_option *o = NULL;
    for (size_t i = 0; (o = plussi_option_at(i)); i++)
        if (strcmp(o->name, name) == 0)
            break;
    return o;
}

static pluss_status read_option(reader *r)
{
    const char *word;
    pluss_status status = read_word(r, &word);
    if (status)
        return status;
    const char *equals = word ? strchr(word, '=') : NULL;
    const size_t length = word ? equals ? (size_t)(equals - word) : strlen(word) : 0;
    char *name = plussi_arena_strndup(&r->spec->arena, word ? word : "", length);
    if (!name)
        return PLUSS_ENOMEM;
    const plussi_option *option = find_option(name);
    if (!option || !(option->verbs & (PLUSSI_FOR_PREDICT | PLUSSI_FOR_SIMULATE)))
        return plussi_fail(r->ctx, PLUSS_EINVAL, &r->place,
                           "option: '%s' is no option of predict or simulate", name);
    for (int k = 0; k < PLUSSI_DIMENSION_KINDS; k++)
        if (k != PLUSSI_DIMENSION_SIZES && kinds[k].option && strcmp(kinds[k].option, name) == 0)
            return plussi_fail(r->ctx, PLUSS_EINVAL, &r->place,
                               "option: '%s' is a dimension, whose line begins with '%s'", name,
                               kinds[k].word);
    status = try_option(r, name, equals ? equals + 1 : NULL);
    if (!status)
        status = plussi_grow(&r->ctx->mem, &r->spec->option, &r->spec->options_room,
                             r->spec->n_options, sizeof *r->spec->option);
    if (status)
        return status;
    r->spec->option[r->spec->n_options++] = (plussi_sweep_option){name, equals ? equals + 1 : NULL};
    identify_text(r->spec, word);
    if (!(status = read_word(r, &word)) && word)
        status = plussi_fail(r->ctx, PLUSS_EINVAL, &r->place,
                             "'%s' is one too many: one option a line, NAME=TEXT", word);
    return status;
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static pluss_status read_line(reader *r)
{
    const char *word;
    pluss_status status = read_word(r, &word);
    if (status || !word)
        return status;
    for (int k = 0; k < PLUSSI_DIMENSION_KINDS; k++)
        if (strcmp(kinds[k].word, word) == 0) {
            identify_text(r->spec, word);
            return k == PLUSSI_DIMENSION_SIZES ? read_sizes(r)
                                               : read_texts(r, (plussi_dimension_kind)k);
        }
    if (strcmp(word, "option") == 0)
        return read_option(r);
    return plussi_fail(r->ctx, PLUSS_EINVAL, &r->place,
                       "a line begins with files, sizes, schedules, threads, caches, models or "
                       "option, not with '%s'",
                       word);
}

/* Dimensions that are not mentioned have one value. */
static pluss_status add_defaults(reader *r)
{
    pluss_status status = PLUSS_OK;
    plussi_dimension *d = NULL;
    for (int k = 0; k < PLUSSI_DIMENSION_KINDS && !status; k++) {
        if (k == PLUSSI_DIMENSION_SIZES)
            continue;
        status = find_dimension(r, (plussi_dimension_kind)k, &d);
        if (status || d->n)
            continue;
        const char *text =
            k == PLUSSI_DIMENSION_MODELS ? plussi_model_at(0)->name : kinds[k].by_default;
        if (!text)
            return plussi_fail(r->ctx, PLUSS_EINVAL, &(plussi_loc){.file = r->place.file},
                               "there is no line '%s'", kinds[k].word);
        status = add_value(r, d, text);
    }
    return status;
}

static pluss_status count_cells(reader *r)
{
    uint64_t cells = 1;
    for (size_t i = 0; i < r->spec->n; i++) /* factors are below 2^21, so that nothing overflows */
        if ((cells *= r->spec->dimension[i].n) > (uint64_t)1 << CELLS_BITS_MOST)
            return plussi_fail(r->ctx, PLUSS_ELIMIT, &r->spec->dimension[i].place,
                               "the sweep has more than 2^%d cells", CELLS_BITS_MOST);
    r->spec->cells = cells;
    return PLUSS_OK;
}

pluss_status plussi_sweep_spec_parse(plussi_ctx *ctx, const char *text, size_t length,
                                     const char *file, plussi_sweep_spec *out)
{
    reader r = {.ctx = ctx, .spec = out, .at = text, .end = text + length, .line_start = text};
    pluss_status status = PLUSS_OK;
    *out = (plussi_sweep_spec){.identity = 0xcbf29ce484222325u};
    plussi_arena_init(&out->arena, &ctx->mem);
    plussi_request_init(&r.trial, &ctx->mem);
    if (file && !(r.place.file = plussi_arena_strndup(&out->arena, file, strlen(file))))
        status = PLUSS_ENOMEM;
    for (r.place.line = 1; r.at < r.end && !status; end_line(&r))
        status = read_line(&r);
    if (!status)
        status = add_defaults(&r);
    if (!status)
        status = count_cells(&r);
    plussi_request_free(&r.trial);
    return status;
}

void plussi_sweep_spec_free(const plussi_mem *mem, plussi_sweep_spec *spec)
{
    for (size_t i = 0; i < spec->n; i++) {
        plussi_free(mem, spec->dimension[i].value);
        plussi_free(mem, spec->dimension[i].symbol);
        plussi_free(mem, spec->dimension[i].number);
    }
    plussi_free(mem, spec->dimension);
    plussi_free(mem, spec->option);
    plussi_arena_free(&spec->arena);
}

/* ---- cells -------------------------------------------------------------------------------------
 */

size_t plussi_cell_index(const plussi_sweep_spec *spec, uint64_t cell, size_t dimension)
{
    for (size_t i = spec->n - 1; i > dimension; i--)
        cell /= spec->dimension[i].n;
    return (size_t)(cell % spec->dimension[dimension].n);
}

const char *plussi_cell_value(const plussi_sweep_spec *spec, uint64_t cell,
                              plussi_dimension_kind kind)
{
    size_t i = 0;
    while (spec->dimension[i].kind != kind)
        i++;
    return spec->dimension[i].value[plussi_cell_index(spec, cell, i)];
}

static pluss_status bind_sizes(const plussi_dimension *d, size_t value, plussi_request *out)
{
    pluss_status status = PLUSS_OK;
    for (size_t k = 0; k < d->n_symbols && !status; k++)
        status = plussi_request_bind(out, d->symbol[k], strlen(d->symbol[k]),
                                     d->number[value * d->n_symbols + k]);
    return status;
}

pluss_status plussi_cell_request(plussi_ctx *ctx, const plussi_sweep_spec *spec, uint64_t cell,
                                 plussi_request *out, bool *simulated)
{
    pluss_status status = PLUSS_OK;
    plussi_request_init(out, &ctx->mem);
    *simulated = false;
    for (size_t i = 0; i < spec->n_options && !status; i++)
        status = plussi_request_set(ctx, out, spec->option[i].name, spec->option[i].text);
    for (size_t i = 0; i < spec->n && !status; i++) {
        const plussi_dimension *d = &spec->dimension[i];
        const size_t value = plussi_cell_index(spec, cell, i);
        if (d->kind == PLUSSI_DIMENSION_SIZES)
            status = bind_sizes(d, value, out);
        else if (is_tried(d->kind, d->value[value]))
            status = plussi_request_set(ctx, out, kinds[d->kind].option, d->value[value]);
        else if (d->kind == PLUSSI_DIMENSION_MODELS)
            *simulated = true;
    }
    return status;
}
