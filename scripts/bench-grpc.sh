#!/usr/bin/env bash
# bench-grpc.sh [CELL...]: CPU time of a call of gRPC, velo load against h2load, both against the reference server's echo of 13 bytes. A
# cell is connections x streams: 1x32 1x100 16x32 32x1, all unless some are named. Both programs make the same count of calls in turn,
# round by round, the generator on the last CPU and the server on the first. velo checks every call; h2load sends the encoded message with
# its prefix and looks at no more than HTTP's status. Prints medians, and the ratio of each round from the least to the most. ROUNDS (7),
# CALLS (per run, 200000), REFERENCE (the server's program; built where it is not set), VELO and PORT (18453) may be set in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
export PATH=$PATH:/usr/sbin:/sbin
rounds=${ROUNDS:-7}
calls=${CALLS:-200000}
port=${PORT:-18453}
velo=${VELO:-${CARGO_TARGET_DIR:-target}/release/velo}

for program in h2load taskset; do
    if ! command -v "$program" >/dev/null; then
        echo "bench-grpc: no $program: apt-get install -y --no-install-recommends nghttp2-client util-linux" >&2
        exit 3
    fi
done
if [ "$(nproc)" -lt 2 ]; then
    echo "bench-grpc: server and generator need a CPU each; there are $(nproc)" >&2
    exit 3
fi
if [ ! -x "$velo" ]; then
    echo "bench-grpc: no $velo: cargo build --release, or set VELO" >&2
    exit 3
fi
client_cpu=$(($(nproc) - 1))

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
method=velo.reference.v1.Reference/Echo
folder=contenders/rust/reference
reference=${REFERENCE:-}
if [ -z "$reference" ]; then
    cargo build --release --locked --quiet --manifest-path $folder/Cargo.toml --target-dir "$work/target"
    reference=$work/target/release/reference-server
fi
PROTOCOL=h2c HOST=127.0.0.1 PORT=$port CORES=1 taskset -c 0 "$reference" >"$work/server.log" 2>&1 &
server=$!
url=http://127.0.0.1:$port/$method
# A prefix, and a field of 13 bytes.
printf '\0\0\0\0\017\012\015{"bet": true}' >"$work/message"
peer_flags=(-d "$work/message" -H 'content-type: application/grpc' -H 'te: trailers')
own_flags=(--grpc $method --proto $folder/reference.proto --data '{"data": "eyJiZXQiOiB0cnVlfQ=="}'
    --expect-json '{"data": "eyJiZXQiOiB0cnVlfQ=="}')
own_url=http://127.0.0.1:$port
for _ in $(seq 50); do
    if "$velo" load "${own_flags[@]}" -n 1 -c 1 --quiet "$own_url" >/dev/null 2>&1; then break; fi
    sleep 0.1
done

# Runs a command and prints its CPU time in microseconds a request.
cost() {
    local TIMEFORMAT='%U %S'
    { time "$@" >"$work/out" 2>"$work/err"; } 2>"$work/time" || {
        echo "bench-grpc: failed: $*" >&2
        cat "$work/out" "$work/err" >&2
        exit 1
    }
    awk -v n="$calls" '{ printf "%.4f\n", ($1 + $2) * 1e6 / n }' "$work/time"
}

run_h2load() {
    cost taskset -c "$client_cpu" h2load -n "$calls" -c "$1" -m "$2" -t1 "${peer_flags[@]}" "$url"
    # It ends well whatever was answered.
    if ! grep -q " $calls 2xx" "$work/out"; then
        cat "$work/out" >&2
        exit 1
    fi
}

run_velo() {
    cost "$velo" load "${own_flags[@]}" -n "$calls" -c "$1" --streams "$2" --cpus "$client_cpu" --fail-on errors=0 \
        --quiet "$own_url"
}

echo "| connections x streams | h2load, us a call | velo load, us a call | velo of h2load |"
echo "|---|---:|---:|---:|"
for cell in "${@:-1x32 1x100 16x32 32x1}"; do
    for one in $cell; do
        connections=${one%x*} streams=${one#*x}
        : >"$work/pairs"
        for round in $(seq "$rounds"); do
            if [ $((round % 2)) -eq 0 ]; then
                peer=$(run_h2load "$connections" "$streams")
                own=$(run_velo "$connections" "$streams")
            else
                own=$(run_velo "$connections" "$streams")
                peer=$(run_h2load "$connections" "$streams")
            fi
            echo "$peer $own" >>"$work/pairs"
        done
        awk -v cell="$one" '
            { peer[NR] = $1; own[NR] = $2; ratio[NR] = $2 / $1 }
            function sort(a, n, i, j, t) {
                for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j > 0 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t }
            }
            function median(a, n) { sort(a, n); return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }
            END {
                m = median(ratio, NR)
                printf "| %s | %.2f | %.2f | %.2f (%.2f to %.2f) |\n", cell, median(peer, NR), median(own, NR), m, ratio[1], ratio[NR]
            }' "$work/pairs"
    done
done
