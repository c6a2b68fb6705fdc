/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements. After an error in the head of a loop the parser skips to its block, and reads it with
 * the loop's name declared; any other faulty statement ends where the next one begins.
 */
#include "nest/parse_state.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

bool plussi_parse_at_statement(const plussi_parser *p)
{
    if (p->tok.kind != PLUSSI_TOK_NAME)
        return false;
    switch (p->tok.keyword) {
    case PLUSSI_KW_ATOMIC:
    case PLUSSI_KW_BARRIER:
    case PLUSSI_KW_BRANCH:
    case PLUSSI_KW_CRITICAL:
    case PLUSSI_KW_FOR:
    case PLUSSI_KW_IF:
    case PLUSSI_KW_MASTER:
    case PLUSSI_KW_OPS:
    case PLUSSI_KW_ORDERED:
    case PLUSSI_KW_PARALLEL:
    case PLUSSI_KW_READ:
    case PLUSSI_KW_SINGLE:
    case PLUSSI_KW_SWAP:
    case PLUSSI_KW_UNKNOWN:
    case PLUSSI_KW_WORKSHARE:
    case PLUSSI_KW_WRITE:
        return true;
    default:
        return false;
    }
}

static plussi_node *add_node(plussi_parser *p, plussi_body *body, plussi_node *parent,
                             plussi_node_kind kind, plussi_loc text_loc)
{
    if (p->nest->n_nodes == PLUSSI_MAX_NODES) {
        plussi_parse_over_limit(p, "statements", "PLUSSI_MAX_NODES", PLUSSI_MAX_NODES);
        return NULL;
    }
    if (p->depth == PLUSSI_MAX_DEPTH) {
        p->tok.loc = text_loc;
        plussi_parse_over_limit(p, "statements within each other", "PLUSSI_MAX_DEPTH",
                                PLUSSI_MAX_DEPTH);
        return NULL;
    }
    plussi_node *node = plussi_nest_add_node(p->nest, body, parent, kind, (plussi_loc){0});
    if (node)
        node->text_loc = text_loc;
    else
        plussi_parse_no_memory(p);
    return node;
}

/* ---- locations and blocks ---------------------------------------------------------------------
 */

static bool parse_location(plussi_parser *p, plussi_loc *loc)
{
    if (!plussi_parse_accept(p, '@'))
        return true;
    if (p->tok.kind == PLUSSI_TOK_STRING) {
        loc->file = plussi_parse_string(p, "a file name");
        if (!loc->file || !plussi_parse_expect(p, ':', "':'"))
            return false;
    }
    return plussi_parse_line(p, loc);
}

/* Skips a block with its contents; stops after its '}'. */
static void skip_block(plussi_parser *p)
{
    uint32_t open = 0;
    do {
        if (p->tok.kind == '{')
            open++;
        else if (p->tok.kind == '}')
            open--;
        plussi_parse_next(p);
    } while (open > 0 && p->tok.kind != PLUSSI_TOK_END);
}

/* Skips to what begins or ends a statement; a block on the way belongs to the faulty text. */
static void skip_to_statement(plussi_parser *p)
{
    while (!plussi_parse_at_statement(p) && p->tok.kind != '}' && p->tok.kind != ';' &&
           p->tok.kind != PLUSSI_TOK_END && !plussi_parse_at_word(p, PLUSSI_KW_REGION) &&
           !plussi_parse_at_word(p, PLUSSI_KW_SYMBOL) &&
           !plussi_parse_at_word(p, PLUSSI_KW_ARRAY)) {
        if (p->tok.kind == '{')
            skip_block(p);
        else
            plussi_parse_next(p);
    }
}

static bool parse_block(plussi_parser *p, plussi_body *body, plussi_node *parent)
{
    if (!plussi_parse_expect(p, '{', "'{'"))
        return false;
    p->depth++;
    for (;;) {
        plussi_parse_statements(p, body, parent);
        if (p->tok.kind == '}' || p->tok.kind == PLUSSI_TOK_END ||
            plussi_parse_at_word(p, PLUSSI_KW_REGION))
            break;
        plussi_parse_expected(p, "a statement or '}'"); /* a declaration */
        plussi_parse_next(p);
        skip_to_statement(p);
    }
    p->depth--;
    return plussi_parse_expect(p, '}', "'}'");
}

/* After an error in a head: skips to the block's '{' if it comes before anything that begins or
 * ends a statement. */
static bool find_block(plussi_parser *p)
{
    while (p->tok.kind != '{') {
        bool clause = plussi_parse_at_word(p, PLUSSI_KW_IF) ||
                      plussi_parse_at_word(p, PLUSSI_KW_ORDERED) ||
                      plussi_parse_at_word(p, PLUSSI_KW_FOR);
        if (p->tok.kind == PLUSSI_TOK_END || p->tok.kind == '}' || p->tok.kind == ';' ||
            plussi_parse_at_word(p, PLUSSI_KW_REGION) || (plussi_parse_at_statement(p) && !clause))
            return false;
        plussi_parse_next(p);
    }
    return true;
}

/* [ location ] block [ 'else' block ] after a head, well-formed or not. */
static bool parse_blocks(plussi_parser *p, plussi_node *node, bool ok, bool may_else)
{
    ok = ok && parse_location(p, &node->loc);
    if (ok && p->tok.kind != '{')
        ok = plussi_parse_expected(p, "'{'");
    if ((!ok && !find_block(p)) || !parse_block(p, &node->body, node))
        return false;
    return !may_else || !plussi_parse_accept_word(p, PLUSSI_KW_ELSE) ||
           parse_block(p, &node->orelse, node);
}

/* ---- loops ------------------------------------------------------------------------------------
 */

static bool parse_schedule(plussi_parser *p, plussi_schedule *schedule)
{
    if (!plussi_parse_expect(p, '(', "'('"))
        return false;
    bool word = p->tok.kind == PLUSSI_TOK_NAME;
    int modifier = word ? plussi_modifier_of(p->tok.start, p->tok.length) : -1;
    if (modifier >= 0) {
        schedule->modifier = (plussi_sched_modifier)modifier;
        plussi_parse_next(p);
        if (!plussi_parse_expect(p, ':', "':'"))
            return false;
        word = p->tok.kind == PLUSSI_TOK_NAME;
    }
    int kind = word ? plussi_schedule_of(p->tok.start, p->tok.length) : -1;
    if (kind < 0)
        return plussi_parse_expected(
            p, "a schedule (static, dynamic, guided, auto, runtime, rayon, recorded)");
    schedule->kind = (plussi_schedule_kind)kind;
    plussi_parse_next(p);
    if (plussi_parse_accept(p, ',') && !(schedule->chunk = plussi_parse_expr(p)))
        return false;
    if (schedule->chunk && plussi_parse_accept(p, ',') &&
        !(schedule->chunk2 = plussi_parse_expr(p)))
        return false;
    return plussi_parse_expect(p, ')', "')'");
}

static bool has_next_statement(plussi_parser *p)
{
    char room[PLUSSI_TOKEN_SHOWN];
    return plussi_parse_fail(p, PLUSS_EPARSE, &p->tok.loc, "found %s again, expected it once",
                             plussi_token_show(&p->tok, room));
}

static bool parse_loop_clause(plussi_parser *p, plussi_node *loop, bool *found)
{
    if (p->tok.kind != PLUSSI_TOK_NAME)
        return true;
    *found = true;
    switch (p->tok.keyword) {
    case PLUSSI_KW_SCHEDULE:
        if (loop->u.loop.schedule.kind != PLUSSI_SCHED_NONE)
            return has_next_statement(p);
        plussi_parse_next(p);
        return parse_schedule(p, &loop->u.loop.schedule);
    case PLUSSI_KW_COLLAPSE: {
        uint64_t n;
        plussi_parse_next(p);
        if (!plussi_parse_expect(p, '(', "'('") ||
            !plussi_parse_count(p, "a number of loops, at least 1", 1, UINT32_MAX, &n))
            return false;
        loop->u.loop.collapse = (uint32_t)n;
        return plussi_parse_expect(p, ')', "')'");
    }
    case PLUSSI_KW_NOWAIT:
        if (loop->u.loop.nowait)
            return has_next_statement(p);
        plussi_parse_next(p);
        return loop->u.loop.nowait = true;
    case PLUSSI_KW_ORDERED:
        if (loop->u.loop.ordered)
            return has_next_statement(p);
        plussi_parse_next(p);
        return loop->u.loop.ordered = true;
    default:
        *found = false;
        return true;
    }
}

static bool parse_team_clause(plussi_parser *p, plussi_node *parallel, bool *found)
{
    *found = true;
    if (plussi_parse_at_word(p, PLUSSI_KW_NUM_THREADS)) {
        if (parallel->u.parallel.num_threads)
            return has_next_statement(p);
        plussi_parse_next(p);
        if (!plussi_parse_expect(p, '(', "'('"))
            return false;
        parallel->u.parallel.num_threads = plussi_parse_expr(p);
        return parallel->u.parallel.num_threads && plussi_parse_expect(p, ')', "')'");
    }
    if (plussi_parse_at_word(p, PLUSSI_KW_IF)) {
        if (parallel->u.parallel.cond)
            return has_next_statement(p);
        plussi_parse_next(p);
        parallel->u.parallel.cond = plussi_parse_guard(p);
        return parallel->u.parallel.cond != NULL;
    }
    *found = false;
    return true;
}

/* Clauses in any order; team clauses only if there is a team. */
static bool parse_clauses(plussi_parser *p, plussi_node *loop, plussi_node *parallel)
{
    bool found = true, ok = true;
    while (ok && found) {
        found = false;
        if (loop)
            ok = parse_loop_clause(p, loop, &found);
        if (ok && !found && parallel)
            ok = parse_team_clause(p, parallel, &found);
    }
    return ok;
}

static bool parse_head(plussi_parser *p, plussi_node *loop, plussi_name **iv)
{
    *iv = plussi_parse_name(p, "the loop's induction variable");
    if (!*iv)
        return false;
    loop->u.loop.iv = (*iv)->text;
    if (!plussi_parse_at_word(p, PLUSSI_KW_IN))
        return plussi_parse_expected(p, "'in'");
    plussi_parse_next(p);
    loop->u.loop.lo = plussi_parse_expr(p);
    if (!loop->u.loop.lo || !plussi_parse_expect(p, PLUSSI_TOK_DOTS, "'..'"))
        return false;
    loop->u.loop.hi = plussi_parse_expr(p);
    if (!loop->u.loop.hi)
        return false;
    return !plussi_parse_accept_word(p, PLUSSI_KW_STEP) ||
           plussi_parse_integer(p, "an integer other than 0", &loop->u.loop.step);
}

/* The text after 'for'. parallel: the node of a combined `parallel for`, or NULL. */
static bool parse_loop(plussi_parser *p, plussi_node *loop, plussi_node *parallel)
{
    plussi_name *iv = NULL;
    bool ok = parse_head(p, loop, &iv) && parse_clauses(p, loop, parallel);
    size_t scope = p->names.depth;
    if (iv && !plussi_parse_declare(p, iv, PLUSSI_MEANS_IV, 2 + p->depth, loop))
        return false;
    ok = parse_blocks(p, loop, ok, false);
    plussi_names_pop(&p->names, scope);
    if (parallel)
        parallel->loc = loop->loc;
    return ok;
}

static bool parse_parallel(plussi_parser *p, plussi_node *parallel)
{
    plussi_loc text_loc = parallel->text_loc;
    if (plussi_parse_accept_word(p, PLUSSI_KW_FOR)) {
        p->depth++;
        plussi_node *loop = add_node(p, &parallel->body, parallel, PLUSSI_N_LOOP, text_loc);
        if (loop)
            loop->u.loop.workshare = true;
        bool ok = loop && parse_loop(p, loop, parallel);
        p->depth--;
        return ok;
    }
    return parse_blocks(p, parallel, parse_clauses(p, NULL, parallel), false);
}

/* ---- the rest ---------------------------------------------------------------------------------
 */

/* 'read' or 'write' is next. */
static bool parse_reference(plussi_parser *p, plussi_node *ref)
{
    ref->u.ref.write = plussi_parse_at_word(p, PLUSSI_KW_WRITE);
    if (!ref->u.ref.write && !plussi_parse_at_word(p, PLUSSI_KW_READ))
        return plussi_parse_expected(p, "'read' or 'write'");
    plussi_parse_next(p);
    ref->u.ref.array = plussi_parse_array(p);
    /* the subscripts of an unknown array are read, too */
    if (!plussi_parse_subscripts(p, &ref->u.ref.n_subs, &ref->u.ref.subs))
        return false;
    if (plussi_parse_accept_word(p, PLUSSI_KW_BYTES)) {
        int64_t end;
        plussi_loc loc = p->tok.loc;
        if (!plussi_parse_integer(p, "an integer, the first byte", &ref->u.ref.offset) ||
            !plussi_parse_expect(p, PLUSSI_TOK_DOTS, "'..'"))
            return false;
        if (!plussi_parse_integer(p, "an integer, the byte after the last", &end))
            return false;
        if (end <= ref->u.ref.offset)
            return plussi_parse_fail(p, PLUSS_EPARSE, &loc,
                                     "found no bytes between %lld and %lld, expected at least one",
                                     (long long)ref->u.ref.offset, (long long)end);
        ref->u.ref.width = (uint64_t)end - (uint64_t)ref->u.ref.offset;
    }
    return parse_location(p, &ref->loc);
}

/* A decimal number in the text, '.' in any locale. */
static bool parse_probability(plussi_parser *p, double *out)
{
    char text[64];
    if ((p->tok.kind != PLUSSI_TOK_INT && p->tok.kind != PLUSSI_TOK_FLOAT) ||
        p->tok.length >= sizeof text - 8)
        return plussi_parse_expected(p, "a probability between 0 and 1");
    size_t n = 0;
    for (size_t i = 0; i < p->tok.length; i++) {
        if (p->tok.start[i] != '.') {
            text[n++] = p->tok.start[i];
            continue;
        }
        const char *point = localeconv()->decimal_point;
        size_t length = strlen(point);
        if (length == 0 || length > 7)
            return plussi_parse_expected(p, "a locale with a decimal point");
        memcpy(text + n, point, length);
        n += length;
    }
    text[n] = '\0';
    double value = strtod(text, NULL);
    if (!(value >= 0 && value <= 1))
        return plussi_parse_expected(p, "a probability between 0 and 1");
    *out = value;
    plussi_parse_next(p);
    return true;
}

static bool parse_swap(plussi_parser *p, plussi_node *swap)
{
    swap->u.swap.a = plussi_parse_array(p);
    if (!swap->u.swap.a || !plussi_parse_expect(p, ',', "','"))
        return false;
    swap->u.swap.b = plussi_parse_array(p);
    return swap->u.swap.b && parse_location(p, &swap->loc);
}

static bool parse_ops(plussi_parser *p, plussi_node *ops)
{
    if (!plussi_parse_expect(p, '(', "'('"))
        return false;
    const plussi_mem *mem = &p->ctx->mem;
    plussi_op *list = NULL;
    size_t n = 0, cap = 0;
    bool ok = true;
    do {
        if (plussi_grow(mem, &list, &cap, n, sizeof *list) != PLUSS_OK) {
            ok = plussi_parse_no_memory(p);
            break;
        }
        plussi_name *group = plussi_parse_name(p, "the name of a group of operations");
        ok = group && plussi_parse_count(p, "a count", 0, INT64_MAX, &list[n].count);
        if (ok)
            list[n++].group = group->text;
    } while (ok && plussi_parse_accept(p, ','));
    ok = ok && plussi_parse_expect(p, ')', "',' or ')'");
    if (ok) {
        ops->u.ops.n = (uint32_t)n;
        ops->u.ops.op = plussi_arena_alloc(&p->nest->arena, n, sizeof *list);
        if (ops->u.ops.op)
            memcpy(ops->u.ops.op, list, n * sizeof *list);
        else
            ok = plussi_parse_no_memory(p);
    }
    plussi_free(mem, list);
    return ok && parse_location(p, &ops->loc);
}

static bool parse_unknown(plussi_parser *p, plussi_node *unknown)
{
    int kind = p->tok.kind == PLUSSI_TOK_NAME ? plussi_unknown_of(p->tok.start, p->tok.length) : -1;
    if (kind < 0)
        return plussi_parse_expected(
            p, "what is not known (loop, reference, call, control, construct)");
    unknown->u.unknown.kind = (plussi_unknown_kind)kind;
    plussi_parse_next(p);
    if (plussi_parse_accept_word(p, PLUSSI_KW_OF) &&
        !(unknown->u.unknown.array = plussi_parse_array(p)))
        return false;
    unknown->u.unknown.reason = plussi_parse_string(p, "a string, the reason");
    return unknown->u.unknown.reason && parse_location(p, &unknown->loc);
}

static const struct statement {
    plussi_keyword keyword;
    plussi_node_kind kind;
} statements[] = {
    {PLUSSI_KW_ATOMIC, PLUSSI_N_REF},      {PLUSSI_KW_BARRIER, PLUSSI_N_BARRIER},
    {PLUSSI_KW_BRANCH, PLUSSI_N_BRANCH},   {PLUSSI_KW_CRITICAL, PLUSSI_N_CRITICAL},
    {PLUSSI_KW_FOR, PLUSSI_N_LOOP},        {PLUSSI_KW_IF, PLUSSI_N_IF},
    {PLUSSI_KW_MASTER, PLUSSI_N_MASTER},   {PLUSSI_KW_OPS, PLUSSI_N_OPS},
    {PLUSSI_KW_ORDERED, PLUSSI_N_ORDERED}, {PLUSSI_KW_PARALLEL, PLUSSI_N_PARALLEL},
    {PLUSSI_KW_READ, PLUSSI_N_REF},        {PLUSSI_KW_SINGLE, PLUSSI_N_SINGLE},
    {PLUSSI_KW_SWAP, PLUSSI_N_SWAP},       {PLUSSI_KW_UNKNOWN, PLUSSI_N_UNKNOWN},
    {PLUSSI_KW_WORKSHARE, PLUSSI_N_LOOP},  {PLUSSI_KW_WRITE, PLUSSI_N_REF},
};

static bool parse_statement(plussi_parser *p, plussi_body *body, plussi_node *parent)
{
    plussi_keyword keyword = p->tok.keyword;
    const struct statement *form = statements;
    while (form->keyword != keyword) /* the caller has checked that it is one */
        form++;
    plussi_node *node = add_node(p, body, parent, form->kind, p->tok.loc);
    if (!node)
        return false;
    if (keyword != PLUSSI_KW_READ && keyword != PLUSSI_KW_WRITE)
        plussi_parse_next(p);

    switch (keyword) {
    case PLUSSI_KW_ATOMIC:
        node->u.ref.atomic = true;
        return parse_reference(p, node);
    case PLUSSI_KW_READ:
    case PLUSSI_KW_WRITE:
        return parse_reference(p, node);
    case PLUSSI_KW_BARRIER:
        return parse_location(p, &node->loc);
    case PLUSSI_KW_BRANCH:
        return parse_blocks(p, node, parse_probability(p, &node->u.branch.probability), true);
    case PLUSSI_KW_IF:
        node->u.branch.cond = plussi_parse_guard(p);
        return parse_blocks(p, node, node->u.branch.cond != NULL, true);
    case PLUSSI_KW_WORKSHARE:
        node->u.loop.workshare = true;
        if (!plussi_parse_accept_word(p, PLUSSI_KW_FOR))
            return plussi_parse_expected(p, "'for'");
        return parse_loop(p, node, NULL);
    case PLUSSI_KW_FOR:
        return parse_loop(p, node, NULL);
    case PLUSSI_KW_PARALLEL:
        return parse_parallel(p, node);
    case PLUSSI_KW_SINGLE:
        node->u.single.nowait = plussi_parse_accept_word(p, PLUSSI_KW_NOWAIT);
        return parse_blocks(p, node, true, false);
    case PLUSSI_KW_SWAP:
        return parse_swap(p, node);
    case PLUSSI_KW_OPS:
        return parse_ops(p, node);
    case PLUSSI_KW_UNKNOWN:
        return parse_unknown(p, node);
    default: /* master, critical, ordered */
        return parse_blocks(p, node, true, false);
    }
}

void plussi_parse_statements(plussi_parser *p, plussi_body *body, plussi_node *parent)
{
    for (;;) {
        if (plussi_parse_accept(p, ';'))
            continue;
        if (plussi_parse_at_statement(p)) {
            if (parse_statement(p, body, parent))
                continue;
        } else if (p->tok.kind == '}' || p->tok.kind == PLUSSI_TOK_END ||
                   plussi_parse_at_word(p, PLUSSI_KW_REGION) ||
                   plussi_parse_at_word(p, PLUSSI_KW_SYMBOL) ||
                   plussi_parse_at_word(p, PLUSSI_KW_ARRAY)) {
            return;
        } else {
            plussi_parse_expected(p, parent ? "a statement or '}'" : "a statement or 'region'");
        }
        skip_to_statement(p);
    }
}
