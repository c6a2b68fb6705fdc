/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Arenas, each with lists of free blocks by size and a piece of mapped memory that is cut into new
 * ones. A thread takes an arena for a moment; one that is taken, by another thread or by what a
 * handler has interrupted, is passed over, and where all are, there is a new one. So there are
 * about as many as threads that allocate at the same time. A block goes back to its own arena:
 * where that is taken, to a list that the next one to take it empties.
 *
 * Free blocks are not joined. A size has at most an eighth more than what was asked for, so that
 * blocks are used again for what is almost as large; large ones are mapped, and unmapped.
 */
#include "rt/own_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    UNIT = 16,
    LINE = 64,
    FINE = 64,   /* sizes of 1 to 64 units; then */
    PARTS = 8,   /* in steps of an eighth, */
    DOUBLES = 8, /* up to PLUSSI_OWN_MAPPED */
    SIZES = FINE + PARTS * DOUBLES,
    PIECE = 1 << 20 /* bytes that are mapped at once */
};
_Static_assert(FINE *UNIT << DOUBLES == PLUSSI_OWN_MAPPED, "sizes end where blocks are mapped");

/* What comes before a block. */
typedef struct head {
    union {
        struct arena *arena; /* in use; NULL: mapped by itself */
        struct head *next;   /* in a list */
    };
    size_t room; /* bytes */
} head;
_Static_assert(sizeof(head) == UNIT, "blocks keep their alignment");

typedef struct arena {
    struct arena *next;
    atomic_bool taken;
    _Atomic(head *) returned; /* freed while it was taken */
    head *free[SIZES];
    uintptr_t at, end; /* of the piece, what is not yet cut */
} arena;

static _Atomic(arena *) arenas; /* the newest */
static _Thread_local arena *usual __attribute__((tls_model("initial-exec")));

/* ---- sizes ------------------------------------------------------------------------------------
 */

/* Number of the smallest size that has `bytes`, from 1 on. */
static unsigned size_of(size_t bytes)
{
    const size_t units = (bytes - 1) / UNIT;
    if (units < FINE)
        return (unsigned)units;
    const unsigned log = 63 - (unsigned)__builtin_clzll(units);
    const unsigned doubles = log - (63 - (unsigned)__builtin_clzll(FINE));
    return FINE + doubles * PARTS + (unsigned)(units >> (log - 3)) % PARTS;
}

static size_t room_of(unsigned size)
{
    if (size < FINE)
        return (size + 1) * (size_t)UNIT;
    const unsigned doubles = (size - FINE) / PARTS, part = (size - FINE) % PARTS;
    return (size_t)(PARTS + part + 1) * (FINE / PARTS) * UNIT << doubles;
}

static uintptr_t round_up(uintptr_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* ---- mapped memory ----------------------------------------------------------------------------
 */

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Of a block with its own mapping. */
static size_t mapped_bytes(size_t bytes)
{
    return round_up(bytes + LINE, (size_t)sysconf(_SC_PAGESIZE));
}

static void *put_head(void *mapping, size_t mapped)
{
    head *h = (head *)((char *)mapping + LINE) - 1;
    *h = (head){.room = mapped - LINE};
    return h + 1;
}

static void *map_block(size_t bytes)
{
    const size_t mapped = mapped_bytes(bytes);
    void *mapping = map(mapped);
    return mapping ? put_head(mapping, mapped) : NULL;
}

static void *remap_block(const head *h, size_t bytes)
{
    const size_t mapped = mapped_bytes(bytes);
    void *mapping = (char *)(h + 1) - LINE;
    mapping = mremap(mapping, h->room + LINE, mapped, MREMAP_MAYMOVE);
    return mapping == MAP_FAILED ? NULL : put_head(mapping, mapped);
}

/* ---- arenas -----------------------------------------------------------------------------------
 */

static bool take(arena *a)
{
    return !atomic_load_explicit(&a->taken, memory_order_relaxed) &&
           !atomic_exchange_explicit(&a->taken, true, memory_order_acquire);
}

static void release(arena *a)
{
    atomic_store_explicit(&a->taken, false, memory_order_release);
}

/* A new one, taken; NULL: no memory. */
static arena *make_arena(void)
{
    arena *a = map(PIECE);
    if (!a)
        return NULL;
    atomic_init(&a->taken, true);
    a->at = (uintptr_t)(a + 1);
    a->end = (uintptr_t)a + PIECE;
    a->next = atomic_load_explicit(&arenas, memory_order_acquire);
    while (!atomic_compare_exchange_weak_explicit(&arenas, &a->next, a, memory_order_release,
                                                  memory_order_acquire)) {
    }
    return a;
}

static arena *take_any(void)
{
    arena *a = usual;
    if (a && take(a))
        return a;
    a = atomic_load_explicit(&arenas, memory_order_acquire);
    while (a && !take(a))
        a = a->next;
    if (!a)
        a = make_arena();
    if (a)
        usual = a;
    return a;
}

static void put(arena *a, head *h)
{
    head **list = &a->free[size_of(h->room)];
    h->next = *list;
    *list = h;
}

static void put_returned(arena *a)
{
    head *h = atomic_exchange_explicit(&a->returned, NULL, memory_order_acquire);
    while (h) {
        head *next = h->next;
        put(a, h);
        h = next;
    }
}

/* A block of this size off the piece, or off a new one; NULL: no memory. */
static head *cut(arena *a, unsigned size)
{
    const size_t room = room_of(size), align = size < FINE ? UNIT : LINE;
    uintptr_t block = round_up(a->at + sizeof(head), align);
    if (block + room > a->end) { /* what is left was never written: it costs nothing */
        size_t bytes = PIECE;
        void *piece = map(bytes);
        if (!piece)
            piece = map(bytes = mapped_bytes(room));
        if (!piece)
            return NULL;
        a->at = (uintptr_t)piece;
        a->end = a->at + bytes;
        block = round_up(a->at + sizeof(head), align);
    }
    a->at = block + room;
    head *h = (head *)block - 1;
    h->room = room;
    return h;
}

static void *allocate(size_t bytes)
{
    if (bytes >= PLUSSI_OWN_MAPPED)
        return map_block(bytes);
    const unsigned size = size_of(bytes);
    arena *a = take_any();
    if (!a)
        return NULL;
    if (!a->free[size] && atomic_load_explicit(&a->returned, memory_order_relaxed))
        put_returned(a);
    head *h = a->free[size];
    if (h)
        a->free[size] = h->next;
    else
        h = cut(a, size);
    if (h)
        h->arena = a;
    release(a);
    return h ? h + 1 : NULL;
}

static void give_back(head *h)
{
    arena *a = h->arena;
    if (!a) {
        munmap((char *)(h + 1) - LINE, h->room + LINE);
    } else if (take(a)) {
        put(a, h);
        release(a);
    } else {
        h->next = atomic_load_explicit(&a->returned, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&a->returned, &h->next, h,
                                                      memory_order_release, memory_order_relaxed)) {
        }
    }
}

void *plussi_own_resize(void *user, void *block, size_t bytes)
{
    (void)user;
    head *h = block ? (head *)block - 1 : NULL;
    if (bytes > SIZE_MAX / 2) {
        errno = ENOMEM;
        return NULL;
    }
    if (!h)
        return bytes ? allocate(bytes) : NULL;
    if (bytes == 0) {
        give_back(h);
        return NULL;
    }
    if (!h->arena && bytes >= PLUSSI_OWN_MAPPED)
        return bytes <= h->room && bytes > h->room / 2 ? block : remap_block(h, bytes);
    if (h->arena && bytes <= h->room)
        return block;
    void *moved = allocate(bytes);
    if (!moved)
        return NULL;
    memcpy(moved, block, bytes < h->room ? bytes : h->room);
    give_back(h);
    return moved;
}

static void *resize(void *user, void *block, size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    return plussi_mem_libc.resize(user, block, bytes);
#else
    return plussi_own_resize(user, block, bytes);
#endif
}

const plussi_mem plussi_own = {resize, NULL};
