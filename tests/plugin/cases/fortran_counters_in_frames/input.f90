! SPDX-License-Identifier: GPL-3.0-or-later
! Counters of loops, and sizes, that an internal procedure uses, too, so that they are in memory: what is called may not
! change counters; sizes keep their names where they are passed to what is put in line.
program frames
  implicit none
  integer :: it, k, j, i, n
  real(8), allocatable :: e(:, :, :), v(:, :), d(:, :)
  n = 10 + command_argument_count()
  allocate (e(n, n, n), v(n, n), d(n, n))
  do it = 1, 2
    do k = 1, n
      call get(k, it, v)
      v(:, :) = doubled(v, n)
      !$omp parallel do
      do j = k, n
        do i = 1, k
          d(j, k) = d(j, k) + e(i, j, k) * v(i, it)
        end do
      end do
    end do
    !$omp parallel do
    do j = 1, n
      do k = n - 1, 1, -1
        d(j, k) = d(j, k) + d(j, k + 1)
      end do
    end do
  end do
  ! in loops that are left, the counter has a value after them
  do k = 1, n
    if (d(1, k) > 0) exit
  end do
  !$omp parallel do
  do j = 1, n
    d(j, k) = 0
  end do
  call inner
contains
  subroutine inner
    k = 3
    it = 2
    call get(k, it, v)
    call set(n)
  end subroutine
  function doubled(a, m)
    integer, intent(in) :: m
    real(8) :: a(m, m), doubled(m, m)
    doubled = 2 * a
  end function
end program
