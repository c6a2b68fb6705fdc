! SPDX-License-Identifier: GPL-3.0-or-later
! An array that each iteration allocates for itself, and one that a serial loop does: the descriptor
! in memory holds what was stored last.
subroutine each(n, b)
  integer :: n, i, j
  real(8) :: b(n)
  real(8), allocatable :: a(:)
  !$omp parallel do private(a, j)
  do i = 1, n
    allocate (a(16))
    do j = 1, 16
      a(j) = b(i)
    end do
    deallocate (a)
  end do
end subroutine

subroutine serial(n, m)
  integer :: n, m, i, k
  real(8), allocatable :: a(:)
  do k = 1, m
    allocate (a(n))
    !$omp parallel do
    do i = 1, n
      a(i) = k
    end do
    deallocate (a)
  end do
end subroutine
