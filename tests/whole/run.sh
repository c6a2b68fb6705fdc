#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whole programs under -flto: loops that call functions of other units are described as if all were in one unit. TAP.
#   tests/whole/run.sh
# Each program of c/, cpp/ and fortran/ has two units. It is compiled as one unit, which includes both, and as two that are
# linked with -flto: the nests must be the same but for the order of arrays. Then every case of tests/plugin is described again
# at a link (whole=all) and must have the nests of its compilation, and the program must be the one without the plugin.
# Tier: check, limit 600 s
set -u
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
build=${BUILD:-build}
[ "${build#/}" = "$build" ] && build=$root/$build
plugin=$build/pluss.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
unset GCC_COLORS CFLAGS
fortran=$(command -v gfortran || echo gfortran-12)
quiet=-fplugin-arg-pluss-notes=off

failed=0
verdict() { # name, status, file with details
    if [ "$2" = 0 ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        sed 's/^/    /' "$3" | head -25
        failed=1
    fi
}

# The nests of a file in the order of their names, each one's symbols, one a line, and arrays in that of their declarations.
nests() { # file; without lower bounds of Fortran's arrays, which no type tells at a link
    "$build/pluss" nests --text "$1" 2>&1 | sed 's/ @"[a-z_]*\.[a-z0-9]*":/ @/; s/^\(array.*\) lower([^)]*)/\1/' |
        awk '/^region/ { name = $2 }
            { heading = name == "" ? " " : name; first = /^symbol/ ? (first ? first : NR) : 0 }
            first {
                sub(/^symbol /, "")
                while (match($0, /^(`[^`]*`|[^,`]+)(, )?/)) {
                    word = substr($0, 1, RLENGTH); $0 = substr($0, RLENGTH + 1); sub(/, $/, "", word)
                    printf "%s\t~%06d symbol %s\n", heading, first, word
                }
                next
            }
            { print heading "\t" (/^array/ ? $0 : sprintf("~%06d %s", NR, $0)) }' |
        sort -s -t "$(printf '\t')" -k1,1 -k2,2 | sed -E 's/\t~[0-9]{6} /\t/'
}
code() { objdump -d --no-show-raw-insn "$1" | sed 1,3d; }

program() { # folder, compiler, extension, the unit with the loops, the other; options
    local folder=$1 compiler=$2 extension=$3 first=$4 second=$5 name="$1 $6" flags="$6 -fopenmp" unit
    rm -rf "$work/$folder" && mkdir "$work/$folder" && cp "$folder"/* "$work/$folder" && cd "$work/$folder" || exit 1
    [ "$extension" = f90 ] && set -- "$second" "$first" || set -- "$first" "$second"
    for unit; do # a module comes before its use
        [ "$extension" = f90 ] && echo "include '$unit.$extension'" || echo "#include \"$unit.$extension\""
    done >one."$extension"
    # shellcheck disable=SC2086
    {
        $compiler -fplugin="$plugin" $quiet $flags -c one."$extension" -o one.o
        for unit; do
            $compiler -fplugin="$plugin" $quiet $flags -flto -c "$unit.$extension" -o "$unit.o" || break
        done
        $compiler -fplugin="$plugin" $flags -flto "$1.o" "$2.o" -o described &&
            $compiler $flags -flto "$1.o" "$2.o" -o alone &&
            $compiler -fplugin="$plugin" -fplugin-arg-pluss-whole=off $flags -flto "$1.o" "$2.o" -o off
        for unit; do
            $compiler $flags -flto -c "$unit.$extension" -o "$unit.o" || break
        done
        $compiler $flags -flto "$1.o" "$2.o" -o plain
    } >"$work/detail" 2>&1
    verdict "$name: nothing is said" $? "$work/detail"
    [ -s "$work/detail" ] && verdict "$name: nothing is said" 1 "$work/detail"
    nests one.o >expected
    nests described >found
    diff expected found >"$work/detail"
    verdict "$name: the nests of one unit" $? "$work/detail"
    "$build/pluss" nests --text described >"$work/detail"
    [ "$(grep -c '^region' "$work/detail")" = "$(grep -c '^region' <("$build/pluss" nests --text one.o))" ]
    verdict "$name: each function has one nest" $? "$work/detail"
    nests off >found
    diff expected found >/dev/null || diff <(nests alone) found >"$work/detail"
    verdict "$name: not with whole=off" $? "$work/detail"
    ! diff expected found >/dev/null
    verdict "$name: one unit alone has not enough" $? /dev/null
    diff <(code plain) <(code described) >"$work/detail"
    verdict "$name: the program is the same without the plugin" $? "$work/detail"
    [ "$(./described)" = "$(./plain)" ]
    verdict "$name: it runs" $? /dev/null
    cd "$root/tests/whole" || exit 1
}
for level in -O0 -O2 "-O3 -g"; do
    program c gcc c sheet_main sheet "$level"
    program cpp g++ cc field_main field "$level"
    program fortran "$fortran" f90 main physics "$level"
done
program c gcc c sheet_main sheet "-O2 -flto-partition=none"
program c gcc c sheet_main sheet "-O1 -fPIC -ffat-lto-objects"

# The unit with the loops is compiled without OpenMP's option for the other; the other comes out of an archive.
cd "$work/c" || exit 1
gcc -fplugin="$plugin" $quiet -O2 -flto -fopenmp -c sheet_main.c -o sheet_main.o && gcc -fplugin="$plugin" $quiet -O2 -flto -c sheet.c -o sheet.o &&
    gcc-ar rcs libsheet.a sheet.o && gcc -fplugin="$plugin" -O2 -flto -fopenmp sheet_main.o libsheet.a -o archived
nests one.o >expected
diff expected <(nests archived) >"$work/detail"
verdict "out of an archive, compiled without -fopenmp" $? "$work/detail"

# What may be another function when the program runs is left a call.
cat >weak.c <<'EOF'
__attribute__((weak)) void touch(double *a) { *a = 1; }
EOF
cat >uses.c <<'EOF'
void touch(double *a);
int main(void)
{
    static double a[100];
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        touch(&a[i]);
    return 0;
}
EOF
gcc -fplugin="$plugin" $quiet -O2 -flto -fopenmp uses.c weak.c -o weak && "$build/pluss" nests --text weak >"$work/detail"
grep -q "a call to .touch'" "$work/detail"
verdict "a weak function stays a call" $? "$work/detail"

# What several units say of each other.
several() { # name, more options and objects of the link; then "FILE OPTIONS"...
    local name=$1 link=$2 one objects=()
    shift 2
    for one; do
        # shellcheck disable=SC2086
        "$by" -fplugin="$plugin" $quiet -O2 -fopenmp -flto -c $one -o "${one%%.*}.o" || return 1
        objects+=("${one%%.*}.o")
    done
    # shellcheck disable=SC2086
    "$by" -fplugin="$plugin" -O2 -fopenmp -flto "${objects[@]}" $link -o "$name" && "$build/pluss" nests --text "$name" >"$name.nests"
}
alone() { # file, options: its nests without a link
    # shellcheck disable=SC2086
    "$by" -fplugin="$plugin" $quiet -O2 -fopenmp -c $* -o alone.o && "$build/pluss" nests --text alone.o
}
bare() { sed 's/ @.*//; s/^region.*//'; } # nests without their places
shows() { # test, file, "HOW_OFTEN WHAT"...
    local status=0 one
    cp "$2" "$work/detail" || status=1
    for one in "${@:3}"; do
        [ "$(grep -cF -- "${one#* }" "$2")" = "${one%% *}" ] || status=1
    done
    verdict "$1" $status "$work/detail"
}
mkdir -p "$work/several/a" "$work/several/b" && cd "$work/several" || exit 1
by=gcc
cat >main.c <<'EOF'
void touch(double *a) { *a = 1; }
int main(void) { return 0; }
EOF

echo 'int main(void) { return 0; }' >start.c

# A loop that is marked in code without OpenMP, and calls a function of another unit.
cat >marked.c <<'EOF'
double third(const double *a, int i);
void sweep(double *restrict a, const double *restrict b, int n)
{
#pragma pluss parallel(dynamic, 4)
    for (int i = 0; i < n; i++)
        a[i] = third(b, i);
}
EOF
echo 'double third(const double *a, int i) { return a[3 * i]; }' >third.c
several marked "" start.c marked.c third.c
shows "a marked loop" marked.nests "1 read b[i][0] " "1 write a[i]" "1 schedule(dynamic, 4)" "0 call"

# Functions of several units have equal headings; names begin with the same 200 columns.
name=$(printf 'x%.0s' {1..220})
cat >sweep.h <<'EOF'
void TOUCH(REAL *a);
static void sweep(REAL *a, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        TOUCH(&a[i]);
}
EOF
cat >a/util.c <<'EOF'
#define REAL float
#define TOUCH touch_float
#include "../sweep.h"
void sweep_float(float *a) { sweep(a, 9); }
EOF
cat >b/util.c <<EOF
#define REAL double
#define TOUCH touch_double
#include "../sweep.h"
void sweep_float(float *a);
#define LONG(NAME, N) void NAME(double *a) { _Pragma("omp parallel for") for (int i = 0; i < N; i++) TOUCH(&a[i]); }
LONG(${name}1, 77) LONG(${name}2, 88)
int main(void) { double a[9]; float b[9]; sweep(a, 9); sweep_float(b); return 0; }
EOF
cat >touch.c <<'EOF'
void touch_float(float *a) { *a = 1; }
void touch_double(double *a) { *a = 1; }
EOF
for folder in a b; do
    (cd $folder && gcc -fplugin="$plugin" $quiet -O2 -fopenmp -flto -c util.c)
done
several headings "a/util.o b/util.o" touch.c
shows "equal headings: each function keeps its nest" headings.nests "1 0..77" "1 0..88" "1 write a[i] @\"touch.c\":1" \
    "3 write a[i] @\"touch.c\":2" "4 parallel for" "1 array f32 a[]" "3 array f64 a[]"

# What a function stores that is not at the link is not forgotten there.
cat >grow.c <<'EOF'
void touch(double *a);
static int n = 8;
static void grow(void)
{
    n++;
    __asm__ volatile("" ::: "memory");
}
void sweep(double *a)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        grow();
        for (int j = 0; j < n; j++)
            touch(&a[8 * i + j]);
    }
}
EOF
several grow "" grow.c main.c
diff <(alone grow.c) grow.nests >"$work/detail"
verdict "a function that the link does not have: the first nest stays" $? "$work/detail"
cat >throw.cc <<'EOF'
void touch(double *a);
void check(int i);
static int n = 8;
static void grow(int i)
{
    try {
        check(i);
    } catch (...) {
        n++;
    }
}
void sweep(double *a)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        grow(i);
        for (int j = 0; j < n; j++)
            touch(&a[8 * i + j]);
    }
}
EOF
cat >check.cc <<'EOF'
void check(int i)
{
    if (i == 77)
        throw i;
}
void touch(double *a) { *a = 1; }
int main() {}
EOF
by=g++
several throw "" throw.cc check.cc
printf '#include "throw.cc"\n#include "check.cc"\n' >one.cc
alone one.cc >expected && diff <(bare <expected) <(bare <throw.nests) >"$work/detail"
verdict "what handlers of exceptions store" $? "$work/detail"
by=gcc

# Units of other builds, damaged ones and ones that were made up are left out: the link goes on.
cat >uses.c <<'EOF'
void touch(double *a);
void sweep(double *a)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        touch(&a[i]);
}
EOF
gcc -fplugin="$plugin" $quiet -O2 -fopenmp -flto -ffat-lto-objects -S uses.c -o uses.s
python3 - uses.s <<'EOF'
import re, sys
line = re.search(r"#pluss\.whole .*", open(sys.argv[1]).read()).group(0)
begin, name, text = re.fullmatch(r"(#pluss\.whole .* )([0-9a-f]{16}) (.*)", line).groups()
def name_of(text):
    value = 0xcbf29ce484222325
    for c in text.encode():
        value = (value ^ c) * 0x100000001b3 % 2**64
    return "%016x" % value
assert name_of(text) == name
def write(file, units):
    for unit in units:
        print('__asm__("%s");' % unit.replace("\\", "\\\\").replace('"', '\\"'), file=file)
write(open("damaged.c", "w"), ["#pluss.whole ", "#pluss.whole 0.1.0 12.2.0 20220819 7GNU", begin, begin + name,
                               begin + name + " " + text[:-9], begin + name + " oooooooooooo?"])
invented = "3GNU" + "oooooo?" * 9  # numbers beyond all memory; C's asm ends with a NUL
write(open("invented.c", "w"), [begin + name_of(invented + "\0") + " " + invented])
EOF
echo 'void unit(void) {}' | tee -a damaged.c >>invented.c
gcc -O2 -flto -c damaged.c && gcc -O2 -flto -c invented.c
several damaged damaged.o uses.c main.c
shows "damaged units are left out" damaged.nests "1 write a[i] @\"main.c\":1" "0 touch"
several invented invented.o uses.c main.c
diff <(alone uses.c) invented.nests >"$work/detail"
verdict "an invented unit: the first nests stay" $? "$work/detail"

# Options of the units hold at the link.
cat >types.c <<'EOF'
void touch(double *a);
void sweep(double *a, long *n)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
        for (long j = 0; j < *n; j++)
            touch(&a[8 * i + j]);
}
EOF
cat main.c types.c >one.c
proof=-fplugin-arg-pluss-assume=off
for rule in -fstrict-aliasing -fno-strict-aliasing; do
    several types "" "types.c $proof $rule" main.c
    diff <(alone one.c $proof $rule | bare) <(bare <types.nests) >"$work/detail"
    verdict "the unit's own rules: $rule" $? "$work/detail"
done
several types "" "types.c $proof" "main.c -fno-strict-aliasing"
diff <(alone one.c $proof -fno-strict-aliasing | bare) <(bare <types.nests) >"$work/detail"
verdict "the rules of a unit that is called" $? "$work/detail"

# Weak tables and functions give way to others, wherever these are.
cat >table.c <<'EOF'
extern const int at[4];
void touch(double *a);
int main(void)
{
    static double a[100];
#pragma omp parallel for
    for (int i = 0; i < 4; i++) {
        touch(&a[i]);
        a[at[i]] += 1;
    }
    return 0;
}
EOF
cat >less.c <<'EOF'
__attribute__((weak)) const int at[4] = {51, 52, 53, 54};
__attribute__((weak)) void touch(double *a) { a[61] = 1; }
int look(int i) { return at[i]; }
EOF
cat >more.c <<'EOF'
const int at[4] = {71, 72, 73, 74};
void touch(double *a) { a[81] = 1; }
int see(int i) { return at[i]; }
EOF
gcc -c -O2 more.c -o outside.o
several outside outside.o table.c less.c
shows "a weak table and a weak function: another is outside" outside.nests "0 51" "0 61" "0 81" "1 a call to \`touch'"
for order in "table.c less.c more.c" "more.c less.c table.c" "less.c more.c table.c"; do
    # shellcheck disable=SC2086
    several strong "" $order
    shows "a weak table and a weak function: $order" strong.nests "0 51" "0 61" "1 71" "1 81"
done

# Other names of a function.
cat >names.c <<'EOF'
static void set(double *a) { a[41] = 1; }
void touch(double *a) __attribute__((alias("set")));
EOF
several names "" uses.c names.c start.c
shows "an alias is put in line" names.nests "1 i + 41" "0 call"
cat >names.c <<'EOF'
static void set(double *a) { a[41] = 1; }
void touch(double *a) __attribute__((weak, alias("set")));
EOF
several names "" uses.c names.c start.c
shows "a weak alias is not" names.nests "0 41" "1 a call to \`touch'"
cat >names.c <<'EOF'
static void set(double *a) { a[41] = 1; }
static void (*choose(void))(double *) { return set; }
void touch(double *a) __attribute__((ifunc("choose")));
EOF
several names "" uses.c names.c start.c
shows "what a resolver chooses is not" names.nests "0 41" "1 a call to \`touch'"
cat >point.hh <<'EOF'
struct Point {
    double x, y;
    Point(const double *from);
};
EOF
cat >point.cc <<'EOF'
#include "point.hh"
Point::Point(const double *from) : x(from[0]), y(from[1]) {}
EOF
cat >points.cc <<'EOF'
#include "point.hh"
void sum(double *to, const double *from)
{
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        Point p(from + 2 * i);
        to[i] = p.x + p.y;
    }
}
int main() {}
EOF
by=g++
several points "" points.cc point.cc
shows "a constructor" points.nests "1 read from[2 * i] " "1 read from[2 * i + 1] " "1 write to[i]" "0 call"
cd "$root/tests/whole" || exit 1

# Every case of the plugin's: what is read at the link is what was written. (With target regions GCC 12 itself loses what
# top-level asms say.)
cases=$root/tests/plugin/cases
again() { # case
    local case=$1 source compiler flags
    source=$(ls "$cases/$case"/input.*)
    case $source in *.c) compiler=gcc ;; *.cc) compiler=g++ ;; *.f90) compiler="$fortran -J$work/$case" ;; esac
    flags="$(cat "$cases/$case/flags" 2>/dev/null) -fopenmp -O0"
    mkdir -p "$work/$case"
    # shellcheck disable=SC2086
    (cd "$cases/$case" &&
        $compiler -fplugin="$plugin" $quiet $flags -c "${source##*/}" -o "$work/$case/one.o" &&
        $compiler -fplugin="$plugin" $quiet $flags -flto -c "${source##*/}" -o "$work/$case/two.o") >/dev/null 2>&1
    $compiler -fplugin="$plugin" -fplugin-arg-pluss-whole=all -fopenmp -flto -r -flinker-output=nolto-rel "$work/$case/two.o" \
        -o "$work/$case/linked.o" >"$work/$case/detail" 2>&1
    diff <(nests "$work/$case/one.o") <(nests "$work/$case/linked.o") >>"$work/$case/detail"
    verdict "described again: $case" $? "$work/$case/detail"
    rm -rf "${work:?}/$case"
}
n=0
for case in $(ls "$cases"); do
    grep -q 'mode=' "$cases/$case/flags" 2>/dev/null && continue
    grep -q 'omp target' "$cases/$case"/input.* && continue
    n=$((n + 1))
    [ "${PLUSS_TIER:-check}" = full ] || [ $((n % 6)) = 1 ] || grep -qi 'pluss parallel' "$cases/$case"/input.* || continue
    again "$case"
done
exit $failed
