/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes may be part of anything, for all that the language says. */
struct image {
    long width, height;
    unsigned char *pixel;
};

void negative(const struct image *from, struct image *to)
{
#pragma omp parallel for
    for (long y = 0; y < from->height; y++)
        for (long x = 0; x < from->width; x++)
            to->pixel[y * to->width + x] = 255 - from->pixel[y * from->width + x];
}

/* Here they are part of the number that is the bound. */
void over_itself(struct image *a)
{
    unsigned char *bytes = (unsigned char *)a;
#pragma omp parallel for
    for (int i = 0; i < 24; i++)
        for (long x = 0; x < a->width; x++)
            bytes[i] = 0;
}

/* A single byte, and a byte as bound. */
void single(long *n, unsigned char *few, unsigned char *a, double *restrict b)
{
#pragma omp parallel for
    for (long i = 0; i < 100; i++) {
        for (long j = 0; j < *n; j++)
            b[j] = 1;
        *a = 1;
    }
#pragma omp parallel for
    for (long i = 0; i < 100; i++) {
        for (long j = 0; j < *few; j++)
            b[j] = 1;
        a[i] = 1;
    }
}
