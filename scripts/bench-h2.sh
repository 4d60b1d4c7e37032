#!/usr/bin/env bash
# bench-h2.sh [CELL...]: CPU time of a request over HTTP/2, velo load against other generators, against nghttpd. A cell is connections x
# streams: 1x32 1x100 16x32 16x100 16x1 in clear, tls-16x100 tls-16x1 over TLS, and the first five as reference-1x32 and so on, where velo and
# h2load load the reference server, which is no limit to h2load. All unless some are named. In each round every program sends
# its count of requests, the order turned round by round, the generator on the last CPU and the server on the first; velo compares every
# body. Prints medians, and the ratio of each round from the least to the most. oha, fortio and k6 are among the others where they are
# installed (scripts/bench-peers.sh): fortio has one request at once on a connection, and k6 speaks HTTP/2 over TLS only. `bare` is a client
# that knows what it sends and counts frames (BENCH, the program of scripts/bench.sh), in clear. Then velo is held
# against REFERENCE, a server that answers wrongly once in 100,000 requests and says how often it did. ROUNDS (7), REQUESTS (of
# velo and h2load, 500000; a fifth of that with one stream), VELO and PORT (18443, and the next three) may be set in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
export PATH=$PATH:/usr/sbin:/sbin:$PWD/.velo/bench/peers/bin
rounds=${ROUNDS:-7}
most_requests=${REQUESTS:-500000}
port=${PORT:-18443}
velo=${VELO:-${CARGO_TARGET_DIR:-target}/release/velo}
reference=${REFERENCE:-.velo/bench/reference/release/reference-server}
bench=${BENCH:-${CARGO_TARGET_DIR:-target}/release/velo-bench}

. scripts/rounds.sh
need "nghttp2-client nghttp2-server util-linux openssl" h2load nghttpd taskset openssl

work=$(mktemp -d)
servers=()
trap 'for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done; rm -rf "$work"' EXIT
mkdir "$work/site"
printf '%0127d\n' 0 >"$work/site/f.txt"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
cat >"$work/k6.js" <<'END'
import http from 'k6/http'
export const options = { discardResponseBodies: true, insecureSkipTLSVerify: true }
export default () => { http.get(__ENV.URL) }
END

# Starts nghttpd and waits for it.
serve() { # PORT ARGUMENTS...
    taskset -c 0 nghttpd -n1 -m 256 -d "$work/site" "${@:2}" >"$work/server.log" 2>&1 &
    servers+=("$!")
    listens "$1" "$work/server.log"
}
serve "$port" --no-tls "$port"
serve "$((port + 1))" "$((port + 1))" "$work/key.pem" "$work/cert.pem"
serve_reference "$((port + 3))"

run_velo() {
    cost "$requests" "$velo" load --http2 -n "$requests" -c "$connections" --streams "$streams" --cpus "$client_cpu" --insecure \
        --expect-same --fail-on errors=0 --quiet "$url"
}
run_h2load() {
    cost "$requests" taskset -c "$client_cpu" h2load -n "$requests" -c "$connections" -m "$streams" -t1 "$url"
    said " $requests 2xx"
}
run_bare() {
    cost "$requests" taskset -c "$client_cpu" "$bench" --floor-h2 "127.0.0.1:$port" "$connections" "$streams" "$requests" /f.txt
    said "^$requests requests"
}
run_oha() {
    cost "$fewer" taskset -c "$client_cpu" oha --no-tui --insecure --http2 -n "$fewer" -c "$connections" -p "$streams" "$url"
    said "\[200\] $fewer responses"
}
run_fortio() {
    cost "$fewer" taskset -c "$client_cpu" env GOMAXPROCS=1 fortio load -quiet -h2 -k -qps 0 -n "$fewer" -c "$connections" "$url"
    said "Code 200 : $fewer "
}
run_k6() {
    cost "$fewer" taskset -c "$client_cpu" env GOMAXPROCS=1 URL="$url" \
        k6 run --no-usage-report --address '' --vus "$connections" --iterations "$fewer" "$work/k6.js"
    said "http_reqs[. ]*: $fewer "
    said "http_req_failed[. ]*: 0.00%"
}

# Whether a tool can do what a cell asks for.
can() {
    # Against the reference server it is velo and the cheapest of the others.
    [[ $one != reference-* ]] || return 1
    if [ "$1" = bare ]; then [ -x "$bench" ] && [ "$tls" = no ]; return; fi
    command -v "$1" >/dev/null || return 1
    case $1 in
        fortio) [ "$streams" = 1 ] ;;
        k6) [ "$streams" = 1 ] && [ "$tls" = yes ] ;;
    esac
}

echo "| | tool | CPU us a request, median | velo of it: median (least to most) | peak memory MB |"
echo "|---|---|---:|---:|---:|"
for cells in "${@:-1x32 1x100 16x32 16x100 16x1 tls-16x100 tls-16x1 reference-1x32 reference-1x100 reference-16x32 reference-16x100 reference-16x1}"; do
    for one in $cells; do
        tls=no url=http://127.0.0.1:$port/f.txt
        if [[ $one = tls-* ]]; then tls=yes url=https://127.0.0.1:$((port + 1))/f.txt; fi
        if [[ $one = reference-* ]]; then url=http://127.0.0.1:$((port + 3))/user/123456; fi
        size=${one#*-}
        connections=${size%x*} streams=${size#*x}
        requests=$most_requests
        [ "$streams" != 1 ] || requests=$((most_requests / 5))
        # The others take ten times as long.
        fewer=$((requests / 10))
        tools=(velo h2load)
        for tool in bare oha fortio k6; do if can "$tool"; then tools+=("$tool"); fi; done
        name="$size in clear"
        [ "$tls" = no ] || name="$size over TLS"
        [[ $one != reference-* ]] || name="$size, the reference server"
        cell "$name" "${tools[@]}"
    done
done
echo
echo "$rounds rounds, $most_requests requests a run (a fifth of that with one stream, and of others than h2load a tenth), the programs' start and" \
    "end included; $(nghttpd --version | head -n 1) or the reference server on CPU 0, generator on CPU $client_cpu."

# Wrong answers, counted on both sides.
if [ -x "$reference" ]; then
    mkfifo "$work/stdin"
    HOST=127.0.0.1 PORT=$((port + 2)) PROTOCOL=h2c CORES=1 taskset -c 0 "$reference" <"$work/stdin" >"$work/reference.out" &
    server=$!
    servers+=("$server")
    exec 4>"$work/stdin"
    listens "$((port + 2))" "$work/reference.out"
    count=$((most_requests * 4))
    # It exits with 1, because some are wrong.
    "$velo" load --http2 -n "$count" -c 16 --streams 100 --cpus "$client_cpu" --value 'id=1..1000000' --expect-body '{id}' --quiet \
        --csv "$work/counts.csv" "http://127.0.0.1:$((port + 2))/user/{id}" >/dev/null 2>"$work/err" || [ -s "$work/counts.csv" ] ||
        { cat "$work/err" >&2; exit 1; }
    exec 4>&-
    wait "$server"
    read -r _ read _ wrong < <(tail -n 1 "$work/reference.out")
    counted=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["correct"], $at["wrong_answer"] }' "$work/counts.csv")
    echo "A server that answers wrongly once in 100,000: $wrong of $read by its own count; velo with 16 x 100: ${counted#* } wrong, ${counted% *} correct."
    if [ "$counted" != "$((read - wrong)) $wrong" ]; then
        echo "bench-h2: velo has not counted what the server has" >&2
        exit 1
    fi
else
    echo "Wrong answers were not tried: no $reference; scripts/bench.sh builds it."
fi
