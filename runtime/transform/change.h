/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A nest while a step changes it, and what steps share. The ids of its loops are those of before,
 * also of copies; plussi_nest_number comes last.
 */
#ifndef PLUSSI_TRANSFORM_CHANGE_H
#define PLUSSI_TRANSFORM_CHANGE_H

#include "nest/nest.h"

enum { PLUSSI_CHANGED_MOST = 2 * PLUSSI_MAX_LOOPS };

typedef struct plussi_change {
    plussi_ctx *ctx;
    plussi_nest *nest;
    struct {
        const plussi_node *loop;
        uint32_t second; /* of a fused loop */
        int64_t tile;    /* of a loop over tiles */
    } special[PLUSSI_CHANGED_MOST];
    uint32_t n_special;
} plussi_change;

/* A band: loops in each other with nothing else between them, the outermost first. */
typedef struct plussi_band {
    plussi_node *loop[PLUSSI_MAX_LOOPS];
    uint32_t n;
} plussi_band;

plussi_loc plussi_change_loc(const plussi_change *c, const plussi_node *node);
/* Reports that the step is refused at the node; PLUSS_EUNSUPPORTED. */
PLUSS_NODISCARD pluss_status plussi_refuse_step(const plussi_change *c, const plussi_node *node,
                                                const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- edit.c ----------------------------------------------------------------------------------
 */

plussi_expr *plussi_clone_expr(plussi_nest *nest, const plussi_expr *expr);
plussi_body *plussi_body_around(plussi_change *c, const plussi_node *node);
plussi_node *plussi_loop_clone(plussi_change *c, const plussi_node *loop); /* without its body */
/* Induction variables of `from` become those of `to`, in the body. */
void plussi_retarget(plussi_body *body, const plussi_node *from, plussi_node *to);
void plussi_set_parent(plussi_body *body, plussi_node *parent);
void plussi_replace(plussi_body *body, plussi_node *old, plussi_node *node);
void plussi_insert_after(plussi_body *body, plussi_node *place, plussi_node *node);
void plussi_remove(plussi_body *body, plussi_node *node);
/* The last access of the siblings first ... last in text order; NULL: there is none. */
const plussi_node *plussi_last_ref(const plussi_node *first, const plussi_node *last);
/* Refuses what no step can be sure about: the node and all in it are loops, references,
 * conditions, critical sections and counts of operations. */
PLUSS_NODISCARD pluss_status plussi_check_contents(const plussi_change *c, const plussi_node *loop);

/* ---- split.c: loops in parts and together ------------------------------------------------------
 */

/* The loops from outer to inner as a band: loops that hold more are split. */
PLUSS_NODISCARD pluss_status plussi_isolate(plussi_change *c, plussi_node *outer,
                                            plussi_node *inner, plussi_band *band);
PLUSS_NODISCARD pluss_status plussi_distribute(plussi_change *c, plussi_node *loop);
PLUSS_NODISCARD pluss_status plussi_fuse(plussi_change *c, plussi_node *first, plussi_node *second);

/* ---- band_bounds.c ---------------------------------------------------------------------------
 */

/* Whether no loop of the band has bounds that depend on another one of it. */
bool plussi_is_rectangular(const plussi_band *band);
/* New bounds for the loops in this order; where hull, bounds of each loop's values alone. NULL
 * bounds are as they were. */
PLUSS_NODISCARD pluss_status plussi_reorder_bounds(plussi_change *c, const plussi_band *band,
                                                   const uint32_t *order, bool hull,
                                                   plussi_expr **lo, plussi_expr **hi);

/* ---- reorder.c -------------------------------------------------------------------------------
 */

PLUSS_NODISCARD pluss_status plussi_interchange(plussi_change *c, plussi_node *outer,
                                                plussi_node *inner);
/* size[i]: of tiles of loop i of the band, 0: it is not tiled. */
PLUSS_NODISCARD pluss_status plussi_tile(plussi_change *c, const plussi_band *band,
                                         const int64_t *size);

/* ---- layout.c --------------------------------------------------------------------------------
 */

PLUSS_NODISCARD pluss_status plussi_pad(plussi_change *c, plussi_array *array, int64_t elements);
PLUSS_NODISCARD pluss_status plussi_spread(plussi_change *c, plussi_array *array, int64_t bytes);

#endif
