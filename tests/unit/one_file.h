/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests that write and read one temporary file: its name, and what removes it.
 */
#ifndef TESTS_UNIT_ONE_FILE_H
#define TESTS_UNIT_ONE_FILE_H

#include "assertions.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ctx.h"

static plussi_ctx ctx;
static char path[64];

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    strcpy(path, "/tmp/pluss-test-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void teardown(void)
{
    unlink(path);
    plussi_ctx_clear(&ctx);
}

#endif
