#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ci/check.sh itself, on scripts made up for it: what each tier runs, that a script which hangs, dies or says nothing fails and
# the others go on, what is made beforehand, and what is recorded; and the assertions of compiled suites (tests/unit/assertions.h). TAP.
# Tier: test, limit 120 s
set -u
cd "$(dirname "$0")/../.." || exit 1
unit=$PWD/tests/unit
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/ci"
cp ci/check.sh "$tmp/ci/"
cd "$tmp" || exit 1
script() { # NAME TIER-LINE COMMANDS
    mkdir -p "tests/$1"
    printf '#!/usr/bin/env bash\n%s\n%s\n' "$2" "$3" >"tests/$1/run.sh"
}
same() { # NAME, expected, got
    if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; diff <(echo "$2") <(echo "$3") | sed 's/^/    /'; fi
}
# counts of each script, and the last line
run() { BUILD=build ci/check.sh "$@" 2>&1 | sed -nE 's/^tests\/([a-z]+)\/run.sh +([0-9]+) ok +([0-9]+) failed .*/\1 \2 \3/p; $p' | sort; }

script quick '# Tier: test, limit 60 s' 'echo "ok - $PLUSS_TIER"'
script normal '# Tier: check, limit 60 s' 'echo "ok - $PLUSS_TIER"; echo "ok - b # SKIP not there"'
script slow '# Tier: full, limit 60 s' 'echo "ok - $PLUSS_TIER ${PLUSS_LONG:-}"'
same "tier test" $'1 passed, 0 failed\nquick 1 0' "$(run --tier=test)"
same "tier check is the default" $'3 passed, 0 failed\nnormal 2 0\nquick 1 0' "$(run)"
same "tier full" $'4 passed, 0 failed\nnormal 2 0\nquick 1 0\nslow 1 0' "$(run --tier=full)"
same "suites learn that they may take long" "ok - full 1" "$(cat build/check-logs/tests_slow_run.sh.tap)"
same "a script that is named runs in any tier" $'1 passed, 0 failed\nslow 1 0' "$(run --tier=test slow/)"

export BUSY=1
script hangs '# Tier: check, limit 1 s (full: 2 s)' 'echo "ok - begun"; sleep 100'
script dies '# Tier: check, limit 60 s' 'echo "ok - begun"; kill -9 $$'
script fails '# Tier: check, limit 60 s' 'echo "not ok - wrong"; exit 1'
script silent '# Tier: check, limit 60 s' ''
script unlimited '# Tier: check' 'echo "ok - never"'
same "each fails by itself" $'5 passed, 5 failed\ndies 1 1\nfails 0 1\nhangs 1 1\nnormal 2 0\nquick 1 0\nsilent 0 1\nunlimited 0 1' "$(run)"
same "what hangs is named" "not ok - tests/hangs/run.sh was ended after 1 s, its limit" "$(tail -n 1 build/check-logs/tests_hangs_run.sh.tap)"
same "what dies is told" "not ok - tests/dies/run.sh ended with status 137" "$(tail -n 1 build/check-logs/tests_dies_run.sh.tap)"
same "another limit in tier full" "not ok - tests/hangs/run.sh was ended after 2 s, its limit" \
    "$(run --tier=full hangs >/dev/null; tail -n 1 build/check-logs/tests_hangs_run.sh.tap)"
BUILD=build ci/check.sh quick >/dev/null && ! BUILD=build ci/check.sh fails >/dev/null && ! BUILD=build ci/check.sh no-such-name >/dev/null
same "the exit status" 0 $?

# what scripts make in the build is made before any of them, once
script makes $'# Tier: check, limit 60 s\n# Makes: products' 'cat build/products | sed "s/^/ok - /"'
script early '# Tier: check, limit 120 s' 'cat build/products | sed "s/^/ok - /"' # begins first
printf 'products:\n\techo made >>build/products\n' >Makefile
same "what scripts make is made before the first begins" $'2 passed, 0 failed\nearly 1 0\nmakes 1 0' "$(run makes early)"
same "what is not asked for is not made" $'0 passed, 1 failed\nearly 0 1' "$(rm build/products && run early)"
printf 'products:\n\techo broken; false\n' >Makefile
same "nothing runs where it cannot be made" $'ci/check.sh: make products has failed\nexit status 1' \
    "$(BUILD=build ci/check.sh makes 2>&1 >out; echo "exit status $?")"

recorded() { grep -v '^#' counts | tr '\t' ' '; }
run --tier=full --record=counts normal slow >/dev/null
same "counts are recorded" $'tests/normal/run.sh 1 0 1 unknown\ntests/slow/run.sh 1 0 0 unknown' "$(recorded)"
script slow '# Tier: full, limit 60 s' 'echo "ok - one"; echo "not ok - two"'
run --tier=full --record=counts quick slow >/dev/null
same "a later run replaces its own lines alone" \
    $'tests/normal/run.sh 1 0 1 unknown\ntests/quick/run.sh 1 0 0 unknown\ntests/slow/run.sh 1 1 0 unknown' "$(recorded)"

# ---- assertions: those that hold are no system calls, those that fail are told ------------------------------------------
cat >asserts.c <<'C'
#include <stdio.h>
#include "suite.h"
static long count_writes(void)
{
    long writes = 0;
    char line[64];
    FILE *file = fopen("/proc/self/io", "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "syscw: %ld", &writes);
    if (file)
        fclose(file);
    return writes;
}
START_TEST(holds)
{
    const long before = count_writes();
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(i, i);
    ck_assert_int_lt(count_writes() - before, 10);
}
END_TEST
START_TEST(fails)
{
    for (int i = 0; i < 10; i++)
        ck_assert_int_ne(i, 7);
}
END_TEST
static Suite *asserts_suite(void)
{
    Suite *suite = suite_create("asserts");
    TCase *one = tcase_create("one");
    tcase_add_test(one, holds);
    tcase_add_test(one, fails);
    suite_add_tcase(suite, one);
    return suite;
}
SUITE_MAIN(asserts_suite())
C
# shellcheck disable=SC2046
gcc -I"$unit" asserts.c $(pkg-config --cflags --libs check) -o asserts && ./asserts >asserted 2>&1
same "assertions that hold write nothing, and those that fail are told" \
    $'ok 1 - asserts.c:one:holds: Passed\nnot ok 2 - asserts.c:one:fails: Assertion \'i != 7\' failed: i == 7, 7 == 7' "$(grep ok asserted)"
