/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Inside of the record module only.
 */
#ifndef PLUSSI_RECORD_TRY_H
#define PLUSSI_RECORD_TRY_H

#include "base/ctx.h"

/* Returns from the function with what the call returned, unless that is PLUSS_OK. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        pluss_status try_status = (call);                                                          \
        if (try_status)                                                                            \
            return try_status;                                                                     \
    } while (0)

#endif
