// SPDX-License-Identifier: GPL-3.0-or-later
// A pointer that is passed may be null: what is done then has its place, too.
struct Table {
    int n;
    double *values, *sums;
    void fill(const double *from);
};

void Table::fill(const double *from)
{
    if (!from) {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            values[i] = 0;
        return;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        values[i] = from[i];
}
