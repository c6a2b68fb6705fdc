! SPDX-License-Identifier: GPL-3.0-or-later
! Arrays of many kinds, whose lower bounds the nest tells, where they are constants and the nest has the dimensions that are
! declared.
module texts
  implicit none
  type field
    real(8), allocatable :: v(:,:)
    real(8) :: w(0:4)
  end type
  type cell
    real(8) :: x, y(0:2)
  end type
  real(8) :: fixed(-3:20, 0:9)
  real(8), allocatable :: everywhere(:,:)
contains
  subroutine assumed_shape(q, r, s, t, nbr, n, lb)
    integer, intent(in) :: n, lb
    real(8) :: q(:,:), r(0:), s(-1:,2:), t(lb:)
    integer, intent(in) :: nbr(:,:)
    integer :: i, j
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        q(i, j) = q(i, j) + r(i - 1) + s(i - 2, j + 1)
      end do
    end do
    !$omp parallel do
    do i = lb, n
      t(i) = 1
    end do
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, 3
        r(j) = r(j) + r(nbr(i, j))
      end do
    end do
  end subroutine
  subroutine explicit_shape(a, b, c, d, x, n, m, lb)
    integer, intent(in) :: n, m, lb
    real(8) :: a(n, -1:m), b(0:n-1), c(lb:n, m), d(0:n, *), x(-1:*)
    integer :: i, j
    !$omp parallel do private(i)
    do j = 1, m
      do i = 1, n
        a(i, j) = a(i, j - 1) + b(i - 1) + d(i, j) + x(i)
      end do
    end do
    !$omp parallel do private(i)
    do j = 1, m
      do i = lb, n
        c(i, j) = 2
      end do
    end do
  end subroutine
  ! Rows of twice the length would do, too, and are not the declared ones.
  subroutine other_rows(e, f, n)
    integer, intent(in) :: n
    real(8) :: e(n, 2 * n), f(-1:4*n)
    integer :: i, j
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        e(i, 2 * j) = f(2 * i) + f((j - 1) * n + i)
      end do
    end do
  end subroutine
  subroutine of_fixed_size(n)
    integer, intent(in) :: n
    real(8), save :: v(-5:100), u(50)
    complex(8), save :: z(0:9, 10)
    character(len=8), save :: s(3:20)
    character(len=8), allocatable, save :: l(:)
    type(cell), save :: cells(2:30)
    real(8) :: cm(0:9, 10), cv(100), e1(0:99), e2(10, 10)
    common /blk/ cm, cv
    equivalence (e1, e2)
    save e1
    integer :: i, j
    !$omp parallel do private(i)
    do j = 1, 10
      do i = 0, 9
        z(i, j) = z(i, j) * (0, 1)
        fixed(i, j - 1) = v(i - 5) + u(i + 1)
        cm(i, j) = cv(i + 1)
        e2(i + 1, j) = e1(i)
      end do
    end do
    !$omp parallel do
    do i = 3, 20
      s(i)(2:2) = 'a'
      l(i)(2:2) = s(i)(3:3)
    end do
    !$omp parallel do
    do i = 2, 30
      cells(i)%x = cells(i)%x + 1
      cells(i)%y(0) = 1
    end do
  end subroutine
  subroutine automatic(n)
    integer, intent(in) :: n
    real(8) :: w(0:n, -1:n), v(n)
    integer :: i, j
    !$omp parallel do private(i)
    do j = -1, n
      do i = 0, n
        w(i, j) = i + j
      end do
    end do
    !$omp parallel do
    do i = 1, n
      v(i) = w(i, i)
    end do
    print *, v(n)
  end subroutine
  subroutine by_descriptor(a, f, n)
    integer, intent(in) :: n
    real(8), target, contiguous :: a(:,:)
    type(field) :: f
    real(8), pointer :: p(:,:), q(:)
    real(8), allocatable :: own(:,:)
    integer :: i, j
    p(0:n-1, 1:n) => a
    q(-1:) => a(1, :)
    allocate(own(0:9, -2:9), everywhere(-1:n, n))
    !$omp parallel do private(i)
    do j = 1, n
      do i = 0, n - 1
        p(i, j) = p(i, j) + q(i - 1)
        f%v(i, j) = f%v(i, j) + 1
        everywhere(i, j) = i
      end do
    end do
    !$omp parallel do private(i)
    do j = -2, 9
      do i = 0, 9
        own(i, j) = i
      end do
    end do
    !$omp parallel do
    do i = 0, 4
      f%w(i) = own(i, 0)
    end do
  end subroutine
  subroutine by_sections(a, n)
    integer, intent(in) :: n
    real(8) :: a(0:n, n)
    integer :: i
    !$omp parallel workshare
    a(1:n, 2:n) = 1
    !$omp end parallel workshare
    do concurrent (i = 0:n)
      a(i, 1) = 1
    end do
  end subroutine
end module
