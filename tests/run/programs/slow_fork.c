/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A fork that comes back to the parent a second late.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

pid_t fork(void)
{
    pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    pid_t child = real();
    struct timespec left = {.tv_sec = 1};
    while (child > 0 && nanosleep(&left, &left) != 0) {
    }
    return child;
}
