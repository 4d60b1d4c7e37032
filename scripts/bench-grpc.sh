#!/usr/bin/env bash
# bench-grpc.sh [CELL...]: CPU time of a call of gRPC, velo load against other generators, against the reference server's echo of 13 bytes. A
# cell is connections x streams: 1x32 1x100 16x32 32x1; fortio calls only services that fortio serves, so velo is held against it on the ping
# service of fortio's own server: fortio-1x32 fortio-1x100 fortio-16x32 fortio-32x1. All unless some are named. In each round every program
# makes its count of calls, the order turned round by round, the generator on the last CPU and the server on the first. velo checks every call
# of the echo, and the status and the form of every ping, whose answer has a time in it; h2load and oha send the encoded message with its
# prefix and look at no more than HTTP's status; ghz and fortio look at grpc-status, and so does k6, which has one call at once on a
# connection. oha, ghz, k6 and fortio are among them where they are installed (scripts/bench-peers.sh). Prints medians, and the ratio of each
# round from the least to the most. ROUNDS (7), CALLS (of velo, h2load and fortio, 200000; the others make a tenth), VELO and PORT (18453, and
# the next for fortio) may be set in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
export PATH=$PATH:/usr/sbin:/sbin:$PWD/.velo/bench/peers/bin
rounds=${ROUNDS:-7}
calls=${CALLS:-200000}
# The others take ten times as long.
fewer=$((calls / 10))
port=${PORT:-18453}
velo=${VELO:-${CARGO_TARGET_DIR:-target}/release/velo}

. scripts/rounds.sh
need "nghttp2-client util-linux" h2load taskset
if [ "$fewer" -lt 1 ]; then
    echo "bench-grpc: CALLS is $calls: at least 10 are needed" >&2
    exit 2
fi

work=$(mktemp -d)
servers=()
trap 'for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done; rm -rf "$work"' EXIT
method=velo.reference.v1.Reference/Echo
folder=contenders/rust/reference
serve_reference "$port"
authority=127.0.0.1:$port
url=http://$authority/$method
# A prefix, and a field of 13 bytes; and the same as JSON.
printf '\0\0\0\0\017\012\015{"bet": true}' >"$work/message"
json='{"data": "eyJiZXQiOiB0cnVlfQ=="}'
headers=(-H 'content-type: application/grpc' -H 'te: trailers')
echo_flags=(--grpc $method --proto $folder/reference.proto --data "$json" --expect-json "$json")
cat >"$work/k6.js" <<'END'
import grpc from 'k6/net/grpc'
import { check } from 'k6'
const client = new grpc.Client()
client.load([__ENV.FOLDER], 'reference.proto')
const message = JSON.parse(__ENV.MESSAGE)
let connected = false
export default () => {
    if (!connected) {
        client.connect(__ENV.AUTHORITY, { plaintext: true })
        connected = true
    }
    check(client.invoke(__ENV.METHOD, message), { 'status is OK': (answer) => answer.status === grpc.StatusOK })
}
END
# Fortio's ping, of which we send what it sends.
cat >"$work/ping.proto" <<'END'
syntax = "proto3";
package fgrpc;
message PingMessage { int64 seq = 1; int64 ts = 2; string payload = 3; int64 delayNanos = 4; }
service PingServer { rpc Ping(PingMessage) returns (PingMessage); }
END
payload='{"bet": true}'
ping_flags=(--grpc fgrpc.PingServer/Ping --proto "$work/ping.proto" --data '{"payload": "{\"bet\": true}"}')
fortio=no
if command -v fortio >/dev/null; then
    fortio=127.0.0.1:$((port + 1))
    GOMAXPROCS=1 taskset -c 0 fortio server -quiet -grpc-port "$fortio" -http-port disabled -tcp-port disabled -udp-port disabled \
        -redirect-port disabled >"$work/fortio.log" 2>&1 &
    servers+=($!)
    listens "${fortio#*:}" "$work/fortio.log"
fi

run_velo() {
    local flags=("${echo_flags[@]}") at=$authority
    if [ "$of_fortio" = yes ]; then flags=("${ping_flags[@]}") at=$fortio; fi
    cost "$calls" "$velo" load "${flags[@]}" -n "$calls" -c "$connections" --streams "$streams" --cpus "$client_cpu" \
        --fail-on errors=0 --quiet "http://$at"
}
run_h2load() {
    cost "$calls" taskset -c "$client_cpu" h2load -n "$calls" -c "$connections" -m "$streams" -t1 -d "$work/message" "${headers[@]}" "$url"
    said " $calls 2xx"
}
run_oha() {
    cost "$fewer" taskset -c "$client_cpu" oha --no-tui --http2 -n "$fewer" -c "$connections" -p "$streams" -m POST -D "$work/message" \
        "${headers[@]}" "$url"
    said "\[200\] $fewer responses"
}
run_ghz() {
    cost "$fewer" taskset -c "$client_cpu" env GOMAXPROCS=1 ghz --insecure --cpus 1 --proto $folder/reference.proto --call $method \
        -d "$json" -n "$fewer" --connections "$connections" -c $((connections * streams)) "$authority"
    said "\[OK\] +$fewer responses"
}
run_k6() {
    cost "$fewer" taskset -c "$client_cpu" env GOMAXPROCS=1 FOLDER="$PWD/$folder" MESSAGE="$json" AUTHORITY="$authority" METHOD=$method \
        k6 run --no-usage-report --address '' --vus "$connections" --iterations "$fewer" "$work/k6.js"
    said "checks_succeeded[. ]*: 100.00% $fewer out of $fewer"
}
# It makes as many calls as its threads share evenly.
run_fortio() {
    local threads=$((connections * streams))
    local even=$((calls / threads * threads))
    cost "$even" taskset -c "$client_cpu" env GOMAXPROCS=1 fortio load -grpc -ping -payload "$payload" -quiet -qps 0 -c "$connections" \
        -s "$streams" -n "$even" "$fortio"
    said "Ping SERVING : $even"
}

# Whether a tool can do what a cell asks for.
can() {
    command -v "$1" >/dev/null || return 1
    case $1 in
        k6) [ "$streams" = 1 ] ;;
    esac
}

echo "| connections x streams | tool | CPU us a call, median | velo of it: median (least to most) | peak memory MB |"
echo "|---|---|---:|---:|---:|"
for cells in "${@:-1x32 1x100 16x32 32x1 fortio-1x32 fortio-1x100 fortio-16x32 fortio-32x1}"; do
    for one in $cells; do
        of_fortio=no size=${one#fortio-}
        connections=${size%x*} streams=${size#*x}
        if [ "$size" != "$one" ]; then
            [ "$fortio" != no ] || continue
            of_fortio=yes
            cell "$size, fortio's server" velo fortio
            continue
        fi
        tools=(velo h2load)
        for tool in oha ghz k6; do if can "$tool"; then tools+=("$tool"); fi; done
        cell "$one" "${tools[@]}"
    done
done
echo
echo "$rounds rounds, $calls calls a run (of oha, ghz and k6 a tenth), the programs' start and end included;" \
    "server on CPU 0, generator on CPU $client_cpu."
