! SPDX-License-Identifier: GPL-3.0-or-later
! A procedure changes neither the counter of a loop around its call nor what it may only read; the counter of a `do while' it may.
subroutine counters(a, b, n)
  implicit none
  integer, intent(in) :: n
  integer :: i, j, level
  real(8) :: a(n, n), b(n)
  interface
    subroutine only_read(which)
      integer, intent(in) :: which
    end subroutine only_read
  end interface
  do level = 1, n
    call prepare(level)
    !$omp parallel do private(j)
    do i = 1, n
      call seen(i)
      do j = n, 1, -2
        call used(j, i)
        a(j, i) = b(level)
      end do
    end do
  end do
  level = n / 2
  call only_read(level)
  !$omp parallel do
  do i = level, n
    b(i) = 0
  end do
  !$omp parallel do private(j)
  do i = 1, n
    j = 1
    do while (j < n)
      call used(j, i)
      a(j, i) = 1
      j = j + 1
    end do
  end do
end subroutine counters

! Counters in modules are in memory.
module counts
  implicit none
  integer :: k, level
end module counts

subroutine global_counters(a, n)
  use counts
  implicit none
  integer :: n, j
  real(8) :: a(n, n)
  do level = 1, 3
    !$omp parallel do private(k)
    do j = 1, n
      do k = 1, n
        call seen(k)
        a(k, j) = level
      end do
    end do
  end do
end subroutine global_counters
