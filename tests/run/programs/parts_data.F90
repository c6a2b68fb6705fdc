! SPDX-License-Identifier: GPL-3.0-or-later
!
! A parallel construct in a loop over levels, between calls that read: its inner loops are described, but for an array whose
! subscripts are data, in a loop further out. An array that is allocated under a condition is used under the same one. The
! bounds are set again for each level, to the same values.
program parts_data
  implicit none
  integer, parameter :: levels = 4, rows = 40, columns = 30, bins = 24, basins = 3
  real(8), allocatable :: total(:, :, :), heat(:, :, :), per_bin(:, :), heat_of(:, :), speed(:, :)
  integer, allocatable :: bin_of(:, :), mask(:, :, :), next(:)
  integer :: n, level, row, column, bin, basin, first, last
  logical :: heats
  heats = HEATS
  n = rows
  allocate (total(basins, bins, rows), heat(basins, bins, rows), speed(columns, rows), next(rows*columns))
  allocate (bin_of(columns, rows), mask(basins, columns, rows))
  do row = 1, rows*columns
    next(row) = mod(row*2003 + 11, rows*columns) + 1
  end do
  total = 0
  heat = 0
  mask = 1
  speed = 1
  bin_of = 1
  do level = 1, levels
    call read_level(speed, bin_of)
    if (n > 1) then
      first = 2
      last = n - 1
    else
      first = 1
      last = 1
    end if
    !$omp parallel private(per_bin, heat_of, bin)
    allocate (per_bin(bins, columns))
    if (heats) allocate (heat_of(bins, columns))
    !$omp do schedule(static)
    do row = first, last
      per_bin = 0
      do column = 1, columns
        bin = bin_of(column, row)
        per_bin(bin, column) = per_bin(bin, column) + speed(column, row)
      end do
      if (heats) then
        heat_of = 0
        do column = 1, columns
          heat_of(bin_of(column, row), column) = speed(column, row)
        end do
      end if
      do basin = 1, basins
        do bin = 1, bins
          do column = 1, columns
            total(basin, bin, row) = total(basin, bin, row) + per_bin(bin, column)*mask(basin, column, row)
          end do
        end do
      end do
      if (heats) then
        do basin = 1, basins
          do bin = 1, bins
            do column = 1, columns
              heat(basin, bin, row) = heat(basin, bin, row) + heat_of(bin, column)
            end do
          end do
        end do
      end if
    end do
    !$omp end do
    deallocate (per_bin)
    if (heats) deallocate (heat_of)
    !$omp end parallel
  end do
  print *, sum(total), sum(heat)
contains
  subroutine read_level(speed, bin_of)
    real(8), intent(inout) :: speed(columns, rows)
    integer, intent(inout) :: bin_of(columns, rows)
    integer :: at, k
    at = level
    do k = 1, rows*columns
      speed(mod(at - 1, columns) + 1, (at - 1)/columns + 1) = k
      bin_of(mod(at - 1, columns) + 1, (at - 1)/columns + 1) = mod(at + k, bins) + 1
      at = next(at)
    end do
  end subroutine
end program
