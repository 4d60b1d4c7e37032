#!/usr/bin/env bash
# Holds velo and other load generators against servers that misbehave and writes who is right, in short, between the markers in
# docs/faults.md (the whole table stays in .velo/faults): over HTTP/1.1, with --protocol h2 over HTTP/2, with --protocol grpc over gRPC, both in clear. Takes six to ten minutes, of gRPC
# two. Arguments go to velo-faults: --tools NAME,... and --rows NAME,...; with them the table is only printed.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
document=docs/faults.md
target=${CARGO_TARGET_DIR:-target}
export PATH=$PWD/.velo/bench/peers/bin:$PATH

marker=faults
tools=(wrk ab h2load oha hey)
protocol=()
if [ "${1:-}" = --protocol ]; then
    case ${2:-} in
        http1) ;;
        h2) marker=faults-h2 tools=(h2load oha) ;;
        grpc) marker=faults-grpc tools=(ghz k6 fortio) ;;
        *)
            echo "faults: --protocol ${2:-}: expected http1, h2 or grpc" >&2
            exit 2
            ;;
    esac
    protocol=("$1" "$2")
    shift 2
fi
for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || echo "faults: $tool is missing and left out; scripts/bench-peers.sh installs it" >&2
done

cargo build --release --locked --quiet --package velo-cli --bin velo
cargo build --release --locked --quiet --package study-faults --bin velo-faults

# In a network namespace of its own nobody else's refused connections are counted; making one takes root.
matrix=("$target/release/velo-faults" "$target/release/velo" "${protocol[@]}")
if unshare --net ip link set lo up 2>/dev/null; then
    matrix=(unshare --net sh -c 'ip link set lo up && exec "$@"' sh "${matrix[@]}")
fi
if [ $# -gt 0 ]; then
    exec "${matrix[@]}" "$@"
fi
table=.velo/faults/$marker.md
mkdir -p .velo/faults
{
    "${matrix[@]}"
    echo
    cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
    echo "$(date -u +%F), $cpu, $(nproc) CPUs, Linux $(uname -r)."
} >"$table"
{ echo; scripts/brief.py faults <"$table"; echo; } | scripts/splice.sh "$document" $marker
echo "written to $document; all of it is in $table"
