/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bit fields, unions. */
struct flags {
    unsigned char kind : 3;
    unsigned wide : 20;
    union {
        float f;
        int i;
    } u;
};

void mark(int n, struct flags *s)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        s[i].kind = 1;
        s[i].wide = i;
        s[i].u.f = 1;
        s[i].u.i ^= 1;
    }
}
