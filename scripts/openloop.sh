#!/usr/bin/env bash
# Compares the open loops of velo load and its peers with what an ideal client must see, and writes the figures, in short, between the
# markers in docs/engine.md; the whole tables are in .velo. RUNS (5), PEER_RUNS (as RUNS), SECONDS_EACH (30), TOOLS (such as velo,oha) and DOCUMENT
# may be set in the environment: two hours with all tools, half an hour with TOOLS=velo. With PROTOCOL=h2c all speak HTTP/2 at the higher
# rate, and the tables go between markers of their own.
# scripts/bench-peers.sh installs the peers; those that are missing are left out and named.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
document=${DOCUMENT:-docs/engine.md}
if [ "$(nproc)" -lt 2 ]; then
    echo "openloop: server and generator need a CPU each; there are $(nproc)" >&2
    exit 3
fi

protocol=${PROTOCOL:-http1}
case $protocol in
    http1) name=openloop ;;
    h2c) name=openloop-h2 ;;
    *) echo "openloop: PROTOCOL=$protocol: expected http1 or h2c" >&2; exit 2 ;;
esac
folder=$PWD/.velo/$name
target=${CARGO_TARGET_DIR:-$PWD/target}
mkdir -p "$folder"
cargo build --release --locked --quiet --package velo-cli --package study-openloop \
    --bin velo --bin paced-server --bin velo-openloop
export PATH=$target/release:$PWD/.velo/bench/peers/bin:$PATH

echo "openloop: needs an otherwise idle machine; single runs go to $folder/runs.ndjson" >&2
rm -f "$folder/runs.ndjson"
velo-openloop run velo "$target/release/paced-server" "$folder"
{
    velo-openloop table "$folder"
    echo
    cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
    echo "$(date -u +%F), ${cpu:-$(uname -m)}, $(nproc) CPUs, Linux $(uname -r)."
} | tee "$folder/table.md"

{ echo; scripts/brief.py openloop <"$folder/table.md"; echo; } | scripts/splice.sh "$document" "$name"
echo "written to $document"
