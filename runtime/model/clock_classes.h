/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classes of accesses: boxes of iterations (sampler/boxes.h) in which, as far as probes show, the
 * previous touch of the line by the same thread is by one reference, and after about equally many
 * accesses. Their sizes are counted, not estimated: as strata they leave the curve no error from
 * weights, and need few previous touches to be found. docs/models.md, "Classes".
 */
#ifndef PLUSSI_MODEL_CLOCK_CLASSES_H
#define PLUSSI_MODEL_CLOCK_CLASSES_H

#include "sampler/boxes.h"

typedef struct plussi_clock_class {
    /* leaf and box are of the program as one thread executes it (plussi_engine_new_serial): where
     * dynamic loops leave the team's own without boxes */
    bool serial;
    uint32_t leaf;
    bool boxed; /* false: all accesses of the reference, which have no boxes */
    plussi_box box;
    uint64_t accesses; /* exact, >= 1 */
    bool pure;         /* all probes had the same source, at about the same length: */
    uint64_t source;   /* as plussi_clock_tell_reuse has it */
    uint8_t least, most;
    /* So many probes agreed that what it hides of another kind is a small part of the program. */
    bool sure;
} plussi_clock_class;

typedef struct plussi_clock_classes {
    plussi_clock_class *class; /* they part the program's accesses; n 0: there are none, or few that
                                  are pure */
    size_t n;
    uint32_t probes; /* previous touches that were looked for */
} plussi_clock_classes;

#endif
