/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the accesses of a program do at a level of a memory hierarchy.
 *
 * A miss has one kind:
 *     cold            the cache never held the line;
 *     false sharing   another thread's write took the line away, and nothing that this access
 *                     touches has been written by others since (Torrellas, Lam, Hennessy 1994);
 *     true sharing    as before, but something has;
 *     capacity        a fully associative cache of the same size would miss too;
 *     conflict        it would hit (Hill and Smith 1989).
 */
#ifndef PLUSSI_CACHE_MISSES_H
#define PLUSSI_CACHE_MISSES_H

typedef enum plussi_miss_kind {
    PLUSSI_MISS_COLD,
    PLUSSI_MISS_CAPACITY,
    PLUSSI_MISS_CONFLICT,
    PLUSSI_MISS_TRUE_SHARING,
    PLUSSI_MISS_FALSE_SHARING,
    PLUSSI_MISS_KINDS
} plussi_miss_kind;

/* "true sharing" */
const char *plussi_miss_kind_name(plussi_miss_kind kind);
/* "true_sharing" */
const char *plussi_miss_kind_key(plussi_miss_kind kind);

/* Counts of one run, or the mean of several runs. NAN: unknown. */
typedef struct plussi_misses {
    double requests; /* accesses that come to the level */
    double kind[PLUSSI_MISS_KINDS];
    double all;         /* misses */
    double after_other; /* of these: another thread has made the latest touch of the line */
    double error;       /* standard error of these; negative: the count is exact */
    double fetched, written_back; /* lines, from and to the next level or memory */
    double written_back_error;    /* standard error; negative: the count is exact */
} plussi_misses;

#endif
