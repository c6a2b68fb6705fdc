#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Remarks on loops while they are compiled (-fplugin-arg-pluss-report): what they say, in which format, with which limits; that the
# object file is the same; commands that are missing, fail, write nonsense or never end. TAP.
# Tier: test, limit 300 s
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
programs=$PWD/tests/report/programs
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C XDG_CONFIG_HOME=$tmp/config
unset GCC_COLORS CFLAGS
export HWLOC_SYNTHETIC='pack:1 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) core:1 pu:2'
cd "$tmp" || exit 1
cp "$programs"/*.c .
failed=0
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; failed=1; fi
}
fortran=$(command -v gfortran || command -v gfortran-12)
P=-fplugin-arg-pluss
compile() { # COMPILER FILE OPTION...: standard error in log, the exit status is the compiler's
    local compiler=$1 file=$2
    shift 2
    "$compiler" -O2 -fopenmp "-fplugin=$build/pluss.so" $P-notes=off "$@" -c "$file" -o out.o 2>log
}
said() { # PATTERN: of one line of the log, extended
    grep -qE -- "$1" log
}

# ---- what is said ------------------------------------------------------------------------------------------------------
percent='[0-9.]+( \+-[0-9.]+)? %'
compile gcc stencil.c $P-report $P-threads=1,16 $P-D-n=1500 &&
    said "^stencil\.c:15:9: note: L1d misses $percent \(T=1\), $percent \(T=16\): [a-z]+\[.*\], column-wise; interchange loops j and i: $percent\$" && [ "$(grep -c note log)" = 1 ]
verdict "one note a loop, with the cause and a legal change" $? log
compile gcc counters.c $P-report $P-threads=4 $P-D-n=4000000 && said "^counters\.c:19:9: note: L2 misses $percent \(T=4\): counter\[.thread\], false sharing; elements of counter 64 bytes apart.*: $percent\$"
verdict "packed counters" $? log
compile gcc counters.c $P-report $P-threads=4 $P-D-n=4000000 $P-cache=L1=32K:ways=8,L2=1M:ways=8 && said "counter\[.thread\], false sharing; "
verdict "packed counters, in caches of ways" $? log
compile gcc stencil.c $P-report && said "^stencil\.c:7:13: note: not predicted: no values of n \($P-D-NAME=VALUE gives one\)\$" && [ "$(grep -c note log)" = 1 ]
verdict "a symbol without a value" $? log
compile gcc stencil.c $P-report $P-D-n=1500 $P-D-another=3 && said "note: L1d misses"
verdict "values for other units' symbols are passed by" $? log
cat >two.cc <<'S'
double a[512][512], b[512][512];
template <class T> static void copy(T (&to)[512][512], T (&from)[512][512])
{
#pragma omp parallel for
    for (int j = 0; j < 512; j++)
        for (int i = 0; i < 512; i++)
            to[i][j] = from[i][j];
#pragma omp parallel for
    for (int i = 0; i < 512; i++)
        for (int j = 0; j < 512; j++)
            to[i][j] += 1;
}
void both() { copy(a, b); }
S
compile g++ two.cc $P-report $P-threads=2 && said "^two\.cc:4:9: note: .*column-wise; interchange loops j and i: " && said "^two\.cc:8:9: note: .*: to\[i\]\[j\], " && [ "$(grep -c 'note: L' log)" = 2 ]
verdict "C++, and two loops of a function" $? log
cat >walk.f90 <<'S'
subroutine walk(a, b)
  real(8) :: a(512, 512), b(512, 512)
  integer :: i, j
  !$omp parallel do private(j)
  do i = 1, 512
    do j = 1, 512
      a(i, j) = b(i, j)
    end do
  end do
end subroutine
S
if [ -n "$fortran" ]; then
    compile "$fortran" walk.f90 $P-report $P-threads=2 && said "note: .*row-wise; interchange loops i and j: " || said "^walk\.f90:4:.*" && { said "Note: .*row-wise; interchange loops i and j: " || said "note: .*row-wise; interchange loops i and j: "; }
    verdict "Fortran" $? log
fi
compile gcc stencil.c $P-threads=1 && [ ! -s log ]
verdict "nothing is said unless it is asked for" $? log
echo 'int one(void) { return 1; }' >none.c
compile gcc none.c $P-report $P-command=/nonexistent && [ ! -s log ]
verdict "a unit without loops starts nothing" $? log

# ---- the object file ----------------------------------------------------------------------------------------------------
for options in "-O2 -g" "-O0" "-flto -frandom-seed=1"; do
    # shellcheck disable=SC2086
    compile gcc stencil.c $options && mv out.o plain.o && compile gcc stencil.c $options $P-report $P-D-n=1500 $P-threads=2 && said "note: L1d" && cmp plain.o out.o >>log
    verdict "the object file is the same: $options" $? log
done
compile gcc stencil.c $P-mode=bind $P-report $P-D-n=1500 $P-threads=2 && said "^stencil\.c:15:9: note: L1d"
verdict "in a mode that records" $? log

# ---- limits -------------------------------------------------------------------------------------------------------------
known="$P-report $P-threads=2 $P-D-n=1500"
# shellcheck disable=SC2086
{
    compile gcc stencil.c $known $P-report-warn=30%@L1,90% && said "^stencil\.c:15:9: warning: L1d misses $percent \(T=2\), above 30 %: "
    verdict "above a limit: a warning" $? log
    compile gcc stencil.c $known $P-report-warn=60%@L1 && said "note: L1d" && ! said warning
    verdict "below it: a note" $? log
    compile gcc stencil.c $known $P-report-warn=1% $P-report-error=30%@L1
    [ $? -eq 1 ] && said "^stencil\.c:15:9: error: L1d misses .*above 30 %"
    verdict "above a limit for errors: an error" $? log
    compile gcc stencil.c $known $P-report-warn=30%@L1 -Werror
    [ $? -eq 1 ] && said "error: L1d misses .*above 30 %.*\[-Werror\]"
    verdict "-Werror makes an error of a warning" $? log
    compile gcc stencil.c $known -Werror && said "note: L1d" && ! said "error"
    verdict "and none of a note" $? log
    compile gcc stencil.c $known $P-report-error=1%@L9 && said "warning: not predicted: there is no level 'L9'"
    verdict "a limit on a level that is not there" $? log
    compile gcc stencil.c $known $P-report-error=many && said "^cc1: note: pluss: no report: .* says: --fail 'many'.*: a number is expected"
    verdict "a limit that is none" $? log
    # GCC 16 writes SARIF alone, the first ones JSON of their own alone.
    [ "$(gcc -dumpversion | cut -d. -f1)" -lt 15 ] && format=json || format=sarif-stderr
    compile gcc stencil.c $known -fdiagnostics-format=$format $P-report-warn=30%@L1 && python3 - log $format >>log 2>&1 <<'E'
import json, sys
text = open(sys.argv[1]).read()
if sys.argv[2] == "json":
    one, = json.loads(text[text.index("["):])
    told = one["kind"], one["message"], one["locations"][0]["caret"]["line"]
else:
    one, = json.loads(text[text.index("{"):])["runs"][0]["results"]
    told = one["level"], one["message"]["text"], one["locations"][0]["physicalLocation"]["region"]["startLine"]
assert told[0] == "warning" and told[1].startswith("L1d misses ") and told[2] == 15, told
E
    verdict "JSON, as the compiler writes it" $? log
}

# ---- the command --------------------------------------------------------------------------------------------------------
# One note, the compilation goes on, and the object file is there.
told() { # NAME, options, pattern
    rm -f out.o
    # shellcheck disable=SC2086
    compile gcc stencil.c $known $2 && said "$3" && [ "$(grep -c 'note:' log)" = 1 ] && cmp plain.o out.o >>log
    verdict "$1" $? log
}
compile gcc stencil.c && mv out.o plain.o
script() { # NAME: of standard input
    { echo '#!/bin/sh'; cat; } >"$1" && chmod +x "$1"
}
head='severity,file,line,column,region,level,miss_ratio,miss_ratio_error,miss_ratio_then,steps,text'
told "a command that is not there" "$P-command=$tmp/nowhere" "no report: $tmp/nowhere cannot be started"
told "one that is no program" "$P-command=$tmp/stencil.c" "no report: .* cannot be started"
told "one that says nothing" "$P-command=/bin/true" "no report: .* does not answer as this plugin expects"
script fails <<<'echo "pluss: error: it is broken" >&2; exit 3'
told "one that fails" "$P-command=$tmp/fails" "no report: $tmp/fails says: it is broken"
script crashes <<<'kill -SEGV $$'
told "one that crashes" "$P-command=$tmp/crashes" "no report: .* has crashed"
script hangs <<<'exec sleep 100'
told "one that never ends" "$P-command=$tmp/hangs $P-report-seconds=1" "no report: .* takes longer than 1 s"
script closes <<<'exec >&- 2>&-; exec sleep 100'
start=$SECONDS
told "one that closes its output and never ends" "$P-command=$tmp/closes $P-report-seconds=1" "no report: .* takes longer than 1 s"
[ $((SECONDS - start)) -lt 30 ]
verdict "and is not waited for" $? log
told "one that never stops" "$P-command=/usr/bin/yes" "no report: .*"
script cut <<<"printf '%s\\nnote,stencil.c,15' '$head'"
told "an answer that is cut" "$P-command=$tmp/cut" "no report: .* does not answer as this plugin expects"
script other <<<"printf '%s\\nfatal,stencil.c,15,,r,L1,,,,,text\\n' '$head'"
told "an answer of another kind" "$P-command=$tmp/other" "no report: .* does not answer as this plugin expects"
script odd <<<"printf '%s\\nnote,\"no\"\"where,\\n.c\",99999999999999999999,,r,L1,,,,,\"%%s%%n\\033[31m\"\\n' '$head'"
compile gcc stencil.c $P-report $P-D-n=1500 "$P-command=$tmp/odd" && said '^cc1: note: %s%n\?\[31m$'
verdict "texts and places of any kind" $? log
for bad in report=maybe report-seconds=0 report-seconds=x; do
    compile gcc stencil.c "$P-$bad"
    [ $? -eq 1 ] && said "pluss: option .* must be "
    verdict "an option that is wrong: $bad" $? log
done

# ---- the verb -----------------------------------------------------------------------------------------------------------
pluss=$build/pluss
"$pluss" remarks plain.o -T 1,2 -D n=1500 --fail=30%@L1 >log 2>&1
[ $? -eq 1 ] && said "^stencil\.c:15: error: L1d misses .*interchange loops j and i"
verdict "pluss remarks says the same of an object file" $? log
"$pluss" remarks plain.o -T 1-20 -D n=1500 >log 2>&1 && said "not predicted: 1 to 8 numbers of threads are told of"
verdict "too many teams" $? log
"$pluss" remarks plain.o -T 2 -D n=8,16 >log 2>&1
[ $? -ne 0 ] && said "error: "
verdict "several values" $? log
objcopy -O binary --only-section=.pluss.nests --set-section-flags .pluss.nests=alloc plain.o section && cat section section >twice && "$pluss" nests twice >log 2>&1 && [ "$(grep -c smooth log)" = 1 ] &&
    { printf 'x'; cat section; } >bad && ! "$pluss" nests bad >>log 2>&1
verdict "a section of nests is read as a file" $? log
exit $failed
