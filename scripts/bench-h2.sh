#!/usr/bin/env bash
# bench-h2.sh [CELL...]: CPU time of a request over HTTP/2, velo load against h2load, both against nghttpd. A cell is connections x
# streams: 1x32 1x100 16x32 16x100 16x1, all unless some are named. Both programs send the same count of requests in turn, round by
# round, the generator on the last CPU and the server on the first; velo compares every body. Prints medians, and the ratio of each
# round from the least to the most. ROUNDS (5), REQUESTS (per run, 200000), VELO and PORT may be set in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
export PATH=$PATH:/usr/sbin:/sbin
rounds=${ROUNDS:-5}
requests=${REQUESTS:-200000}
port=${PORT:-18443}
velo=${VELO:-${CARGO_TARGET_DIR:-target}/release/velo}

for program in h2load nghttpd taskset; do
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
mkdir "$work/site"
printf '%0127d\n' 0 >"$work/site/f.txt"
taskset -c 0 nghttpd --no-tls -n1 -m 256 -d "$work/site" "$port" >"$work/server.log" 2>&1 &
server=$!
url=http://127.0.0.1:$port/f.txt
for _ in $(seq 50); do
    if "$velo" load --http2 -n 1 -c 1 --quiet "$url" >/dev/null 2>&1; then break; fi
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
    cost taskset -c "$client_cpu" h2load -n "$requests" -c "$1" -m "$2" -t1 "$url"
    # It ends well whatever was answered.
    if ! grep -q " $requests 2xx" "$work/out"; then
        cat "$work/out" >&2
        exit 1
    fi
}

run_velo() {
    cost "$velo" load --http2 -n "$requests" -c "$1" --streams "$2" --cpus "$client_cpu" --expect-same --fail-on errors=0 \
        --quiet "$url"
}

echo "| connections x streams | h2load, us a request | velo load, us a request | velo of h2load |"
echo "|---|---:|---:|---:|"
for cell in "${@:-1x32 1x100 16x32 16x100 16x1}"; do
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
