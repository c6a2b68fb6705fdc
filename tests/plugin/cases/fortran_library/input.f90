! SPDX-License-Identifier: GPL-3.0-or-later
! Output, clocks and procedures change neither bounds nor variables that they do not get to change.
subroutine output(n, a, b)
  implicit none
  integer :: n, i, t0
  real(8) :: a(n, n), b(n), x
  call system_clock(t0)
!$omp parallel
!$omp do
  do i = 1, n
    if (n > 1000) write (*, *) 'row', i, n, b(i)
    a(:, i) = b
  end do
!$omp single
  call cpu_time(x)
  print *, n, x
!$omp end single
!$omp do
  do i = 1, n
    a(:, i) = 0
    b(i) = 0
  end do
!$omp end parallel
  b = 0
  a = 0
!$omp parallel do
  do i = 1, n
    b(i) = 1
  end do
end subroutine

subroutine procedures(n, m, k, a)
  implicit none
  interface
    subroutine reads(n)
      integer, intent(in) :: n
    end subroutine
  end interface
  integer, target :: k
  integer, pointer :: p
  integer :: n, m, i, j
  real(8) :: a(n)
  p => k
  do j = 1, 10
    call reads(n)
    call other(a)
    call changes(m)
!$omp parallel do
    do i = 1, n
      a(i) = 0
    end do
!$omp parallel do
    do i = 1, m
      a(i) = 1
    end do
!$omp parallel do
    do i = 1, k
      a(i) = 2
    end do
  end do
end subroutine

program main
  implicit none
  integer :: n, i, j
  real(8) :: a(1000)
  read (*, *) n
  do j = 1, 3
    call elsewhere(a)
!$omp parallel do
    do i = 1, n
      a(i) = 0
    end do
    if (j == 2) call inside
!$omp parallel do
    do i = 1, n
      a(i) = 1
    end do
  end do
contains
  subroutine inside
    n = n / 2
  end subroutine
end program
