#!/usr/bin/env bash
# The compiled suites under the address and undefined-behaviour sanitizers, those that start threads under the thread
# sanitizer as well. Prints TAP, one line a program. Builds in $BUILD/asan and $BUILD/tsan.
set -u
cd "$(dirname "$0")/.."
build=${BUILD:-build}
export CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-600} ASAN_OPTIONS=detect_leaks=1:abort_on_error=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 TSAN_OPTIONS=halt_on_error=1
failed=0

suite() { # FOLDER SANITIZERS SOURCES...
    local folder=$build/$1 flags=$2 source program log
    shift 2
    local programs=()
    for source; do programs+=("$folder/${source%.c}"); done
    log=$folder/build.log
    mkdir -p "$folder"
    if ! make --no-print-directory -s -j"$(nproc)" BUILD="$folder" OPT="-O1 -g" SAN="$flags" "${programs[@]}" >"$log" 2>&1; then
        echo "not ok - build with $flags"
        tail -n 20 "$log" | sed 's/^/    /'
        failed=1
        return
    fi
    for program in "${programs[@]}"; do
        if "$program" >"$program.log" 2>&1; then
            echo "ok - $flags ${program#"$folder"/}"
        else
            echo "not ok - $flags ${program#"$folder"/}"
            grep -vE '^ok' "$program.log" | head -n 40 | sed 's/^/    /'
            failed=1
        fi
    done
}

# shellcheck disable=SC2046
suite asan -fsanitize=address,undefined $(ls tests/unit/test_*.c tests/oracle/test_*.c)
# shellcheck disable=SC2046
suite tsan -fsanitize=thread $(grep -l 'pthread_create' tests/unit/test_*.c tests/oracle/test_*.c)
exit $failed
