/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For LD_PRELOAD: in executables whose name ends in FAIL_IN, allocation FAIL_AT of a process, from
 * 0, gives no memory: that one alone with FAIL_ONCE, else all from there on. With FAIL_COUNT the
 * number of allocations goes into that file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *ptr, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static atomic_long made;
static long at = -1;
static int once, here;
static pid_t counted;

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("FAIL_IN"), *number = getenv("FAIL_AT");
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0 || !name || (size_t)n < strlen(name))
        return;
    self[n] = '\0';
    here = strcmp(self + n - strlen(name), name) == 0;
    at = here && number ? atol(number) : -1;
    once = getenv("FAIL_ONCE") != NULL;
    counted = getpid();
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_COUNT");
    if (!path || !here || getpid() != counted)
        return;
    char digits[24];
    int used = sizeof digits;
    long n = atomic_load(&made);
    do
        digits[--used] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0 && write(fd, digits + used, sizeof digits - (size_t)used) < 0)
        abort();
}

static int fails(void)
{
    long i = here ? atomic_fetch_add(&made, 1) : 0;
    if (at < 0 || (once ? i != at : i < at))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *ptr, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(ptr, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *room = fails() ? NULL : __libc_memalign(alignment, bytes);
    if (!room)
        return ENOMEM;
    *out = room;
    return 0;
}
