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

# The nests of a file in the order of their names, each one's arrays in that of their declarations.
nests() { # file
    "$build/pluss" nests --text "$1" 2>&1 | sed 's/ @"[a-z_]*\.[a-z0-9]*":/ @/' |
        awk '/^region/ { name = $2 } { print (name == "" ? " " : name) "\t" (/^array/ ? $0 : sprintf("~%06d %s", NR, $0)) }' |
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

# Every case of the plugin's: what is read at the link is what was written. (Loops that are asked about by marks are not
# described again; with target regions GCC 12 itself loses what top-level asms say.)
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
    [ "${PLUSS_TIER:-check}" = full ] || [ $((n % 6)) = 1 ] || continue
    again "$case"
done
exit $failed
