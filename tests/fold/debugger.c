/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a debugger does: it passes on the signals of a program that it traces. */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int status, stops = 0;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(argv[argc > 1], argv + 1);
        _exit(127);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, child, 0, stops++ == 0 ? 0 : WSTOPSIG(status));
    return WIFEXITED(status) && stops > 1 ? WEXITSTATUS(status) : 99;
}
