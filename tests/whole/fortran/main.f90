! Loops that call another unit's procedures.
subroutine columns(t, q, n)
  use physics
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: t(levels, n)
  real(8), intent(in) :: q(levels, n)
  integer :: i
  !$omp parallel do
  do i = 1, n
    call column(t(:, i), q(:, i), levels)
  end do
end subroutine columns

subroutine blends(a, b, n)
  use physics
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  real(8), intent(in) :: b(n, n)
  integer :: i, j
  !$omp parallel do collapse(2) schedule(static, 2)
  do j = 1, n
    do i = 1, n
      a(i, j) = blend(b(i, j), b(wrap(i + 1, n), j))
    end do
  end do
end subroutine blends

subroutine blocks(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: j
  !$omp parallel do
  do j = 1, n - 3, 4
    call scale_block(a(1, j), n, n, 2d0)
  end do
end subroutine blocks

program whole
  use physics
  implicit none
  real(8) :: t(levels, 32), q(levels, 32), a(32, 32), b(32, 32)
  t = 1; q = 2; a = 3; b = 4
  call columns(t, q, 32)
  call blends(a, b, 32)
  call blocks(a, 32)
  print *, t(5, 5), a(3, 3)
end program whole
