/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who is told how far long work is, and asked whether it goes on.
 */
#ifndef PLUSSI_BASE_ASK_H
#define PLUSSI_BASE_ASK_H

#include <stdint.h>

#include "base/status.h"

/* Called now and then: share of the stage that is done, in [0, 1] (negative: its end is not known),
 * steps done. Not 0: stop. */
typedef int (*plussi_ask_fn)(void *user, const char *stage, double done, uint64_t steps);

typedef struct plussi_ask {
    plussi_ask_fn fn; /* NULL: nobody is asked */
    void *user;
} plussi_ask;

/* PLUSS_ECANCELLED where the answer is to stop. */
PLUSS_NODISCARD pluss_status plussi_ask_whether(const plussi_ask *ask, const char *stage,
                                                double done, uint64_t steps);

/* Work that is a part of other work: from `from` to `from` + `part` of the whole, under the name
 * `stage` (NULL: its own). What has no end is told as such under its own name, and as the part's
 * begin under that of the whole. */
typedef struct plussi_ask_part {
    plussi_ask whole;
    const char *stage;
    double from, part;
} plussi_ask_part;

/* The one to ask in such a part, who must not outlive *of. */
plussi_ask plussi_ask_of_part(const plussi_ask *whole, const char *stage, double from, double part,
                              plussi_ask_part *of);

/* Work of which some may be done again: it is told as no less than before. What has no end is told
 * as nothing more. */
typedef struct plussi_ask_forward {
    plussi_ask whole;
    double most;
} plussi_ask_forward;

/* The one to ask then, who must not outlive *of. */
plussi_ask plussi_ask_going_forward(const plussi_ask *whole, plussi_ask_forward *of);

#endif
