#!/usr/bin/env bash
# Compares the load generator with wrk and writes the table between the markers in docs/load-engine.md.
# PAIRS and SECONDS_EACH may be set in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
pairs=${PAIRS:-9}
seconds_each=${SECONDS_EACH:-3}
document=docs/load-engine.md

if ! command -v wrk >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends wrk >/dev/null ||
            { echo "bench: wrk cannot be installed; apt-get update may help" >&2; exit 3; }
    else
        echo "bench: wrk is missing: sudo apt-get install -y --no-install-recommends wrk" >&2
        exit 3
    fi
fi
command -v go >/dev/null || { echo "bench: go is missing: velo doctor names the line to install it" >&2; exit 3; }

build=$PWD/.velo/bench
mkdir -p "$build"
cargo build --release --locked --quiet --package velo-tests --bin velo-bench
cargo build --release --locked --quiet --manifest-path contenders/rust/reference/Cargo.toml --target-dir "$build/reference"
(cd contenders/go/net-http && go build -o "$build/net-http" .)

table=$build/table.md
"${CARGO_TARGET_DIR:-target}/release/velo-bench" "$build/reference/release/reference-server" "$build/net-http" \
    workloads "$pairs" "$seconds_each" | tee "$table"
{
    echo
    cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
    echo "$(date -u +%F), $cpu, $(nproc) CPUs, Linux $(uname -r), $(wrk -v 2>&1 | head -n 1 | cut -d' ' -f1,2)."
} | tee -a "$table"

{ echo; cat "$table"; echo; } | scripts/splice.sh "$document" bench
echo "written to $document"
