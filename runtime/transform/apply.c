/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps as text, applied one after another.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transform/change.h"
#include "transform/order.h"
#include "transform/transform.h"

/* ---- reading ----------------------------------------------------------------------------------
 */

enum { ARGUMENTS_MOST = PLUSSI_MAX_LOOPS };

/* NAME or NAME=VALUE. */
typedef struct argument {
    char name[PLUSSI_MAX_NAME + 1];
    uint32_t line;   /* after @; 0: none */
    uint32_t number; /* after #: of those that have the name, from 1; 0: none */
    const char *value;
    size_t length;
    int64_t amount; /* the value; valid if it is a number */
    bool is_number;
} argument;

typedef struct step {
    const char *text;
    char kind[16];
    argument argument[ARGUMENTS_MOST];
    size_t n;
} step;

static bool read_number(const char *text, size_t length, int64_t *out)
{
    char digits[24], *end;
    if (length == 0 || length >= sizeof digits || !isdigit((unsigned char)*text))
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    errno = 0;
    *out = strtoll(digits, &end, 10);
    return !errno && !*end;
}

static bool read_argument(const char *text, size_t length, argument *out)
{
    *out = (argument){0};
    const char *equal = memchr(text, '=', length);
    size_t name = equal ? (size_t)(equal - text) : length;
    size_t bare = 0;
    while (bare < name && text[bare] != '@' && text[bare] != '#')
        bare++;
    int64_t place = 0;
    if (bare == 0 || bare > PLUSSI_MAX_NAME ||
        (bare < name && (!read_number(text + bare + 1, name - bare - 1, &place) || place < 1 ||
                         place > UINT32_MAX)))
        return false;
    memcpy(out->name, text, bare);
    *(bare < name && text[bare] == '#' ? &out->number : &out->line) = (uint32_t)place;
    if (equal) {
        out->value = equal + 1;
        out->length = length - name - 1;
        out->is_number = read_number(out->value, out->length, &out->amount);
    }
    return !equal || out->length > 0;
}

static bool read_step(const char *text, step *out)
{
    *out = (step){.text = text};
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0;
    if (length == 0 || length >= sizeof out->kind)
        return false;
    memcpy(out->kind, text, length);
    const bool schedule = strcmp(out->kind, "schedule") == 0;
    for (const char *at = colon + 1;; at++) {
        size_t n = schedule ? strlen(at) : strcspn(at, ",");
        if (out->n == ARGUMENTS_MOST || !read_argument(at, n, &out->argument[out->n++]))
            return false;
        at += n;
        if (!*at)
            return true;
    }
}

/* ---- what steps name --------------------------------------------------------------------------
 */

static bool is_named(const char *text, const plussi_region *region, const char *name)
{
    if (strcmp(text, name) == 0)
        return true;
    size_t length = region ? strlen(region->name) : 0;
    return region && strncmp(text, region->name, length) == 0 && text[length] == '.' &&
           strcmp(text + length + 1, name) == 0;
}

static pluss_status find_loop(plussi_change *c, const argument *a, plussi_node **out)
{
    plussi_node *found = NULL;
    uint32_t n = 0;
    for (const plussi_region *r = c->nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));) {
            const uint32_t line = node->loc.line ? node->loc.line : node->text_loc.line;
            if (node->kind != PLUSSI_N_LOOP || !is_named(a->name, r, node->u.loop.iv) ||
                (a->line && a->line != line))
                continue;
            n++;
            if (n == 1 || n == a->number)
                found = node;
        }
    if (n > 1 && !a->number)
        return plussi_fail(c->ctx, PLUSS_ENOTFOUND, NULL,
                           "there are %u loops %.100s%s; %.100s#1 is the first of the name", n,
                           a->name, a->line ? " of that line" : "", a->name);
    if (!found || a->number > n)
        return plussi_fail(c->ctx, PLUSS_ENOTFOUND, NULL, "the nest has no loop '%.100s'%s",
                           a->name,
                           a->line     ? " of that line"
                           : a->number ? " of that number"
                                       : "");
    *out = found;
    return PLUSS_OK;
}

static pluss_status find_array(plussi_change *c, const argument *a, plussi_array **out)
{
    plussi_array *found = NULL;
    for (plussi_array *array = c->nest->first_array; array; array = array->next)
        if (is_named(a->name, array->region, array->name)) {
            if (found)
                return plussi_fail(c->ctx, PLUSS_ENOTFOUND, NULL,
                                   "there are several arrays %.100s; put REGION. before it",
                                   a->name);
            found = array;
        }
    if (!found)
        return plussi_fail(c->ctx, PLUSS_ENOTFOUND, NULL, "the nest has no array '%.100s'",
                           a->name);
    *out = found;
    return PLUSS_OK;
}

/* ---- the kinds --------------------------------------------------------------------------------
 */

static pluss_status apply_interchange(plussi_change *c, const step *s)
{
    plussi_node *a = NULL, *b = NULL;
    pluss_status status = find_loop(c, &s->argument[0], &a);
    if (!status)
        status = find_loop(c, &s->argument[1], &b);
    if (status)
        return status;
    for (const plussi_node *up = a->parent; up; up = up->parent)
        if (up == b)
            return plussi_interchange(c, b, a);
    return plussi_interchange(c, a, b);
}

static pluss_status apply_tile(plussi_change *c, const step *s)
{
    plussi_node *loop[ARGUMENTS_MOST] = {NULL}, *outer = NULL, *inner = NULL;
    uint32_t least = UINT32_MAX, most = 0;
    plussi_band band;
    int64_t size[PLUSSI_MAX_LOOPS] = {0};
    for (size_t i = 0; i < s->n; i++) {
        pluss_status status = find_loop(c, &s->argument[i], &loop[i]);
        if (status)
            return status;
        uint32_t depth = 0;
        for (const plussi_node *up = loop[i]->parent; up; up = up->parent)
            depth++;
        outer = depth < least ? loop[i] : outer;
        inner = depth >= most ? loop[i] : inner;
        least = depth < least ? depth : least;
        most = depth >= most ? depth : most;
    }
    pluss_status status = plussi_isolate(c, outer, inner, &band);
    for (size_t i = 0; i < s->n && !status; i++) {
        bool found = false;
        for (uint32_t k = 0; k < band.n; k++)
            if (band.loop[k]->id == loop[i]->id) {
                size[k] = s->argument[i].amount;
                found = true;
            }
        if (!found)
            status =
                plussi_refuse_step(c, loop[i], "loop %s is not in the others", loop[i]->u.loop.iv);
    }
    return status ? status : plussi_tile(c, &band, size);
}

static pluss_status apply_distribute(plussi_change *c, const step *s)
{
    plussi_node *loop = NULL;
    pluss_status status = find_loop(c, &s->argument[0], &loop);
    return status ? status : plussi_distribute(c, loop);
}

static pluss_status apply_fuse(plussi_change *c, const step *s)
{
    plussi_node *a = NULL, *b = NULL;
    pluss_status status = find_loop(c, &s->argument[0], &a);
    if (!status)
        status = find_loop(c, &s->argument[1], &b);
    return status ? status : a->id < b->id ? plussi_fuse(c, a, b) : plussi_fuse(c, b, a);
}

static pluss_status apply_pad(plussi_change *c, const step *s)
{
    plussi_array *array = NULL;
    pluss_status status = find_array(c, &s->argument[0], &array);
    return status ? status : plussi_pad(c, array, s->argument[0].amount);
}

static pluss_status apply_spread(plussi_change *c, const step *s)
{
    plussi_array *array = NULL;
    pluss_status status = find_array(c, &s->argument[0], &array);
    return status ? status : plussi_spread(c, array, s->argument[0].amount);
}

static pluss_status apply_schedule(plussi_change *c, const step *s)
{
    static const struct {
        const char *name;
        plussi_schedule_kind kind;
    } kinds[] = {{"static", PLUSSI_SCHED_STATIC},
                 {"dynamic", PLUSSI_SCHED_DYNAMIC},
                 {"guided", PLUSSI_SCHED_GUIDED}};
    const char *value = s->argument[0].value;
    size_t length = strcspn(value, ",");
    int64_t chunk = 0;
    plussi_node *loop = NULL;
    pluss_status status = find_loop(c, &s->argument[0], &loop);
    if (status)
        return status;
    if (!loop->u.loop.workshare)
        return plussi_refuse_step(c, loop, "loop %s is not distributed over threads",
                                  loop->u.loop.iv);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].name) != length || strncmp(kinds[i].name, value, length) != 0 ||
            (value[length] &&
             (!read_number(value + length + 1, strlen(value + length + 1), &chunk) || chunk < 1)))
            continue;
        loop->u.loop.schedule = (plussi_schedule){
            .kind = kinds[i].kind, .chunk = chunk ? plussi_expr_int(c->nest, chunk) : NULL};
        return PLUSS_OK;
    }
    return PLUSS_EINVAL;
}

static const struct kind {
    const char *name;
    size_t least, most; /* arguments */
    enum { NO_VALUE, NUMBER, TEXT } value;
    pluss_status (*apply)(plussi_change *c, const step *s);
} kinds[] = {
    {"interchange", 2, 2, NO_VALUE, apply_interchange},
    {"tile", 1, ARGUMENTS_MOST, NUMBER, apply_tile},
    {"distribute", 1, 1, NO_VALUE, apply_distribute},
    {"fuse", 2, 2, NO_VALUE, apply_fuse},
    {"pad", 1, 1, NUMBER, apply_pad},
    {"spread", 1, 1, NUMBER, apply_spread},
    {"schedule", 1, 1, TEXT, apply_schedule},
};

static const struct kind *find_kind(const step *s)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool fits =
            strcmp(kinds[i].name, s->kind) == 0 && s->n >= kinds[i].least && s->n <= kinds[i].most;
        for (size_t k = 0; k < s->n && fits; k++) {
            const argument *a = &s->argument[k];
            fits = kinds[i].value == NO_VALUE ? !a->value
                   : kinds[i].value == TEXT
                       ? a->value != NULL
                       : a->value && a->is_number && a->amount > 0 && a->amount <= INT32_MAX;
        }
        if (fits)
            return &kinds[i];
    }
    return NULL;
}

/* ---- one after another ------------------------------------------------------------------------
 */

/* What the loops are, in text order; numbers the nest. NULL: no memory. */
static plussi_image *make_image(plussi_change *c)
{
    size_t n = 0;
    for (const plussi_region *r = c->nest->first_region; r; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));)
            n += node->kind == PLUSSI_N_LOOP;
    plussi_image *image = plussi_calloc(&c->ctx->mem, n ? n : 1, sizeof *image);
    n = 0;
    for (const plussi_region *r = c->nest->first_region; r && image; r = r->next)
        for (plussi_node *node = NULL; (node = plussi_nest_walk(&r->body, node));) {
            if (node->kind != PLUSSI_N_LOOP)
                continue;
            image[n] = (plussi_image){.loop = node->id, .second = node->id};
            for (uint32_t i = 0; i < c->n_special; i++)
                if (c->special[i].loop == node) {
                    image[n].tile = c->special[i].tile;
                    image[n].second = image[n].tile ? node->id : c->special[i].second;
                }
            n++;
        }
    plussi_nest_number(c->nest);
    return image;
}

static pluss_status apply(plussi_ctx *ctx, const plussi_nest *nest, const char *text,
                          plussi_nest **out)
{
    step s;
    const struct kind *kind = read_step(text, &s) ? find_kind(&s) : NULL;
    plussi_change c = {.ctx = ctx};
    plussi_image *image = NULL;
    pluss_status status = kind ? plussi_nest_new(ctx, &c.nest) : PLUSS_EINVAL;
    if (!status)
        status = plussi_nest_append(ctx, c.nest, nest);
    if (!status)
        status = kind->apply(&c, &s);
    if (status == PLUSS_EINVAL)
        status = plussi_fail(ctx, PLUSS_EINVAL, NULL, "'%.100s' is no step", text);
    if (!status && c.nest->out_of_memory)
        status = PLUSS_ENOMEM;
    if (!status) {
        image = make_image(&c);
        status = image ? plussi_nest_validate(ctx, c.nest) : PLUSS_ENOMEM;
    }
    if (!status)
        status = plussi_check_order(ctx, nest, c.nest, image);
    plussi_free(&ctx->mem, image);
    if (status)
        plussi_nest_free(c.nest);
    else
        *out = c.nest;
    return status;
}

pluss_status plussi_transform(plussi_ctx *ctx, const plussi_nest *nest, const char *const *steps,
                              size_t n, plussi_nest **out)
{
    if (n > PLUSSI_STEPS_MOST)
        return plussi_fail(ctx, PLUSS_ELIMIT, NULL, "more than %d steps", PLUSSI_STEPS_MOST);
    plussi_nest *now = NULL;
    pluss_status status = plussi_nest_new(ctx, &now);
    if (!status)
        status = plussi_nest_append(ctx, now, nest);
    for (size_t i = 0; i < n && !status; i++) {
        plussi_nest *next = NULL;
        status = apply(ctx, now, steps[i], &next);
        if (!status) {
            plussi_nest_free(now);
            now = next;
        }
    }
    if (status)
        plussi_nest_free(now);
    else
        *out = now;
    return status;
}
