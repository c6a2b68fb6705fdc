/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program that does something to itself between its parallel loops, prints what it computed and
 * ends with status 3. Usage: recorded WHAT [FILE]
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 200000 };
static double a[N], b[N];

static void __attribute__((noinline)) work(int n)
{
#pragma omp parallel for schedule(dynamic, 512) if (n != 77)
    for (int i = 0; i < n; i++)
        a[i] += 0.5 * b[i] + n;
}

/* The room that a run may add to what it has. */
static void limit(int what, rlim_t most)
{
    struct rlimit r = {most, most};
    setrlimit(what, &r);
}

static void own_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    printf("descriptor %d\n", fd);
    if (write(fd, "mine\n", 5) != 5)
        puts("own file cannot be written");
    close(fd);
}

/* Work in a shared library that comes and goes. */
static void borrow(const char *path)
{
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(path, RTLD_NOW);
        void (*lent)(double *, int) =
            library ? (void (*)(double *, int))dlsym(library, "lent") : NULL;
        if (!lent)
            puts("no library");
        else
            lent(a, 1000 + i);
        if (library)
            dlclose(library);
    }
}

static void do_it(const char *what, const char *file)
{
    if (strcmp(what, "nothing") == 0)
        return;
    if (strcmp(what, "chdir") == 0 && chdir("/") != 0)
        puts("no chdir");
    if (strcmp(what, "fork") == 0) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            work(77);
            exit(0);
        }
        waitpid(child, NULL, 0);
    }
    if (strcmp(what, "closeall") == 0) {
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        for (int i = 0; i < 3; i++)
            dup(STDIN_FILENO); /* numbers are used again */
        own_file(file);
    }
    if (strcmp(what, "own") == 0)
        own_file(file);
    if (strcmp(what, "borrow") == 0)
        borrow(file);
    if (strcmp(what, "nofile") == 0)
        limit(RLIMIT_NOFILE, 3);
    if (strcmp(what, "memory") == 0)
        limit(RLIMIT_DATA, 1 << 20);
    if (strcmp(what, "small") == 0)
        limit(RLIMIT_FSIZE, 500);
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "_exit") == 0)
        _exit(3);
    if (strcmp(what, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(what, "exec") == 0)
        execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    work(N / 2);
    work(N);
    do_it(argv[1], argc > 2 ? argv[2] : "");
    for (int i = 0; i < 20; i++)
        work(100 + i % 5);
    printf("%.17g\n", a[1] + a[N - 1]);
    return 3;
}
