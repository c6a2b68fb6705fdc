/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/sidecar.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rt/own_memory.h"
#include "rt/record_path.h"
#include "rt/rt.h"
#include "rt/ticks.h"

bool plussi_sidecar_open(plussi_outfile *file, const char *record_path)
{
    const plussi_trace_head head = {PLUSSI_TRACE_MAGIC, PLUSSI_RECORD_VERSION, PLUSS_RT_LINE_BYTES};
    if (!plussi_outfile_open(file, record_path, PLUSSI_TRACE_SUFFIX))
        return false;
    plussi_outfile_put(file, &head, sizeof head);
    return true;
}

void plussi_trace_section_put(plussi_outfile *file, const plussi_trace_section *head,
                              const void *entries)
{
    plussi_outfile_put(file, head, sizeof *head);
    plussi_outfile_put(file, entries, head->n * head->size);
}

/* ---- that of the process -----------------------------------------------------------------------
 */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    plussi_outfile file;
    bool tried, ended;
    bool asked[2], wanted[2]; /* by plussi_sidecar_of */
} own;

static void open_own(const char *path)
{
    if (!own.tried && !plussi_sidecar_open(&own.file, path))
        plussi_tell("%s" PLUSSI_TRACE_SUFFIX " cannot be written: %s", path,
                    strerror(own.file.error));
    own.tried = true;
}

bool plussi_sidecar_enabled(plussi_sidecar_of what)
{
    static const char *const variable[] = {"PLUSS_INTERLEAVE", "PLUSS_STAMPS"};
    pthread_mutex_lock(&lock);
    if (!own.asked[what]) {
        char *path = plussi_record_path();
        const char *how = path ? getenv(variable[what]) : NULL;
        own.asked[what] = true;
        own.wanted[what] = how && strcmp(how, "tsc") == 0;
        if (own.wanted[what])
            open_own(path);
        else if (how && *how)
            plussi_tell("%s=%s is not understood: it is left out of %s" PLUSSI_TRACE_SUFFIX,
                        variable[what], how, path);
        plussi_free(&plussi_own, path);
    }
    bool wants = own.wanted[what] && own.file.sink && !own.ended;
    pthread_mutex_unlock(&lock);
    return wants;
}

void plussi_sidecar_put(const plussi_trace_section *head, const void *entries)
{
    pthread_mutex_lock(&lock);
    if (!own.ended)
        plussi_trace_section_put(&own.file, head, entries);
    pthread_mutex_unlock(&lock);
}

void plussi_sidecar_run(uint32_t run, uint32_t team, uint64_t from, plussi_run_entry entry)
{
    plussi_trace_section head = {PLUSSI_SECTION_RUN, sizeof entry, 1, run, team, from,
                                 plussi_ticks()};
    plussi_sidecar_put(&head, &entry);
}

plussi_outfile plussi_sidecar_take(void)
{
    pthread_mutex_lock(&lock);
    plussi_outfile file = own.file.sink ? own.file : (plussi_outfile){0};
    own.ended = true;
    pthread_mutex_unlock(&lock);
    return file;
}

void plussi_sidecar_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    plussi_outfile_drop(&own.file);
    memset(&own, 0, sizeof own);
}
