/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void names_free(plussi_beside *file)
{
    free(file->path);
    free(file->temporary);
    file->path = file->temporary = NULL;
}

bool plussi_beside_open(plussi_beside *file, const char *record_path, const char *suffix)
{
    size_t room = strlen(record_path) + strlen(suffix) + 40;
    *file = (plussi_beside){.path = malloc(room), .temporary = malloc(room), .error = ENOMEM};
    if (file->path && file->temporary) {
        snprintf(file->path, room, "%s.%s", record_path, suffix);
        snprintf(file->temporary, room, "%s.%s.%ld.tmp", record_path, suffix, (long)getpid());
        file->out = fopen(file->temporary, "we");
        file->error = file->out ? 0 : errno;
    }
    if (!file->out)
        names_free(file);
    return file->out != NULL;
}

bool plussi_beside_wanted(plussi_beside *file, const char *record_path, const char *variable,
                          const char *suffix, void (*start)(void))
{
    if (!file->asked) {
        const char *how = getenv(variable);
        if (record_path && *record_path && how && strcmp(how, "tsc") == 0 &&
            plussi_beside_open(file, record_path, suffix))
            start();
        file->asked = true;
    }
    return file->out != NULL;
}

void plussi_beside_put(plussi_beside *file, const void *bytes, size_t n)
{
    if (n && file->out && !file->error && fwrite(bytes, 1, n, file->out) != n)
        file->error = errno ? errno : EIO;
}

int plussi_beside_finish(plussi_beside *file)
{
    if (!file->out)
        return file->error;
    if (fclose(file->out) != 0 && !file->error)
        file->error = errno;
    file->out = NULL;
    if (!file->error && rename(file->temporary, file->path) != 0)
        file->error = errno;
    if (file->error)
        unlink(file->temporary);
    names_free(file);
    return file->error;
}

void plussi_beside_forget(plussi_beside *file)
{
    /* the parent's buffer must not be written twice: the descriptor goes, the stream stays */
    if (file->out)
        close(fileno(file->out));
    *file = (plussi_beside){0};
}
