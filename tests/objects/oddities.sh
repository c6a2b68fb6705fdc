# SPDX-License-Identifier: GPL-3.0-or-later
# Part of run.sh: the compiler's other ways of working. With the plugin each must do what it does
# without: the same exit status, the same output files.

fresh
load=-fplugin=$plugin
one=("one one.c:8" "forgotten one.c:17" "shared shared.h:5")

# A command in a folder of its own, with and without the plugin: `gcc` and the arguments are a shell
# text in which $LOAD is the plugin's option. Files and standard output must be equal, and so must
# the status; objects are compared without the plugin's sections.
alike() { # title, shell text
    local title=$1 text=$2 side status file
    : >"$work/detail"
    for side in with without; do
        rm -rf "$work/in"
        cp -r "$here/inputs" "$work/in"
        # shellcheck disable=SC2016
        (cd "$work/in" && LOAD=$([ $side = with ] && echo "$load -fplugin-arg-pluss-notes=off") bash -c "$text") >"$work/out.$side" 2>"$work/err.$side"
        echo "status $?" >>"$work/out.$side"
        rm -rf "$work/$side"
        mv "$work/in" "$work/$side"
    done
    {
        diff "$work/out.with" "$work/out.without" && diff "$work/err.with" "$work/err.without" &&
            diff <(cd "$work/with" && find . -type f | sort) <(cd "$work/without" && find . -type f | sort)
    } >>"$work/detail" 2>&1
    status=$?
    while read -r file; do
        case $file in
        *.o | *.out) { bare "$work/with/$file" "$work/b.with" && bare "$work/without/$file" "$work/b.without" && cmp "$work/b.with" "$work/b.without"; } ;;
        *.s) cmp <(sed '/^\t\.pushsection \.pluss/,/^\t\.popsection/d' "$work/with/$file") "$work/without/$file" ;;
        *.gch) ;;
        *) cmp "$work/with/$file" "$work/without/$file" ;;
        esac >>"$work/detail" 2>&1 || status=1
    done < <(cd "$work/with" && find . -type f)
    verdict "$title" $status "$work/detail"
    cd "$work/with" || exit 1
}

alike "-E" 'gcc $LOAD -fopenmp -E one.c'
alike "-E -fdirectives-only" 'gcc $LOAD -fopenmp -E -fdirectives-only one.c -o one.i'
alike "-M" 'gcc $LOAD -fopenmp -M one.c'
alike "-MM -MF" 'gcc $LOAD -fopenmp -MM -MF deps one.c'
alike "-MMD" 'gcc $LOAD -fopenmp -MMD -MP -c one.c'
expect_names "-MMD: the nests" one.o "${one[@]}"
alike "-S" 'gcc $LOAD -O2 -fopenmp -S one.c'
gcc -c one.s -o assembled.o
expect_names "-S, then assembled: the nests" assembled.o "${one[@]}"
# GCC lists its plugins in a comment there
alike "-S -fverbose-asm" 'gcc $LOAD -O2 -fopenmp -S -fverbose-asm one.c && sed -i "/^#Versions of loaded plugins/,+1d" one.s'
alike "-S -g, to standard output" 'gcc $LOAD -O2 -g -fopenmp -S simd.c -o -'
alike "-save-temps" 'gcc $LOAD -O2 -fopenmp -save-temps -c one.c'
expect_names "-save-temps: the nests" one.o "${one[@]}"
gcc "$load" -fopenmp -c one.i -o twice.o
expect_names "out of the preprocessed file" twice.o "${one[@]}"
gcc "$load" -fopenmp -fdirectives-only -fpreprocessed -c one.i -o twice.o 2>"$work/detail"
# GCC 14 takes no pragmas out of such a file, so that nothing in it is parallel
made=("pluss nests: error: twice.o: no loop nests; was it compiled with pluss cc?")
gcc -fopenmp -fdirectives-only -fpreprocessed -S one.i -o - 2>/dev/null | grep -q GOMP_parallel && made=("${one[@]}")
expect_names "as ccache does: -fpreprocessed -fdirectives-only" twice.o "${made[@]}"
alike "-pipe" 'gcc $LOAD -O2 -fopenmp -pipe -c one.c'
expect_names "-pipe: the nests" one.o "${one[@]}"
alike "-fsyntax-only" 'gcc $LOAD -fopenmp -fsyntax-only one.c'
alike "standard input" 'gcc $LOAD -fopenmp -x c -c - -o stdin.o <one.c'
expect_names "standard input: the nests" stdin.o "one <stdin>:8" "forgotten <stdin>:17" "shared shared.h:5"
alike "an object to /dev/null" 'gcc $LOAD -fopenmp -c one.c -o /dev/null'
alike "assembly to /dev/null" 'gcc $LOAD -fopenmp -S one.c -o /dev/null'
alike "several files in one call" 'gcc $LOAD -O2 -fopenmp -Wl,--build-id=none -o whole.out one.c caller.c'
expect_names "several files in one call: the nests" whole.out "${one[@]}" "main caller.c:18" "inlined caller.c:11"
alike "several objects in one call" 'gcc $LOAD -O2 -fopenmp -c one.c caller.c simd.c'
expect_names "several objects in one call: the nests" one.o "${one[@]}"
alike "C and C++ in one call" 'g++ $LOAD -O2 -fopenmp -c -x c one.c -x c++ left.cc'
alike "-fopenmp-simd: nothing is shared out" 'gcc $LOAD -O2 -fopenmp-simd -c simd.c one.c'
expect_names "-fopenmp-simd: no nests" simd.o "pluss nests: error: simd.o: no loop nests; was it compiled with pluss cc?"
alike "without -fopenmp" 'gcc $LOAD -O2 -c one.c'
alike "-fanalyzer" 'gcc $LOAD -O2 -fopenmp -fanalyzer -c one.c'
expect_names "-fanalyzer: the nests" one.o "${one[@]}"
alike "a source with an error" 'gcc $LOAD -fopenmp -c -x c - -o wrong.o <<<"void f(int n, double *a) {
#pragma omp parallel for
for (int i = 0; i < n; i++) a[i] = b; }"'
alike "an error after a nest" '{ cat one.c; echo "int x = y;"; } >later.c; gcc $LOAD -fopenmp -c later.c -o wrong.o'
alike "an empty source" 'gcc $LOAD -fopenmp -c -x c /dev/null -o empty.o'
alike "-Werror" 'gcc $LOAD -fopenmp -Wall -Wextra -Werror -c one.c caller.c'
alike "-fno-toplevel-reorder" 'gcc $LOAD -O2 -fopenmp -fno-toplevel-reorder -Wl,--build-id=none ordered.c -o ordered.out && ./ordered.out'
alike "-flto -fno-toplevel-reorder" 'gcc $LOAD -O2 -fopenmp -flto -fno-toplevel-reorder -Wl,--build-id=none ordered.c -o ordered.out && ./ordered.out'
alike "-flto -ffat-lto-objects -fno-toplevel-reorder" 'gcc $LOAD -O2 -fopenmp -flto -ffat-lto-objects -fno-toplevel-reorder -c ordered.c -o fat.o && gcc -fno-lto -fopenmp -Wl,--build-id=none fat.o -o ordered.out && rm fat.o && ./ordered.out'
expect_names "in that order: the nests" ordered.out "first ordered.c:4" "second ordered.c:13"
alike "-fcompare-debug" 'gcc $LOAD -O2 -fopenmp -fcompare-debug -c one.c'
alike "-fprofile-generate" 'gcc $LOAD -O2 -frandom-seed=1 -fopenmp -fprofile-generate -c one.c'
alike "--coverage" 'gcc $LOAD -O0 -frandom-seed=1 -fopenmp --coverage -c one.c'
alike "-fsanitize=address,undefined" 'gcc $LOAD -O1 -g -fopenmp -fsanitize=address,undefined -c one.c caller.c'
alike "-fsanitize=thread" 'gcc $LOAD -O1 -g -fopenmp -fsanitize=thread -c one.c caller.c'
alike "-m32" 'gcc $LOAD -O2 -m32 -fopenmp -S one.c'
alike "-fstack-protector-strong -fPIE -march=native" 'gcc $LOAD -O3 -march=native -fopenmp -fstack-protector-strong -fPIE -c one.c caller.c'
alike "-gsplit-dwarf" 'gcc $LOAD -O2 -g -gsplit-dwarf -fopenmp -c simd.c -o simd.o && rm -f *.dwo'
# dumps number declarations, and the plugin makes some
alike "-fdump-tree-optimized" 'gcc $LOAD -O2 -fopenmp -fdump-tree-optimized -c one.c && sed -i "s/decl_uid=[0-9]*//" one.c.*'
alike "-fopt-info" 'gcc $LOAD -O3 -fopenmp -fopt-info-vec -c one.c'
alike "-fopenacc beside it" 'gcc $LOAD -O2 -fopenmp -fopenacc -c one.c'
alike "-masm=intel -fno-dwarf2-cfi-asm" 'gcc $LOAD -O2 -masm=intel -fno-dwarf2-cfi-asm -fopenmp -c one.c caller.c'
alike "the plugin named twice" 'gcc $LOAD $LOAD -O2 -fopenmp -c one.c'
expect_names "the plugin named twice: the nests" one.o "${one[@]}"
# code for accelerators comes with the options that made it
alike "omp target" 'gcc $LOAD -O2 -g -frandom-seed=1 -fopenmp -c target.c'
alike "-Os" 'gcc $LOAD -Os -fopenmp -c one.c caller.c'
alike "-Og -g" 'gcc $LOAD -Og -g -fopenmp -c one.c caller.c'

# A precompiled header that holds the function: made by both, used by both.
for language in c c++; do
    fresh
    printf '#include "shared.h"\nvoid user(double *x) { shared(x, 9); }\n' >user.c
    { gcc "$load" -O2 -fopenmp -x $language-header shared.h -o shared.h.gch &&
        gcc "$load" -O2 -fopenmp -Winvalid-pch -x $language -c user.c -o user.o -H 2>&1 | tee headers; } >"$work/detail" 2>&1
    grep -q '^! shared.h.gch' headers
    verdict "a precompiled header is used: $language" $? headers
    expect_names "a precompiled header: the nest: $language" user.o "shared $([ $language = c ] && echo shared.h || echo shared.h):5"
done
