/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

static uint32_t count_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int n = hwloc_get_nbobjs_by_type(topology, type);
    return n > 0 ? (uint32_t)n : 0;
}

/* Caches of one level and kind count as one kind of cache where they are alike. */
static void add_cache(cli_machine *machine, const cli_cache *cache)
{
    for (size_t i = 0; i < machine->n_caches; i++) {
        cli_cache *old = &machine->cache[i];
        if (strcmp(old->label, cache->label) == 0 && old->bytes == cache->bytes &&
            old->shared_by == cache->shared_by) {
            old->count++;
            return;
        }
    }
    machine->cache = cli_grow(machine->cache, machine->n_caches, sizeof *machine->cache);
    machine->cache[machine->n_caches++] = *cache;
}

static int compare_caches(const void *a, const void *b)
{
    const cli_cache *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if ((x->type == 'i') != (y->type == 'i'))
        return x->type == 'i' ? 1 : -1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void read_caches(hwloc_topology_t topology, cli_machine *out)
{
    int depths = hwloc_topology_get_depth(topology);
    for (int depth = 0; depth < depths; depth++) {
        hwloc_obj_t object = NULL;
        while ((object = hwloc_get_next_obj_by_depth(topology, depth, object))) {
            if (!hwloc_obj_type_is_cache(object->type) || object->attr->cache.size == 0)
                continue;
            const struct hwloc_cache_attr_s *attr = &object->attr->cache;
            int shared = object->cpuset ? hwloc_bitmap_weight(object->cpuset) : 0;
            cli_cache cache = {.level = attr->depth,
                               .type = attr->type == HWLOC_OBJ_CACHE_UNIFIED ? 'u'
                                       : attr->type == HWLOC_OBJ_CACHE_DATA  ? 'd'
                                                                             : 'i',
                               .bytes = attr->size,
                               .line_bytes = attr->linesize,
                               .ways = attr->associativity,
                               .shared_by = shared > 0 ? (uint32_t)shared : 0,
                               .count = 1};
            snprintf(cache.label, sizeof cache.label, cache.type == 'u' ? "L%u" : "L%u%c",
                     cache.level, cache.type);
            add_cache(out, &cache);
        }
    }
    if (out->n_caches)
        qsort(out->cache, out->n_caches, sizeof *out->cache, compare_caches);
}

/* The variable by which hwloc is asked for another machine, where it has read this one: it falls
 * back to it without a word where it cannot read what the variable says. NULL: none. */
static const char *find_unread(hwloc_topology_t topology)
{
    static const char *const asks[] = {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE"};
    const char *value;
    if (!hwloc_topology_is_thissystem(topology) || getenv("HWLOC_THISSYSTEM"))
        return NULL;
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        if ((value = getenv(asks[i])) && *value)
            return asks[i];
    return NULL;
}

/* hwloc loads all its plugins, and the libraries of graphics, OpenCL and XML that these need,
 * before it knows what is asked: half of the time of a command. Caches need none; a machine in a
 * file needs that of XML. */
static void skip_plugins(void)
{
    const char *file = getenv("HWLOC_XMLFILE");
    if (!file || !*file)
        (void)setenv("HWLOC_PLUGINS_PATH", "", 0);
}

/* In the child, whose environment this changes. errno says why not. */
static bool load(cli_machine *out)
{
    hwloc_topology_t topology;
    *out = (cli_machine){0};
    skip_plugins();
    if (hwloc_topology_init(&topology) != 0)
        return false;
    hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology) != 0) {
        int error = errno;
        hwloc_topology_destroy(topology);
        errno = error;
        return false;
    }
    const char *unread = find_unread(topology);
    if (unread) {
        fprintf(stderr, "pluss: error: hwloc does not read the machine that %s says\n", unread);
        _exit(CLI_INPUT); /* of the child */
    }
    out->cores = count_of(topology, HWLOC_OBJ_CORE);
    out->processors = count_of(topology, HWLOC_OBJ_PU);
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *cpu = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (cpu) {
        out->cpu = cli_alloc(strlen(cpu) + 1, 1);
        strcpy(out->cpu, cpu);
    }
    read_caches(topology, out);
    hwloc_topology_destroy(topology);
    return true;
}

/* ---- in a process of its own ------------------------------------------------------------------
 *
 * hwloc does not survive a lack of memory; the command does. */

typedef struct message {
    uint32_t cores, processors;
    size_t n_caches, cpu; /* elements and characters that follow */
} message;

static bool put(int to, const void *bytes, size_t n)
{
    for (ssize_t put; n > 0; bytes = (const char *)bytes + put, n -= (size_t)put)
        if ((put = write(to, bytes, n)) < 0 && errno == EINTR)
            put = 0;
        else if (put < 0)
            return false;
    return true;
}

static bool take(int from, void *bytes, size_t n)
{
    for (ssize_t got; n > 0; bytes = (char *)bytes + got, n -= (size_t)got)
        if ((got = read(from, bytes, n)) < 0 && errno == EINTR)
            got = 0;
        else if (got <= 0)
            return false;
    return true;
}

enum { NO_MEMORY = 255 }; /* the child's exit status */

static int tell(int to)
{
    cli_machine machine = {0};
    errno = 0;
    if (!load(&machine))
        return errno == ENOMEM ? NO_MEMORY : CLI_NO;
    message m = {machine.cores, machine.processors, machine.n_caches,
                 machine.cpu ? strlen(machine.cpu) : 0};
    return put(to, &m, sizeof m) && put(to, machine.cache, m.n_caches * sizeof *machine.cache) &&
                   put(to, machine.cpu, m.cpu)
               ? CLI_OK
               : NO_MEMORY;
}

static bool hear(int from, cli_machine *out)
{
    message m;
    if (!take(from, &m, sizeof m))
        return false;
    *out = (cli_machine){.cores = m.cores, .processors = m.processors, .n_caches = m.n_caches};
    out->cache = cli_alloc(m.n_caches, sizeof *out->cache);
    out->cpu = m.cpu ? cli_alloc(m.cpu + 1, 1) : NULL;
    return take(from, out->cache, m.n_caches * sizeof *out->cache) && take(from, out->cpu, m.cpu);
}

bool cli_machine_read(cli_machine *out)
{
    int ends[2], status = 0;
    *out = (cli_machine){0};
    pid_t child = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0)
        _exit(tell(ends[1]));
    if (child < 0)
        cli_no_memory();
    close(ends[1]);
    bool heard = hear(ends[0], out);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == CLI_INPUT) {
        cli_remove_pending();
        exit(CLI_INPUT);
    }
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != CLI_NO && !heard))
        cli_no_memory();
    return heard;
}

void cli_machine_free(cli_machine *machine)
{
    free(machine->cpu);
    free(machine->cache);
    *machine = (cli_machine){0};
}
