! SPDX-License-Identifier: GPL-3.0-or-later
! .and. and .or.: at -O0 gfortran evaluates both operands. What is described stops at the first that
! decides, at each level.
module settings
  integer :: first = 2
  logical :: only = .false.
contains
  pure logical function odd(k)
    integer, intent(in) :: k
    odd = mod(k, 2) == 1
  end function
end module

subroutine deciding(a, b, c, n, m, alone)
  use settings
  integer, intent(in) :: n, m
  integer :: i, a(n), b(n), c(n)
  logical :: alone, both, either
  either = .false.
  !$omp parallel do reduction(.or.: either) private(both)
  do i = 1, n
    either = either .or. a(i) .ne. 7
    either = either .or. (b(i) .ne. 8 .and. a(i) > 2) .or. a(i) == m
    if (i > 3 .and. b(i) < 4 .or. .not. b(i) == i) then
      c(i) = 0
    end if
    both = i > 1 .and. b(i) > 2
    if (both) c(i) = 5
    if (i > m .and. i < m + n) c(i) = 7
    if (.not. (i < m .and. a(i) == 1)) c(i) = c(i) + 1
    if (only .and. first == i) c(i) = 8
    if (odd(i) .and. b(i) == 3) c(i) = 9
    if ((i > m .and. b(i) == 3) .and. i < n) c(i) = 11
    if (i < n .and. (a(i) == 3 .or. b(i) == 3)) c(i) = 10
    either = either .and. alone
  end do
  if (either) a(1) = 0
end subroutine

subroutine equivalent(a, n)
  integer :: n, i, m, k, a(n)
  logical :: other
  equivalence (i, m)
  other = .false.
  i = 4
  !$omp parallel firstprivate(i) reduction(.or.: other)
  other = other .or. i .ne. 4
  !$omp do
  do k = 1, n
    a(k) = i
  end do
  !$omp end parallel
  if (other) a(1) = m
end subroutine

! Either order; and assignments to elements of arrays.
subroutine orders(k, b, c, l, n, m)
  integer :: n, m, j, k(n), c(n)
  logical :: ok, b(n), l(n)
  !$omp parallel do private(ok)
  do j = 1, n
    ok = m < j
    if (k(j) > 1 .and. ok) c(j) = 1
    if (ok .and. k(j) > 1) c(j) = 2
    if (k(j) > 1 .or. ok) c(j) = 3
    if (ok .or. k(j) > 1) c(j) = 4
    if (b(j) .and. ok) c(j) = 5
    if (Ok .AND. b(j)) c(j) = 6 ! ok
    if (j > 2 .and. (ok .and. b(j))) c(j) = 7
    if (k(j) > 1 .or. b(j) .and. ok) c(j) = 8
    if (k(j) > 1 .and. ok .and. b(j)) c(j) = 9
    l(j) = j > 5 .and. b(j)
    l(k(j)) = b(j) .or. ok
    l(k(j)) = ok .or. b(j)
  end do
end subroutine
