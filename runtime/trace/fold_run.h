/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One recorded run: a foreign trace (foreign.h), folded as one thread would have executed it
 * (fold_team.h), with the objects that it accesses. Objects come from a text file beside the trace,
 * TRACE.objects, with a line `ADDRESS BYTES NAME` for each; lines that begin with # are passed
 * over as are those of sites (fold_coverage.h), and of objects that overlap the larger one stays.
 * Without that file, and outside of its objects, what different sites access at overlapping ranges
 * of addresses is one object.
 */
#ifndef PLUSSI_TRACE_FOLD_RUN_H
#define PLUSSI_TRACE_FOLD_RUN_H

#include "trace/fold_loops.h"
#include "trace/fold_team.h"

enum { PLUSSI_FOLD_TAGS = 1 << 14, PLUSSI_FOLD_OBJECTS = 1 << 16 };

typedef struct plussi_fold_object {
    char *name; /* NULL: unknown */
    uint64_t address, bytes;
    uint32_t first; /* the tree's first node that accesses it */
} plussi_fold_object;

/* What accesses of one tag have in common. Marks have no bytes, and address 0. */
typedef struct plussi_fold_tag {
    uint64_t site;
    uint32_t object;
    uint16_t bytes;
    uint8_t kind;               /* plussi_event_kind */
    uint64_t accesses, strange; /* strange: no step of that size was seen shortly before */
    uint64_t unit;              /* accesses of an iteration of its distributed loop; 0: unknown */
    uint64_t share;             /* accesses of a static chunk of that loop; 0: it has none */
    uint64_t lo, hi;            /* addresses accessed: [lo, hi) */
    uint64_t last, step[2];
    int64_t chunk;  /* of a region: iterations of the first chunk dispatched in it; 0: none was */
    bool is_guided; /* of a region: later chunks are shorter, but for the last of a loop */
} plussi_fold_tag;

typedef struct plussi_fold_run {
    plussi_mem mem;
    plussi_fold_object *object; /* those of the file, n_named, by address; then the others */
    size_t n_objects, cap_objects, n_named;
    plussi_fold_tag *tag;
    size_t n_tags, cap_tags;
    struct plussi_fold_slot *slot; /* tags by what they have in common */
    size_t n_slots;
    uint64_t accesses;
    plussi_team_sites *sites; /* borrowed */
    plussi_ask ask;           /* of the reading of the trace that is next */
    uint32_t threads;
    size_t region;          /* the tag of the latest region; SIZE_MAX: none */
    int64_t latest_chunk;   /* iterations of it */
    plussi_fold_tree *tree; /* addresses are relative to objects; NULL: it does not fold */
} plussi_fold_run;

/* Reads a trace, whose run->threads and run->sites, of all runs, plussi_team_find has found. One
 * that does not fold is read to its end. PLUSS_ELIMIT: too many tags, objects; errors of
 * plussi_team_next. The caller clears *run, the rest of which is cleared memory before, on failure
 * too. O(1) an access while it folds (fold_loops.h); memory O(tags, objects, terms). */
PLUSS_NODISCARD pluss_status plussi_fold_run_read(plussi_ctx *ctx, const char *path,
                                                  plussi_fold_run *run);
void plussi_fold_run_clear(plussi_fold_run *run);
/* The tag of an access or mark of the same trace; NULL: it has none. O(log objects). */
const plussi_fold_tag *plussi_fold_find_tag(const plussi_fold_run *run, const plussi_event *event);

#endif
