! SPDX-License-Identifier: GPL-3.0-or-later
! Arrays by descriptors whose subscripts do not begin at 1: where subscript 0 is, is recorded. A POINTER to a section.
program main
  type t
    real(8), allocatable :: u(:,:)
  end type
  type(t) :: g
  real(8), pointer :: p(:,:), q(:)
  real(8), allocatable :: r(:), s(:,:)
  real(8), target :: store(40,40)
  integer :: i, j, n
  n = 9
  allocate(q(-1:30), r(-1:30), g%u(0:20,-2:30), s(-1:n + 3,0:n))
  q = 1
  r = 3
  g%u = 2
  s = 1
  store = 2
  p(-1:, 0:) => store(1:24:2, 3:15)
  call pointers(p, q, n)
  !$omp parallel do
  do j = 0, n
    do i = -1, n
      s(i,j) = g%u(i+1,j) * r(i)
    end do
  end do
  print '(2f12.3)', sum(store), sum(s)
contains
  subroutine pointers(p, q, n)
    real(8), pointer :: p(:,:), q(:)
    integer :: n, i, j
    !$omp parallel do
    do j = 0, n
      do i = -1, n
        p(i,j) = p(i,j) * q(i)
      end do
    end do
  end subroutine
end program
