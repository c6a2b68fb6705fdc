/* SPDX-License-Identifier: GPL-3.0-or-later
 * Values that are short in the program and would be very long if they were written out. */
double a[1000];
#define TEN(x) x x x x x x x x x x

void quotients(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int x = i;
    TEN(x = x / 3 + x % 5; x = x / 7 + x % 11;)
    TEN(x = x / 3 + x % 5; x = x / 7 + x % 11;)
    a[x] = 1;
  }
}

void choices(int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int x = i, y = m;
    TEN(x = x > 3 * m ? x / 2 : x + 1; if (x > y) y = x - y; else x = y - 2 * x;)
    a[x] = 1;
    a[y] = 1;
  }
}

void powers(int n, long p, long q, long r) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    long x = i + p + q + r;
    TEN(x = x * x;)
    a[x] = 1;
  }
}
