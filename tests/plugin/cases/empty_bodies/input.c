/* SPDX-License-Identifier: GPL-3.0-or-later
 * Constructs with nothing in them. */
int a[9];

void empty_section(void) {
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
      }
#pragma omp section
      ;
#pragma omp section
      a[0] = 1;
    }
  }
}

#define LOOP(name, clauses)                                                                        \
  void name(void) {                                                                                \
    _Pragma("omp parallel") {                                                                      \
      _Pragma(clauses) for (int i = 0; i < 10; i++) for (int j = 0; j < 4; j++);                   \
    }                                                                                              \
    _Pragma("omp parallel for") for (int i = 0; i < 9; i++) a[i]++;                                \
  }
LOOP(plain, "omp for")
LOOP(no_wait, "omp for nowait")
LOOP(dynamic, "omp for schedule(dynamic)")
LOOP(guided, "omp for schedule(guided, 2) nowait")
LOOP(collapsed, "omp for collapse(2)")
LOOP(on_demand, "omp for collapse(2) schedule(dynamic)")
LOOP(simd, "omp for simd schedule(dynamic)")
LOOP(in_order, "omp for ordered schedule(dynamic)")

void nothing(void) {
#pragma omp parallel
  ;
#pragma omp parallel
  {
#pragma omp single
    {
    }
#pragma omp master
    ;
#pragma omp critical
    {
    }
#pragma omp barrier
  }
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 9; i++)
    ;
#pragma omp parallel sections
  {
#pragma omp section
    ;
  }
#pragma omp parallel for
  for (int i = 0; i < 9; i++)
    a[i]++;
}
