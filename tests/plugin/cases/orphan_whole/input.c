/* SPDX-License-Identifier: GPL-3.0-or-later
 * What stands around the worksharing loops of a function that a team executes is executed by the team, and its local
 * variables are each thread's own. */
double h[1000];
int key[1000], out[1000];
void ranks(int n) {
  int own[1000];
  static int all[1000];
#pragma omp master
  for (int i = 0; i < n; i++)
    h[i] = 0;
#pragma omp barrier
  for (int i = 0; i < n; i++)
    own[i] = all[i];
#pragma omp for nowait
  for (int i = 0; i < n; i++)
    out[i] = key[i] + own[i];
  for (int i = 1; i < n; i++)
    own[i] += own[i - 1];
#pragma omp critical
  for (int i = 0; i < n; i++)
    h[i] += own[i];
#pragma omp barrier
}

void before_and_after(int n) {
  h[0] = 1;
#pragma omp sections
  {
#pragma omp section
    h[1] = 1;
#pragma omp section
    h[2] = 1;
  }
  h[3] = 1;
}
