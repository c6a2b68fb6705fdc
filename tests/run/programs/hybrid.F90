! SPDX-License-Identifier: GPL-3.0-or-later
!
! The Fortran counterpart of hybrid.c: a hash table, a branch on real numbers, a list in an array, a procedure that is
! called through a pointer. Arrays are aligned to 32 bytes. With -DORDER it prints each access of the region instead.
#ifdef ORDER
#define SEE(x, letter) call see(loc(x), int(sizeof(x)), letter)
#else
#define SEE(x, letter)
#endif
module state
  implicit none
  integer, parameter :: rows = 60, columns = 12
  real(8), save :: a(columns, rows), b(columns, rows)
  integer, save :: table(1024), values(240), links(240), lists(60)
  abstract interface
    subroutine visiting(n)
      integer, value :: n
    end subroutine
  end interface
  procedure(visiting), pointer, save :: visitor
contains
  subroutine see(place, size, letter)
    integer(8), intent(in) :: place
    integer, intent(in) :: size
    character, intent(in) :: letter
    print '("0 ", i0, " ", i0, " ", a)', place, size, letter
  end subroutine

  subroutine visit(n)
    integer, value :: n
    integer :: depth
    do depth = 1, 3
      SEE(values(n), 'r')
      SEE(values(n), 'w')
      values(n) = values(n) + depth
      SEE(links(n), 'r')
      n = links(n)
      if (n == 0) exit
    end do
  end subroutine

  subroutine work(seed, width)
    integer, intent(in) :: seed, width
    integer :: i, j, place, p
    real(8) :: s
    !$omp parallel do schedule(dynamic, 4) private(j, s, place, p)
    do i = 1, rows
      do j = 1, width
        SEE(b(j, i), 'r')
        s = b(j, i)
        place = 1 + iand(i * 311 + j * 77 + seed, 1023)
        SEE(table(place), 'r')
        SEE(table(place), 'w')
        table(place) = table(place) + 1
        SEE(a(j, i), 'w')
        a(j, i) = s * 2
      end do
      do j = mod(i, columns) + 1, 1, -2
        SEE(a(j, i), 'r')
        if (a(j, i) > 1) then
          SEE(b(j, i), 'w')
          b(j, i) = 0
        end if
      end do
      SEE(lists(i), 'r')
      p = lists(i)
      do while (p /= 0)
        SEE(values(p), 'r')
        SEE(values(p), 'w')
        values(p) = values(p) + 3
        SEE(links(p), 'r')
        p = links(p)
      end do
      if (mod(i, 3) == 0) call visitor(mod(i * 5, 240) + 1)
    end do
  end subroutine
end module

program hybrid
  use state
  implicit none
  integer :: i, k, n
  do i = 1, rows
    do k = 0, mod(i * 7, 5) - 1
      n = mod((i * 4 + k) * 37, 240) + 1
      links(n) = lists(i)
      lists(i) = n
    end do
  end do
  do i = 1, rows
    do k = 1, columns
      b(k, i) = merge(1.5d0, 0.1d0, mod(i + k, 3) /= 0)
    end do
  end do
  visitor => visit
  call work(7, columns)
#ifndef ORDER
  print '(i0, 1x, i0, 1x, f0.2)', sum(values * [(mod(i, 17), i = 1, 240)]), sum(table * [(mod(i, 13), i = 1, 1024)]), sum(b)
#endif
end program
