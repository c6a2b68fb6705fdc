/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Objects: what malloc gave, in the order of the calls, the variables of the main program, by the
 * symbols of its file, and the first thread's stack. malloc and its kin are glibc's.
 */
#include "tracer/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

enum { MOST = PLUSSI_TRACER_BLOCKS, STACK = PLUSSI_TRACER_STACK };

static plussi_tracer_block allocated[MOST];
static uint32_t n_allocated;
static uint32_t n_counted;  /* smaller ones, too */
static uint32_t n_at_start; /* of those, what shared libraries took before the program's own code */

/* Shared libraries have begun by then, none of the program's constructors has. */
__attribute__((constructor(101))) static void count_those_of_libraries(void)
{
    n_at_start = __atomic_load_n(&n_counted, __ATOMIC_RELAXED);
}

static void *keep(void *memory, size_t bytes)
{
    if (!memory)
        return memory;
    const uint32_t number = __atomic_fetch_add(&n_counted, 1, __ATOMIC_RELAXED);
    if (bytes < PLUSSI_TRACER_LEAST_BYTES)
        return memory;
    uint32_t i = __atomic_fetch_add(&n_allocated, 1, __ATOMIC_RELAXED);
    if (i < MOST) {
        allocated[i].address = (uintptr_t)memory;
        allocated[i].bytes = bytes;
        allocated[i].before = plussi_tracer_count();
        allocated[i].number = number;
    } else {
        __atomic_store_n(&n_allocated, MOST, __ATOMIC_RELAXED); /* the rest is unknown */
    }
    return memory;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

PUBLIC void *malloc(size_t bytes)
{
    return keep(__libc_malloc(bytes), bytes);
}
PUBLIC void *calloc(size_t n, size_t bytes)
{
    return keep(__libc_calloc(n, bytes), n * bytes);
}
PUBLIC void *realloc(void *memory, size_t bytes)
{
    return keep(__libc_realloc(memory, bytes), bytes);
}
PUBLIC void *memalign(size_t alignment, size_t bytes)
{
    return keep(__libc_memalign(alignment, bytes), bytes);
}
PUBLIC void *aligned_alloc(size_t alignment, size_t bytes)
{
    return keep(__libc_memalign(alignment, bytes), bytes);
}
PUBLIC int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
        return EINVAL;
    void *memory = __libc_memalign(alignment, bytes);
    if (!memory)
        return ENOMEM;
    *out = keep(memory, bytes);
    return 0;
}

/* ---- names --------------------------------------------------------------------------------------
 */

enum { MOST_NAMES = 64, MOST_NAME = 64 };

static struct {
    char name[MOST_NAME];
    uint32_t block;
} named[MOST_NAMES];
static uint32_t n_named;

/* Calls the block that begins at the address, the latest of those, so; one that is called something
 * and a second one of that name keep what they have. */
PUBLIC void pluss_trace_name(const void *address, const char *name);
PUBLIC void pluss_trace_name(const void *address, const char *name)
{
    uint32_t block = __atomic_load_n(&n_allocated, __ATOMIC_RELAXED);
    block = block < MOST ? block : MOST;
    while (block > 0 && allocated[block - 1].address != (uintptr_t)address)
        block--;
    uint32_t n = __atomic_load_n(&n_named, __ATOMIC_RELAXED);
    bool is_free = block > 0 && n < MOST_NAMES && strlen(name) < MOST_NAME;
    for (uint32_t i = 0; i < n && is_free; i++)
        is_free = named[i].block != block - 1 && strcmp(named[i].name, name) != 0;
    if (is_free) {
        named[n].block = block - 1;
        strcpy(named[n].name, name);
        __atomic_store_n(&n_named, n + 1, __ATOMIC_RELEASE);
    }
}

static void write_block(FILE *out, uint32_t block)
{
    char name[MOST_NAME];
    uint32_t number;
    const char *word = plussi_tracer_block_name(&allocated[block], n_at_start, &number);
    snprintf(name, sizeof name, "%s%u", word, (unsigned)number);
    for (uint32_t i = 0; i < __atomic_load_n(&n_named, __ATOMIC_ACQUIRE); i++)
        if (named[i].block == block)
            strcpy(name, named[i].name);
    fprintf(out, "0x%lx %lu %s\n", (unsigned long)allocated[block].address,
            (unsigned long)allocated[block].bytes, name);
}

/* ---- the main program --------------------------------------------------------------------------
 */

static int take_first(struct dl_phdr_info *info, size_t size, void *user)
{
    uintptr_t *range = user, lo = UINTPTR_MAX, hi = 0;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD)
            continue;
        lo = from < lo ? from : lo;
        hi = from + p->p_memsz > hi ? from + p->p_memsz : hi;
    }
    range[0] = lo;
    range[1] = hi;
    range[2] = info->dlpi_addr;
    return 1; /* the first is the main program */
}

void plussi_tracer_find_program(uintptr_t *lo, uintptr_t *hi, uintptr_t *moved)
{
    uintptr_t range[3] = {0, 0, 0};
    dl_iterate_phdr(take_first, range);
    *lo = range[0];
    *hi = range[1];
    *moved = range[2];
}

void plussi_tracer_each_symbol(plussi_tracer_symbol_fn take, void *user)
{
    uintptr_t lo, hi, moved;
    struct stat file;
    plussi_tracer_find_program(&lo, &hi, &moved);
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &file) == 0) {
        void *image = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (image != MAP_FAILED) {
            plussi_tracer_read_symbols(image, (size_t)file.st_size, moved, take, user);
            munmap(image, (size_t)file.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
}

static void write_variable(void *out, const char *name, uintptr_t address, size_t bytes, bool code)
{
    if (!code && bytes > 0)
        fprintf(out, "0x%lx %lu %s\n", (unsigned long)address, (unsigned long)bytes, name);
}

extern void *__libc_stack_end;

int plussi_tracer_write_objects(const char *path, uint32_t threads)
{
    uint32_t n = __atomic_load_n(&n_allocated, __ATOMIC_RELAXED);
    FILE *out = fopen(path, "we");
    if (!out)
        return -1;
    n = n < MOST ? n : MOST;
    for (uint32_t i = 0; i < n; i++)
        if (!plussi_tracer_is_unused(allocated, i, n, plussi_tracer_count()))
            write_block(out, i);
    plussi_tracer_each_symbol(write_variable, out);
    fprintf(out, "0x%lx %u stack\n", (unsigned long)((uintptr_t)__libc_stack_end - STACK),
            (unsigned)STACK);
    plussi_tracer_write_sites(out);
    plussi_tracer_write_watches(out, threads);
    return fclose(out);
}
