/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reuse intervals of shared data, shortened by the touches of other threads (PACT'24, section 3.3).
 * docs/models.md, "racetrack".
 */
#ifndef PLUSSI_MODEL_RACETRACK_H
#define PLUSSI_MODEL_RACETRACK_H

#include "profile/histo.h"

/* The racetrack model (PACT'24, theorem 3.4): runners - 1 other threads touch the same line at
 * points dropped uniformly on an interval; what remains is the piece next to its end. A piece of
 * length in [a, b) has probability
 *
 *     (1 - a/interval)^(runners-1) - (1 - b/interval)^(runners-1)
 *
 * interval  accesses of all threads (the dilated private interval, T r), >= 1
 * runners   threads that touch the line, >= 1; 1 gives the interval itself
 * bits      2^bits bins an octave (plussi_histo_quantise), in [1, 20]
 * out       pieces in accesses, 1 ... interval: the key of a bin is the mean piece in it, rounded;
 *           weights sum to 1; what it held is replaced
 *
 * O(bins of out). PLUSS_EINVAL, PLUSS_ENOMEM: out is then untouched. */
PLUSS_NODISCARD pluss_status plussi_racetrack_split(uint64_t interval, uint32_t runners,
                                                    unsigned bits, plussi_histo *out);

#endif
