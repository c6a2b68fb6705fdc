/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The C++ counterpart of hybrid.c: matrices with operator(), references, a hash table of a template, a chain of nodes, a
 * virtual function. With -DORDER it prints each access of the region instead. */
#include <cstdio>

enum { ROWS = 60, COLUMNS = 12, TABLE = 1024 };

#ifdef ORDER
static bool watched;
#define SEE(x, letter)                                                                             \
    (watched ? (void)std::printf("0 %lu %zu " letter "\n", (unsigned long)&(x), sizeof(x)) : (void)0)
#else
#define SEE(x, letter) ((void)0)
#endif
#define GET(x) (SEE(x, "r"), (x))
#define PUT(x, value) (SEE(x, "w"), (x) = (value))

template <class T, int WIDTH> class Matrix
{
  public:
    T &operator()(int i, int j) { return at[i][j]; }
    const T &operator()(int i, int j) const { return at[i][j]; }

  private:
    alignas(64) T at[ROWS][WIDTH];
};

template <class Key> class Counts
{
  public:
    void add(Key key)
    {
        unsigned &n = slots[(key * 2654435761u) >> 22];
        PUT(n, GET(n) + 1);
    }
    unsigned operator[](int i) const { return slots[i]; }

  private:
    alignas(64) unsigned slots[TABLE];
};

struct Node {
    Node *next;
    long value;
};

struct Visitor {
    virtual void visit(Node *n, int depth) const = 0;
    virtual ~Visitor() = default;
};
struct Adder : Visitor {
    void visit(Node *n, int depth) const override
    {
        for (; depth > 0 && n; depth--) {
            PUT(n->value, GET(n->value) + depth);
            n = GET(n->next);
        }
    }
};

static Matrix<double, COLUMNS> a, b;
static Counts<unsigned> counts;
alignas(64) static Node nodes[ROWS * 4], *lists[ROWS];

static __attribute__((noinline)) void work(unsigned seed, int columns, const Visitor &visitor)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < columns; j++) {
            double s = GET(b(i, j));
            counts.add(i * 31u + j + seed);
            PUT(a(i, j), s * 2);
        }
        for (int j = i % COLUMNS; j >= 0; j -= 2)
            if (GET(a(i, j)) > 1)
                PUT(b(i, j), 0);
        for (Node *p = GET(lists[i]); p; p = GET(p->next))
            PUT(p->value, GET(p->value) + 3);
        if (i % 3 == 0)
            visitor.visit(&nodes[i * 5 % (ROWS * 4)], i % 7);
    }
}

int main()
{
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < i * 7 % 5; k++) {
            Node *n = &nodes[(i * 4 + k) * 37 % (ROWS * 4)];
            n->next = lists[i];
            lists[i] = n;
        }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            b(i, j) = (i + j) % 3 ? 1.5 : 0.1;
#ifdef ORDER
    watched = true;
#endif
    work(7, COLUMNS, Adder());
    long sum = 0;
    for (int i = 0; i < ROWS * 4; i++)
        sum += nodes[i].value * (i % 17);
    for (int i = 0; i < TABLE; i++)
        sum += counts[i] * (i % 13);
#ifndef ORDER
    std::printf("%ld\n", sum);
#endif
}
