#!/usr/bin/env bash
# bench-grpc.sh [CELL...]: CPU time of a call of gRPC, velo load against other generators, all against the reference server's echo of 13
# bytes. A cell is connections x streams: 1x32 1x100 16x32 32x1, all unless some are named. In each round every program makes its count of
# calls, the order turned round by round, the generator on the last CPU and the server on the first. velo checks every call; h2load and oha
# send the encoded message with its prefix and look at no more than HTTP's status; ghz looks at grpc-status, and so does k6, which has one
# call at once on a connection. oha, ghz and k6 are among them where they are installed (scripts/bench-peers.sh). fortio is not: it calls
# its own method or a health service only, and the server has neither. Prints medians, and the ratio of each round from the least to the most.
# ROUNDS (7), CALLS (of velo and h2load, 200000; the others make a tenth), REFERENCE (the server's program; built where it is not set), VELO
# and PORT (18453) may be set in the environment.
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
authority=127.0.0.1:$port
url=http://$authority/$method
# A prefix, and a field of 13 bytes; and the same as JSON.
printf '\0\0\0\0\017\012\015{"bet": true}' >"$work/message"
json='{"data": "eyJiZXQiOiB0cnVlfQ=="}'
headers=(-H 'content-type: application/grpc' -H 'te: trailers')
own_flags=(--grpc $method --proto $folder/reference.proto --data "$json" --expect-json "$json")
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
ready=no
for _ in $(seq 50); do
    if "$velo" load "${own_flags[@]}" -n 1 -c 1 --quiet "http://$authority" >/dev/null 2>&1; then ready=yes && break; fi
    sleep 0.1
done
if [ $ready = no ]; then
    echo "bench-grpc: no answer on port $port: set PORT" >&2
    cat "$work/server.log" >&2
    exit 1
fi

run_velo() {
    cost "$calls" "$velo" load "${own_flags[@]}" -n "$calls" -c "$connections" --streams "$streams" --cpus "$client_cpu" \
        --fail-on errors=0 --quiet "http://$authority"
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

# Whether a tool can do what a cell asks for.
can() {
    command -v "$1" >/dev/null || return 1
    case $1 in
        k6) [ "$streams" = 1 ] ;;
    esac
}

echo "| connections x streams | tool | CPU us a call, median | velo of it: median (least to most) | peak memory MB |"
echo "|---|---|---:|---:|---:|"
for cells in "${@:-1x32 1x100 16x32 32x1}"; do
    for one in $cells; do
        connections=${one%x*} streams=${one#*x}
        tools=(velo h2load)
        for tool in oha ghz k6; do if can "$tool"; then tools+=("$tool"); fi; done
        cell "$one" "${tools[@]}"
    done
done
echo
echo "$rounds rounds, $calls calls a run (of others than h2load a tenth), the programs' start and end included; reference server on CPU 0," \
    "generator on CPU $client_cpu."
