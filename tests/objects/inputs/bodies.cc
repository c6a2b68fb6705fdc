// SPDX-License-Identifier: GPL-3.0-or-later
// Two constructors and two destructors of one source each, by the C++ ABI; names without linkage.
struct Base {
    int b;
};
struct Zeros : virtual Base {
    double *p;
    long n;
    Zeros(double *q, long m);
    ~Zeros();
};
Zeros::Zeros(double *q, long m) : p(q), n(m)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        p[i] = 0;
}
Zeros::~Zeros()
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        p[i] = 1;
}

namespace
{
void hidden(double *p)
{
#pragma omp parallel for
    for (long i = 0; i < 9; i++)
        p[i] += 1;
}
} // namespace

struct Five : Zeros {
    Five(double *q) : Zeros(q, 5) {}
};

int main()
{
    double x[9];
    Zeros zeros(x, 9);
    Five five(x);
    hidden(x);
    auto twos = [&](int k) {
#pragma omp parallel for
        for (long i = 0; i < k; i++)
            x[i] = 2;
    };
    twos(4);
    return x[3] == 2 && x[4] == 1 ? 0 : 1;
}
