/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/sequence.h"

#include <string.h>

#include "rt/own_memory.h"

static void node_free(plussi_sequence_node *node)
{
    for (uint32_t i = 0; i < node->n; i++)
        node_free(&node->body[i]);
    plussi_free(&plussi_own, node->body);
}

static bool bodies_equal(const plussi_sequence_node *a, const plussi_sequence_node *b, uint32_t n);

/* Equal apart from the number of times. */
static bool same_work(const plussi_sequence_node *a, const plussi_sequence_node *b)
{
    if (a->n != b->n)
        return false;
    if (a->n == 0)
        return a->sum == b->sum && a->place == b->place;
    return bodies_equal(a->body, b->body, a->n);
}

static bool bodies_equal(const plussi_sequence_node *a, const plussi_sequence_node *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i].times != b[i].times || !same_work(&a[i], &b[i]))
            return false;
    return true;
}

static void drop_bodies(plussi_sequence *s, size_t n)
{
    while (n-- > 0)
        node_free(&s->node[--s->n]);
}

/* Whether the last p nodes repeat the body before them. */
static bool joins_body(plussi_sequence *s, uint32_t p)
{
    if (s->n <= p)
        return false;
    plussi_sequence_node *body = &s->node[s->n - p - 1];
    if (body->n != p || !bodies_equal(body->body, &s->node[s->n - p], p))
        return false;
    body->times++;
    drop_bodies(s, p);
    return true;
}

/* Makes the last 2 p nodes a body that runs twice, if both halves are equal. */
static bool makes_body(plussi_sequence *s, uint32_t p)
{
    if (p < 2 || s->n < 2 * (size_t)p)
        return false;
    plussi_sequence_node *first = &s->node[s->n - 2 * p];
    if (!bodies_equal(first, first + p, p))
        return false;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < p; i++)
        depth = first[i].depth > depth ? first[i].depth : depth;
    plussi_sequence_node *body =
        depth < PLUSSI_SEQUENCE_DEPTH ? plussi_calloc(&plussi_own, p, sizeof *body) : NULL;
    if (!body)
        return false;
    memcpy(body, first, p * sizeof *body);
    drop_bodies(s, p); /* drops the second copy; the first has been moved */
    s->n -= p;
    s->node[s->n++] = (plussi_sequence_node){.n = p, .depth = depth + 1, .times = 2, .body = body};
    return true;
}

/* Merges two equal bodies side by side. */
static bool merge_bodies(plussi_sequence *s)
{
    if (s->n < 2 || s->node[s->n - 1].n == 0)
        return false;
    plussi_sequence_node *a = &s->node[s->n - 2], *b = a + 1;
    if (!same_work(a, b))
        return false;
    a->times += b->times;
    drop_bodies(s, 1);
    return true;
}

static bool fold_bodies(plussi_sequence *s)
{
    if (s->n < 2)
        return false;
    if (merge_bodies(s))
        return true;
    for (uint32_t p = 2; p <= PLUSSI_SEQUENCE_PERIOD; p++)
        if (joins_body(s, p) || makes_body(s, p))
            return true;
    return false;
}

static bool push_entry(plussi_sequence *s, uint32_t sum, uint32_t place)
{
    if (s->n == PLUSSI_SEQUENCE_NODES)
        return false;
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 16;
        plussi_sequence_node *grown = plussi_realloc(&plussi_own, s->node, cap, sizeof *grown);
        if (!grown)
            return false;
        s->node = grown;
        s->cap = cap;
    }
    s->node[s->n++] = (plussi_sequence_node){.sum = sum, .place = place, .times = 1};
    return true;
}

void plussi_sequence_add(plussi_sequence *s, uint32_t sum, uint32_t place)
{
    plussi_sequence_node *last = s->n ? &s->node[s->n - 1] : NULL;
    if (s->lost) {
        s->lost++; /* the kept part has no gaps */
        return;
    }
    if (last && last->n == 0 && last->sum == sum && last->place == place) {
        last->times++;
    } else if (!push_entry(s, sum, place)) {
        s->lost++;
        return;
    }
    while (fold_bodies(s)) {
    }
}

void plussi_sequence_free(plussi_sequence *s)
{
    drop_bodies(s, s->n);
    plussi_free(&plussi_own, s->node);
    *s = (plussi_sequence){0};
}
