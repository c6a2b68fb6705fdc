! SPDX-License-Identifier: GPL-3.0-or-later
! A status of allocate or deallocate, or whether an array is allocated, on which the program leaves:
! its parallel loops are described under the way that goes on.
module kept
  real(8), allocatable :: store(:)
contains
  subroutine with_module_array(n, x)
    integer, intent(in) :: n
    real(8) :: x(n)
    integer :: i, istat
    if (allocated(store)) return
    allocate (store(n), stat=istat)
    if (istat /= 0 .or. n < 2) stop 1
    !$omp parallel do
    do i = 1, n
      x(i) = store(i)
    end do
  end subroutine
end module

subroutine returns(n, x, s)
  integer, intent(in) :: n
  real(8) :: x(n)
  integer :: i, istat, s
  real(8), allocatable :: a(:)
  allocate (a(n), stat=istat)
  if (istat .ne. 0) then
    s = 1
    return
  end if
  !$omp parallel do
  do i = 1, n
    x(i) = a(i)
  end do
  deallocate (a, stat=istat)
  if (istat .ne. 0) then
    s = 2
    return
  end if
  !$omp parallel do
  do i = 1, n
    x(i) = x(i) + 1
  end do
end subroutine

subroutine two_arrays(n, x, s)
  integer, intent(in) :: n
  real(8) :: x(n)
  integer :: i, s
  real(8), allocatable :: a(:), b(:, :)
  allocate (a(n), b((n + 2)**2, n), stat=s)
  if (s == 0) then
    !$omp parallel do
    do i = 1, n
      x(i) = a(i) + b(i, 1)
    end do
    deallocate (a, b, stat=s)
    if (s /= 0) error stop
    !$omp parallel do
    do i = 1, n
      x(i) = 2
    end do
  end if
end subroutine

subroutine of_a_pointer(n, x)
  integer, intent(in) :: n
  real(8) :: x(n)
  integer :: i, istat
  real(8), pointer :: a(:)
  allocate (a(n), stat=istat)
  if (istat /= 0) error stop 2
  !$omp parallel do
  do i = 1, n
    x(i) = a(i)
  end do
  deallocate (a, stat=istat)
  if (istat /= 0) stop
  !$omp parallel do
  do i = 1, n
    x(i) = 0
  end do
end subroutine
