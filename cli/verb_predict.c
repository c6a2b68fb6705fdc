/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli.h"

int cli_predict(cli_options *options)
{
    return cli_run_engine(options, pluss_predict);
}
