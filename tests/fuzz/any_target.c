/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "any_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static char folder[PATH_ROOM - 32];

static void remove_folder(void)
{
    static const char *const names[] = {"file", "record", "record.trace"};
    char path[PATH_ROOM];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

void put_file(const char *name, const uint8_t *data, size_t size, char path[PATH_ROOM])
{
    if (!*folder) {
        const char *where = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/fuzz-XXXXXX", where ? where : "/tmp");
        require(mkdtemp(folder) != NULL && atexit(remove_folder) == 0, "there is room for files");
    }
    snprintf(path, PATH_ROOM, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0,
            "a file can be written");
}
