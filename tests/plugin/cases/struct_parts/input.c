/* SPDX-License-Identifier: GPL-3.0-or-later
 * Values that are loaded from parts of an element: each part is a value of its own. */
typedef struct { int lo, hi; double w; } row;
void rows(int n, const row *r, double *q) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = r[i].lo; k < r[i].hi; k++)
      q[k - r[i].lo] += r[i].w;
}

typedef struct { double *a, *b; int n; } pointers;
void fields_of_pointers(int n, pointers *t) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 8; k++)
      t[i].a[k] += t[i].b[k];
}

struct bits { unsigned p : 3, q : 5; int v; };
void bits_of_one_byte(int n, struct bits *s, double *x) {
#pragma omp parallel for
  for (int i = 0; i < s->p; i++)
    for (int k = s->q; k < s[i].v; k++)
      x[i + k] = 1;
}
void bits_of_elements(int n, struct bits *s, double *x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = s[i].p; k < s[i].q; k++)
      x[i + k] = 1;
}

void complex_parts(int n, _Complex int *z, double *x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = __real__ z[i]; k < __imag__ z[i]; k++)
      x[i + k] = 1;
}

#pragma pack(1)
typedef struct { char c; int lo, hi; } packed;
#pragma pack()
void packed_fields(int n, packed *s, double *x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = s[i].lo; k < s[i].hi; k++)
      x[i + k] = 1;
}

typedef struct { int v[2][2]; struct { short a, b; } w; union { int i; unsigned char c[4]; } u; } mixed;
void arrays_and_unions(int n, mixed *s, double *restrict x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int k = s[i].v[0][1]; k < s[i].v[1][0]; k++)
      x[i + k] = 1;
    for (int k = s[i].w.a; k < s[i].w.b; k++)
      x[i + k] = 1;
    for (int k = s[i].u.i; k < s[i].u.c[1]; k++)
      x[i + k] = 1;
  }
}

void halves(int n, int *s, double *restrict x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int k = *(short *)(s + i); k < *((short *)(s + i) + 1); k++)
      x[i + k] = 1;
}
