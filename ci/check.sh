#!/usr/bin/env bash
# Runs every test there is and counts: compiled suites (TAP on stdout), then the scripts
# tests/*/run.sh (TAP too). Usage: ci/check.sh [NAME...] runs those whose path contains a NAME.
# Ends in a line "N passed, N failed"; exit status 0 only if none failed and some ran.
set -u
cd "$(dirname "$0")/.."
build=${BUILD:-build}
export BUILD=$build CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-300}
logs=$build/check-logs
rm -rf "$logs"
mkdir -p "$logs"

wanted() {
    [ $# -eq 1 ] && return 0
    local path=$1 name
    shift
    for name; do case $path in *"$name"*) return 0 ;; esac; done
    return 1
}

programs=()
# only programs that still have a source
for source in tests/unit/test_*.c tests/oracle/test_*.c; do
    [ -e "$source" ] && program=$build/${source%.c} && wanted "$program" "$@" && programs+=("$program")
done
for script in tests/*/run.sh; do
    [ -e "$script" ] && wanted "$script" "$@" && programs+=("$script")
done

run_one() {
    local log=$logs/$(echo "$1" | tr / _).tap start=$SECONDS status
    if [ "${1##*.}" = sh ]; then bash "$1" >"$log" 2>&1; else "$1" >"$log" 2>&1; fi
    status=$?
    # a program that died, or said nothing, is a failure of its own
    if [ $status -ne 0 ] && ! grep -q '^not ok' "$log"; then echo "not ok - $1 ended with status $status" >>"$log"; fi
    grep -qE '^(not )?ok' "$log" || echo "not ok - $1 ran no test" >>"$log"
    printf '%-44s %4d ok %3d failed  %ds\n' "${1#"$build"/}" "$(grep -c '^ok' "$log")" "$(grep -c '^not ok' "$log")" $((SECONDS - start))
    grep -A12 '^not ok' "$log" | sed 's/^/    /' | head -n 60
}
export -f run_one
export logs build
printf '%s\n' "${programs[@]}" | xargs -r -P "${JOBS:-$(nproc)}" -I{} bash -c 'run_one "$1"' _ {}

passed=$(cat "$logs"/*.tap 2>/dev/null | grep -c '^ok')
failed=$(cat "$logs"/*.tap 2>/dev/null | grep -c '^not ok')
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
