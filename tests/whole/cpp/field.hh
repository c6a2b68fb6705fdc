/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FIELD_H
#define FIELD_H
#include <cstddef>
#include <vector>

namespace physics
{

class Field
{
  public:
    Field(std::size_t rows, std::size_t columns);
    ~Field();
    double &operator()(std::size_t i, std::size_t j);
    const double &at(std::size_t i, std::size_t j) const;
    std::size_t rows() const;
    std::size_t columns() const { return width; }
    double sum_row(std::size_t i) const;

  private:
    std::vector<double> data;
    std::size_t height, width;
};

struct Pair {
    float first, second;
    Pair &operator+=(const Pair &other);
};

Pair mix(Pair a, const Pair &b);

template <class T> T twice(const T *from, std::size_t i)
{
    return from[2 * i];
}

double halves(const double *from, std::size_t i);

} // namespace physics
#endif
