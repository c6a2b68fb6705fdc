/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops from whose bodies no way leads to the function's end are not dropped in silence. */
extern void stop(void) __attribute__((noreturn));
double a[100];

void never_ends(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 2834; i++)
        for (;;)
            ;
}

void does_not_return(void)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < 100; i++)
            a[i] = 0;
#pragma omp for
        for (int i = 0; i < 2834; i++)
            stop();
    }
}
