#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make install into an empty folder, then only what lies there is used: a program in C and in C++, linked both ways, and
# the command with its plugin. TAP.
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
here=$PWD/tests/install
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | tail -n 20; fi
}
log=$tmp/log
root=$tmp/root

make --no-print-directory -s install BUILD="$BUILD" DESTDIR="$root" PREFIX=/opt/pluss >"$log" 2>&1
verdict "make install" $? "$log"
(cd "$root" && find . -type f -o -type l | sort) >"$tmp/files"
version=$(cat VERSION)
# one plugin for each other GCC that there is one built for
for plugin in "$BUILD"/gcc-*/pluss.so; do
    [ -e "$plugin" ] && echo "./opt/pluss/lib/pluss/${plugin#"$BUILD"/}"
done >"$tmp/plugins"
sort - "$tmp/plugins" <<F | diff "$tmp/files" - >"$log"
./opt/pluss/bin/pluss
./opt/pluss/include/pluss.h
./opt/pluss/lib/libpluss-rt.a
./opt/pluss/lib/libpluss-rt.so
./opt/pluss/lib/libpluss-rt.so.0
./opt/pluss/lib/libpluss-rt.so.$version
./opt/pluss/lib/libpluss.a
./opt/pluss/lib/libpluss.so
./opt/pluss/lib/libpluss.so.0
./opt/pluss/lib/libpluss.so.$version
./opt/pluss/lib/pkgconfig/pluss.pc
./opt/pluss/lib/pluss/pluss.so
./opt/pluss/share/man/man1/pluss.1
F
verdict "what is installed, and nothing else" $? "$log"

# the installed tree must do alone
mv "$root/opt/pluss" "$tmp/moved"
prefix=$tmp/moved
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
flags() { pkg-config --define-variable=prefix="$prefix" --define-variable=libdir="$prefix/lib" --define-variable=includedir="$prefix/include" "$@" pluss; }
cd "$tmp" || exit 1
[ "$(pkg-config --modversion pluss)" = "$version" ]
verdict "pkg-config tells the version" $? "$log"
strict=(-Wall -Wextra -Werror -pedantic -Wstrict-prototypes)
# shellcheck disable=SC2046
{
    gcc -std=c99 "${strict[@]}" "$here/outside.c" $(flags --cflags --libs) -o shared >"$log" 2>&1 && LD_LIBRARY_PATH=$prefix/lib ./shared >>"$log" 2>&1
    verdict "a C99 program with the shared library" $? "$log"
    g++ -std=c++11 -Wall -Wextra -Werror -pedantic -x c++ "$here/outside.c" -x none $(flags --cflags --libs) -o shared++ >"$log" 2>&1 &&
        LD_LIBRARY_PATH=$prefix/lib ./shared++ >>"$log" 2>&1
    verdict "a C++11 program with the shared library" $? "$log"
    gcc -std=c11 "${strict[@]}" "$here/outside.c" $(flags --cflags) "$prefix/lib/libpluss.a" $(flags --static --libs-only-l | sed 's/-lpluss\b//') \
        -pthread -o static >"$log" 2>&1 && ./static >>"$log" 2>&1
    verdict "a C11 program with the static library" $? "$log"
}
echo '#include <pluss.h>' >alone.c
gcc -std=c99 "${strict[@]}" -fsyntax-only -I"$prefix/include" alone.c >"$log" 2>&1 && ! grep -nE '#include "' "$prefix/include/pluss.h" >>"$log"
verdict "the header stands alone" $? "$log"

nm -D --defined-only "$prefix/lib/libpluss.so" | awk '$2 != "A" {print $3}' | sed 's/@@.*//' | grep -v '^pluss_' >"$log"
[ ! -s "$log" ]
verdict "the library exports pluss_ functions alone" $? "$log"
# every function of the header is there
grep -oE '\bpluss_[a-z_]+\(' "$prefix/include/pluss.h" | tr -d '(' | sort -u >declared
nm -D --defined-only "$prefix/lib/libpluss.so" | awk '$2 == "T" {print $3}' | sed 's/@@.*//' | sort -u >exported
comm -13 exported declared >"$log"
[ ! -s "$log" ] && [ -s declared ]
verdict "the library has every function of the header" $? "$log"
comm -23 exported declared >"$log"
[ ! -s "$log" ]
verdict "the header declares every function of the library" $? "$log"
readelf -d "$prefix/lib/libpluss.so" | grep -q 'SONAME.*libpluss\.so\.0\]'
verdict "the library's SONAME" $? "$log"

cat >loop.c <<'C'
void scale(int n, double *a, double f)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] *= f;
}
C
env -i PATH="$prefix/bin:/usr/bin:/bin" pluss cc -O2 -fopenmp -c loop.c -o loop.o >"$log" 2>&1 &&
    env -i PATH="$prefix/bin:/usr/bin:/bin" pluss predict loop.o -T 2 -D n=1000 >>"$log" 2>&1
verdict "the installed command finds its plugin, and predicts" $? "$log"
# an option that the manual does not have is no option
for verb in cc nests predict simulate compare codegen machine; do
    "$prefix/bin/pluss" $verb --help
done | grep -oE '^ .*--[a-z]+' | grep -oE -- '--[a-z]+' | sort -u | sed 's/--//' | while read -r option; do
    grep -qE "Fl Fl $option\b" "$prefix/share/man/man1/pluss.1" || [ "$option" = help ] || echo "--$option is not in the manual"
done >"$log"
[ ! -s "$log" ]
verdict "the manual has every option" $? "$log"
man --warnings -l "$prefix/share/man/man1/pluss.1" 2>&1 >/dev/null | grep -v 'cannot' >"$log"
[ ! -s "$log" ]
verdict "the manual is well formed" $? "$log"
