#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# make install into an empty folder, then only what lies there is used: a program in C and in C++, linked both ways, by
# pkg-config and by CMake, and the command with its plugin. The interface is compared with abi.golden: --update rewrites it,
# where a change is meant (pluss.h says what may). TAP.
# Tier: check, limit 300 s
# Makes: products
set -u
cd "$(dirname "$0")/../.."
update=no
[ "${1:-}" = --update ] && update=yes
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

{ [ -z "${PLUSS_TIER:-}" ] || make -q BUILD="$BUILD" products 2>/dev/null || { echo "sources have changed since the tests began" && false; }; } >"$log" 2>&1 &&
    make --no-print-directory -s install BUILD="$BUILD" DESTDIR="$root" PREFIX=/opt/pluss >>"$log" 2>&1
verdict "make install" $? "$log"
(cd "$root" && find . -type f -o -type l | sort) >"$tmp/files"
version=$(cat VERSION)
# one plugin for each other GCC that there is one built for, and the tool of valgrind where it is built
for plugin in "$BUILD"/gcc-*/pluss.so; do
    [ -e "$plugin" ] && echo "./opt/pluss/lib/pluss/${plugin#"$BUILD"/}"
done >"$tmp/plugins"
[ -e "$BUILD/pluss-mpi.so" ] && echo ./opt/pluss/lib/pluss/pluss-mpi.so >>"$tmp/plugins"
[ -x "$BUILD/pluss-valgrind" ] && echo ./opt/pluss/lib/pluss/pluss-valgrind >>"$tmp/plugins"
"$BUILD/pluss" manual | sed 's|.*|./opt/pluss/share/man/man1/pluss-&.1|' >>"$tmp/plugins"
sort - "$tmp/plugins" <<F | diff "$tmp/files" - >"$log"
./opt/pluss/bin/pluss
./opt/pluss/include/pluss.h
./opt/pluss/lib/libpluss-rt.a
./opt/pluss/lib/libpluss-rt.so
./opt/pluss/lib/libpluss-rt.so.0
./opt/pluss/lib/libpluss-rt.so.$version
./opt/pluss/lib/libpluss-trace.a
./opt/pluss/lib/libpluss.a
./opt/pluss/lib/libpluss.so
./opt/pluss/lib/libpluss.so.1
./opt/pluss/lib/libpluss.so.$version
./opt/pluss/lib/cmake/pluss/plussConfig.cmake
./opt/pluss/lib/cmake/pluss/plussConfigVersion.cmake
./opt/pluss/lib/pkgconfig/pluss.pc
./opt/pluss/lib/pluss/pluss.so
./opt/pluss/share/bash-completion/completions/pluss
./opt/pluss/share/fish/vendor_completions.d/pluss.fish
./opt/pluss/share/man/man1/pluss.1
./opt/pluss/share/pluss/json.schema.json
./opt/pluss/share/pluss/report.schema.json
./opt/pluss/share/zsh/site-functions/_pluss
F
verdict "what is installed, and nothing else" $? "$log"

cp -R "$root" "$tmp/second" && make --no-print-directory -s uninstall BUILD="$BUILD" DESTDIR="$tmp/second" PREFIX=/opt/pluss >"$log" 2>&1
[ -z "$(find "$tmp/second" -type f -o -type l)" ] || find "$tmp/second" -type f -o -type l >>"$log"
[ -z "$(find "$tmp/second" -type f -o -type l)" ]
verdict "make uninstall leaves nothing" $? "$log"
# shells: what is completed, of the verbs and of their options, is what the command has
{
    completes() { # WORD...: what bash offers for the last one
        bash -c 'source "$1"; shift; COMP_WORDS=(pluss "$@"); COMP_CWORD=$#; _pluss 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' \
            _ "$root/opt/pluss/share/bash-completion/completions/pluss" "$@"
    }
    diff <(completes '' | grep -vx -- '--version\|--help\|help\|completion\|manual' | sort) <("$BUILD/pluss" help | sed -n 's/^  \([a-z]*\)  *.*/\1/p' | sort)
    for verb in cc predict sweep gaps; do
        diff <(completes $verb -- | sed 's/=$//' | sort) <("$BUILD/pluss" $verb --help | grep -oE '^  (-., |    )--[a-z-]+' | sed 's/.*--/--/' | sort)
    done
} >"$log" 2>&1
[ ! -s "$log" ]
verdict "bash completes every verb and option" $? "$log"
if command -v zsh >/dev/null; then zsh -n "$root/opt/pluss/share/zsh/site-functions/_pluss" >"$log" 2>&1; verdict "zsh reads its script" $? "$log"; fi
if command -v fish >/dev/null; then fish -n "$root/opt/pluss/share/fish/vendor_completions.d/pluss.fish" >"$log" 2>&1; verdict "fish reads its script" $? "$log"; fi

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
# the project is copied: nothing of the tree is near it
mkdir -p outside && cp -R "$here/cmake" "$here/outside.c" outside/ &&
    cmake -S outside/cmake -B made -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="${version%.*}" >"$log" 2>&1 &&
    grep -q "pluss_VERSION $version" "$log" && cmake --build made >>"$log" 2>&1 && (cd made && ctest --output-on-failure) >>"$log" 2>&1 &&
    grep -q '100% tests passed, 0 tests failed out of 6' "$log"
verdict "C and C++ programs with the CMake package, shared and static, libpluss-rt, and pluss_analyze" $? "$log"
for wanted in 0.0.1 0.2 1 99; do
    cmake -S outside/cmake -B "not-$wanted" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED=$wanted >"$log" 2>&1 && echo "accepted as $wanted" && break
    grep -q 'is compatible with requested version\|Could not find a configuration file' "$log" || { echo "$wanted:"; cat "$log"; break; }
done >wanted.log
[ ! -s wanted.log ]
verdict "other versions are not accepted" $? wanted.log
# the command needs nothing but what the header declares
g++ "$BUILD"/obj/cli/*.o -L"$prefix/lib" -lpluss $(pkg-config --libs hwloc jansson) -o linked >"$log" 2>&1 &&
    LD_LIBRARY_PATH=$prefix/lib ./linked --version >>"$log" 2>&1
verdict "the command links with the exported functions alone" $? "$log"
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
nm -D --defined-only "$prefix/lib/libpluss.so" | awk '$2 == "T" {print $3}' | grep -v '@@PLUSS_1$' >"$log"
[ ! -s "$log" ]
verdict "every function has the version PLUSS_1" $? "$log"
python3 "$here/abi.py" "$prefix/include/pluss.h" "$prefix/lib/libpluss.so" >abi 2>"$log"
grep '^typedef struct [a-z_]* {' abi | grep -vE '\{ size_t size;|\} pluss_(binding|contents|chunk|cache|loop_rates|machine_cache|number|misses|measured|operation_cost|line_cost|page_cost|team_cost|burst_cost|transfer_cost)$' >>"$log"
[ ! -s "$log" ]
verdict "structs begin with their size, but for those that stand in arrays" $? "$log"
[ "$update" = no ] || cp abi "$here/abi.golden"
diff "$here/abi.golden" abi >>"$log" 2>&1
verdict "the interface is that of abi.golden" $? "$log"
readelf -d "$prefix/lib/libpluss.so" | grep -q 'SONAME.*libpluss\.so\.1\]'
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
for page in "$prefix"/share/man/man1/*.1; do man --warnings -l "$page" 2>&1 >/dev/null | grep -v 'cannot'; done >"$log"
[ ! -s "$log" ]
verdict "the manual is well formed" $? "$log"
# pages of verbs show what --help says
for verb in $("$prefix/bin/pluss" manual); do
    diff <("$prefix/bin/pluss" "$verb" --help | grep -oE '^  (-., |    )--[a-z-]+' | sed 's/.*--/--/') \
        <(sed -n '/^\.TP/{n; s/.*\\fB\\-\\-\([a-z\\-]*\)\\fR.*/--\1/; s/\\-/-/g; p}' "$prefix/share/man/man1/pluss-$verb.1")
done >"$log"
[ ! -s "$log" ] && [ "$("$prefix/bin/pluss" manual | wc -l)" -gt 20 ]
verdict "a page for every verb, with all its options" $? "$log"
