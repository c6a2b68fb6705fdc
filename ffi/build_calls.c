/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The builder writes the nest's text, one line a call, and remembers where in the source each call
 * stood. Finishing parses the text: so there is one grammar and one set of checks, and what they
 * find is reported at the calls. Each piece of text from the caller is first seen to be what it
 * should be by itself, so that none can reach into its surroundings.
 */
#include "ffi.h"
#include "nest/lex.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names the text in the parser's messages; no file is called so. */
static const char text_name[] = "\001built";

typedef struct block {
    uint32_t place; /* of the call that opened it */
    bool may_else;
} block;

typedef struct place {
    const char *file; /* in the arena; NULL: none */
    uint32_t line, col;
} place;

struct pluss_builder {
    pluss_context *ctx;
    const char *origin; /* in names */
    plussi_arena names; /* origin, file names of places */
    char *text;
    size_t length, text_cap;
    place *place; /* all that were named, in order */
    size_t n_places, places_cap;
    uint32_t *line; /* place of each line of the text, from line 1 */
    size_t n_lines, lines_cap;
    block *open;
    size_t n_open, open_cap;
    const char *region_file;
    bool in_region;
    pluss_status status; /* of the first fault */
};

/* ---- faults -----------------------------------------------------------------------------------
 */

static plussi_loc loc_of(const pluss_builder *b, uint32_t number)
{
    const place *at = number < b->n_places ? &b->place[number] : NULL;
    return at ? (plussi_loc){at->file, at->line, at->col} : (plussi_loc){0};
}

static uint32_t here(const pluss_builder *b)
{
    return b->n_places ? (uint32_t)b->n_places - 1 : 0;
}

static void fault(pluss_builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fault(pluss_builder *b, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    plussi_loc loc = loc_of(b, here(b));
    plussi_report(&b->ctx->ctx, PLUSSI_ERROR, PLUSS_EINVAL, loc.file ? &loc : NULL, "%s", message);
    if (!b->status)
        b->status = PLUSS_EINVAL;
}

static void no_memory(pluss_builder *b)
{
    b->status = PLUSS_ENOMEM;
}

/* ---- writing ----------------------------------------------------------------------------------
 */

static void put(pluss_builder *b, const char *s, size_t n)
{
    if (b->status == PLUSS_ENOMEM)
        return;
    if (b->length + n > PLUSSI_MAX_TEXT) {
        if (b->status != PLUSS_ELIMIT)
            plussi_report(&b->ctx->ctx, PLUSSI_ERROR, PLUSS_ELIMIT, NULL,
                          "the nest is longer than PLUSSI_MAX_TEXT = %d bytes", PLUSSI_MAX_TEXT);
        b->status = PLUSS_ELIMIT;
        return;
    }
    if (b->length + n > b->text_cap) {
        size_t cap = b->text_cap ? b->text_cap : 1024;
        while (cap < b->length + n)
            cap *= 2;
        char *text = plussi_realloc(&b->ctx->ctx.mem, b->text, cap, 1);
        if (!text) {
            no_memory(b);
            return;
        }
        b->text = text;
        b->text_cap = cap;
    }
    memcpy(b->text + b->length, s, n);
    b->length += n;
}

static void puts_(pluss_builder *b, const char *s)
{
    put(b, s, strlen(s));
}

static void put_number(pluss_builder *b, int64_t value)
{
    char digits[32];
    put(b, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, value));
}

/* Ends a call's line. */
static void end_line(pluss_builder *b)
{
    put(b, "\n", 1);
    if (plussi_grow(&b->ctx->ctx.mem, &b->line, &b->lines_cap, b->n_lines, sizeof *b->line)) {
        no_memory(b);
        return;
    }
    b->line[b->n_lines++] = here(b);
}

static void put_name(pluss_builder *b, const char *name, const char *what)
{
    if (!name || !*name) {
        fault(b, "%s has no name", what);
        name = "?";
    }
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '`') {
            fault(b, "the name of %s holds byte 0x%02x", what, (unsigned char)*c);
            name = "?";
            break;
        }
    put(b, "`", 1);
    puts_(b, name);
    put(b, "`", 1);
}

static void put_string(pluss_builder *b, const char *s)
{
    put(b, "\"", 1);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        char escape[8];
        if (c == '"' || c == '\\')
            put(b, escape, (size_t)snprintf(escape, sizeof escape, "\\%c", c));
        else if (c < 0x20 || c == 0x7f)
            put(b, escape, (size_t)snprintf(escape, sizeof escape, "\\x%02x", c));
        else
            put(b, s, 1);
    }
    put(b, "\"", 1);
}

enum { MAX_OPEN = 8 * PLUSSI_MAX_EXPR_DEPTH };

/* One token of an expression; `open` holds the brackets around it. */
static bool token_fits(const plussi_token *token, char *open, size_t *n_open)
{
    switch (token->kind) {
    case '(':
    case '[':
        if (*n_open == MAX_OPEN)
            return false;
        open[(*n_open)++] = token->kind == '(' ? ')' : ']';
        return true;
    case ')':
    case ']':
        return *n_open > 0 && open[--*n_open] == token->kind;
    case ',':
        return *n_open > 0;
    case PLUSSI_TOK_NAME:
        return token->keyword == PLUSSI_KW_NONE || token->keyword == PLUSSI_KW_MIN ||
               token->keyword == PLUSSI_KW_MAX;
    case PLUSSI_TOK_STRING:
    case PLUSSI_TOK_FLOAT:
    case PLUSSI_TOK_DOTS:
    case '{':
    case '}':
    case ';':
    case '@':
        return false;
    default:
        return true;
    }
}

/* Whether the text is of an expression's tokens alone, with brackets in pairs: the parser then
 * reads it to its end or reports it. A line end or '#' could hide or move what follows. */
static bool is_contained(pluss_builder *b, const char *text)
{
    if (strpbrk(text, "#\n"))
        return false;
    plussi_ctx own; /* what the lexer has to say, the parser will say again */
    plussi_ctx_init(&own, &b->ctx->ctx.mem);
    plussi_lexer lex;
    plussi_lex_init(&lex, &own, text, strlen(text), NULL);
    char open[MAX_OPEN];
    size_t n_open = 0, n = 0;
    bool fits = true;
    for (plussi_token token; fits; n++) {
        plussi_lex_next(&lex, &token);
        if (token.kind == PLUSSI_TOK_END)
            break;
        fits = token_fits(&token, open, &n_open);
    }
    bool clean = lex.status == PLUSS_OK;
    plussi_ctx_clear(&own);
    return fits && clean && n > 0 && n_open == 0;
}

static void put_expr(pluss_builder *b, const char *text, const char *what)
{
    if (!text)
        fault(b, "%s is missing", what);
    else if (!is_contained(b, text))
        fault(b, "%s is no expression: %.200s", what, text);
    else {
        puts_(b, text);
        return;
    }
    put(b, "0", 1);
}

static void put_clause(pluss_builder *b, const char *word, const char *text, const char *what)
{
    puts_(b, word);
    put(b, "(", 1);
    put_expr(b, text, what);
    put(b, ")", 1);
}

/* " @place" of a statement. */
static void put_location(pluss_builder *b)
{
    plussi_loc loc = loc_of(b, here(b));
    if (!loc.file || loc.line == 0)
        return;
    puts_(b, " @");
    if (!b->region_file || strcmp(loc.file, b->region_file) != 0) {
        put_string(b, loc.file);
        put(b, ":", 1);
    }
    put_number(b, loc.line);
    if (loc.col) {
        put(b, ":", 1);
        put_number(b, loc.col);
    }
}

/* ---- life -------------------------------------------------------------------------------------
 */

static void begin(pluss_builder *b)
{
    b->length = b->n_places = b->n_lines = b->n_open = 0;
    b->region_file = NULL;
    b->in_region = false;
    b->status = PLUSS_OK;
    pluss_builder_place(b, NULL, 0, 0);
    puts_(b, "pluss-nest 1");
    end_line(b);
}

pluss_status pluss_builder_new(pluss_context *ctx, const char *origin, pluss_builder **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_builder *b = plussi_calloc(&ctx->ctx.mem, 1, sizeof *b);
    if (!b)
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    b->ctx = ctx;
    plussi_arena_init(&b->names, &ctx->ctx.mem);
    b->origin = origin ? plussi_arena_strndup(&b->names, origin, strlen(origin)) : "";
    if (!b->origin) {
        pluss_builder_free(b);
        return plussi_ffi_leave(ctx, PLUSS_ENOMEM);
    }
    begin(b);
    *out = b;
    return PLUSS_OK;
}

void pluss_builder_free(pluss_builder *b)
{
    if (!b)
        return;
    plussi_mem mem = b->ctx->ctx.mem;
    plussi_arena_free(&b->names);
    plussi_free(&mem, b->text);
    plussi_free(&mem, b->place);
    plussi_free(&mem, b->line);
    plussi_free(&mem, b->open);
    plussi_free(&mem, b);
}

void pluss_builder_place(pluss_builder *b, const char *file, uint32_t line, uint32_t col)
{
    if (!b)
        return;
    const place *last = b->n_places ? &b->place[b->n_places - 1] : NULL;
    place next = {NULL, line, col};
    if (file && last && last->file && strcmp(file, last->file) == 0)
        next.file = last->file;
    else if (file && !(next.file = plussi_arena_strndup(&b->names, file, strlen(file))))
        no_memory(b);
    if (plussi_grow(&b->ctx->ctx.mem, &b->place, &b->places_cap, b->n_places, sizeof *b->place))
        no_memory(b);
    else
        b->place[b->n_places++] = next;
}

/* ---- declarations -----------------------------------------------------------------------------
 */

void pluss_builder_region(pluss_builder *b, const char *name, const char *repeat)
{
    if (!b)
        return;
    if (b->n_open)
        fault(b, "region '%.200s' begins within a block", name ? name : "?");
    plussi_loc loc = loc_of(b, here(b));
    b->region_file = loc.file;
    b->in_region = true;
    puts_(b, "region ");
    put_name(b, name, "a region");
    if (loc.file) {
        put(b, " ", 1);
        put_string(b, loc.file);
        if (loc.line) {
            put(b, ":", 1);
            put_number(b, loc.line);
        }
        if (loc.line && loc.col) {
            put(b, ":", 1);
            put_number(b, loc.col);
        }
    }
    if (repeat) {
        puts_(b, " repeat ");
        put_expr(b, repeat, "a region's number of repetitions");
    }
    end_line(b);
}

void pluss_builder_symbol(pluss_builder *b, const char *name, const char *origin, const char *value)
{
    if (!b)
        return;
    puts_(b, "symbol ");
    put_name(b, name, "a symbol");
    if (origin) {
        puts_(b, " is ");
        put_string(b, origin);
    }
    if (value) {
        puts_(b, " = ");
        put_expr(b, value, "a symbol's value");
    }
    end_line(b);
}

static bool is_element(const char *element)
{
    return element && *element && strlen(element) <= 20 &&
           element[strspn(element, "abcdefghijklmnopqrstuvwxyz0123456789")] == '\0';
}

static void put_base(pluss_builder *b, const pluss_array_spec *spec)
{
    const char *base = spec->base ? spec->base : "0";
    switch (spec->base_kind) {
    case PLUSS_BASE_FREE:
        if (spec->base)
            fault(b, "array '%.200s' has a base of no kind", spec->name ? spec->name : "?");
        break;
    case PLUSS_BASE_OFFSET:
        put_clause(b, " offset", base, "an array's offset");
        break;
    case PLUSS_BASE_ADDRESS:
        put_clause(b, " address", base, "an array's address");
        break;
    case PLUSS_BASE_OVER:
        puts_(b, " over ");
        put_name(b, spec->over, "the array that is laid over");
        puts_(b, " + ");
        put_expr(b, base, "an array's place in another");
        break;
    default:
        fault(b, "array '%.200s' has a base of kind %d", spec->name ? spec->name : "?",
              (int)spec->base_kind);
    }
}

static void put_strides(pluss_builder *b, const pluss_array_spec *spec)
{
    puts_(b, " stride(");
    for (uint32_t i = 0; i < spec->rank; i++) {
        if (i)
            put(b, ", ", 2);
        put_expr(b, spec->strides[i], "an array's stride");
    }
    put(b, ")", 1);
}

static void put_values(pluss_builder *b, const pluss_array_spec *spec)
{
    puts_(b, " values(");
    for (size_t i = 0; i < spec->n_values; i++) {
        if (i)
            put(b, ",", 1);
        put_number(b, spec->values[i]);
    }
    put(b, ")", 1);
}

void pluss_builder_array(pluss_builder *b, const pluss_array_spec *given)
{
    pluss_array_spec spec;
    if (!b)
        return;
    if (!given || plussi_ffi_take(NULL, &spec, sizeof spec, given) ||
        (spec.rank && !spec.extents) || spec.rank > PLUSSI_MAX_RANK ||
        (spec.n_values && !spec.values)) {
        fault(b, "the description of an array is not well formed");
        return;
    }
    puts_(b, "array ");
    if (is_element(spec.element)) {
        puts_(b, spec.element);
    } else {
        fault(b, "array '%.200s' has no element type", spec.name ? spec.name : "?");
        puts_(b, "b1");
    }
    put(b, " ", 1);
    put_name(b, spec.name, "an array");
    for (uint32_t i = 0; i < spec.rank; i++) {
        put(b, "[", 1);
        if (spec.extents[i])
            put_expr(b, spec.extents[i], "an array's extent");
        put(b, "]", 1);
    }
    if (spec.strides && spec.rank)
        put_strides(b, &spec);
    if (spec.column)
        puts_(b, " column");
    if (spec.is_private)
        puts_(b, " private");
    put_base(b, &spec);
    if (spec.alias) {
        puts_(b, " alias ");
        put_name(b, spec.alias, "a group of arrays");
    }
    if (spec.n_values)
        put_values(b, &spec);
    end_line(b);
}

/* ---- blocks -----------------------------------------------------------------------------------
 */

static void open_block(pluss_builder *b, bool may_else)
{
    put_location(b);
    puts_(b, " {");
    end_line(b);
    if (plussi_grow(&b->ctx->ctx.mem, &b->open, &b->open_cap, b->n_open, sizeof *b->open))
        no_memory(b);
    else
        b->open[b->n_open++] = (block){here(b), may_else};
}

/* A statement begins. */
static void in_region(pluss_builder *b, const char *what)
{
    if (!b->in_region)
        fault(b, "%s stands before any region", what);
}

static bool is_schedule(const char *schedule)
{
    return schedule[strspn(schedule, "abcdefghijklmnopqrstuvwxyz: ")] == '\0';
}

static void put_schedule(pluss_builder *b, const pluss_loop_spec *spec)
{
    if (!spec->schedule) {
        if (spec->chunk || spec->chunk2)
            fault(b, "a chunk of no schedule");
        return;
    }
    if (!is_schedule(spec->schedule)) {
        fault(b, "no schedule: %.200s", spec->schedule);
        return;
    }
    puts_(b, " schedule(");
    puts_(b, spec->schedule);
    if (spec->chunk) {
        puts_(b, ", ");
        put_expr(b, spec->chunk, "a schedule's chunk");
    }
    if (spec->chunk2) {
        if (!spec->chunk)
            fault(b, "a schedule's second chunk without the first");
        puts_(b, ", ");
        put_expr(b, spec->chunk2, "a schedule's second chunk");
    }
    put(b, ")", 1);
}

static void put_team(pluss_builder *b, const char *num_threads, const char *condition)
{
    if (num_threads)
        put_clause(b, " num_threads", num_threads, "a number of threads");
    if (condition)
        put_clause(b, " if", condition, "an if clause's condition");
}

void pluss_builder_loop(pluss_builder *b, const pluss_loop_spec *given)
{
    static const char *const word[] = {"for ", "workshare for ", "parallel for "};
    pluss_loop_spec spec;
    if (!b)
        return;
    in_region(b, "a loop");
    bool ok = given && !plussi_ffi_take(NULL, &spec, sizeof spec, given);
    if (!ok)
        spec = (pluss_loop_spec){.iv = "?", .lo = "0", .hi = "0"};
    if (!ok || (unsigned)spec.kind > PLUSS_LOOP_PARALLEL) {
        fault(b, "the description of a loop is not well formed");
        spec.kind = PLUSS_LOOP_SEQUENTIAL;
    }
    puts_(b, word[spec.kind]);
    put_name(b, spec.iv, "an induction variable");
    puts_(b, " in ");
    put_expr(b, spec.lo, "a loop's first value");
    puts_(b, " .. ");
    put_expr(b, spec.hi, "a loop's end");
    if (spec.step && spec.step != 1) {
        puts_(b, " step ");
        put_number(b, spec.step);
    }
    put_schedule(b, &spec);
    if (spec.collapse) {
        puts_(b, " collapse(");
        put_number(b, spec.collapse);
        put(b, ")", 1);
    }
    if (spec.nowait)
        puts_(b, " nowait");
    if (spec.ordered)
        puts_(b, " ordered");
    if (spec.kind != PLUSS_LOOP_PARALLEL && (spec.num_threads || spec.condition))
        fault(b, "a team's clause at a loop that makes no team");
    else
        put_team(b, spec.num_threads, spec.condition);
    open_block(b, false);
}

void pluss_builder_parallel(pluss_builder *b, const char *num_threads, const char *condition)
{
    if (!b)
        return;
    in_region(b, "a parallel block");
    puts_(b, "parallel");
    put_team(b, num_threads, condition);
    open_block(b, false);
}

void pluss_builder_if(pluss_builder *b, const char *condition)
{
    if (!b)
        return;
    in_region(b, "an if");
    put_clause(b, "if ", condition, "a condition");
    open_block(b, true);
}

void pluss_builder_branch(pluss_builder *b, double probability)
{
    if (!b)
        return;
    in_region(b, "a branch");
    if (!(probability >= 0 && probability <= 1)) {
        fault(b, "a branch's probability of %g, which is not in [0, 1]", probability);
        probability = 0;
    }
    char text[64];
    snprintf(text, sizeof text, "%.17g", probability);
    for (char *c = text; *c; c++)
        if (!strchr("0123456789e-+", *c)) /* the decimal point of the locale */
            *c = '.';
    puts_(b, "branch ");
    puts_(b, text);
    open_block(b, true);
}

void pluss_builder_block(pluss_builder *b, pluss_block_kind kind)
{
    static const char *const word[] = {"master", "single", "single nowait", "critical", "ordered"};
    if (!b)
        return;
    in_region(b, "a block");
    if ((unsigned)kind >= sizeof word / sizeof *word) {
        fault(b, "a block of kind %d", (int)kind);
        kind = PLUSS_BLOCK_MASTER;
    }
    puts_(b, word[kind]);
    open_block(b, false);
}

void pluss_builder_else(pluss_builder *b)
{
    if (!b)
        return;
    if (b->n_open == 0 || !b->open[b->n_open - 1].may_else) {
        fault(b, "an else outside of an if's or branch's first block");
        return;
    }
    b->open[b->n_open - 1].may_else = false;
    puts_(b, "} else {");
    end_line(b);
}

void pluss_builder_end(pluss_builder *b)
{
    if (!b)
        return;
    if (b->n_open == 0) {
        fault(b, "an end where no block is open");
        return;
    }
    b->n_open--;
    puts_(b, "}");
    end_line(b);
}

/* ---- statements -------------------------------------------------------------------------------
 */

void pluss_builder_ref(pluss_builder *b, const pluss_ref_spec *given)
{
    pluss_ref_spec spec;
    if (!b)
        return;
    in_region(b, "a reference");
    if (!given || plussi_ffi_take(NULL, &spec, sizeof spec, given) ||
        (spec.n_subscripts && !spec.subscripts) || spec.n_subscripts > PLUSSI_MAX_RANK) {
        fault(b, "the description of a reference is not well formed");
        return;
    }
    puts_(b, spec.atomic ? "atomic " : "");
    puts_(b, spec.write ? "write " : "read ");
    put_name(b, spec.array, "the array of a reference");
    for (uint32_t i = 0; i < spec.n_subscripts; i++) {
        put(b, "[", 1);
        put_expr(b, spec.subscripts[i], "a subscript");
        put(b, "]", 1);
    }
    if (spec.bytes) {
        if (spec.bytes > PLUSSI_MAX_ACCESS || spec.first_byte < INT64_MIN / 2 ||
            spec.first_byte > INT64_MAX / 2) {
            fault(b, "%" PRIu64 " bytes from byte %" PRId64 " of an element", spec.bytes,
                  spec.first_byte);
            spec.bytes = 1;
            spec.first_byte = 0;
        }
        puts_(b, " bytes ");
        put_number(b, spec.first_byte);
        puts_(b, " .. ");
        put_number(b, spec.first_byte + (int64_t)spec.bytes);
    } else if (spec.first_byte) {
        fault(b, "a reference's first byte without its number of bytes");
    }
    put_location(b);
    end_line(b);
}

void pluss_builder_barrier(pluss_builder *b)
{
    if (!b)
        return;
    in_region(b, "a barrier");
    puts_(b, "barrier");
    put_location(b);
    end_line(b);
}

void pluss_builder_swap(pluss_builder *b, const char *a, const char *with)
{
    if (!b)
        return;
    in_region(b, "a swap");
    puts_(b, "swap ");
    put_name(b, a, "an array of a swap");
    puts_(b, ", ");
    put_name(b, with, "an array of a swap");
    put_location(b);
    end_line(b);
}

void pluss_builder_ops(pluss_builder *b, const char *const *groups, const uint64_t *counts,
                       size_t n)
{
    if (!b)
        return;
    in_region(b, "ops");
    if (n == 0 || !groups || !counts) {
        fault(b, "ops without a count");
        return;
    }
    puts_(b, "ops(");
    for (size_t i = 0; i < n; i++) {
        if (i)
            put(b, ", ", 2);
        put_name(b, groups[i], "a group of operations");
        put(b, " ", 1);
        if (counts[i] > INT64_MAX)
            fault(b, "%" PRIu64 " operations, more than 2^63 - 1", counts[i]);
        put_number(b, counts[i] > INT64_MAX ? 0 : (int64_t)counts[i]);
    }
    puts_(b, ")");
    put_location(b);
    end_line(b);
}

void pluss_builder_unknown(pluss_builder *b, const char *kind, const char *array,
                           const char *reason)
{
    if (!b)
        return;
    in_region(b, "an unknown");
    if (!kind || !*kind || kind[strspn(kind, "abcdefghijklmnopqrstuvwxyz")] != '\0') {
        fault(b, "an unknown of no kind");
        kind = "construct";
    }
    puts_(b, "unknown ");
    puts_(b, kind);
    if (array) {
        puts_(b, " of ");
        put_name(b, array, "the array of an unknown");
    }
    put(b, " ", 1);
    put_string(b, reason ? reason : "");
    put_location(b);
    end_line(b);
}

/* ---- the end ----------------------------------------------------------------------------------
 */

/* The line of the text without its end, for messages about calls that had no place. */
static int line_of(const pluss_builder *b, uint32_t line, const char **start)
{
    const char *p = b->text, *end = b->text + b->length;
    for (uint32_t i = 1; i < line && p < end; i++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        p = stop ? stop + 1 : end;
    }
    const char *stop = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    *start = p;
    size_t n = (size_t)((stop ? stop : end) - p);
    return n > 120 ? 120 : (int)n;
}

/* What was said about the text, said about the calls. */
static void tell(pluss_builder *b, const plussi_ctx *own)
{
    plussi_ctx *ctx = &b->ctx->ctx;
    for (size_t i = 0; i < own->n_diags; i++) {
        const plussi_diag *diag = &own->diags[i];
        plussi_loc loc = {diag->file, diag->line, diag->col};
        const char *line = "";
        int n = 0;
        if (diag->file && strcmp(diag->file, text_name) == 0) {
            bool known = diag->line >= 1 && diag->line <= b->n_lines;
            loc = known ? loc_of(b, b->line[diag->line - 1]) : (plussi_loc){0};
            if (known)
                n = line_of(b, diag->line, &line);
        }
        plussi_report(ctx, diag->severity, diag->status, loc.file ? &loc : NULL, "%s%s%.*s",
                      diag->text, n ? ", in: " : "", n, line);
    }
    ctx->n_dropped += own->n_dropped;
}

/* Parses the text; then its canonical form once more, so that places in it are those of what
 * pluss_nest_write writes. */
static pluss_status parse(pluss_builder *b, pluss_nest **out)
{
    plussi_ctx *ctx = &b->ctx->ctx, own;
    plussi_ctx_init(&own, &ctx->mem);
    plussi_nest *nest = NULL;
    pluss_status status = plussi_nest_parse(&own, b->text, b->length, text_name, &nest);
    tell(b, &own);
    plussi_ctx_clear(&own);
    if (status)
        return status;
    char *text = NULL;
    size_t length = 0;
    status = plussi_nest_print(ctx, nest, &text, &length);
    plussi_nest_free(nest);
    if (!status)
        status = plussi_nest_parse(ctx, text, length, b->origin, &nest);
    plussi_free(&ctx->mem, text);
    return status ? status : plussi_ffi_view(ctx, nest, b->origin, out);
}

pluss_status pluss_builder_finish(pluss_builder *b, pluss_nest **out)
{
    if (!b)
        return PLUSS_EINVAL;
    pluss_context *ctx = b->ctx;
    if (!out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    for (size_t i = 0; i < b->n_open && b->status != PLUSS_ENOMEM; i++) {
        plussi_loc loc = loc_of(b, b->open[i].place);
        plussi_report(&ctx->ctx, PLUSSI_ERROR, PLUSS_EINVAL, loc.file ? &loc : NULL,
                      "a block is not ended");
        if (!b->status)
            b->status = PLUSS_EINVAL;
    }
    pluss_status status = b->status ? b->status : parse(b, out);
    begin(b);
    return plussi_ffi_leave(ctx, status);
}
