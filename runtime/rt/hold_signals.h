/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The program's signal handlers may leave by a jump, and then what they interrupted is never
 * finished: while memory is allocated or tables are moved, no handler of the calling thread runs.
 */
#ifndef PLUSSI_RT_HOLD_SIGNALS_H
#define PLUSSI_RT_HOLD_SIGNALS_H

#include <signal.h>

static inline sigset_t plussi_block_signals(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    return before;
}

static inline void plussi_unblock_signals(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Until the end of the block. Two system calls. */
#define PLUSSI_HOLD_SIGNALS                                                                        \
    __attribute__((cleanup(plussi_unblock_signals))) const sigset_t signals_before =               \
        plussi_block_signals()

#endif
