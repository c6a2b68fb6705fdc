// SPDX-License-Identifier: GPL-3.0-or-later
//
// As mixed.c, with containers, a class, and a method that is called on two objects.
#include <cstdio>
#include <vector>

enum { N = 20000, LISTS = 64 };

class Field
{
  public:
    explicit Field(double by) : a(N), b(N)
    {
        for (int i = 0; i < N; i++) {
            a[i] = i * by;
            b[i] = 2 * i;
        }
    }
    void scale(double by)
    {
        double *to = a.data();
        const double *from = b.data();
#pragma omp parallel for schedule(static)
        for (int i = 0; i < N; i++)
            to[i] = to[i] * by + from[i];
    }
    double follow(const std::vector<int> &next, int first) const
    {
        double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int list = 0; list < LISTS; list++)
            for (int at = first + list, n = 0; at >= 0 && n < 100; at = next[at], n++)
                sum += a[at];
        return sum;
    }

  private:
    std::vector<double> a, b;
};

int main()
{
    double sum = 0;
    Field one(1), two(.5);
    std::vector<int> next(N);
    for (int i = 0; i < N; i++)
        next[i] = (i * 7919 + 13) % N;
    for (int time = 0; time < 6; time++) {
        (time % 3 ? one : two).scale(.5);
        sum += one.follow(next, time * 100);
    }
    std::printf("%g\n", sum);
    return 0;
}
