#!/usr/bin/env bash
# bench.sh [PART...]: compares velo load with its peers and writes each part's figures, in short, between its markers in
# docs/engine.md; the whole tables are in .velo/bench. Parts: coin user pipelining https start (together: peers) floor h2 grpc; all, the default, is everything.
# ROUNDS (7), SECONDS_EACH (3), SEED, CONNECTIONS (such as 16,64) and DOCUMENT may be set in the environment.
# scripts/bench-peers.sh installs the peers; those that are missing are left out and named.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
document=${DOCUMENT:-docs/engine.md}

parts=()
for part in "${@:-all}"; do
    case $part in
        all) parts+=(coin user pipelining https start floor h2 grpc) ;;
        peers) parts+=(coin user pipelining https start) ;;
        coin | user | pipelining | https | start | floor | h2 | grpc) parts+=("$part") ;;
        *) echo "bench: no part $part; there are all, peers, coin, user, pipelining, https, start, floor, h2, grpc" >&2; exit 2 ;;
    esac
done
if [ "$(nproc)" -lt 2 ]; then
    echo "bench: server and generator need a CPU each; there are $(nproc)" >&2
    exit 3
fi

# Debian has nginx where only root looks.
export PATH=$PATH:/usr/sbin:/sbin

# Prints what a part cannot do without and what is not here.
lacks() {
    case $1 in
        https) for program in nginx openssl; do command -v "$program" >/dev/null || echo "$program"; done ;;
        h2) for program in h2load nghttpd; do command -v "$program" >/dev/null || echo "$program"; done ;;
        grpc) command -v h2load >/dev/null || echo h2load ;;
        floor) command -v perf >/dev/null || command -v strace >/dev/null || echo "perf or strace" ;;
    esac
}
for at in "${!parts[@]}"; do
    lacking=$(lacks "${parts[at]}")
    if [ -n "$lacking" ]; then
        echo "bench: skipped: ${parts[at]}: not here: ${lacking//$'\n'/, }" >&2
        unset "parts[at]"
    fi
done
[ "${#parts[@]}" -gt 0 ] || exit 3

build=$PWD/.velo/bench
target=${CARGO_TARGET_DIR:-$PWD/target}
mkdir -p "$build"
cargo build --release --locked --quiet --package velo-cli --package study-bench --bin velo --bin velo-bench
cargo build --release --locked --quiet --features wrong-answers --manifest-path contenders/rust/reference/Cargo.toml \
    --target-dir "$build/reference"

export PATH=$target/release:$build/peers/bin:$PATH
export REFERENCE=$build/reference/release/reference-server
export SEED=${SEED:-$(date +%s)}
export RUNS_CSV=$build/runs.csv
timed=()
for part in "${parts[@]}"; do [[ "$part" = h2 || "$part" = grpc ]] || timed+=("$part"); done
time="h2: 8 minutes, grpc: 7"
if [ "${#timed[@]}" -gt 0 ]; then time="${timed[*]}: $(velo-bench --time "${timed[@]}")"; fi
echo "bench: ${parts[*]}: $time, on an otherwise idle machine; single runs go to $RUNS_CSV" >&2
rm -f "$RUNS_CSV"

cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
machine="$(date -u +%F), ${cpu:-$(uname -m)}, $(nproc) CPUs, Linux $(uname -r)."
for part in "${parts[@]}"; do
    echo "bench: $part" >&2
    text=$build/$part.md
    if [[ "$part" = h2 || "$part" = grpc ]]; then
        "scripts/bench-$part.sh" >"$text"
        echo >>"$text"
    else
        velo-bench "$part" >"$text"
    fi
    echo "$machine" >>"$text"
    cat "$text"
    name=bench-$part form=peers
    case $part in
        floor) name=floor form=floor ;;
        h2 | grpc) form=sizes ;;
    esac
    { echo; scripts/brief.py "$form" <"$text"; echo; } | scripts/splice.sh "$document" "$name"
done
echo "written to $document" >&2
