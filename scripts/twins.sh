#!/usr/bin/env bash
# twins.sh [twins|spread]: what the judge makes of a truth that is known. One run of net/http (N), of its twin (N'), and of one that spins for
# each request (S), all three of the same code, cut into disjoint runs of five launches; then one of a contender of each of four languages
# for the spread of their figures. Both tables go between markers in docs/evidence.md. BUDGET (45m), SPREAD_BUDGET (5m), STEPS of the spin
# (1100, about 5 % of a request's CPU time), OUT, the first run's folder, and RUN, the folder of one that was made before, may be set in the environment.
# Both parts unless one is named. On an otherwise idle machine.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
folder=$PWD/.velo/twins
out=${OUT:-$folder/results/$(date -u +%Y-%m-%dT%H-%M-%S)}
target=${CARGO_TARGET_DIR:-$PWD/target}
cargo build --release --locked --quiet --package velo-cli --package study-twins --bin velo --bin velo-twins

steps=${STEPS:-1100}
scripts/spin.sh "$folder" 0 0 "$steps"
rm -rf "$folder/spin"
mkdir -p "$folder/spin" "$(dirname "$out")"

# The spin by itself: the least of some trials, since whatever disturbs one makes it longer.
cp "$folder/go/net-http-$steps/spin.go" contenders/go/net-http/go.mod "$folder/spin/"
cat >"$folder/spin/main.go" <<'END'
package main

import (
	"fmt"
	"time"
)

func main() {
	const spins = 10_000
	least := time.Hour
	for range 50 {
		start := time.Now()
		for range spins {
			spin()
		}
		least = min(least, time.Since(start))
	}
	fmt.Printf("%.1f\n", float64(least.Nanoseconds())/spins)
}
END
spin_ns=$(cd "$folder/spin" && go run .)

if [ "${1:-twins}" = twins ]; then
    if [ -z "${RUN:-}" ]; then
        "$target/release/velo" run coin --only 'go/net-http-*' --only rust/reference --contender "$folder/go/net-http-0" \
            --contender "$folder/go/net-http-0-twin" --contender "$folder/go/net-http-$steps" --budget "${BUDGET:-45m}" --out "$out"
    fi
    { echo; "$target/release/velo-twins" table "${RUN:-$out}" go/net-http-0 go/net-http-0-twin "go/net-http-$steps" "$spin_ns"; echo; } |
        tee /dev/stderr | scripts/splice.sh docs/evidence.md twins
fi

if [ "${1:-spread}" = spread ]; then
    "$target/release/velo" run coin --only go/net-http --only js/fastify --only python/fastapi --only java/javalin --only rust/reference \
        --budget "${SPREAD_BUDGET:-5m}" --out "$out-spread"
    { echo; "$target/release/velo-twins" spread "$out-spread"; echo; } | tee /dev/stderr | scripts/splice.sh docs/evidence.md spread
fi
