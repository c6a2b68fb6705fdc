/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over pointers between constant addresses. */
int a[100];
struct {
    int head;
    short tail[50];
} s;

void between(void)
{
#pragma omp parallel for
    for (int *p = &a[10]; p < &a[90]; p += 2)
        *p = 1;
#pragma omp parallel for
    for (short *p = s.tail; p != &s.tail[50]; p++)
        *p = a[0];
}
