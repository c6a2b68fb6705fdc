/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest/nest.h"

pluss_status plussi_nest_validate(plussi_ctx *ctx, plussi_nest *nest)
{
    (void)ctx;
    plussi_nest_number(nest);
    return nest->out_of_memory ? PLUSS_ENOMEM : PLUSS_OK;
}
