/* SPDX-License-Identifier: GPL-3.0-or-later */
// Members and functions that another unit's loops call.
#include "field.hh"

namespace physics
{

Field::Field(std::size_t rows, std::size_t columns) : data(rows * columns), height(rows), width(columns) {}
Field::~Field() = default;

double &Field::operator()(std::size_t i, std::size_t j)
{
    return data[i * width + j];
}

const double &Field::at(std::size_t i, std::size_t j) const
{
    return data[i * width + j];
}

std::size_t Field::rows() const
{
    return height;
}

double Field::sum_row(std::size_t i) const
{
    double sum = 0;
    for (std::size_t j = 0; j < width; j++)
        sum += at(i, j);
    return sum;
}

Pair &Pair::operator+=(const Pair &other)
{
    first += other.first;
    second += other.second;
    return *this;
}

Pair mix(Pair a, const Pair &b)
{
    a += b;
    return a;
}

double halves(const double *from, std::size_t i)
{
    return twice(from, i) + twice(from, i + 1);
}

} // namespace physics
