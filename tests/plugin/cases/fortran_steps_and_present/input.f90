! Steps that are variables, of either sign; optional arguments; a section's pointer that is set after the first parallel region.
subroutine steps(a, n, s, first, last, by)
  integer, intent(in) :: n, s, first, last, by
  real(8) :: a(n, n)
  integer :: i, j
!$omp parallel do
  do i = n, 1, -s
    a(i, 1) = 1
  end do
!$omp parallel do private(i)
  do j = 1, n
    do i = first, last, by
      a(i, j) = a(i, j) + 1
    end do
  end do
end subroutine
subroutine optional_arguments(a, n, b, factor)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  real(8), intent(in), optional :: b(n), factor
  integer :: i
  if (present(b)) then
!$omp parallel do
    do i = 1, n
      a(i) = a(i) + b(i)
    end do
  end if
!$omp parallel do
  do i = 1, n
    if (present(factor)) a(i) = a(i) * factor
  end do
end subroutine
