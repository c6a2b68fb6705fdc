/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value that is chosen in one of sixteen ways: the ways have blocks in common, and each is looked
 * at once. */
void choose(int n, int k, double *x)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int v;
        if (k < 1)
            v = 3;
        else if (k < 4)
            v = 7;
        else if (k < 9)
            v = 10;
        else if (k < 16)
            v = 13;
        else if (k < 25)
            v = 16;
        else if (k < 36)
            v = 19;
        else if (k < 49)
            v = 22;
        else if (k < 64)
            v = 25;
        else if (k < 81)
            v = 28;
        else if (k < 100)
            v = 31;
        else if (k < 121)
            v = 34;
        else if (k < 144)
            v = 37;
        else if (k < 169)
            v = 40;
        else if (k < 196)
            v = 43;
        else if (k < 225)
            v = 46;
        else if (k < 256)
            v = 49;
        else
            v = 0;
        x[i + v] = 0;
    }
}
