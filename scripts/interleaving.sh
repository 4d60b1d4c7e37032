#!/usr/bin/env bash
# interleaving.sh: what it is worth to let contenders take turns. net/http, its twin and the reference with its own, RUNS (5) times with
# blocks and with each contender in one piece, for the same BUDGET (60s), while the machine is disturbed by the same seeded
# pattern. The table goes between the markers in docs/evidence.md. On an otherwise idle machine.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
folder=$PWD/.velo/interleaving
target=${CARGO_TARGET_DIR:-$PWD/target}
budget=${BUDGET:-60s}
cargo build --release --locked --quiet --package velo-cli --package study-twins --bin velo --bin velo-interleaving
tool=$target/release/velo-interleaving

stress=
trap '[ -z "$stress" ] || kill "$stress" 2>/dev/null || true' EXIT

rm -rf "$folder"
mkdir -p "$folder/go" "$folder/results"
cp -r contenders/go/net-http "$folder/go/net-http-twin"
runs=()
for seed in $(seq 1 "${RUNS:-5}"); do
    for schedule in blocks contiguous; do
        out=$folder/results/$schedule-$seed
        # Longer than any run; it is ended with the run.
        "$tool" stress "$seed" 600 &
        stress=$!
        "$target/release/velo" run coin --only 'go/net-http*' --only rust/reference --contender "$folder/go/net-http-twin" \
            --schedule "$schedule" --seed "$seed" --budget "$budget" --out "$out" >"$folder/results/$schedule-$seed.log" 2>&1
        kill "$stress"
        wait "$stress" 2>/dev/null || true
        stress=
        runs+=("$schedule=$out")
        echo "interleaving: $schedule, seed $seed: $out" >&2
    done
done
{ echo; "$tool" table go/net-http go/net-http-twin "${runs[@]}"; echo; } | tee /dev/stderr | scripts/splice.sh docs/evidence.md interleaving
