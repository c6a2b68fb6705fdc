/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Under -fno-toplevel-reorder data and functions stay in this order, in their sections. */
int before[4] = {1, 2, 3, 4};
void first(int *a)
{
#pragma omp parallel for
    for (int i = 0; i < 4; i++)
        a[i] += before[i];
}
int between[4] = {5, 6, 7, 8};
static const int constant[4] = {1, 1, 1, 1};
__asm__(".globl from_asm\nfrom_asm:");
void second(int *a)
{
#pragma omp parallel for
    for (int i = 0; i < 4; i++)
        a[i] += between[i] + constant[i];
}
int after[4] = {9, 10, 11, 12};

int main(void)
{
    first(between);
    second(after);
    return after[3] == 12 + 12 + 1 ? 0 : 1;
}
