! SPDX-License-Identifier: GPL-3.0-or-later
! Arrays that a time loop exchanges by their pointers.
module fields
  implicit none
  type grid
    real(8), pointer :: now(:, :) => null(), next(:, :) => null()
  end type
  real(8), pointer :: p(:), q(:)
contains
  subroutine local_swap(a, b, n, steps)
    integer, intent(in) :: n, steps
    real(8), target, intent(inout) :: a(n), b(n)
    real(8), pointer :: u(:), v(:), t(:)
    integer :: i, step
    u => a
    v => b
    do step = 1, steps
      !$omp parallel do
      do i = 2, n - 1
        v(i) = 0.5d0 * (u(i - 1) + u(i + 1))
      end do
      t => u
      u => v
      v => t
    end do
  end subroutine
  subroutine module_swap(n, steps)
    integer, intent(in) :: n, steps
    real(8), pointer :: t(:)
    integer :: i, step
    do step = 1, steps
      !$omp parallel do
      do i = 2, n - 1
        q(i) = 0.5d0 * (p(i - 1) + p(i + 1))
      end do
      t => p
      p => q
      q => t
    end do
  end subroutine
  subroutine field_swap(g, n, steps)
    type(grid), intent(inout) :: g
    integer, intent(in) :: n, steps
    real(8), pointer :: t(:, :)
    integer :: i, j, step
    do step = 1, steps
      !$omp parallel do private(i)
      do j = 2, n - 1
        do i = 2, n - 1
          g%next(i, j) = 0.25d0 * (g%now(i - 1, j) + g%now(i + 1, j) + g%now(i, j - 1) + g%now(i, j + 1))
        end do
      end do
      t => g%now
      g%now => g%next
      g%next => t
    end do
  end subroutine
  subroutine moved(n, steps)
    integer, intent(in) :: n, steps
    real(8), allocatable :: a(:), b(:), t(:)
    integer :: i, step
    allocate (a(n), b(n))
    a = 1
    do step = 1, steps
      !$omp parallel do
      do i = 2, n - 1
        b(i) = 0.5d0 * (a(i - 1) + a(i + 1))
      end do
      call move_alloc(a, t)
      call move_alloc(b, a)
      call move_alloc(t, b)
    end do
    print *, sum(a)
  end subroutine
  subroutine bounds_swap(n, steps)
    integer, intent(in) :: n, steps
    real(8), allocatable, target :: a(:), b(:)
    real(8), pointer :: u(:), v(:), t(:)
    integer :: i, step
    allocate (a(n), b(n))
    a = 1
    u(0:) => a
    v(0:) => b
    do step = 1, steps
      !$omp parallel do
      do i = 1, n - 2
        v(i) = 0.5d0 * (u(i - 1) + u(i + 1))
      end do
      t(0:) => u
      u(0:) => v
      v(0:) => t
    end do
    print *, sum(u)
  end subroutine
end module
program main
  use fields
  implicit none
  real(8), target :: a(1000), b(1000)
  type(grid) :: g
  a = 1
  b = 0
  allocate (p(800), q(800), g%now(40, 40), g%next(40, 40))
  p = 2
  g%now = 3
  call local_swap(a, b, 1000, 5)
  call module_swap(800, 4)
  call field_swap(g, 40, 3)
  call moved(600, 3)
  call bounds_swap(500, 4)
  print *, sum(a), sum(p), sum(g%now)
end program
