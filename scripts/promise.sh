#!/usr/bin/env bash
# promise.sh: whether a promised budget keeps what it promises. net/http and the same code with a spin of about 1 % of its CPU per request are
# compared in a budget that leaves them open; then again with the budget that the report says would tell; and the width that was
# promised is compared with the one that came out. BUDGET (90s) and STEPS of the spin (220) may be set. On an idle machine.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
folder=$PWD/.velo/promise
target=${CARGO_TARGET_DIR:-$PWD/target}
cargo build --release --locked --quiet --package velo-cli --package study-twins --bin velo --bin velo-twins

steps=${STEPS:-220}
rm -rf "$folder"
scripts/spin.sh "$folder" 0 "$steps"
run() {
    "$target/release/velo" run coin --only 'go/net-http-*' --only rust/reference --contender "$folder/go/net-http-0" \
        --contender "$folder/go/net-http-$steps" --budget "$1" --out "$2"
}
run "${BUDGET:-90s}" "$folder/first"
budget=$("$target/release/velo-twins" promised "$folder/first")
run "$budget" "$folder/second"
{ echo; "$target/release/velo-twins" promise "$folder/first" "$folder/second"; echo; } | tee /dev/stderr |
    scripts/splice.sh docs/evidence.md promise
