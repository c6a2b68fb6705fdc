/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A counter that the team shares: its address becomes that of a field, in each statement anew.
 */
void work(int *out, const int *of, int n)
{
    int next = 0;
#pragma omp parallel shared(next)
    {
        int task = 0;
        while (task < n) {
#pragma omp atomic capture
            {
                task = next;
                next = next + 1;
            }
            if (task < n)
                out[of[task]] = task;
        }
    }
}
