/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A vector that keeps its first N elements inside itself. Polynomials have few terms of few atoms
 * and are created by the thousand: with std::vector, half of the analysis' time went into malloc
 * and free.
 */
#ifndef PLUSSI_PLUGIN_SMALL_H
#define PLUSSI_PLUGIN_SMALL_H

#include "common/gcc-compat.h"

namespace pluss
{

template <class T, unsigned N> class Small
{
  public:
    typedef T value_type;

    Small() : first(inner_room()) {}
    Small(std::initializer_list<T> from) : Small()
    {
        for (const T &x : from)
            push_back(x);
    }
    Small(const Small &o) : Small() { append(o); }
    Small(Small &&o) : Small() { move_from(o); }
    Small &operator=(const Small &o)
    {
        if (this != &o) {
            clear();
            append(o);
        }
        return *this;
    }
    Small &operator=(Small &&o)
    {
        if (this != &o) {
            clear();
            move_from(o);
        }
        return *this;
    }
    ~Small()
    {
        clear();
        if (first != inner_room())
            ::operator delete(first);
    }

    T *begin() { return first; }
    T *end() { return first + n; }
    const T *begin() const { return first; }
    const T *end() const { return first + n; }
    size_t size() const { return n; }
    bool empty() const { return n == 0; }
    T &operator[](size_t i) { return first[i]; }
    const T &operator[](size_t i) const { return first[i]; }

    T &back() { return first[n - 1]; }
    const T &back() const { return first[n - 1]; }

    void push_back(T x)
    {
        if (n == room)
            grow();
        new (first + n) T(std::move(x));
        n++;
    }
    void clear()
    {
        while (n)
            first[--n].~T();
    }
    void erase(T *at)
    {
        for (T *p = at + 1; p < end(); p++)
            p[-1] = std::move(*p);
        first[--n].~T();
    }
    bool operator==(const Small &o) const
    {
        return n == o.n && std::equal(begin(), end(), o.begin());
    }
    bool operator!=(const Small &o) const { return !(*this == o); }

  private:
    T *first;
    unsigned n = 0, room = N;
    alignas(T) char inside[N * sizeof(T)];

    T *inner_room() { return reinterpret_cast<T *>(inside); }
    void append(const Small &o)
    {
        while (room < o.n)
            grow();
        for (; n < o.n; n++)
            new (first + n) T(o.first[n]);
    }
    /* Moves the elements of o here; *this is empty before. */
    void move_from(Small &o)
    {
        if (o.first == o.inner_room()) {
            for (; n < o.n; n++)
                new (first + n) T(std::move(o.first[n]));
            return;
        }
        if (first != inner_room())
            ::operator delete(first);
        first = o.first;
        n = o.n;
        room = o.room;
        o.first = o.inner_room();
        o.n = 0;
        o.room = N;
    }
    void grow()
    {
        T *more = static_cast<T *>(::operator new(2 * room * sizeof(T)));
        for (unsigned i = 0; i < n; i++) {
            new (more + i) T(std::move(first[i]));
            first[i].~T();
        }
        if (first != inner_room())
            ::operator delete(first);
        first = more;
        room *= 2;
    }
};

} // namespace pluss
#endif
