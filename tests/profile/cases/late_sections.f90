! SPDX-License-Identifier: GPL-3.0-or-later
! Pointers to sections that are set after the region has begun: where subscript 0 of them is, and the bounds of one that has two dimensions.
module fields
  type field
    real(8), pointer :: u(:, :), w(:)
    integer :: n
  end type
contains
  subroutine sweep(f)
    type(field), intent(inout) :: f
    real(8), pointer :: s(:), q(:, :)
    integer :: i, j
!$omp parallel do private(i)
    do j = 1, f%n
      do i = 1, f%n
        f%u(i, j) = i + j
      end do
    end do
    s => f%u(2:, 3)
!$omp parallel do
    do i = 1, f%n - 1
      s(i) = 1
    end do
    q(0:3, 1:f%n) => f%w(1:4 * f%n)
!$omp parallel do private(i)
    do j = 1, f%n
      do i = 0, 3
        q(i, j) = q(i, j) + 1
      end do
    end do
  end subroutine
end module
program main
  use fields
  type(field) :: f
  f%n = 20
  allocate(f%u(20, 20), f%w(80))
  f%w = 0
  call sweep(f)
  print *, sum(f%u) + sum(f%w)
end program
