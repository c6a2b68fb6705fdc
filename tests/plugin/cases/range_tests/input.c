/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of one value: where GCC optimises, its front end makes one unsigned comparison of each. */
double a[1000], b[1000];
enum kind { NONE, FIRST, SECOND, THIRD };

void loop(int n)
{
#pragma omp parallel for
    for (int i = -10; i < n; i++) {
        if (i >= 0 && i < 20) /* not i <= 19: i begins below 0 */
            a[i] = 1;
        if (i > 3 && i <= 15)
            a[i] = 2;
        if (15 >= i && i >= 4)
            a[i] = 3;
        if (i >= -5 && i < 20)
            b[i + 5] = 4;
        if (i < -2 || i > 20)
            b[i + 10] = 5;
        if (i > 20 || i < 0)
            b[i + 10] = 6;
        if (i == 3 || i == 4)
            a[i] = 7;
        if (i == 5 || i == 3 || i == 4)
            a[i] = 8;
        if (i != 3 && i != 4)
            b[i + 10] = 9;
        if (i == -1 || i == 0)
            b[i + 10] = 10;
        if (i == 3 || i == 5)
            a[i] = 11;
        if (i > 3 && i > 5)
            a[i] = 12;
        if ((unsigned)i < 30)
            a[i] = 13;
    }
}

void invariant(int n, int x, unsigned u, long l, char c, unsigned char h, enum kind k, short s)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (i >= 0 && i < 100)
            a[i] = 1;
        if (x > 0 && x <= 127)
            a[i] = 2;
        if (u > 0 && u <= 127)
            a[i] = 3;
        if (u > 31 && u != 4294967295u)
            a[i] = 4;
        if (u == 0 || u == 1)
            a[i] = 5;
        if (l >= 5 && l < 100)
            a[i] = 6;
        if (c >= '0' && c <= '9')
            a[i] = 7;
        if (h >= '0' && h <= '9')
            a[i] = 8;
        if (k == FIRST || k == SECOND)
            a[i] = 9;
        if (k != NONE && k != THIRD)
            a[i] = 10;
        if (s < 3 || s > 7)
            a[i] = 11;
        if (x > 2 && x != 9 && u > 1)
            a[i] = 12;
        if (!(x > 2 && x < 9))
            a[i] = 13;
    }
}

/* The compiler makes 7u - i <= 3u of them. */
void quotients(int n, int *a)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if ((20 - i) / 4 == 3)
            a[i] = 1;
        if ((30 - i) / 5 != 7)
            a[i] = 2;
    }
}
