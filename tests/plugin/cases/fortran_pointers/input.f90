! SPDX-License-Identifier: GPL-3.0-or-later
! POINTER arrays: their elements are `span' bytes apart, and their subscripts begin at any bound.
module fields
  type grid
    real(8), allocatable :: u(:,:)
    real(8), pointer :: p(:,:)
    integer :: nx, ny
  end type
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
  subroutine typed(g)
    type(grid) :: g
    integer :: i, j
    !$omp parallel do collapse(2)
    do j = 1, g%ny
      do i = 1, g%nx
        g%u(i,j) = g%u(i,j) + g%p(i,j)
      end do
    end do
  end subroutine
end module
