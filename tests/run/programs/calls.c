/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two regions, called in a loop, with values that only the run knows; says its arguments and what it
 * reads; ends as it is told.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double A[48][48], B[48][48], C[48][48];

static void multiply(int n)
{
#pragma omp parallel for schedule(static, 2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
}

static void halve(int n)
{
#pragma omp parallel for schedule(dynamic, 3)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i][j] *= 0.5;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "0";
    char word[64] = "";
    if (strcmp(how, "once") == 0) {
        multiply(24);
        return 0;
    }
    for (int t = 0; t < 3; t++) {
        multiply(24);
        halve(24);
    }
    multiply(40);
    for (int i = 1; i < argc; i++)
        printf("<%s>", argv[i]);
    if (strcmp(how, "read") == 0 && scanf("%63s", word) == 1)
        printf("read %s", word);
    printf("%g\n", C[1][1]);
    fflush(stdout);
    fprintf(stderr, "to stderr\n");
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "wait") == 0)
        pause();
    return atoi(how);
}
