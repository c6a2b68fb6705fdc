#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of ci/lint.sh as tests, and that its tools find what is wrong. TAP.
# Tier: check, limit 600 s
# Makes: products tests
set -u
cd "$(dirname "$0")/../.." || exit 1
ci=$PWD/ci
ci/lint.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
verdict() { # NAME, exit status; what the tool said is in said
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' said | head -n 12; fi
}
mkdir -p runtime/{low,high} build/obj/runtime/low
echo 'int plussi_used(int); int plussi_unused(int);' >runtime/low/low.h
echo '#include "low/low.h"' >runtime/high/high.h
printf '#include "low/low.h"\nint plussi_used(int n) { return n / 3; }\nint plussi_unused(int n) { return plussi_used(n) + 1; }\n' >runtime/low/low.c
python3 "$ci/includes.py" . >said
verdict "no circle is seen where there is none" $?
for level in "-O0 -g" "-O2 -g" "-O2 -g1"; do
    # shellcheck disable=SC2086
    gcc $level -fPIC -fvisibility=hidden -Iruntime -c runtime/low/low.c -o build/obj/runtime/low/low.c.o 2>said
    verdict "the sample compiles, $level" $?
    ! python3 "$ci/unused.py" build >said && grep -q '^plussi_unused (' said && ! grep -q '^plussi_used (' said
    verdict "a function that nobody calls is found, $level" $?
done
echo '#include "high/high.h"' >>runtime/low/low.c
! python3 "$ci/includes.py" . >said && grep -q 'runtime/low -> runtime/high: runtime/low/low.c:4 ' said && ! grep -q '^files' said
verdict "a circle of folders is found" $?
echo '#include "high/high.h"' >>runtime/low/low.h
! python3 "$ci/includes.py" . >said && grep -q '^files .*: runtime/high/high.h, runtime/low/low.h$' said
verdict "a circle of files is found" $?
mkdir -p gcc-plugin/common gcc-plugin/stage && touch gcc-plugin/common/gcc-compat.h
echo '#include "common/gcc-compat.h"' >gcc-plugin/stage/whole.h
echo '#include "stage/whole.h"' >gcc-plugin/stage/whole.cc
touch gcc-plugin/stage/lacking.h && echo '#include "stage/lacking.h"' >gcc-plugin/stage/lacking.cc
! python3 "$ci/includes.py" . >said && [ "$(grep -o '^gcc-plugin/[^ ]*' said | xargs)" = "gcc-plugin/stage/lacking.cc gcc-plugin/stage/lacking.h" ]
verdict "files of the plugin that lack what is precompiled are found, and no others" $?

# ---- sources that the build does not know ------------------------------------------------------------------------------
mkdir -p tests/some/{cases,inputs} tests/foreign/inputs
echo 'struct sized { size_t n; };' >tests/some/lacking.h
echo 'int whole(int n) { return n; }' >tests/some/whole.c
printf '#include "tests/some/renamed.h"\nint f(void);\n' >tests/some/stale.c
echo 'int whole(int n); int whole(int n) { return 1; }' >tests/some/warned.c
echo 'int wrong(void) { return undeclared; }' | tee tests/some/cases/wrong.c tests/foreign/inputs/wrong.c >/dev/null
echo 'MACRO(size_t n)' >tests/some/inputs/template.h
find tests -name '*.[ch]' | BUILD=build "$ci/syntax.sh" >said
[ "$(cut -d: -f1 said | sort -u | xargs)" = "tests/some/cases/wrong.c tests/some/lacking.h tests/some/stale.c tests/some/warned.c" ]
verdict "sources that do not compile are found, and no others" $?
grep -q 'lacking.h:1:16: error: ' said && grep -q 'stale.c:1:10: fatal error: ' said && grep -q "warned.c:1:33: warning: .*-Wunused-parameter" said
verdict "with place and reason" $?
