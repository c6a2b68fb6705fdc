#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Rust kernels from one source: docs/rust.md as it stands; bindings/rust/kernels, the same to the byte with the attribute and without,
# folded with one thread and with three to one nest, predicted for up to 64. TAP.
# Tier: check, limit 1500 s
set -u
cd "$(dirname "$0")/../.."
root=$PWD
build=$(realpath -m "${BUILD:-build}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0 features=()
[ "${PLUSS_TIER:-check}" != full ] || features=(--features ndarray,nalgebra) # for zip, azip and matrix
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; failed=1; fi
}
skip() { echo "ok - Rust kernels # SKIP $1"; exit 0; }
command -v cargo >/dev/null || skip "no cargo; ci/deps.sh installs it"
export LC_ALL=C TMPDIR=$tmp PLUSS=$build/pluss PLUSS_LIB_DIR=$build CARGO_TERM_COLOR=never
log=$tmp/log
cp -R bindings/rust/kernels "$tmp/kernels" && cd "$tmp/kernels" || exit 1
sed -i "s|\.\./pluss-rayon|$root/bindings/rust/pluss-rayon|" Cargo.toml
if cargo fetch --locked --offline >"$log" 2>&1; then export CARGO_NET_OFFLINE=true; fi

# as tests/rust builds the same crates, in the same folder
export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
CARGO_TARGET_DIR=$build/rust-target cargo build --manifest-path "$root/bindings/rust/Cargo.toml" --workspace --all-features --bin cargo-pluss --locked >"$log" 2>&1
verdict "cargo-pluss builds" $? "$log"
mkdir "$tmp/bin" && ln -s "$build/rust-target/debug/cargo-pluss" "$build/pluss" "$tmp/bin/"
export PATH=$tmp/bin:$PATH CARGO_TARGET_DIR=$build/rust-kernels
cargo pluss build "${features[@]}" --bin product >"$log" 2>&1 || { grep -q 'does not take -Zsanitizer' "$log" && skip "no rustc that takes -Zsanitizer=thread"; }
verdict "a kernel is built to be traced" $? "$log"

# ---- with the attribute and without ------------------------------------------------------------------------------------
# Of several units of code, names of local symbols have a hash of the source in them. The profile is that of watched programs, but for
# the kernels' own crate: what they depend on is compiled once.
plain=(--profile pluss-watched --config 'profile.pluss-watched.inherits="release"' --config 'profile.pluss-watched.debug="line-tables-only"'
    --config 'profile.pluss-watched.package.kernels.codegen-units=1' --config 'profile.pluss-watched.package.kernels.debug=false')
# functions that come out of a macro are compiled after the others by some compilers (1.85): with and without, kernels stand last
kernels_last() {
    awk '/^#\[pluss_rayon::kernel\]$/ { is_kernel = 1 }
        is_kernel { last = last $0 "\n"; if (/^}$/) is_kernel = 0; next }
        { print }
        END { printf "%s", last }' "$1" >reordered && mv reordered "$1"
}
for source in src/bin/*.rs; do kernels_last "$source"; done
programs() { cargo build "${plain[@]}" --locked "${features[@]}" >"$log" 2>&1 && mkdir "$1" && find "$CARGO_TARGET_DIR/pluss-watched" -maxdepth 1 -type f -perm -u+x -exec cp {} "$1/" \; ; }
programs with && sed -i 's/^#\[pluss_rayon::kernel\]$//' src/bin/*.rs && ! grep -n 'pluss_rayon' src/bin/*.rs >"$log" && programs without
verdict "the kernels build, with the attribute and without" $? "$log"
cp "$root"/bindings/rust/kernels/src/bin/*.rs src/bin/
diff -r with without >"$log" 2>&1 && [ "$(find with -type f | wc -l)" -ge 11 ]
verdict "every program is the same to the byte" $? "$log"

# ---- nests -------------------------------------------------------------------------------------------------------------
fold() { # KERNEL SIZES ARGUMENTS OUTPUT [OPTION...]
    local words
    read -ra words <<<"$3"
    cargo pluss fold "${features[@]}" --bin "$1" --function "$1" --sizes "$2" -o "$4" "${@:5}" -- "${words[@]}"
}
teams=1,2,4,8,16,32,64 predicted=1,64
[ "${PLUSS_TIER:-check}" != full ] || predicted=$teams
while IFS= read -r line; do
    eval "set -- $line"
    [ "$5" != recorded ] || continue
    case $1 in zip | azip | matrix) [ ${#features[@]} -gt 0 ] || continue ;; esac
    status=0 values=()
    for value in ${4//,/ }; do values+=(-D "$value"); done
    for team in 1 3; do fold "$1" "$2" "$3" "$1.$team" -T $team >"$log" 2>&1 || status=1; done
    [ "$1" != product ] || { grep -q 'read b\[n \* i1 + i2\]' "$1.1" || status=1; } # parameters by name
    schedules=rayon # in the order of the loops
    case $1 in
        prefix | stencil) schedules=rayon:rayon ;;
        halves | spawns) schedules="rayon, 1, 1" ;; # trees are split to their leaves
        trees) schedules="rayon, 1, 1:rayon:rayon, 1, 1" ;;
        sources) schedules=dynamic:rayon:rayon ;; # a bridge hands out one item after the other
    esac
    [ $status -eq 0 ] && cmp "$1.1" "$1.3" >>"$log" 2>&1 && said=exact &&
        [ "$(grep -o 'schedule([^)]*)' "$1.3" | sed 's/schedule(//; s/)//' | paste -sd:)" = "$schedules" ] &&
        { ! grep -q 'no run executes' "$1.3" || said=unexecuted; } && [ "$said" = "$5" ] &&
        pluss predict "$1.3" "${values[@]}" -T $predicted --cache none >>"$log" 2>&1 && grep -q 'T = 64' "$log"
    verdict "$1: one nest of runs with 1 thread and 3, curves of up to 64" $? "$log"
done < <(grep -v '^#' kernels.txt)
while IFS= read -r line; do
    eval "set -- $line"
    [ "$5" = recorded ] || continue
    fold "$1" "$2" "$3" "$1.nest" >"$log" 2>&1
    [ $? -eq 1 ] && [ ! -e "$1.nest" ] && grep -q "error: .* at site 0x[0-9a-f]* (.*/$1\.rs:[0-9]*) in [a-z]" "$log"
    verdict "$1: refused, with an access and its line" $? "$log"
    read -ra words <<<"$4"
    status=0
    for team in ${teams//,/ }; do
        cargo pluss trace "${features[@]}" --bin "$1" --function "$1" -T $team -o "$1.$team" -- "${words[@]}" >"$log" 2>&1 && pluss simulate "$1.$team" >"$1.$team.txt" 2>>"$log" || status=1
    done
    # on a busy machine most of 64 threads, or all but one, get no iterations
    [ $status -eq 0 ] && [ "$(grep -ho -m1 '[0-9,]* accesses to' "$1".*.txt | sort | uniq -c | awk '{ print $1 }')" = 7 ] &&
        grep -qE 'T = ([1-6][0-9]|[2-9])$' "$1".*.txt
    verdict "$1: curves of recorded runs with 1 to 64 threads, with as many accesses whatever the threads" $? "$log"
done < <(grep -v '^#' kernels.txt)
fold sparse n=20,25,33,41,50,70,90 '{n}' sparse.nest >"$log" 2>&1
grep -q 'accesses have irregular addresses, most of them .* at site 0x[0-9a-f]* .*/sparse.rs:10) in x$' "$log"
verdict "the access that depends on data is named, with its share" $? "$log"

# ---- who ran what ------------------------------------------------------------------------------------------------------
cargo pluss watch "${features[@]}" --bin stencil -T 2 --nest stencil.1 -o stencil.record -- 40 12 >"$log" 2>&1 &&
    grep -q '^stencil: 12 loops' "$log" && [ "$(grep -c '^  loop .*: 38 items in .* pieces, 2 threads$' "$log")" -eq 12 ] &&
    [ "$(grep -o 'loop [13] time [0-5]' stencil.record | sort -u | wc -l)" -eq 12 ] &&
    pluss simulate stencil.1 -D n=40 -D s=12 -T 2 --schedule recorded --record stencil.record --cache none >>"$log" 2>&1 &&
    grep -q 'schedule(recorded)' "$log"
verdict "a watched run tells how its loops were cut, and is simulated so" $? "$log"
cargo pluss watch "${features[@]}" --bin stencil -T 2 --pinned --nest stencil.1 -o stencil.record -- 40 12 >"$log" 2>&1 &&
    ! grep -q 'pinned' "$log" && [ "$(grep -c '^times loop' stencil.record)" -eq "$(grep -c '^chunks loop' stencil.record)" ] &&
    pluss simulate stencil.1 -D n=40 -D s=12 -T 2 --progress recorded --record stencil.record --cache none >>"$log" 2>&1 &&
    grep -q 'progress recorded' "$log"
verdict "with pinned threads, and simulated in the order of its times" $? "$log"
# how late the second thread wakes up depends on the machine: what is printed is what pluss reads again
printf '{"version": 1, "pools": [{"region": "other", "team": 2, "runs": 1, "wake": 5, "access": 3}]}' >machine.json
for try in 1 2 3 4 5; do # on a busy machine one thread may execute every loop, which it says
    cargo pluss calibrate "${features[@]}" --bin stencil -T 2 --pinned --runs=3 --nest stencil.1 -D n=400 -D s=12 --machine machine.json -- 400 12 >printed 2>"$log" && break
    grep -q 'one thread executed every loop' "$log" || break
done
[ -s printed ] && law=$(sed -n 's/^--progress \(pool:[1-9][0-9]*:0\.[0-9]*\):[1-9][0-9]*$/\1/p' printed) && [ -n "$law" ] && cat printed >>"$log" &&
    pluss predict stencil.1 -D n=400 -D s=12 -T 2 --progress pool:::2 --machine machine.json --json >predicted 2>>"$log" && python3 - "$law" >>"$log" 2>&1 <<'END'
import json, sys
machine, curve = json.load(open("machine.json")), json.load(open("predicted"))["curves"][0]
other, own = machine["pools"]
assert other["region"] == "other" and own["region"] == curve["region"] and own["team"] == 2 and own["runs"] == 3, machine
assert sys.argv[1] == f"pool:{own['wake']:.0f}:{own['access']:.6f}", (sys.argv, own)
told = curve["progress"]
assert told["from"] == "machine file" and told["source"] == "machine.json" and told["cores"] == 2, told
assert abs(told["wake"] / own["wake"] - 1) < 1e-9 and abs(told["access"] / own["access"] - 1) < 1e-9, (told, own)
END
verdict "a calibrated pool goes into the machine file, and is predicted from there" $? "$log"
# two trees and a loop between them: each has its chunks
cargo pluss watch "${features[@]}" --bin trees -T 2 --nest trees.1 -o trees.record -- 32 >"$log" 2>&1 &&
    grep -q '^trees: 1 loops, 124 tasks$' "$log" && [ "$(sed -n 's/^chunks loop \([0-9]*\) .*/\1/p' trees.record | uniq | wc -l)" -eq 3 ] &&
    pluss simulate trees.1 -D m=32 -T 2 --schedule recorded --record trees.record --cache none >>"$log" 2>&1 &&
    pluss simulate trees.1 -D m=32 -T 2 --progress recorded --record trees.record --cache none >>"$log" 2>&1 && grep -q 'progress recorded' "$log"
verdict "trees that follow each other are loops of a record" $? "$log"
cargo pluss watch "${features[@]}" --bin sources -T 2 --nest sources.1 -o sources.record -- 20 30 >"$log" 2>&1
[ $? -eq 1 ] && [ ! -e sources.record ] && grep -q 'sources.record: the program has written no record$' "$log" && grep -q '^sources: a loop without an index has no chunks: there is no record$' "$log"
verdict "a loop without an index has no record, which is said" $? "$log"
cargo pluss watch "${features[@]}" --bin spawns -T 2 -- 16 100 >"$log" 2>&1 && grep -q '^spawns: 0 loops, 31 tasks$' "$log" &&
    cargo pluss watch "${features[@]}" --bin sources -T 2 -- 20 30 >"$log" 2>&1 && grep -q '^sources: 21 loops, [1-9][0-9]* tasks$' "$log"
verdict "spawned tasks, bridges, ranges of u64 and inner loops are watched" $? "$log"
cargo pluss watch "${features[@]}" --bin product -T 2 -o product.record -- 10 >"$log" 2>&1
[ $? -eq 1 ] && grep -q -e '--nest and -o go together' "$log"
verdict "a record without a nest is an error" $? "$log"

# ---- the document ------------------------------------------------------------------------------------------------------
mkdir -p "$tmp/doc/src/bin" "$tmp/doc/.cargo" && cd "$tmp/doc" || exit 1
awk '/^```sh/ { file = "sh." ++n; printf "" >file; next }
    /^```text$/ { file = "text." n; next }
    /^```[a-z]+ ./ { file = $2; next }
    /^```$/ { file = ""; next }
    file { print >file }' "$root/docs/rust.md"
printf '[patch.crates-io]\npluss-rayon = { path = "%s" }\n' "$root/bindings/rust/pluss-rayon" >.cargo/config.toml
cp "$root/bindings/rust/Cargo.lock" .
for block in sh.?; do
    # counts of accesses are a compiler's: of a million and more, millions and tenths are compared
    sed -E 's/,([0-9])[0-9]{2},[0-9]{3} accesses/,\1**,*** accesses/' "text.${block#sh.}" >expected
    grep -q '^cargo run' "$block" && target=$build/rust-target || target=$CARGO_TARGET_DIR # rayon as tests/rust has it
    CARGO_TARGET_DIR=$target bash -e "$block" 2>"$log" | sed -E 's/,([0-9])[0-9]{2},[0-9]{3} accesses/,\1**,*** accesses/' >printed
    [ "${PIPESTATUS[0]}" -eq 0 ] && diff expected printed >>"$log" 2>&1
    verdict "docs/rust.md, commands ${block#sh.}" $? "$log"
done

# ---- misuse ------------------------------------------------------------------------------------------------------------
cargo pluss fold --manifest-path "$tmp/kernels/Cargo.toml" --function product -- 9 >"$log" 2>&1
[ $? -eq 1 ] && grep -q 'there are [0-9]* programs: name one' "$log"
verdict "several programs are an error" $? "$log"
cargo pluss predict >"$log" 2>&1
[ $? -eq 2 ] && grep -q '^usage: cargo pluss' "$log"
verdict "a nest without sizes is misuse" $? "$log"
exit $failed
