/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Serial code before the region loads from the array on which the region's subscripts depend, and
   calls what may change it: the region depends on what is there when it begins. */
void next_place(long at[3], long i);
long triplets(long *restrict to, const long *map, long n)
{
    long number = 0, at[3];
    for (long i = 0; i < n; i++)
        if (map[i] == i) {
            next_place(at, i);
            if (map[at[0]] < i)
                to[i] = map[at[0]];
            else
                number++;
        }
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        if (map[i] != i)
            to[i] = map[i] + 1;
    return number;
}
