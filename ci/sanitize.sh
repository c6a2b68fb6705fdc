#!/usr/bin/env bash
# The compiled suites under the address and undefined-behaviour sanitizers, those that start threads under the thread
# sanitizer as well. Prints TAP, one line a program. Builds in $BUILD/asan and $BUILD/tsan, with line numbers but no names of
# variables, which take a third of the compiler's time; runs JOBS programs at a time (default: the processors there are).
# Tests that go through many combinations take a third of them (tests/unit/suite.h); PLUSS_LONG=1: all.
set -u
cd "$(dirname "$0")/.."
build=${BUILD:-build}
jobs=${JOBS:-$(nproc)}
export CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-600} ASAN_OPTIONS=detect_leaks=1:abort_on_error=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
failed=0

run_one() { # FLAGS FOLDER PROGRAM
    if "$3" >"$3.log" 2>&1; then
        echo "ok - $1 ${3#"$2"/}"
    else
        # in one piece, whatever another one prints
        printf '%s\n' "not ok - $1 ${3#"$2"/}
$(grep -vE '^ok' "$3.log" | head -n 40 | sed 's/^/    /')"
        return 1
    fi
}
export -f run_one

suite() { # FOLDER SANITIZERS SOURCES...
    local folder=$build/$1 flags=$2 source log=$build/$1/build.log
    shift 2
    local programs=()
    for source; do programs+=("$folder/${source%.c}"); done
    mkdir -p "$folder"
    if ! make --no-print-directory -s -j"$jobs" BUILD="$folder" OPT="-O1 -g1" SAN="$flags" "${programs[@]}" >"$log" 2>&1; then
        echo "not ok - build with $flags"
        tail -n 20 "$log" | sed 's/^/    /'
        failed=1
        return
    fi
    printf '%s\n' "${programs[@]}" | xargs -P "$jobs" -I{} bash -c 'run_one "$@"' _ "$flags" "$folder" {} || failed=1
}

# the oracles first: they take longest
# shellcheck disable=SC2046
suite asan -fsanitize=address,undefined $(ls tests/oracle/test_*.c tests/unit/test_*.c)
# shellcheck disable=SC2046
suite tsan -fsanitize=thread $(grep -l 'pthread_create' tests/unit/test_*.c tests/oracle/test_*.c)
exit $failed
