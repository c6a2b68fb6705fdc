/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/record_path.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/own_memory.h"

static bool forked;
/* At the start of the program. */
static char *relative, *folder; /* PLUSS_RECORD, if it is a relative path; else NULL */

__attribute__((constructor)) static void look_around(void)
{
    const char *path = secure_getenv("PLUSS_RECORD");
    if (!path || !*path || *path == '/')
        return;
    relative = plussi_strndup(&plussi_own, path, strlen(path));
    char *room = plussi_alloc(&plussi_own, PATH_MAX, 1);
    folder = room ? getcwd(room, PATH_MAX) : NULL;
}

void plussi_record_path_forked(void)
{
    forked = true;
}

char *plussi_record_path(void)
{
    const char *path = secure_getenv("PLUSS_RECORD");
    char end[24] = "";
    if (!path || !*path)
        return NULL;
    if (forked)
        snprintf(end, sizeof end, ".%ld", (long)getpid());
    bool moved = folder && relative && strcmp(path, relative) == 0;
    return plussi_print(&plussi_own, "%s%s%s%s", moved ? folder : "", moved ? "/" : "", path, end);
}
