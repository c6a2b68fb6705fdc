! SPDX-License-Identifier: GPL-3.0-or-later
! Arrays whose sizes change from one iteration to the next, or are in an array.
subroutine grows(n, size, x)
  integer, intent(in) :: n, size(n)
  double precision, intent(inout) :: x(n)
  double precision, allocatable :: y(:, :), z(:)
  integer :: i, j, k
  do i = 1, n
    allocate(y(i, 2 * n), z(n * size(n)))
    !$omp parallel do
    do j = 1, 2 * n
      do k = 1, i
        y(k, j) = x(k)
      end do
    end do
    z = 0
    x(i) = y(i, n) + z(i)
    deallocate(y, z)
  end do
end subroutine
