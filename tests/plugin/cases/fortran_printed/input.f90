! SPDX-License-Identifier: GPL-3.0-or-later
! Loop counters and numbers that are printed are counters and numbers all the same.
subroutine printed(a, n)
  implicit none
  integer :: n, i, j, first
  real(8) :: a(n, n)
  first = n / 4
  print *, 'from', first
  do j = 1, 10
    print *, 'step', j
    !$omp parallel do
    do i = first, n
      a(i, j) = a(i, j) + 1
      if (mod(i, 100) == 0) write (*, *) i, j
    end do
  end do
  !$omp parallel do private(j)
  do i = 1, n
    do j = 1, 4
      print *, i, j
      a(j, i) = 0
    end do
  end do
end subroutine printed
