! SPDX-License-Identifier: GPL-3.0-or-later
! Variables of a procedure that contained ones use, too: shared, private, reduced, copied out, as indices and as subscripts.
program main
  implicit none
  integer :: n, i, j, k
  real(8) :: a(1000), b(1000), s, t
  read (*, *) n
  s = 0
!$omp parallel private(t)
!$omp do
  do i = 1, n
    a(i) = i
  end do
!$omp do reduction(+:s) lastprivate(k)
  do i = 1, n
    k = i
    t = a(k)
    s = s + t
    b(k) = s
  end do
!$omp end parallel
  call inside
  print *, s, k
  call shared_by_all
!$omp parallel do
  do i = 1, n
    do j = 1, i
      a(j) = a(j) + b(i)
    end do
  end do
  print *, sum(a)
contains
  subroutine inside
    do i = 1, 3
      n = n / 2 + k
    end do
    t = s + b(3)
  end subroutine
  subroutine shared_by_all
    integer :: m
    m = n - 1
!$omp parallel firstprivate(m)
!$omp do
    do i = 1, m
      b(i) = a(i) + t
    end do
!$omp single
    n = m
!$omp end single
!$omp do
    do i = 1, n
      b(i) = a(n)
    end do
!$omp end parallel
  end subroutine
end program
