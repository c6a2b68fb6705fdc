! A module and an external procedure that another unit's loops call.
module physics
  implicit none
  integer, parameter :: levels = 20
  real(8) :: rate(levels) = 0.5d0
  integer :: margin = 1
contains
  subroutine column(t, q, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: t(levels)
    real(8), intent(in) :: q(levels)
    integer :: k
    do k = 1 + margin, n
      t(k) = t(k) + rate(k) * q(k - 1)
    end do
  end subroutine column

  pure real(8) function blend(a, b)
    real(8), intent(in) :: a, b
    blend = 0.25d0 * a + 0.75d0 * b
  end function blend

  pure integer function wrap(i, n)
    integer, intent(in) :: i, n
    wrap = modulo(i - 1, n) + 1
  end function wrap
end module physics

subroutine scale_block(a, lda, n, factor)
  implicit none
  integer, intent(in) :: lda, n
  real(8), intent(inout) :: a(lda, *)
  real(8), intent(in) :: factor
  integer :: i, j
  do j = 1, 4
    do i = 1, n
      a(i, j) = factor * a(i, j)
    end do
  end do
end subroutine scale_block
