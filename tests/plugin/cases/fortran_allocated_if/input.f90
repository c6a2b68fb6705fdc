! SPDX-License-Identifier: GPL-3.0-or-later
! What is allocated under a condition and used under the same one.
subroutine same(a, b, n, m, more)
  integer, intent(in) :: n, m
  logical, intent(in) :: more
  real(8), intent(inout) :: a(n), b(n)
  real(8), allocatable :: s(:, :), t(:, :)
  integer :: i, j
  !$omp parallel private(s, t, i)
  allocate (s(m, n))
  if (more) allocate (t(m, n))
  !$omp do
  do j = 1, n
    s = 0
    if (more) then
      t = 1
      do i = 1, m
        a(j) = a(j) + t(i, j)
      end do
    end if
    do i = 1, m
      b(j) = b(j) + s(i, j)
    end do
  end do
  !$omp end do
  deallocate (s)
  if (more) deallocate (t)
  !$omp end parallel
end subroutine

! one of two sizes
subroutine either(a, n, m, large)
  integer, intent(in) :: n, m, large
  real(8), intent(inout) :: a(n)
  real(8), allocatable :: t(:)
  integer :: i, j
  !$omp parallel private(t, i)
  if (large > 2) then
    allocate (t(m))
  else
    allocate (t(3))
  end if
  !$omp do
  do j = 1, n
    if (large > 2) then
      t = a(j)
    end if
  end do
  !$omp end parallel
end subroutine

! not described: under other conditions, or one that may have changed
subroutine others(a, n, m, more, most, changed)
  integer, intent(in) :: n, m
  logical, intent(in) :: more, most
  logical, intent(inout) :: changed
  real(8), intent(inout) :: a(n)
  real(8), allocatable :: t(:), u(:)
  integer :: i, j
  !$omp parallel private(t, u, i)
  if (more) allocate (t(m))
  if (changed) allocate (u(m))
  !$omp single
  changed = .not. changed
  !$omp end single
  !$omp do
  do j = 1, n
    if (most) then
      t = a(j)
    end if
    if (changed) then
      u = a(j)
    end if
  end do
  !$omp end parallel
end subroutine
