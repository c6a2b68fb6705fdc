/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The C++ counterpart of parts.c: vectors, a member function, and an exception that leaves it.
 */
#include <cstdio>
#include <stdexcept>
#include <vector>

static const int levels = 6, rows = 70, columns = 50, basins = 4;

struct Model {
    std::vector<double> velocity, area, sum;
    std::vector<int> next, mask;
    Model();
    int read_level(int level);
    double add_up(int last, int n);
};

Model::Model()
    : velocity(rows * columns), area(levels * rows * columns), sum(basins * levels * rows),
      next(rows * columns), mask(basins * rows * columns)
{
    for (int i = 0; i < rows * columns; i++) {
        next[i] = (i * 2003 + 11) % (rows * columns);
        area[i] = 1;
        mask[i] = i % 3;
    }
}

__attribute__((noinline)) int Model::read_level(int level)
{
    if (level == levels)
        throw std::runtime_error("no more levels");
    int n = 0;
    for (int at = level; at >= 0 && n < rows * columns; at = next[at], n++)
        velocity[at] = level + n;
    return n;
}

double Model::add_up(int last, int n)
{
    double *s = sum.data();
    const double *v = velocity.data(), *a = area.data();
    const int *m = mask.data();
    for (int level = 0; level < last; level++) {
        if (read_level(level) < columns)
            break;
        for (int basin = 0; basin < basins; basin++) {
#pragma omp parallel for schedule(static)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < columns; j++)
                    s[(basin * levels + level) * rows + i] -=
                        a[(level * rows + i) * columns + j] * m[(basin * rows + i) * columns + j] *
                        v[i * columns + j];
        }
    }
    return s[rows];
}

int main()
{
    Model model;
    double all = model.add_up(levels - 1, rows);
    try {
        model.add_up(levels + 1, rows);
    } catch (const std::runtime_error &) {
        all += model.add_up(2, rows);
    }
    std::printf("%g\n", all);
}
