#!/usr/bin/env bash
# bench-h2.sh [CELL...]: CPU time of a request over HTTP/2, velo load against h2load, both against nghttpd. A cell is connections x
# streams: 1x32 1x100 16x32 16x100 16x1, all unless some are named. Both programs send the same count of requests in turn, round by
# round, the generator on the last CPU and the server on the first; velo compares every body. Prints medians, and the ratio of each
# round from the least to the most. ROUNDS (5), REQUESTS (per run, 200000), VELO and PORT may be set in the environment.
#
# bench-h2.sh grpc [CELL...]: the same for calls of gRPC, an echo of 13 bytes by the reference server (REFERENCE: its program; built
# where it is not set). h2load sends the encoded message with its prefix, and looks at no more than HTTP's status.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
export PATH=$PATH:/usr/sbin:/sbin
kind=http2
if [ "${1:-}" = grpc ]; then
    kind=grpc
    shift
fi
rounds=${ROUNDS:-5}
requests=${REQUESTS:-200000}
port=${PORT:-18443}
velo=${VELO:-${CARGO_TARGET_DIR:-target}/release/velo}

needed=(h2load taskset)
if [ $kind = http2 ]; then needed+=(nghttpd); fi
for program in "${needed[@]}"; do
    if ! command -v "$program" >/dev/null; then
        echo "bench-h2: no $program: apt-get install -y --no-install-recommends nghttp2-client nghttp2-server util-linux" >&2
        exit 3
    fi
done
if [ "$(nproc)" -lt 2 ]; then
    echo "bench-h2: server and generator need a CPU each; there are $(nproc)" >&2
    exit 3
fi
if [ ! -x "$velo" ]; then
    echo "bench-h2: no $velo: cargo build --release, or set VELO" >&2
    exit 3
fi
client_cpu=$(($(nproc) - 1))

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
if [ $kind = http2 ]; then
    mkdir "$work/site"
    printf '%0127d\n' 0 >"$work/site/f.txt"
    taskset -c 0 nghttpd --no-tls -n1 -m 256 -d "$work/site" "$port" >"$work/server.log" 2>&1 &
    server=$!
    url=http://127.0.0.1:$port/f.txt
    peer_flags=()
    own_flags=(--http2 --expect-same)
    own_url=$url
else
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
fi
for _ in $(seq 50); do
    if "$velo" load "${own_flags[@]}" -n 1 -c 1 --quiet "$own_url" >/dev/null 2>&1; then break; fi
    sleep 0.1
done

# Runs a command and prints its CPU time in microseconds a request.
cost() {
    local TIMEFORMAT='%U %S'
    { time "$@" >"$work/out" 2>"$work/err"; } 2>"$work/time" || {
        echo "bench-h2: failed: $*" >&2
        cat "$work/out" "$work/err" >&2
        exit 1
    }
    awk -v n="$requests" '{ printf "%.4f\n", ($1 + $2) * 1e6 / n }' "$work/time"
}

run_h2load() {
    cost taskset -c "$client_cpu" h2load -n "$requests" -c "$1" -m "$2" -t1 "${peer_flags[@]}" "$url"
    # It ends well whatever was answered.
    if ! grep -q " $requests 2xx" "$work/out"; then
        cat "$work/out" >&2
        exit 1
    fi
}

run_velo() {
    cost "$velo" load "${own_flags[@]}" -n "$requests" -c "$1" --streams "$2" --cpus "$client_cpu" --fail-on errors=0 \
        --quiet "$own_url"
}

echo "| connections x streams | h2load, us a request | velo load, us a request | velo of h2load |"
echo "|---|---:|---:|---:|"
cells="1x32 1x100 16x32 16x100 16x1"
if [ $kind = grpc ]; then cells="1x32 1x100 16x32 32x1"; fi
for cell in "${@:-$cells}"; do
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
