#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs that are traced by libpluss-trace and folded: C with OpenMP, clang, Fortran, Rust, schedules, what does not fold. TAP.
# Tier: check, limit 300 s
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
here=$PWD/tests/fold
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C TMPDIR=$tmp
pluss=$BUILD/pluss
cd "$tmp" || exit 1
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; fi
}
build() { # SOURCE NAME [FLAG...]
    local source=$1 name=$2
    shift 2
    gcc -O2 -ffp-contract=off "$@" -fsanitize=thread -c "$here/$source" -o "$name.o" &&
        gcc "$name.o" "$BUILD/libpluss-trace.a" "$@" -lm $([[ $source = *.f90 ]] && echo -lgfortran) -o "$name"
}
sizes=n=12,15,17,14,19,31,40:m=11,18,13,16,10,37,29

# ---- nests found -------------------------------------------------------------------------------------------------------
for kernel in product triangle steps; do
    { build "kernels.c" "$kernel" -fopenmp "-DKERNEL=$kernel" && "$pluss" fold "./$kernel" --sizes "$sizes" -o "$kernel.nest" -- '{n}' '{m}'; } >log 2>&1
    verdict "$kernel is folded" $? log
    grep -qE '(parallel|workshare) for' "$kernel.nest"
    verdict "$kernel: its parallel loop is found" $? "$kernel.nest"
done
sed '/workshare/,$!d' product.nest | diff -u "$here/product.expected" - >log 2>&1
verdict "the loops of a matrix product" $? log

{ build matrix.f90 fortran && "$pluss" fold ./fortran --sizes "$sizes" -o fortran.nest -- '{n}' '{m}'; } >log 2>&1
verdict "a Fortran program is folded" $? log

# threads of a team
for kernel in product triangle steps dispatched; do
    { [ -x "$kernel" ] || build "kernels.c" "$kernel" -fopenmp "-DKERNEL=$kernel"; } >log 2>&1
    for team in 1 3 16; do
        "$pluss" fold "./$kernel" --sizes "$sizes" -T "$team" -o "$kernel.$team" -- '{n}' '{m}' >>log 2>&1
        cmp "$kernel.1" "$kernel.$team" >>log 2>&1
        verdict "$kernel: the nest of $team threads" $? log
    done
done

# the share of each of more threads than there are iterations: what is divided by their number says nothing of the nest
for kernel in product dispatched; do
    for team in 1 3 16; do
        "$pluss" fold "./$kernel" --sizes n=6,8,7,5,9,11,13:m=9,13,11,10,7,8,12 -T "$team" -o "$kernel.few.$team" -- '{n}' '{m}' >log 2>&1
        cmp "$kernel.few.1" "$kernel.few.$team" >>log 2>&1
        verdict "$kernel: the nest of $team threads and fewer iterations" $? log
    done
done

# static chunks, which nothing marks
for kernel in chunks chunks_of_rows; do
    for chunk in 1 3; do
        { build "kernels.c" "$kernel" -fopenmp "-DKERNEL=$kernel" "-DCHUNK=$chunk" &&
            "$pluss" fold "./$kernel" --sizes n=22,25,27,24,29,31,40,53:m=11,18,13,16,10,9,37,29 -o "$kernel.$chunk" -- '{n}' '{m}' &&
            grep -q "in 0..n schedule(static, $chunk)" "$kernel.$chunk"; } >log 2>&1
        verdict "$kernel of $chunk are told by three threads" $? log
    done
done

# one thread does not tell these apart: three are run, too
for kernel in rows elements; do
    { build "kernels.c" "$kernel" -fopenmp "-DKERNEL=$kernel" &&
        "$pluss" fold "./$kernel" --sizes "$sizes" -T 1 -o "$kernel.alone" -- '{n}' '{m}' &&
        "$pluss" fold "./$kernel" --sizes "$sizes" -o "$kernel.nest" -- '{n}' '{m}' &&
        "$pluss" fold "./$kernel" --sizes "$sizes" -T 16 -o "$kernel.16" -- '{n}' '{m}' && cmp "$kernel.nest" "$kernel.16"; } >log 2>&1
    verdict "$kernel: no number of threads, and 16" $? log
done
diff <(sed '/workshare/,$!d' rows.alone) <(sed '/workshare/,$!d' elements.alone) >log 2>&1 && grep -q 'workshare for i0 in 0..n {' rows.nest &&
    grep -q 'workshare for i0 in 0..n \* m {' elements.nest
verdict "rows are told from elements by three threads, not by one" $? log

{ build "kernels.c" dynamic -fopenmp -DKERNEL=dispatched && "$pluss" fold ./dynamic --sizes "$sizes" -o dynamic.nest -- '{n}' '{m}' &&
    grep -q 'schedule(dynamic, 4)' dynamic.nest; } >log 2>&1
verdict "the schedule of a dynamic loop is found" $? log

if command -v clang-14 >/dev/null; then
    { clang-14 -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -DKERNEL=product -fsanitize=thread -c "$here/kernels.c" -o clang.o &&
        gcc clang.o "$BUILD/libpluss-trace.a" -o clang && "$pluss" fold ./clang --sizes "$sizes" -o clang.nest -- '{n}' '{m}'; } >log 2>&1
    verdict "a program compiled by clang is folded" $? log
else
    echo "ok - a program compiled by clang is folded # SKIP no clang-14"
fi
# rustc's stable versions have the sanitizers as features to come, earlier ones without a word about mixed code
rust() { # SOURCE OUTPUT [FLAG...]
    local flags=(--edition 2021 -O -Zsanitizer=thread -Zexternal-clangrt -C llvm-args=-tsan-instrument-read-before-write=1
        -C llvm-args=-unroll-runtime=false -C no-vectorize-loops -C no-vectorize-slp -C link-arg="$BUILD/libpluss-trace.a" "${@:3}" "$here/$1" -o "$2")
    RUSTC_BOOTSTRAP=1 rustc -Cunsafe-allow-abi-mismatch=sanitizer "${flags[@]}" || RUSTC_BOOTSTRAP=1 rustc "${flags[@]}"
}
if rust product.rs rust >log 2>&1; then
    "$pluss" fold ./rust --function multiply --sizes "$sizes" -o rust.nest -- '{n}' '{m}' >log 2>&1 && [ "$(grep -c 'for i2 in 0..m' rust.nest)" -eq 1 ]
    verdict "a Rust program is folded" $? log
    # Rayon itself is compiled as ever
    export CARGO_TARGET_DIR=$BUILD/rust-fold CARGO_TERM_COLOR=never
    { (cd "$here/../../bindings/rust" && { cargo build --release -p pluss-rayon --locked --offline || cargo build --release -p pluss-rayon --locked; }) &&
        rust closures.rs closures --extern "rayon=$(ls "$CARGO_TARGET_DIR"/release/deps/librayon-*.rlib)" -L "dependency=$CARGO_TARGET_DIR/release/deps"; } >log 2>&1
    verdict "closures in Rust are compiled" $? log
    for closure in dot axpy vector transpose triangle par_axpy par_vector par_transpose par_product par_steps; do
        for team in 1 3; do
            [ "$team" -eq 1 ] || [ "${closure#par_}" != "$closure" ] || continue
            "$pluss" fold ./closures --function kernel --sizes n=12,15,17,14,19,33,40:m=11,18,13,16,10,37,29 -T "$team" -o "$closure.$team" -- "$closure" '{n}' '{m}' >log 2>&1 &&
                cmp "$closure.1" "$closure.$team" >>log 2>&1 &&
                { [ "${closure#par_}" = "$closure" ] || grep -q 'for i[0-9] in 0..n schedule(rayon)' "$closure.$team"; }
            verdict "the closure $closure is folded, $team threads" $? log
        done
    done
else
    for name in "a Rust program is folded" "ten closures in Rust are folded, five of them Rayon's"; do
        echo "ok - $name # SKIP no rustc that takes -Zsanitizer=thread"
    done
fi

# ---- what is refused ---------------------------------------------------------------------------------------------------
{ build "kernels.c" gather -fopenmp -DKERNEL=gather; } >log 2>&1
"$pluss" fold ./gather --sizes "$sizes" -o gather.nest -- '{n}' '{m}' >>log 2>&1
[ $? -eq 1 ] && [ ! -e gather.nest ] && grep -q 'accesses have irregular addresses' log
verdict "a gather is refused, with its share" $? log

# ---- code that no run executes ------------------------------------------------------------------------------------------
cat >guarded.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
double a[1000], b[1000];
static void __attribute__((noinline)) kernel(int n)
{
    if (n > 1000) { /* as before a panic of Rust: it does not return, and is not counted */
        b[0] = 2;
        b[1] = n;
        puts("n is too large");
        __builtin_trap();
    }
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    if (n > 50)
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            b[i] = 1;
}
int main(int argc, char **argv)
{
    kernel(argc > 1 ? atoi(argv[1]) : 0);
}
EOF
{ gcc -O2 -fopenmp -fsanitize=thread -c guarded.c && gcc guarded.o "$BUILD/libpluss-trace.a" -fopenmp -o guarded &&
    "$pluss" fold ./guarded --function kernel --sizes n=12,15,17,14,19,31,40 -o guarded.nest -- '{n}' && cat guarded.nest; } >log 2>&1
grep -q '^pluss: warning: no run executes 3 of the 5 accesses in the code .* in kernel:' log && grep -q '^# no run executes 3 of the 5' guarded.nest &&
    grep -qx '# compared access by access: n 12..40 in 7 runs' guarded.nest
verdict "code that no run executes is told" $? log
"$pluss" fold ./guarded --function kernel --sizes n=72,65,57,84,79,81,90 -T 2 -o guarded.nest -- '{n}' >log 2>&1 && [ ! -s log ]
verdict "nothing is told where runs execute all" $? log
"$pluss" fold ./guarded --function kernel --sizes n=72,65,57,84,79,81,90 -T 1 -o guarded.nest -- '{n}' 2>log && grep -q '^pluss: note: one thread executed the parallel regions' log
verdict "that one thread tells nothing of a team is told" $? log
! grep -l 'no run executes' product.nest triangle.nest steps.nest fortran.nest >log
verdict "of other programs, too" $? log

# ---- blocks that are longer than what the runs that are fitted tell -----------------------------------------------------
cat >rounded.c <<'EOF'
#include <stdlib.h>
static void __attribute__((noinline)) kernel(int n, char *b)
{
    for (int i = 0; i < n; i++)
        b[i]++;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    char *b = calloc((n + 63) / 64, 64);
    kernel(n, b);
    free(b);
}
EOF
{ gcc -O2 -fsanitize=thread -c rounded.c && gcc rounded.o "$BUILD/libpluss-trace.a" -o rounded &&
    "$pluss" fold ./rounded --function kernel --sizes n=12,15,17,14,19,31,40,50 -o short.nest -- '{n}' && grep -q 'heap1\[64\]' short.nest &&
    "$pluss" fold ./rounded --function kernel --sizes n=12,15,17,14,19,31,40,100 -o rounded.nest -- '{n}' && grep -q 'heap1\[\]' rounded.nest; } >log 2>&1
verdict "an extent that the last run does not have is left out" $? log

# ---- a block that is small in runs of one thread: the names of those after it are the same --------------------------------
cat >each.c <<'EOF'
#include <omp.h>
#include <stdlib.h>
static void __attribute__((noinline)) fill(int n, double *a)
{
#pragma omp parallel for
    for (int i = 0; i < 8 * n; i++)
        a[i] = 1;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 8;
    double *volatile each = calloc((size_t)omp_get_max_threads(), sizeof *each);
    double *a = calloc((size_t)n, 64);
    fill(n, a);
    free(each);
    free(a);
}
EOF
{ gcc -O2 -fopenmp -fsanitize=thread -c each.c && gcc each.o "$BUILD/libpluss-trace.a" -fopenmp -o each && "$pluss" fold ./each -T 9 --sizes n=12,15,17,14,19,31,40,50 -o each.nest -- '{n}' && grep -q 'write heap2' each.nest; } >log 2>&1
verdict "blocks below the least size are counted" $? log

# ---- operations that act in no run -----------------------------------------------------------------------------------
cat >masked.c <<'EOF'
#include <stdlib.h>
double a[4096], b[4096];
static void __attribute__((noinline)) kernel(int n, int m)
{
    for (int i = 0; i < n; i++) {
        unsigned char narrow = i * 2;
        int cut = i + m > 100 ? 100 : i + m;
        a[SUBSCRIPT] += b[i];
        (void)narrow;
        (void)cut;
    }
}
int main(int argc, char **argv)
{
    kernel(atoi(argv[1]), atoi(argv[argc - 1]));
}
EOF
while read -r limit subscript; do
    { gcc -O2 "-DSUBSCRIPT=$subscript" -fsanitize=thread -c masked.c -o masked.o && gcc masked.o "$BUILD/libpluss-trace.a" -o masked &&
        "$pluss" fold ./masked --function kernel --sizes "$sizes" -o masked.nest -- '{n}' '{m}' &&
        "$pluss" predict masked.nest -D "n=$limit" -D m=40 -T 1 >masked.out &&
        ! "$pluss" predict masked.nest -D "n=$((limit + 1))" -D m=40 -T 1; } >log 2>&1 && grep -q 'known to hold where' log
    verdict "a[$subscript] is a[i] up to n = $limit" $? log
done <<'EOF'
64 i&63
64 i%64
128 narrow
61 cut
70 i<70?i:0
128 i|128
64 i-(i>>6)
90 n>90?0:i
70 (double)i<70?i:0
70 (float)i>=70?0:i
90 n==91.?0:i
179 i*(m*300000u)/(m*300000u)
65536 (unsigned)i*65536>>16
EOF
while read -r subscript; do
    { gcc -O2 "-DSUBSCRIPT=$subscript" -fsanitize=thread -c masked.c -o masked.o && gcc masked.o "$BUILD/libpluss-trace.a" -o masked; } >log 2>&1
    "$pluss" fold ./masked --function kernel --sizes "$sizes" -o told.nest -- '{n}' '{m}' >>log 2>&1 &&
        grep -q '^pluss: warning: what 1 instruction does at other sizes cannot be told' log && grep -q '^# what 1 instruction does' told.nest
    verdict "a[$subscript] is not known to be a[i], which is told" $? log
done <<'EOF'
(int)(float)i
i*0.5<1e9?i:0
(int)((long double)i*.5L*2)
EOF
{ gcc -O2 '-DSUBSCRIPT=i^(m&256)' -fsanitize=thread -c masked.c -o masked.o && gcc masked.o "$BUILD/libpluss-trace.a" -o masked; } >log 2>&1
! "$pluss" fold ./masked --function kernel --sizes "$sizes" -o unknown.nest -- '{n}' '{m}' >>log 2>&1 && [ ! -e unknown.nest ] &&
    grep -q 'an operation on bits is decided alike in all runs, at site' log
verdict "where sizes do not tell it, the site is named" $? log

# ---- traps in watched code: with the program's own handler, under a debugger, and where no memory may be written and executed ----
{ build trapping.c trapping && gcc -O2 "$here/debugger.c" -o debugger && gcc -O2 "$here/hardened.c" -o hardened; } >log 2>&1
watched() { grep -E '^(code|watch) ' "$1.objects"; }
PLUSS_TRACE_FUNCTION=kernel PLUSS_TRACE=own ./trapping 80 >>log 2>&1 && watched own >watches && grep -q ' floor 1 ' watches
verdict "a program that handles SIGTRAP gets its own traps, and its code is watched" $? log
PLUSS_TRACE_FUNCTION=kernel PLUSS_TRACE=debugged ./debugger ./trapping 80 >>log 2>&1
ended=$?
if [ $ended -eq 99 ]; then
    echo "ok - code is watched under a debugger, too # SKIP programs may not be traced here"
else
    { [ $ended -eq 0 ] && watched debugged | diff watches -; } >>log 2>&1
    verdict "code is watched under a debugger, too" $? log
fi
"$pluss" fold ./hardened --function kernel --sizes "$sizes" -o hardened.nest -- ./trapping '{n}' >log 2>&1
ended=$?
if grep -q 'no filter of system calls' log; then
    echo "ok - code that cannot be watched is told # SKIP no filter of system calls"
else
    [ $ended -eq 0 ] && grep -q "^pluss: warning: the program's code is known in part" log
    verdict "code that cannot be watched is told" $? log
fi

# ---- the library -------------------------------------------------------------------------------------------------------
PLUSS_TRACE=cut PLUSS_TRACE_ACCESSES=100 ./product 12 11 >log 2>&1
[ $? -eq 0 ] && [ "$(grep -c ' [rw] ' cut)" -eq 100 ] && grep -q 'the trace is cut' log
verdict "a trace is cut, which is said" $? log
PLUSS_TRACE=none PLUSS_TRACE_FORMAT=zip ./product 12 11 >log 2>&1
[ $? -eq 0 ] && [ ! -e none ] && grep -q 'PLUSS_TRACE_FORMAT is neither text nor packed: zip' log
verdict "a format that is none is told" $? log
mkdir empty && (cd empty && ../product 12 11) >log 2>&1 && rmdir empty
verdict "a program that is not traced writes nothing" $? log
PLUSS_TRACE=/no/such/file ./product 12 11 >log 2>&1
[ $? -eq 0 ] && grep -q 'libpluss-trace: /no/such/file: cannot be written' log
verdict "a trace that cannot be written does not stop the program" $? log
OMP_NUM_THREADS=3 PLUSS_TRACE=three ./product 12 11 >log 2>&1
[ $? -eq 0 ] && [ "$(cut -d' ' -f1 three | sort -u | wc -l)" -eq 3 ] && [ "$(grep -c region three)" -eq 3 ]
verdict "threads are told apart" $? log

# Marks of loops that are not counted by signed numbers, of ordered ones and of sections.
cat >marked.c <<'EOF'
#include <stddef.h>
double a[64], b[64];
int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            a[1] = 1;
#pragma omp section
            a[2] = 1;
        }
#pragma omp for schedule(dynamic, 8)
        for (size_t i = 0; i < 64; i++)
            a[i] = 1;
#pragma omp for schedule(dynamic, 8) ordered
        for (int i = 62; i >= 0; i -= 2)
#pragma omp ordered
            a[i] = b[i];
    }
    return 0;
}
EOF
{ gcc -O1 -fopenmp -fsanitize=thread -c marked.c && gcc marked.o "$BUILD/libpluss-trace.a" -fopenmp -o marked &&
    PLUSS_TRACE=marks ./marked; } >log 2>&1
chunks=$(grep ' chunk ' marks | awk '{ print $3, $4 }' | sort -n -k1 | tr '\n' ' ')
same=$([ "$chunks" = "0 8 0 8 8 16 8 16 16 24 16 24 24 32 24 32 32 40 40 48 48 56 56 64 " ] && [ "$(grep -c ' barrier' marks)" = 4 ] && echo yes)
[ "$same" = yes ] || { echo "$chunks"; grep -c ' barrier' marks; } >>log
[ "$same" = yes ]
verdict "marks of unsigned loops, ordered ones and sections" $? log

# The same accesses in the same order, packed or as text; of threads that follow each other, and of one whose team is in another's.
gcc -O2 -pthread -fsanitize=thread -c "$here/successive.c" -o successive.o >log 2>&1 && gcc successive.o "$BUILD/libpluss-trace.a" -fopenmp -pthread -o successive >>log 2>&1
for program in "product 20 30" "successive 300"; do
    for format in text packed; do
        # where the stack begins depends on how long the environment is
        OMP_NUM_THREADS=1 PLUSS_TRACE=in.$format PLUSS_TRACE_FORMAT=$format BESIDE=$(printf "%$((20 - 2 * ${#format}))s") setarch -R ./$program >>log 2>&1
        "$pluss" simulate --each-thread "in.$format" 2>>log | sed 's/in\.[a-z]*//' >"$format.curves"
    done
    grep -q 'accesses to' text.curves && cmp text.curves packed.curves >>log 2>&1 && [ "$(wc -c <in.packed)" -lt "$(($(wc -c <in.text) / 20))" ]
    verdict "${program%% *}: packed as it is as text" $? log
done
# What is decided in watched code is decided as ever, however the compiler compares.
for flags in -O0 -O1 -O2 "-O2 -fPIE -pie -fcf-protection=none"; do
    { gcc $flags -fsanitize=thread -c "$here/compares.c" -o compares.o && gcc compares.o "$BUILD/libpluss-trace.a" -o compares &&
        ./compares 300 >plain.txt && PLUSS_TRACE=/dev/null ./compares 300 >traced.txt; } >log 2>&1
    [ -s plain.txt ] && cmp plain.txt traced.txt >>log 2>&1
    verdict "comparisons of a watched program, $flags" $? log
    # with traps what is known of each instruction is the same as with jumps to other code
    status=0
    for way in -DJUMPS -DTRAPS; do
        gcc $flags $way -fsanitize=thread -c "$here/compares.c" -o compares.o && gcc compares.o "$BUILD/libpluss-trace.a" -o compares &&
            PLUSS_TRACE=compares.text ./compares 300 && awk '/^watch.* (compare|operate)$/ { $2 = ""; print }' compares.text.objects >watched$way
    done >log 2>&1 || status=1
    [ $status -eq 0 ] && [ "$(wc -l <watched-DTRAPS)" -gt 60 ] && diff watched-DJUMPS watched-DTRAPS >>log
    verdict "what is known of its instructions, $flags" $? log
done

# ---- pluss trace -------------------------------------------------------------------------------------------------------
count() { "$pluss" simulate "$1" | sed -n "s/^ *\([0-9,]*\) accesses.*/\1/p" | head -n 1; }
OMP_NUM_THREADS=1 PLUSS_TRACE=text ./product 20 30 >log 2>&1
"$pluss" trace -o packed ./product 20 30 >>log 2>&1 && [ "$(count text)" = "$(count packed)" ] && [ "$(wc -c <packed)" -lt 100000 ] &&
    diff <(cut -d' ' -f2- text.objects) <(cut -d' ' -f2- packed.objects) >>log && "$pluss" fold packed -o packed.nest >>log 2>&1
verdict "a run is packed while it is traced" $? log
"$pluss" trace -T 3 --accesses 100 -o packed ./product 20 30 >log 2>&1 && [ "$(count packed)" = 100 ] && grep -q 'trace is cut' log
verdict "it is bounded, which is said" $? log
"$pluss" trace --function product -o packed ./product 20 30 >log 2>&1 && [ "$(count packed)" != "$(count text)" ]
verdict "a function alone is traced" $? log
cp packed before
printf '#!/bin/sh\nkill -9 $$\n' >dies && chmod +x dies
for program in true ./dies ./product; do # which has no such function
    { "$pluss" trace --function none -o packed "$program" >log 2>&1; } 2>>log
    [ $? -ne 0 ] && cmp packed before >>log 2>&1
    verdict "no trace of '$program', and the file is as it was" $? log
done

# ---- programs as they are, under valgrind -----------------------------------------------------------------------------------
if [ -x "$BUILD/pluss-valgrind" ]; then
    gcc -O2 -pthread "$here/threads.c" -o threads >log 2>&1
    for n in 400 800; do "$pluss" trace --valgrind --function add -o "threads.$n" ./threads $n >>log 2>&1; done
    [ $(($(count threads.800 | tr -d ,) - $(count threads.400 | tr -d ,))) -eq 1200 ]
    verdict "valgrind: accesses of two threads, to the last" $? log
    [ "$("$pluss" simulate --each-thread --csv threads.800 | grep -c .)" -gt 2 ] && grep -q ' 6400 heap' threads.800.objects && grep -q ' 128 constant' threads.800.objects
    verdict "valgrind: their blocks and variables" $? threads.800.objects
    for kernel in product dispatched; do
        gcc -O2 -fopenmp "-DKERNEL=$kernel" "$here/kernels.c" -o "plain_$kernel" >log 2>&1
        for team in 1 3; do
            "$pluss" fold --valgrind --function "$kernel" "./plain_$kernel" --sizes n=12,15,17,14,31:m=11,18,13,16,37 -T "$team" -o "plain.$kernel.$team" -- '{n}' '{m}' >>log 2>&1 &&
                cmp "plain.$kernel.1" "plain.$kernel.$team" >>log 2>&1
            verdict "valgrind: $kernel is folded, $team threads" $? log
        done
    done
    # -O1: later compilers double the loop, and a thread's share of it is then halved, which eight sizes do not tell
    gcc -O1 -fopenmp each.c -o plain_each >log 2>&1
    "$pluss" fold --valgrind --function fill ./plain_each -T 9 --sizes n=12,15,17,14,19,31,40,50 -o plain.each -- '{n}' >>log 2>&1 && grep -q 'write heap2' plain.each
    verdict "valgrind: blocks below the least size are counted" $? log
    grep -q 'schedule(dynamic, 4)' plain.dispatched.3
    verdict "valgrind: chunks are marked" $? plain.dispatched.3
    "$pluss" trace --valgrind --accesses 100 -o packed ./threads >log 2>&1 && [ "$(count packed)" = 100 ] && grep -q 'trace is cut' log
    verdict "valgrind: a trace is bounded, which is said" $? log
    cp packed before
    for program in ./none ./dies 'true --function'; do
        "$pluss" trace --valgrind --function none -o packed $program >log 2>&1
        [ $? -ne 0 ] && cmp packed before >>log 2>&1
        verdict "valgrind: no trace of '$program', and the file is as it was" $? log
    done
else
    echo "ok - programs as they are, under valgrind # SKIP no headers of valgrind, or another processor than amd64"
fi
