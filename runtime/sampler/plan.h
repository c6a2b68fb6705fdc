/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of the closed-form engine: the tree that its queries run on. Not for other modules.
 *
 * The bound tree with the regions one after the other and with barriers as leaves (start and end of
 * the program, fork and join, ends of worksharing loops and singles). Each node says what its
 * counts depend on.
 */
#ifndef PLUSSI_SAMPLER_PLAN_H
#define PLUSSI_SAMPLER_PLAN_H

#include "base/effort.h"
#include "sampler/engine.h"

typedef uint32_t plussi_slots; /* bit s: slot s */

typedef enum plussi_pkind {
    PLUSSI_P_ROOT,
    PLUSSI_P_LOOP,
    PLUSSI_P_IF,
    PLUSSI_P_PAR, /* body: fork, code of the team, join */
    PLUSSI_P_REF,
    PLUSSI_P_SWAP,
    PLUSSI_P_BARRIER
} plussi_pkind;

typedef struct plussi_plan_node plussi_plan_node;

/* Counts that are a polynomial in one IV v: the sum of d[k] C(v - base, k). By measure: the team's,
 * thread 0's, any other thread's. Found while planning, where a sum needs the differences anyway.
 */
typedef struct plussi_poly {
    uint32_t slot;
    struct {
        bool known;
        int64_t base;
        uint32_t n;
        __int128 d[PLUSSI_MAX_LOOPS + 1];
    } of[3];
} plussi_poly;

/* Counts of a loop's iterations before iteration i * stride; sum NULL: no table. */
typedef struct plussi_prefix {
    const uint64_t *sum;
    uint64_t stride;
    const plussi_plan_node *by; /* the one outer loop that they depend on; NULL: none */
    uint64_t row;               /* values from one iteration of that loop to the next */
} plussi_prefix;

struct plussi_plan_node {
    plussi_pkind kind;
    const plussi_bound_node *decl; /* NULL: root, repetition, barrier */
    plussi_plan_node *parent;
    uint32_t order, order_end; /* numbers in text order: [order, order_end) is the subtree */
    uint32_t child;            /* index in the parent's list */
    bool in_else;
    uint32_t depth;           /* loops around it */
    plussi_plan_node **loops; /* outermost first */
    plussi_plan_node **body, **orelse;
    uint32_t n_body, n_orelse;
    plussi_plan_node *par; /* the parallel region around it; NULL: serial code */
    bool zero;             /* thread 0 alone executes it */
    bool sync;             /* holds a barrier */
    bool has_ws;           /* is or holds a worksharing loop */
    bool mixed;     /* holds a worksharing loop whose iterations' counts depend on the thread */
    bool has_swap;  /* holds a swap */
    bool on_demand; /* is or holds a dynamic loop: neither static nor recorded */
    plussi_plan_node *in_ws; /* the innermost worksharing loop around it; NULL: none */
    plussi_plan_node *item;  /* the outermost node around it, or itself, without a barrier inside */
    uint32_t part;           /* of an item: its number among them */
    uint32_t degree;         /* of its counts as polynomials in the innermost outer IV */
    uint32_t weight;         /* nodes of its own bounds' or condition's expressions */
    plussi_slots reads;      /* slots in its own bounds, condition, team and schedule */
    plussi_slots dep;        /* slots of outer loops that its counts depend on */
    plussi_slots team_dep;   /* the same for the team's counts: fewer, where threads take chunks of
                                dynamic loops */
    plussi_slots phase_dep;  /* the same for its barriers */
    bool fixed;              /* dep is empty: the counts below are valid, except for barriers: */
    bool phases_fixed;
    bool regular;        /* counts are polynomials in every outer IV, without case distinctions */
    plussi_poly *poly;   /* NULL: none */
    bool team_known;     /* team_dep is empty: */
    uint64_t team_count; /* accesses of all threads */
    uint64_t thread_count[2]; /* fixed and no worksharing loop: of thread 0, of any other thread */
    uint64_t barriers;
    plussi_prefix prefix; /* loops: the team's accesses; inside worksharing loops also a thread's */
    uint64_t *before[3];  /* accesses in its body before each child, and of all: the team's, thread
                             0's, any other thread's; NULL: not tabulated */
    bool product;         /* its counts, summed over the innermost outer loop, are products */
    const plussi_plan_node *factor; /* product: if that loop moves a single table, into which all
                                       accesses fall, the table's loop; else NULL */

    /* loops */
    uint32_t slot;
    const plussi_cexpr *lo, *hi;
    int64_t step;
    plussi_interval range; /* every value of the IV */
    bool own_dep;          /* the body's counts depend on this IV */
    bool own_team_dep;     /* the team's do */
    bool own_phases;       /* the body's barriers depend on it */
    uint64_t *trips; /* if a single other loop moves its bounds: sums of its trip counts before each
                        iteration of that loop; NULL: none */
    bool ws;         /* worksharing: the outermost of the collapsed loops */
    plussi_plan_node *ws_head; /* of a collapsed loop, itself included; NULL: no worksharing loop */
    uint32_t ws_level;         /* 0: the head, 1, ... */
    uint32_t collapse;         /* head: number of collapsed loops */
    plussi_plan_node *ws_last; /* head: the innermost of them */
    plussi_schedule_kind schedule;
    const plussi_cexpr *chunk;
    bool ws_fixed;           /* head: trip counts, chunk and team do not change */
    uint64_t ws_n, ws_chunk; /* ws_fixed */
    bool set_fixed;          /* ws_fixed and static: */
    plussi_iterset set;      /* of thread 0 */
    uint64_t *begin; /* blocks: first iteration of each thread, then ws_n; NULL: no blocks */
    bool ws_own_dep; /* head: the innermost body's counts depend on a collapsed IV */
    bool some_alike; /* some group in it touches lines alike for all threads: alike.c */
    bool flat;       /* plussi_is_flat */
    uint64_t turn;   /* not collapsed: accesses of any thread that executes it in any iteration; 0:
                        they vary */

    /* conditions */
    const plussi_cexpr *cond;

    /* regions */
    bool team_fixed;
    uint32_t team;

    /* leaves */
    uint32_t leaf;
    const plussi_bound_ref *ref;
    uint64_t *each; /* a thread's accesses in an iteration of each outer loop in its item */
    uint64_t ahead; /* and in an iteration before it; each NULL: they vary */
};

/* ---- swapped arrays ----------------------------------------------------------------------------
 *
 * sigma maps an array to the one whose memory it has. The swaps in one iteration of a loop's
 * body are always the same (else the plan is refused), a permutation of finite order. */
typedef struct plussi_perm {
    uint32_t order;  /* smallest m >= 1 with perm^m = 1; 0: the loop has no swap */
    uint32_t *power; /* order * n_arrays: power[r * n + a] = perm^r (a) */
} plussi_perm;

enum { PLUSSI_MAX_PERM_ORDER = 1024 };

/* depend.c: finds what counts depend on. PLUSS_ERANGE if they may not fit 64 bits. */
PLUSS_NODISCARD pluss_status plussi_plan_depend(plussi_ctx *ctx, plussi_engine *e);

/* swaps.c: sets iteration and before of the engine. */
PLUSS_NODISCARD pluss_status plussi_plan_swaps(plussi_ctx *ctx, plussi_engine *e);
/* The array whose memory `array` has at the node with these values of iv. */
uint32_t plussi_memory_of(const plussi_engine *e, const plussi_plan_node *node, const int64_t *iv,
                          uint32_t array);

typedef struct plussi_group plussi_group; /* group.h */

struct plussi_engine {
    plussi_mem mem;
    plussi_arena arena;
    const plussi_bound *bound;
    const plussi_iterset_source *source;
    plussi_effort *effort; /* NULL: no bound */
    plussi_plan_node *root;
    plussi_plan_node **leaf;
    plussi_plan_node **loop; /* by id of the bound loop; NULL: never executed */
    uint32_t n_leaves, n_nodes, n_parts;
    uint32_t team;
    bool planned; /* immutable from then on */
    unsigned line_shift;
    bool serial;                  /* every parallel region has a team of one */
    uint64_t n_prefixes, n_trips; /* values in all tables of prefix sums */
    bool has_swap, asks;
    plussi_perm *iteration; /* by node order: the swaps of one iteration of a loop */
    uint32_t **before; /* by node order: inverse of the swaps of the earlier siblings; NULL: none */

    uint64_t *leaf_count; /* plussi_engine_leaf_accesses of each; NULL: counted when asked for */
    plussi_group *group;
    uint32_t n_groups;
    struct plussi_array_range *range; /* group.h: by first line, shared before private */
    const struct plussi_array_range **leaf_range; /* by leaf: that of its array, where no other has
                                                     lines of it; NULL: there are others */
    uint32_t n_ranges, n_shared;
};

/* ---- shapes: shape.c ------------------------------------------------------------------------- */

/* While iv[s] is in box[s] for every slot s of the loops around a node (box is scratch for inner
 * slots), its counts as a function of the slots in `of` are polynomials, of degree at most
 * plussi_degree, on every residue class of the period: no case is open. `shares`: the counts of one
 * thread, which are not polynomials if a worksharing loop depends on `of`. */
typedef struct plussi_shape_answer {
    uint64_t period;           /* stretch * modulus */
    uint64_t stretch, modulus; /* of the ends of loops, and of conditions */
    bool split; /* a case is open: it is decided for values of the IV in `of` up to ... */
    int64_t at; /* ... this one, and differently for larger ones; a hint */
} plussi_shape_answer;

bool plussi_shape(plussi_effort *effort, const plussi_plan_node *node, plussi_slots of, bool sets,
                  plussi_interval *box, plussi_shape_answer *answer);
/* Whether that holds wherever the node is executed, for all outer slots, with period 1. */
bool plussi_shape_regular(plussi_effort *effort, const plussi_plan_node *node,
                          plussi_interval *box);
uint32_t plussi_degree(const plussi_plan_node *node, plussi_slots of);

/* Steps for the ranges of all parts of an expression of that weight: the square of the weight in
 * deep ones, less the weight itself. */
static inline uint64_t plussi_deep_steps(uint64_t weight)
{
    enum { SHALLOW = 16 };
    return weight > SHALLOW ? weight * weight / 32 : 0;
}

enum { PLUSSI_MAX_PERIOD = 1 << 16 }; /* of either; for longer ones sums are taken term by term */

/* ---- counting: count.c --------------------------------------------------------------------------
 */

typedef enum plussi_measure {
    PLUSSI_M_TEAM,       /* accesses of all threads */
    PLUSSI_M_THREAD,     /* accesses of iv[0] */
    PLUSSI_M_BARRIERS,   /* barriers */
    PLUSSI_M_ITERATIONS, /* of a collapsed worksharing loop: on its loops only */
    PLUSSI_M_LEAF        /* as TEAM, of a single reference */
} plussi_measure;

/* Restricts counts to a single reference. */
typedef struct plussi_only {
    const plussi_plan_node *leaf;
    const uint64_t *most; /* by slot: number of a loop's first iterations that count; NULL: all */
    const plussi_prefix *prefix; /* by slot: the reference's sums in outer loops; NULL: none */
} plussi_only;

/* M_THREAD: sums in loops around worksharing loops, made once they are asked for often. */
typedef struct plussi_thread_sums {
    plussi_arena arena;
    uint64_t n_sums;
    struct plussi_asked {
        uint32_t times;
        plussi_prefix prefix;
    } * *of; /* by node order, then by thread; NULL: none */
} plussi_thread_sums;

typedef struct plussi_count {
    const plussi_engine *engine;
    plussi_measure what;
    int64_t *iv;              /* slots of the outer loops must be set; inner ones are scratch */
    const plussi_only *only;  /* M_LEAF, M_THREAD; NULL: all */
    plussi_thread_sums *sums; /* NULL: none */
} plussi_count;

/* The measure of one thread's accesses: in a team of one also the team's, which has tables. */
static inline plussi_measure plussi_of_thread(const plussi_engine *e)
{
    return e->team == 1 ? PLUSSI_M_TEAM : PLUSSI_M_THREAD;
}

static inline int64_t plussi_value(const plussi_cexpr *x, const int64_t *iv)
{
    if (x->kind == PLUSSI_CEXPR_AFFINE)
        return plussi_affine(x, iv);
    if ((x->kind == PLUSSI_CEXPR_MIN || x->kind == PLUSSI_CEXPR_MAX) &&
        x->a[0]->kind == PLUSSI_CEXPR_AFFINE && x->a[1]->kind == PLUSSI_CEXPR_AFFINE) {
        int64_t v = plussi_affine(x->a[0], iv), w = plussi_affine(x->a[1], iv);
        return (x->kind == PLUSSI_CEXPR_MIN) == (v < w) ? v : w;
    }
    bool fault = false;
    return plussi_cexpr_eval(x, iv, &fault);
}

/* Sets iv to the loop's iteration of that number. */
static inline void plussi_enter_iteration(const plussi_plan_node *loop, int64_t *iv,
                                          uint64_t number)
{
    iv[loop->slot] = plussi_value(loop->lo, iv) + loop->step * (int64_t)number;
}

/* Whether a node's counts differ between threads: then a team's is their sum. */
static inline bool plussi_differs_by_thread(const plussi_plan_node *node)
{
    return (node->dep & 1) && node->kind != PLUSSI_P_PAR && node->par;
}

/* Number of the loop's iteration at iv. */
static inline uint64_t plussi_iteration_number(const plussi_plan_node *loop, const int64_t *iv)
{
    return (uint64_t)((iv[loop->slot] - plussi_value(loop->lo, iv)) / loop->step);
}

/* Trip count of a loop from lo to hi. */
static inline uint64_t plussi_trips(int64_t lo, int64_t hi, int64_t step)
{
    if (step == 1)
        return hi > lo ? (uint64_t)hi - (uint64_t)lo : 0;
    if (step > 0)
        return hi > lo ? ((uint64_t)hi - (uint64_t)lo - 1) / (uint64_t)step + 1 : 0;
    return lo > hi ? ((uint64_t)lo - (uint64_t)hi - 1) / -(uint64_t)step + 1 : 0;
}

static inline uint64_t plussi_loop_trips(const plussi_plan_node *loop, const int64_t *iv)
{
    return plussi_trips(plussi_value(loop->lo, iv), plussi_value(loop->hi, iv), loop->step);
}

static inline uint32_t plussi_team_at(const plussi_engine *e, const plussi_plan_node *par,
                                      const int64_t *iv)
{
    return par->team_fixed ? par->team : plussi_bparallel_team(e->bound, par->decl, iv);
}

static inline uint64_t plussi_chunk_at(const plussi_plan_node *head, const int64_t *iv)
{
    int64_t chunk = plussi_value(head->chunk, iv);
    return chunk < 1 ? 1 : (uint64_t)chunk;
}

/* Search for the u with count(u) <= p < count(u + 1), count ascending: low <= u < high, with the
 * counts there. Guesses by linear interpolation; every third guess is the middle, so that the
 * number of steps is logarithmic. */
typedef struct plussi_bracket {
    uint64_t low, high, below, above;
    uint32_t step;
} plussi_bracket;

static inline uint64_t plussi_bracket_guess(plussi_bracket *b, uint64_t p)
{
    uint64_t width = b->high - b->low, into = width / 2;
    if (++b->step % 3 != 0 && b->above > b->below) {
        double set = (double)(p - b->below) / (double)(b->above - b->below);
        into = (uint64_t)(set * (double)width);
        into += b->step % 3 == 2; /* alternately from below and from above */
    }
    return b->low + (into < 1 ? 1 : into > width - 1 ? width - 1 : into);
}

static inline void plussi_bracket_cut(plussi_bracket *b, uint64_t p, uint64_t mid, uint64_t count)
{
    if (count <= p) {
        b->low = mid;
        b->below = count;
    } else {
        b->high = mid;
        b->above = count;
    }
}

uint64_t plussi_count_open(const plussi_count *c, const plussi_plan_node *node);

static inline uint64_t plussi_count_node(const plussi_count *c, const plussi_plan_node *node)
{
    if (c->what == PLUSSI_M_THREAD && node->fixed && !node->has_ws && !c->only)
        return node->thread_count[c->iv[0] != 0];
    if (c->what == PLUSSI_M_TEAM && node->team_known && !c->only)
        return node->team_count;
    if (node->phases_fixed && c->what == PLUSSI_M_BARRIERS)
        return node->barriers;
    return plussi_count_open(c, node);
}
/* Whether this node has nothing to count. */
static inline bool plussi_count_skips(const plussi_count *c, const plussi_plan_node *node)
{
    if (c->only)
        return c->only->leaf->order < node->order || c->only->leaf->order >= node->order_end;
    return c->what == PLUSSI_M_BARRIERS && !node->sync;
}
/* The first n of a list of siblings. */
uint64_t plussi_count_list(const plussi_count *c, plussi_plan_node *const *list, uint32_t n);
/* The first n of a node's children. */
static inline const uint64_t *plussi_sums_before(const plussi_count *c,
                                                 const plussi_plan_node *node)
{
    return c->only                      ? NULL
           : c->what == PLUSSI_M_TEAM   ? node->before[0]
           : c->what == PLUSSI_M_THREAD ? node->before[1 + (c->iv[0] != 0)]
                                        : NULL;
}
static inline uint64_t plussi_count_body(const plussi_count *c, const plussi_plan_node *node,
                                         uint32_t n)
{
    const uint64_t *before = plussi_sums_before(c, node);
    return before ? before[n] : plussi_count_list(c, node->body, n);
}
/* Whether the iterations' counts are a polynomial in their number. */
static inline bool plussi_iterations_regular(const plussi_plan_node *loop)
{
    for (uint32_t i = 0; i < loop->n_body; i++)
        if (!loop->body[i]->regular && (loop->body[i]->dep >> loop->slot & 1))
            return false;
    return true;
}
/* engine_sweep.c: a loop whose body makes nothing but references to affine addresses, not many,
 * each of one line. */
bool plussi_is_flat(const plussi_plan_node *loop);
/* linear.c, for nodes with known counts: sets before, each and ahead. A thread's accesses in the
 * leaf's item before it, if `each` is known; O(depth). */
void plussi_plan_lists(plussi_engine *e, plussi_plan_node *node);
void plussi_plan_linear(plussi_engine *e, plussi_plan_node *node);
uint64_t plussi_linear_rank(const plussi_engine *e, const plussi_plan_node *leaf,
                            const int64_t *iv);
/* Iterations [a, b) of a loop in sequential order, divided or not. */
uint64_t plussi_count_in_iterations(const plussi_count *c, const plussi_plan_node *loop, uint64_t a,
                                    uint64_t b);
/* Makes the table of a loop whose iterations' counts, in their order, depend on at most one other
 * IV, if memory allows and the values in all tables, *n_sums, stay within the limit. */
void plussi_count_prefix(const plussi_count *c, const plussi_plan_node *loop, plussi_arena *arena,
                         uint64_t *n_sums, plussi_prefix *out);
/* product.c: whether the counts of a loop's child, summed over its iterations, are products of
 * factors; accesses (not iterations, not barriers) in iterations [a, b) of such a child, one
 * thread's only if it has no worksharing loop. */
void plussi_plan_product(plussi_engine *e, plussi_plan_node *node);
uint64_t plussi_count_product(const plussi_count *c, const plussi_plan_node *loop,
                              const plussi_plan_node *child, uint64_t a, uint64_t b);
/* plussi_find_iteration of a loop with that trip count; false: its counts are no such products. */
bool plussi_product_find_iteration(const plussi_count *c, const plussi_plan_node *loop,
                                   uint64_t trips, uint64_t *p, uint64_t *iteration);
/* The iteration that holds access p of the loop (p < its count); *p becomes the position in it. */
uint64_t plussi_find_iteration(const plussi_count *c, const plussi_plan_node *loop, uint64_t *p);

/* The same of iterations first ... first + n - 1, which together have more than *p accesses, where
 * it is found without counting many of them: true. Overwrites the loop's iv. */
bool plussi_find_among(const plussi_count *c, const plussi_plan_node *loop, uint64_t first,
                       uint64_t n, uint64_t *p, uint64_t *u);

/* ---- polynomials: smooth.c ---------------------------------------------------------------------
 */

/* The sum of d[k] C(u, k + more), k < n. */
__int128 plussi_newton_at(const __int128 *d, uint32_t n, __int128 u, uint32_t more);
/* Replaces n values by their forward differences. */
void plussi_newton_differences(__int128 *d, uint32_t n);
/* The u < most with S(u) <= *p < S(u + 1), S(u) the sum of d[k] C(u, k + 1), ascending, S(most) >
 * *p; *p becomes *p - S(u). */
uint64_t plussi_newton_find(const __int128 *d, uint32_t n, uint64_t most, uint64_t *p);
/* Degree of the counts of a loop's iterations as a polynomial in their number, wherever the loop is
 * executed; UINT32_MAX: they may not be one. */
uint32_t plussi_smooth_degree(const plussi_count *c, const plussi_plan_node *loop);
/* plussi_find_among where the counts are such a polynomial, and not few; else false. */
bool plussi_smooth_find(const plussi_count *c, const plussi_plan_node *loop, uint64_t first,
                        uint64_t n, uint64_t *p, uint64_t *u);

/* ---- iteration sets: thread_set.c
 * ------------------------------------------------------------------------------
 */

/* A thread's iterations of the instance of a worksharing loop given by iv. */
void plussi_thread_set_at(const plussi_engine *e, const plussi_plan_node *head, const int64_t *iv,
                          uint32_t thread, plussi_thread_set *out);
/* The iteration set of thread iv[0] in an instance that is not collapsed and whose iterations are
 * counted. */
void plussi_thread_set_of(const plussi_engine *e, const plussi_plan_node *head, const int64_t *iv,
                          uint64_t n, plussi_thread_set *out);
/* Sets the IVs of iteration n of the instance; returns the number of the iteration at iv. */
void plussi_ws_enter(const plussi_engine *e, const plussi_plan_node *head, int64_t *iv, uint64_t n);
uint64_t plussi_ws_number(const plussi_engine *e, const plussi_plan_node *head, int64_t *iv);
/* Iterations of the collapsed loops from `loop` on in its first u iterations, with the outer ones
 * fixed; and the iteration that holds iteration *n of them: *n becomes the number in it, iv is set.
 */
uint64_t plussi_ws_before(const plussi_engine *e, const plussi_plan_node *loop, int64_t *iv,
                          uint64_t u);
uint64_t plussi_ws_iteration_at(const plussi_engine *e, const plussi_plan_node *loop, int64_t *iv,
                                uint64_t *n);
/* Iterations of an instance, and its chunk (0: none). */
void plussi_ws_size(const plussi_engine *e, const plussi_plan_node *head, const int64_t *iv,
                    uint64_t *n, uint64_t *chunk);
/* plussi_iterset_count and _nth of an instance's iteration set. */
static inline uint64_t plussi_thread_set_count(const plussi_plan_node *head,
                                               const plussi_thread_set *own)
{
    if (head->begin)
        return head->begin[own->set.thread + 1] - head->begin[own->set.thread];
    return plussi_iterset_count(&own->set);
}

static inline uint64_t plussi_thread_set_nth(const plussi_plan_node *head,
                                             const plussi_thread_set *own, uint64_t pos)
{
    if (head->begin)
        return head->begin[own->set.thread] + pos;
    return plussi_iterset_nth(&own->set, pos);
}

/* Accesses of iv[0] in the first pos iterations of its iteration set; and the inverse. */
uint64_t plussi_thread_set_before(const plussi_count *c, const plussi_plan_node *head,
                                  const plussi_thread_set *own, uint64_t pos);
uint64_t plussi_thread_set_find(const plussi_count *c, const plussi_plan_node *head,
                                const plussi_thread_set *own, uint64_t *p);

#endif
