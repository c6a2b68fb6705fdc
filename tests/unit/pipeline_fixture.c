/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline_fixture.h"

#include "assertions.h"
#include <string.h>

plussi_ctx ctx;
plussi_nest *nest;
plussi_result result;

void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    plussi_result_init(&result, &plussi_mem_libc);
    nest = NULL;
}

void teardown(void)
{
    plussi_result_free(&result);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}

void parse(const char *text)
{
    plussi_nest_free(nest);
    nest = NULL;
    ck_assert_int_eq(plussi_nest_parse(&ctx, text, strlen(text), "t.nest", &nest), PLUSS_OK);
}
