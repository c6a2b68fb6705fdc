! SPDX-License-Identifier: GPL-3.0-or-later
!
! The Fortran counterpart of parts.c: allocatable arrays of a main program, whose variables a contained procedure uses, too.
program parts
  implicit none
  integer, parameter :: levels = 6
  integer :: rows, columns, basins, level, basin, i, j
  real(8), allocatable :: velocity(:, :), area(:, :, :), total(:, :, :)
  integer, allocatable :: next(:), mask(:, :, :)
  rows = 70 + command_argument_count()
  columns = 50
  basins = 4
  allocate (velocity(columns, rows), area(columns, rows, levels), total(basins, rows, levels))
  allocate (next(rows * columns), mask(basins, columns, rows))
  do i = 1, rows * columns
    next(i) = mod(i * 2003 + 11, rows * columns) + 1
  end do
  do j = 1, rows
    do i = 1, columns
      area(i, j, :) = 1
      mask(:, i, j) = mod(i, 3)
    end do
  end do
  total = 0
  do level = 1, levels - 1
    velocity(:, :) = read_level(level)
    do basin = 1, basins
      !$omp parallel do schedule(static) private(i)
      do j = 1, rows
        do i = 1, columns
          total(basin, j, level) = total(basin, j, level) - area(i, j, level) * mask(basin, i, j) * velocity(i, j)
        end do
      end do
      !$omp end parallel do
    end do
  end do
  !$omp parallel do schedule(static) private(level)
  do j = 1, rows
    do level = levels - 1, 1, -1
      total(:, j, level) = total(:, j, level + 1) / 2 + total(:, j, level)
    end do
  end do
  !$omp end parallel do
  print *, sum(total)
contains
  function read_level(of)
    integer, intent(in) :: of
    real(8) :: read_level(columns, rows)
    integer :: at, n
    at = of
    do n = 1, rows * columns
      read_level(mod(at - 1, columns) + 1, (at - 1) / columns + 1) = n + of
      at = next(at)
    end do
  end function
end program
