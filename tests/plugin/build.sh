# SPDX-License-Identifier: GPL-3.0-or-later
# Part of run.sh: the plugin's options, diagnostics of faulty programs, files without OpenMP, and that
# the library reads what the plugin writes. (Builds, links and paths: tests/objects.)

plain_c=$work/plain.c
cat >"$plain_c" <<'EOF'
double a[100];
void f(int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
EOF
loop_c=$work/loop.c
cat >"$loop_c" <<'EOF'
double a[100], g(int);
void f(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = g(i);
}
EOF
g="-fplugin=$plugin"

sections() { objdump -h "$1" | grep -c '\.pluss\.'; }

gcc "$g" -fopenmp -O2 -c "$plain_c" -o "$work/o.o" 2>"$work/detail"
[ "$(sections "$work/o.o")" = 0 ]
report "a file without parallel loops gets no section" $? "$work/detail"

gcc "$g" -w -O2 -c "$loop_c" -o "$work/o.o" 2>"$work/detail" && [ "$(sections "$work/o.o")" = 0 ] && [ ! -s "$work/detail" ]
report "without -fopenmp nothing happens" $? "$work/detail"

# A mark gives the nest that OpenMP gives. (Columns and the line of the directive apart.)
: >"$work/detail"
for kernel in gemm jacobi-2d cholesky fdtd-2d jacobi_swap nussinov; do
    for directive in 'omp parallel for' 'pluss parallel'; do
        sed "s/#pragma omp parallel for.*/#pragma $directive/" "$root/polybench/$kernel.c" >"$work/$kernel.c"
        flag=-fopenmp
        [ "$directive" = 'pluss parallel' ] && flag=-fno-openmp
        gcc "$g" -w -fplugin-arg-pluss-notes=off -I"$root/polybench" $flag -O0 -c "$work/$kernel.c" -o "$work/o.o" 2>>"$work/detail"
        nests "$work/o.o" | sed 's/ @[0-9]*//' >"$work/nest.$flag"
    done
    grep -q 'parallel for' "$work/nest.-fopenmp" && diff "$work/nest.-fopenmp" "$work/nest.-fno-openmp" >>"$work/detail" || echo "$kernel" >>"$work/detail"
done
[ ! -s "$work/detail" ]
report "marked loops of code without OpenMP: the nests of OpenMP" $? "$work/detail"

cat >"$work/marks.c" <<'EOF'
double a[10];
void f(int n)
{
#pragma pluss parallel(fast)
    for (int i = 0; i < n; i++)
        a[i] = 0;
#pragma pluss parallel(static, 0)
#pragma pluss parallel(static, 4) x
#pragma pluss parallel(
}
EOF
gcc "$g" -fopenmp -c "$work/marks.c" -o "$work/o.o" 2>"$work/detail" && [ "$(grep -c 'takes a schedule' "$work/detail")" = 4 ] && [ "$(sections "$work/o.o")" = 0 ]
report "faulty marks are warned of and ignored" $? "$work/detail"

gcc "$g" -w -fopenmp-simd -O2 -c "$loop_c" -o "$work/o.o" 2>"$work/detail" && [ "$(sections "$work/o.o")" = 0 ] && [ ! -s "$work/detail" ]
report "with -fopenmp-simd alone nothing happens" $? "$work/detail"

gcc "$g" -w -fopenmp -fsyntax-only "$loop_c" 2>"$work/detail"
report "-fsyntax-only" $? "$work/detail"

gcc "$g" -w -fopenmp -E "$loop_c" -o "$work/o.i" 2>"$work/detail" && gcc "$g" -w -fopenmp -S "$work/o.i" -o "$work/o.s" 2>>"$work/detail" && grep -q 'pushsection .pluss.nests' "$work/o.s"
report "-E, then -S" $? "$work/detail"

# Errors and warnings are those of the compiler; the plugin adds none of its own.
cat >"$work/faulty.c" <<'EOF'
double a[100];
int f(int n)
{
    int unused;
#pragma omp parallel for schedule(static, -1)
    for (int i = 0; i < n; i++)
        a[i] = undeclared + b[i];
#pragma omp parallel for
    for (int i = 0; i != n * i; i++)
        ;
}
void g(int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = 1
}
EOF
gcc -Wall -Wextra -fopenmp -c "$work/faulty.c" -o "$work/o.o" 2>"$work/without"
gcc "$g" -Wall -Wextra -fopenmp -c "$work/faulty.c" -o "$work/o.o" 2>"$work/with"
diff "$work/without" "$work/with" >"$work/detail" && grep -q error: "$work/with"
report "a faulty program: the same diagnostics" $? "$work/detail"

# Warnings that come from the flow of control are given once.
cat >"$work/warned.c" <<'EOF'
double a[100];
int f(int n)
{
    int x;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] = x;
    if (n)
        return x;
}
EOF
gcc -O2 -Wall -Wextra -fopenmp -c "$work/warned.c" -o "$work/o.o" 2>"$work/without"
gcc "$g" -O2 -Wall -Wextra -fopenmp -c "$work/warned.c" -o "$work/o.o" 2>"$work/with"
diff "$work/without" "$work/with" >"$work/detail" && grep -q warning: "$work/with"
report "warnings: the same, once" $? "$work/detail"

gcc "$g" -w -Werror -fopenmp -c cases/not_described/input.c -o "$work/o.o" 2>"$work/detail" && grep -q 'note: pluss: ' "$work/detail"
report "notes are not made errors by -Werror" $? "$work/detail"

# Options.
expect_error() { # title, text, option...
    local title=$1 text=$2
    shift 2
    ! gcc "$g" "$@" -fopenmp -c "$plain_c" -o "$work/o.o" 2>"$work/detail" && grep -q -F -- "$text" "$work/detail"
    report "$title" $? "$work/detail"
}
expect_error "an unknown option is refused" "unknown option 'speed'" -fplugin-arg-pluss-speed=fast
expect_error "an unknown mode is refused" "unknown mode 'dance'" -fplugin-arg-pluss-mode=dance
expect_error "an option's value is checked" "option 'notes' must be 'on' or 'off'" -fplugin-arg-pluss-notes=maybe
expect_error "an option without its value is refused" "option 'scalars' must be 'on' or 'off'" -fplugin-arg-pluss-scalars
gcc "$g" -fplugin-arg-pluss-assume=off -w -fopenmp -c cases/assumed_apart/input.c -o "$work/o.o" 2>"$work/detail"
grep -q "cols' may be changed by the store to" "$work/detail" && ! grep -q "is taken not to be changed" "$work/detail"
report "assume=off takes assumptions back" $? "$work/detail"
gcc "$g" -fplugin-arg-pluss-mode=describe -fplugin-arg-pluss-notes=off -fplugin-arg-pluss-dump=on -w -fopenmp -c "$loop_c" -o "$work/o.o" 2>"$work/detail" && grep -q 'pluss.mark' "$work/detail"
report "dump=on shows the shadow body" $? "$work/detail"

# What is written can be read, and reads as the same text.
if [ -x "$build/pluss" ]; then
    : >"$work/detail"
    status=0
    for name in "${cases[@]}"; do
        [ -e "$work/$name-O0.o" ] || continue
        "$build/pluss" nests --text "$work/$name-O0.o" >"$work/again" 2>"$work/err"
        grep '^region ' "$(expected "$name" -O0 nest)" | sort >"$work/regions"
        diff "$work/regions" <(grep '^region ' "$work/again" | sort) >>"$work/err" || {
            echo "$name:" >>"$work/detail"
            cat "$work/err" >>"$work/detail"
            status=1
        }
    done
    report "the library reads every nest" $status "$work/detail"
else
    echo "ok - the library reads every nest # SKIP no $build/pluss"
fi

# Counts made by hand from the source: cases/*/counts holds lines "region; symbols; accesses of one thread". Of optimised code:
# newer C++ libraries check their arguments without optimisation, which reads memory.
if [ -x "$build/pluss" ]; then
    for name in "${cases[@]}"; do
        [ -e "cases/$name/counts" ] || continue
        : >"$work/detail"
        status=0
        while IFS=';' read -r region symbols formula; do
            defines=()
            for symbol in $symbols; do defines+=(-D "$symbol"); done
            found=$("$build/pluss" simulate "$work/$name${levels[1]}.o" -T 1 --region="$region" "${defines[@]}" --json 2>>"$work/detail" | grep -o '"accesses": *[0-9]*' | head -1 | grep -o '[0-9]*')
            if [ "$found" != $((formula)) ]; then
                echo "$region$symbols: by hand$formula = $((formula)), described ${found:-nothing}" >>"$work/detail"
                status=1
            fi
        done <"cases/$name/counts"
        report "$name: as many accesses as by hand" $status "$work/detail"
    done
else
    echo "ok - counts by hand # SKIP no $build/pluss"
fi

# The j loop of a product of matrices that do not overlap is vectorised around the k loop, two columns at once; of a
# copy with the transposed loops the outer one, and of the sum of rows the inner one.
cat >"$work/vectors.c" <<'EOF'
double a[512][512], b[512][512], c[512][512];
void product(void)
{
#pragma omp parallel for
    for (int i = 0; i < 512; i++)
        for (int j = 0; j < 512; j++)
            for (int k = 0; k < 512; k++)
                a[i][j] += b[i][k] * c[k][j];
}
void copy(void)
{
#pragma omp parallel for
    for (int i = 0; i < 512; i++)
        for (int j = 0; j < 512; j++)
            b[j][i] = 2 * c[j][i];
}
void add(void)
{
#pragma omp parallel for
    for (int i = 0; i < 512; i++)
        for (int j = 0; j < 512; j++)
            a[i][j] += b[i][j];
}
EOF
vectorised() { # FLAGS: lines of the loops that are noted
    gcc "$g" -fopenmp "$@" -c "$work/vectors.c" -o "$work/o.o" 2>"$work/detail"
    sed -n 's/^[^ ]*vectors.c:\([0-9]*\):.*pluss: GCC vectorises.*/\1/p' "$work/detail" | sort -n | tr '\n' ' '
}
[ "$(vectorised -O3)" = "6 12 " ]
report "loops that are vectorised with loops inside are noted" $? "$work/detail"
[ -z "$(vectorised -O3 -fno-tree-vectorize)$(vectorised -O1)$(vectorised -O3 -fplugin-arg-pluss-notes=off)" ]
report "and not where they are not vectorised, or without notes" $? "$work/detail"

# What is not put in line, as it would be too many statements, is not copied: compilation takes a part of the memory.
{
    echo 'static void f(double *a, int i) {'
    for ((k = 0; k < 115; k++)); do echo "a[i + $k] += a[i] * $k;"; done
    echo '} void g(double *a, int n) {'
    echo '#pragma omp parallel for'
    echo 'for (int i = 0; i < n; i++) {'
    for ((k = 0; k < 3000; k++)); do echo 'f(a, i);'; done
    echo '}}'
} >"$work/calls.c"
(ulimit -v 500000 && gcc "$g" -fopenmp -c "$work/calls.c" -o "$work/o.o") 2>"$work/detail" && grep -q 'call not described: .*at 29[0-9][0-9] other places' "$work/detail"
report "thousands of calls of one function: few copies of it" $? "$work/detail"

# An access's size has 31 bits where it is recorded outside of a region.
cat >"$work/large.c" <<'EOF'
struct large { char c[3L << 30]; };
void copy(struct large *a, const struct large *b)
{
    *a = *b;
}
EOF
gcc "$g" -fplugin-arg-pluss-mode=auto -fopenmp -c "$work/large.c" -o "$work/o.o" 2>"$work/detail" &&
    [ "$(grep -c 'large.c:4:.*access not recorded, as it is of 2 GiB or more' "$work/detail")" = 1 ]
report "an access of 2 GiB or more that is not recorded is noted" $? "$work/detail"

# In mode=auto parallel loops that are described are regions of their own where the rest of their function is not: with the sizes
# that are computed before them, and without the counter of a loop around them that chooses part of an array; one whose bounds
# change in such a loop is recorded.
cat >"$work/parts.c" <<'EOF'
int read_level(double *v, int level);
void steps(int n, int m, int levels, double (*a)[n][m], double *v)
{
    for (int k = 1; k < levels; k++) {
        if (read_level(v, k) < 0)
            return;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[k][i][j] += a[k - 1][i][j] * v[j];
        int least = k * 2;
#pragma omp parallel for
        for (int i = least; i < n; i++)
            v[i] = 0;
#pragma omp parallel for num_threads(levels + 1)
        for (int j = 0; j < m; j++)
            a[k][0][j] = v[j];
    }
}
EOF
cat >"$work/parts.c.want" <<'EOF'
pluss-nest 1
region steps "parts.c":7
symbol n, m
array f64 a[][n][m]
array f64 v[]
parallel for i in 0..n @7 {
  for j in 0..m @9 {
    read a[-1][i][j] @10
    read v[j] @10
    read a[0][i][j] @10
    write a[0][i][j] @10
  }
}

pluss-nest 1
region steps "parts.c":12
symbol least, n
array f64 v[]
parallel for i in least..n @12 {
  write v[i] @14
}

pluss-nest 1
region steps "parts.c":15
symbol m, levels
array f64 a[][m]
array f64 v[]
parallel for j in 0..m num_threads(levels + 1) @15 {
  read v[j] @17
  write a[0][j] @17
}

parts.c:12:9: note: pluss: region recorded access by access, as its loops depend on one around it
EOF
cat >"$work/parts.cc" <<'EOF'
#include <vector>
struct Field {
    int n, levels;
    std::vector<double> a;
    int read(int level);
    void step(const double *v);
};
void Field::step(const double *v)
{
    double *data = a.data();
    for (int k = 0; k < levels; k++) {
        if (read(k) < 0)
            return;
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            data[k * n + i] = v[i];
    }
}
EOF
cat >"$work/parts.cc.want" <<'EOF'
pluss-nest 1
region `Field::step` "parts.cc":14
symbol `this->n`
array f64 data[]
array f64 v[]
parallel for i in 0..`this->n` @14 {
  read v[i] @16
  write data[i] @16
}

EOF
cat >"$work/parts.f90" <<'EOF'
program parts
  implicit none
  integer :: n, m, i, j, k
  real(8), allocatable :: a(:, :, :), v(:)
  read *, n, m
  allocate (a(m, n, 4), v(m))
  do k = 1, 4
    call get(k)
    !$omp parallel do private(j)
    do i = 1, n
      do j = 1, m
        a(j, i, k) = v(j)
      end do
    end do
  end do
  print *, a(1, n, 3)
contains
  subroutine get(level)
    integer, intent(in) :: level
    read *, v
    v(level) = m * v(n)
  end subroutine
end program
EOF
cat >"$work/parts.f90.want" <<'EOF'
pluss-nest 1
region parts "parts.f90":9
symbol n, m, `ubound(a,2)`, `ubound(a,1)`, `stride(a,2)`
array f64 v[] lower(0)
array f64 a[`ubound(a,1)` + 1][`ubound(a,2)` + 1] stride(1, `stride(a,2)`) column lower(0, 0)
parallel for i in 1..n + 1 @9 {
  for j in 1..m + 1 @11 {
    read v[j] @12
    write a[j][i] @12
  }
}

EOF
fortran=$(command -v gfortran || command -v gfortran-12)
for part in gcc:parts.c g++:parts.cc "${fortran:+$fortran:parts.f90}"; do
    [ -n "$part" ] || continue
    for level in -O0 -O2; do
        (cd "$work" && "${part%:*}" "$g" -fplugin-arg-pluss-mode=auto -fopenmp $level -fchecking=2 -c "${part##*:}" -o o.o) 2>"$work/err"
        status=$?
        { nests "$work/o.o" && grep 'note: pluss: region recorded' "$work/err"; } >"$work/got"
        diff "$work/${part##*:}.want" "$work/got" >"$work/detail" && [ $status = 0 ]
        report "mode=auto, $level: parts of a function are regions: ${part##*:}" $? "$work/detail"
    done
done
