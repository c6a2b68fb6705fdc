// SPDX-License-Identifier: GPL-3.0-or-later
// Members in clauses: of the class, of a base, of a virtual base. The members themselves are accessed where values go in and out.
struct Base {
    int r;
};
struct Shared {
    virtual ~Shared();
    int t;
};
struct All : public Base, virtual public Shared {
    int a;
    void clauses();
};
int d[64];

void All::clauses()
{
    r = 0;
#pragma omp parallel for private(a) reduction(+ : Base::r)
    for (a = 0; a < 31; a += 2)
        r += d[All::a];
#pragma omp parallel for lastprivate(t)
    for (Shared::t = 0; t < 32; t += 3)
        d[Shared::t + 2]++;
#pragma omp parallel for firstprivate(a)
    for (int i = 0; i < 64; i++)
        d[i] = a;
}
