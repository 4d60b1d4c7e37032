#!/usr/bin/env bash
# twins.sh: what the judge makes of a truth that is known. One run of net/http (N), of its twin (N'), and of one that spins for
# each request (S), cut into disjoint runs of five launches; the table goes between the markers in METHODOLOGY.md.
# BUDGET (45m), STEPS of the spin (700) and OUT, the run's folder, may be set in the environment. On an otherwise idle machine.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
folder=$PWD/.velo/twins
out=${OUT:-$folder/results/$(date -u +%Y-%m-%dT%H-%M-%S)}
target=${CARGO_TARGET_DIR:-$PWD/target}
cargo build --release --locked --quiet --package velo-cli --package velo-tests --bin velo --bin velo-twins

rm -rf "$folder/go"
mkdir -p "$folder/go" "$(dirname "$out")"
for name in net-http-twin net-http-spin; do
    cp -r contenders/go/net-http "$folder/go/$name"
done
# Each step needs the one before, so that its length is the CPU's latency and nothing else.
cat >>"$folder/go/net-http-spin/main.go" <<EOF

func spin() {
	x := uint64(1)
	for i := 0; i < ${STEPS:-700}; i++ {
		x = x*0x9E3779B97F4A7C15 + 1
	}
	if x == 0 {
		panic("it never is")
	}
}
EOF
sed -i 's/^func coin(.*$/&\n\tspin()/' "$folder/go/net-http-spin/main.go"

"$target/release/velo" run coin --only go/net-http --only rust/reference --contender "$folder/go/net-http-twin" \
    --contender "$folder/go/net-http-spin" --budget "${BUDGET:-45m}" --out "$out"
{ echo; "$target/release/velo-twins" "$out" go/net-http go/net-http-twin go/net-http-spin; echo; } |
    tee /dev/stderr | scripts/splice.sh METHODOLOGY.md twins
