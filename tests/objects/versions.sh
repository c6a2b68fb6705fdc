# SPDX-License-Identifier: GPL-3.0-or-later
# Part of run.sh: a plugin for each version of GCC, and what happens with the wrong one.

fresh
other=gcc-$(($(gcc -dumpversion | cut -d. -f1) - 1)) # the version before, as ci/deps.sh installs it
other_gxx=g++-${other#gcc-}
if ! command -v $other >/dev/null || [ ! -e "$($other -print-file-name=plugin)/include/gcc-plugin.h" ]; then
    skip "two versions of GCC" "$other and its plugin headers are not installed"
    return 0
fi
make -s -C "$root" BUILD="$build" plugins >"$work/detail" 2>&1
verdict "make plugins" $? "$work/detail"

pluss cc -O2 -fopenmp -c one.c -o default.o 2>"$work/detail"
verdict "pluss cc with the default GCC" $? "$work/detail"
pluss cc --gcc=$other -O2 -fopenmp -c one.c -o other.o 2>"$work/detail"
verdict "pluss cc --gcc=$other" $? "$work/detail"
objdump -s -j .comment other.o | grep -q 'GCC'
readelf -p .comment other.o | grep -q "$($other -dumpfullversion)"
verdict "that was $other" $? /dev/null
diff <(pluss nests default.o --text) <(pluss nests other.o --text) >"$work/detail" 2>&1 && [ "$(names other.o | wc -l)" = 3 ]
verdict "and the nests are the same" $? "$work/detail"
pluss cc --gcc="$(command -v $other)" -fopenmp -c one.c -o other.o 2>"$work/detail"
verdict "the compiler by its path" $? "$work/detail"
pluss cc --gcc=$other_gxx -O2 -fopenmp left.cc right.cc -o program 2>"$work/detail" && ./program
verdict "$other_gxx compiles and links" $? "$work/detail"
$other -O2 -fopenmp -c one.c -o without.o && pluss cc --gcc=$other -O2 -fopenmp -c one.c -o with.o
same_code "$other: the code is the same without the plugin" with.o without.o

refused() { # title, text wanted, command...
    local title=$1 wanted=$2 status
    shift 2
    "$@" >"$work/detail" 2>&1
    status=$?
    { [ $status -ne 0 ] && [ $status -lt 128 ] && grep -qF -- "$wanted" "$work/detail"; }
    verdict "$title" $? "$work/detail"
}
ours=$(gcc -dumpfullversion -dumpversion)
theirs=$($other -dumpfullversion -dumpversion)
refused "a plugin of the wrong version, named" "$other is version $theirs, and $plugin was built for GCC $ours" \
    pluss cc --gcc=$other --plugin="$plugin" -fopenmp -c one.c -o wrong.o
refused "the other way round" "gcc is version $ours, and $build/$other/pluss.so was built for GCC $theirs" \
    pluss cc --plugin="$build/$other/pluss.so" -fopenmp -c one.c -o wrong.o
[ ! -e wrong.o ]
verdict "nothing was compiled" $? /dev/null
mkdir alone
cp "$build/pluss" "$build/pluss.so" alone
refused "no plugin for this version" "was built for GCC $ours: build one for it (make plugins)" \
    alone/pluss cc --gcc=$other -fopenmp -c one.c -o wrong.o
refused "GCC itself refuses it too" "pluss.so" $other -fplugin="$plugin" -fopenmp -c one.c -o wrong.o
printf '#!/bin/sh\ncase $1 in -dump*) echo 99.1.0;; *) echo compiled;; esac\n' >gcc-99
chmod +x gcc-99
refused "a version to come" "./gcc-99 is version 99.1.0" pluss cc --gcc=./gcc-99 -c one.c
mkdir alone/gcc-99
sed "s/pluss plugin for gcc $ours/pluss plugin for gcc 99.1.0/" "$build/pluss.so" >alone/gcc-99/pluss.so
[ "$(alone/pluss cc --gcc=./gcc-99 -c one.c)" = compiled ]
verdict "a plugin in gcc-VERSION beside the executable is found" $? /dev/null
if command -v clang-14 >/dev/null; then
    refused "not GCC at all" "clang-14 is version" pluss cc --gcc=clang-14 -c one.c
fi
mkdir -p installed/bin installed/lib/pluss/$other
cp "$build/pluss" installed/bin && cp "$build/pluss.so" installed/lib/pluss && cp "$build/$other/pluss.so" installed/lib/pluss/$other
for gcc in gcc $other; do
    installed/bin/pluss cc --gcc=$gcc -fopenmp -c one.c -o installed.o 2>"$work/detail" && [ "$(names installed.o | wc -l)" = 3 ]
    verdict "installed: $gcc" $? "$work/detail"
done
