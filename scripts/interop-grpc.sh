#!/usr/bin/env bash
# interop-grpc.sh [SERVER...]: velo load --grpc against other implementations of gRPC, and its counts against the server's own: grpc-go
# grpc-js grpcio tonic grpc-java, all unless some are named. Each serves scripts/interop-grpc/numbers.proto, whose methods are one of each
# kind, and is built here with the versions that its contender has; one whose toolchain is missing is skipped and named. The table goes
# between the markers in docs/load-engine.md, or, where servers are named, is only printed. Ends with 1 where a count differs. VELO, PORT
# (18700), CALLS (20000) and DOCUMENT may be set in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
document=${DOCUMENT:-docs/load-engine.md}
velo=${VELO:-$PWD/${CARGO_TARGET_DIR:-target}/release/velo}
calls=${CALLS:-20000}
port=${PORT:-18700}
all=(grpc-go grpc-js grpcio tonic grpc-java)
servers=("${@:-${all[@]}}")
for server in "${servers[@]}"; do
    if [[ " ${all[*]} " != *" $server "* ]]; then
        echo "interop-grpc: no server $server; there are ${all[*]}" >&2
        exit 2
    fi
done
for program in python3 openssl; do
    if ! command -v "$program" >/dev/null; then
        echo "interop-grpc: no $program: apt-get install -y --no-install-recommends python3 python3-venv openssl" >&2
        exit 3
    fi
done
if [ ! -x "$velo" ]; then
    echo "interop-grpc: no $velo: cargo build --release, or set VELO" >&2
    exit 3
fi

sources=$PWD/scripts/interop-grpc
contenders=$PWD/contenders
build=$PWD/.velo/interop-grpc
work=$(mktemp -d)
mkdir -p "$build"
pids=()
trap 'for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; wait; rm -rf "$work"' EXIT
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
: >"$work/rows"
skipped=()
failed=0

# protoc is the one inside of grpcio-tools.
tools() {
    [ -x "$build/python/bin/python" ] || python3 -m venv "$build/python"
    "$build/python/bin/pip" install -q --disable-pip-version-check --require-hashes -r "$contenders/python/grpcio/requirements.txt"
}
build_grpcio() {
    tools
    mkdir -p "$build/grpcio"
    cp "$sources/server.py" "$build/grpcio/"
    "$build/python/bin/python" -m grpc_tools.protoc -I "$sources" --python_out="$build/grpcio" --grpc_python_out="$build/grpcio" numbers.proto
    version="grpcio $("$build/python/bin/python" -c 'import grpc; print(grpc.__version__)')"
    command=("$build/python/bin/python" "$build/grpcio/server.py")
}
build_grpc-go() {
    tools
    mkdir -p "$build/go"
    cp "$sources/server.go" "$contenders/go/grpc/go.mod" "$contenders/go/grpc/go.sum" "$build/go/"
    (
        cd "$build/go"
        go mod edit -module numbers
        go build -o bin/ google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
        PATH=$PWD/bin:$PATH "$build/python/bin/python" -m grpc_tools.protoc -I "$sources" --go_out=. --go_opt=module=numbers,Mnumbers.proto=numbers/numbers \
            --go-grpc_out=. --go-grpc_opt=module=numbers,Mnumbers.proto=numbers/numbers numbers.proto
        go build -o server server.go
    )
    version="grpc-go $(cd "$build/go" && go list -m -f '{{.Version}}' google.golang.org/grpc | tr -d v)"
    command=("$build/go/server")
}
build_grpc-js() {
    mkdir -p "$build/js"
    cp "$sources/server.mjs" "$sources/numbers.proto" "$contenders/js/grpc-js/package.json" "$contenders/js/grpc-js/package-lock.json" "$build/js/"
    (cd "$build/js" && npm ci --ignore-scripts --silent)
    version="grpc-js $(cd "$build/js" && node -p 'require("@grpc/grpc-js/package.json").version')"
    command=(node "$build/js/server.mjs")
}
build_tonic() {
    mkdir -p "$build/tonic/src" "$build/tonic/proto"
    cp "$contenders/rust/tonic/Cargo.toml" "$contenders/rust/tonic/Cargo.lock" "$build/tonic/"
    # Streams of answers; gzip; a signal to end.
    sed -i -e 's/^tonic = .*/tonic = { version = "0.14", features = ["tls-ring", "gzip"] }\ntokio-stream = "0.1"/' \
        -e 's/features = \["fs", /features = ["signal", "time", /' "$build/tonic/Cargo.toml"
    sed 's/^const PROTOS.*/const PROTOS: [\&str; 1] = ["numbers.proto"];/' "$contenders/rust/tonic/build.rs" >"$build/tonic/build.rs"
    cp "$sources/server.rs" "$build/tonic/src/main.rs"
    cp "$sources/numbers.proto" "$build/tonic/proto/"
    (cd "$build/tonic" && cargo build --release --quiet --target-dir "$build/tonic/target")
    version="tonic $(sed -n '/^name = "tonic"$/{n;s/.*"\(.*\)"/\1/p}' "$build/tonic/Cargo.lock")"
    command=("$build/tonic/target/release/tonic-server")
}
build_grpc-java() {
    mkdir -p "$build/java/src/main/java/velodrome" "$build/java/src/main/proto"
    cp "$contenders/java/grpc/pom.xml" "$build/java/"
    cp "$sources/Server.java" "$build/java/src/main/java/velodrome/"
    cp "$sources/numbers.proto" "$build/java/src/main/proto/"
    (cd "$build/java" && mvn -q -B package)
    version="grpc-java $(sed -n 's/.*<grpc.version>\(.*\)<.*/\1/p' "$build/java/pom.xml")"
    command=(java -XX:+PerfDisableSharedMem -jar "$build/java/target/server.jar")
}
needed() {
    case $1 in
        grpc-go) echo go ;;
        grpc-js) echo node npm ;;
        tonic) echo cargo ;;
        grpc-java) echo java mvn ;;
    esac
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# Starts a server on a port of its own; `pid` is its process.
start() { # ARGUMENTS...
    port=$((port + 1))
    if listens "$port"; then
        echo "interop-grpc: port $port is taken: set PORT" >&2
        exit 3
    fi
    "${command[@]}" "$port" "$@" >"$work/out" 2>"$work/err" &
    pid=$!
    pids+=("$pid")
    for _ in $(seq 150); do
        listens "$port" && return
        sleep 0.1
    done
    echo "interop-grpc: $version does not listen on port $port after 15 s" >&2
    cat "$work/out" "$work/err" >&2
    exit 1
}
# Ends it in order; `ended received sent` is what it has counted.
stop() {
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    read -r ended received sent < <(sed -n 's/^counted //p' "$work/out") || {
        echo "interop-grpc: $version has not said what it counted" >&2
        cat "$work/out" "$work/err" >&2
        exit 1
    }
}

# Loads, and leaves what velo counted: calls that are correct, those that took too long, others, and messages of answers.
load() {
    local patience=(--timeout 30s)
    # A deadline is one itself.
    [[ " $* " != *" --deadline "* ]] || patience=()
    "$velo" load --proto "$sources/numbers.proto" --quiet --insecure "${patience[@]}" --json "$work/load.json" "$@" >/dev/null 2>"$work/velo.err" ||
        [ -s "$work/load.json" ] || { cat "$work/velo.err" >&2; exit 1; }
    read -r correct late closed other messages < <(python3 - "$work/load.json" <<'END'
import json, sys

load = json.load(open(sys.argv[1]))["record"]
outcomes = load["outcomes"]
closed = outcomes["closed_by_server"] + outcomes.get("refused", 0)
known = outcomes["correct"] + outcomes["timeout"] + closed
messages = load.get("messages")
print(outcomes["correct"], outcomes["timeout"], closed, sum(outcomes.values()) - known, "-" if messages is None else messages)
END
    )
    rm "$work/load.json"
}

# A row. EXPECTED: of how many calls, how many correct, how many messages the server receives and sends.
row() { # WHAT CALLS CORRECT RECEIVED SENT
    local verdict=same
    [ "$correct" = "$3" ] || verdict="differs: $3 were to be correct"
    [ "$((correct + late + closed + other))" = "$2" ] || verdict="differs: outcomes of $((correct + late + closed + other))"
    [ "$other" = 0 ] || verdict="differs: $other failed otherwise"
    [ "$ended" = "$correct" ] || verdict="differs: the server ended $ended"
    [ "$received" = "$4" ] || verdict="differs: $4 were to be received"
    [ "$sent" = "$5" ] || verdict="differs: $5 were to be sent"
    [ "$messages" = - ] || [ "$messages" = "$sent" ] || verdict="differs: the server sent $sent"
    [ "$verdict" = same ] || failed=1
    echo "| $version | $1 | $2 | $correct | $messages | $ended | $received | $sent | $verdict |" | tee -a "$work/rows" >&2
}

method=numbers.Numbers
drawn=(--value 'id=1..1000000')
small() { load --grpc $method/One "${drawn[@]}" --data '{"number": {id}}' --expect-json '{"number": {id}}' -n "$calls" -c 4 --streams 32 "$@"; }

all_loads() {
    local url
    start
    small "http://127.0.0.1:$port"
    stop
    row "unary, 4 x 32" "$calls" "$calls" "$calls" "$calls"

    start "$work/cert.pem" "$work/key.pem"
    small "https://127.0.0.1:$port"
    stop
    row "unary over TLS, 4 x 32" "$calls" "$calls" "$calls" "$calls"

    start
    url=http://127.0.0.1:$port
    load --grpc $method/One --data '{"status": 5}' --expect-grpc-status NOT_FOUND -n 2000 -c 2 --streams 16 "$url"
    stop
    row "unary, answered with NOT_FOUND, 2 x 16" 2000 2000 2000 0

    start
    url=http://127.0.0.1:$port
    load --grpc $method/One --data '{"number": 7, "padding": 262144}' --limit-body 1m --expect-same -n 400 -c 2 --streams 4 "$url"
    stop
    row "unary, answers of 256 KiB, 2 x 4" 400 400 400 400

    if [[ " $gzip " = *" $1 "* ]]; then
        start
        url=http://127.0.0.1:$port
        load --grpc $method/One --gzip --data '{"number": 7, "padding": 2000}' --expect-same -n 2000 -c 2 --streams 16 "$url"
        stop
        row "unary, packed with gzip, 2 x 16" 2000 2000 2000 2000
    fi

    start
    url=http://127.0.0.1:$port
    load --grpc $method/Down "${drawn[@]}" --data '{"number": {id}, "count": 1000}' --expect-json '{"number": {id}}' --expect-messages 1000 \
        -n 100 -c 2 --streams 8 "$url"
    stop
    row "1,000 messages from the server, 2 x 8" 100 100 100 100000

    start
    url=http://127.0.0.1:$port
    # 1.5 MB a call: more than any server's window.
    load --grpc $method/Up --data "{\"number\": 7, \"filler\": \"$(printf 'AAAA%.0s' $(seq 500))\"}" --messages 1000 \
        --expect-json '{"number": 7000, "count": 1000}' -n 100 -c 2 --streams 4 "$url"
    stop
    row "1,000 messages of 1.5 kB to the server, 2 x 4" 100 100 100000 100

    start
    url=http://127.0.0.1:$port
    load --grpc $method/Both "${drawn[@]}" --data '{"number": {id}}' --messages 100 --expect-json '{"number": {id}}' --expect-messages 100 \
        -n 500 -c 2 --streams 8 "$url"
    stop
    row "100 messages there and back, 2 x 8" 500 500 50000 50000

    start
    url=http://127.0.0.1:$port
    load --grpc $method/One --data '{"wait_ms": 1500}' --deadline 200ms -n 32 -c 2 --streams 16 "$url"
    # What is still asleep is to wake up.
    sleep 2
    stop
    # A server may end a call itself when its deadline has passed; either is one that took too long.
    late=$((late + other)) other=0
    # Nor need its handler have seen a call whose deadline passed before.
    row "unary, with a deadline that passes, 2 x 16" 32 0 "$((received < 32 ? received : 32))" 0
}
gzip="grpc-go tonic grpc-js grpc-java grpcio"

for server in "${servers[@]}"; do
    echo "interop-grpc: $server" >&2
    lacking=()
    for program in $(needed "$server"); do command -v "$program" >/dev/null || lacking+=("$program"); done
    if [ "${#lacking[@]}" -gt 0 ]; then
        skipped+=("$server: no ${lacking[*]}")
        continue
    fi
    if ! "build_$server" >"$work/build.log" 2>&1; then
        tail -n 20 "$work/build.log" >&2
        skipped+=("$server: cannot be built")
        continue
    fi
    all_loads "$server"
    if [ "$server" = grpc-go ]; then
        start
        load_reflected() { "$velo" load --grpc $method/One --reflect --quiet --data '{"number": 7}' -n 1000 -c 2 --streams 4 \
            --expect-json '{"number": 7}' --fail-on errors=0 "http://127.0.0.1:$port" >/dev/null 2>"$work/velo.err"; }
        if load_reflected; then correct=1000 other=0; else correct=0 other=1000; cat "$work/velo.err" >&2; fi
        late=0 closed=0 messages=-
        stop
        row "unary, by reflection, 2 x 4" 1000 1000 1000 1000

        # Another one listens on the same port before the first is told to end.
        start
        first=$pid
        "${command[@]}" "$port" >"$work/out2" 2>&1 &
        second=$!
        pids+=("$second")
        many=$((calls * 5))
        (sleep 0.5 && kill "$first" && touch "$work/in-time") &
        load --grpc $method/One "${drawn[@]}" --data '{"number": {id}}' --expect-json '{"number": {id}}' -n "$many" -c 16 --streams 32 \
            "http://127.0.0.1:$port"
        if [ ! -e "$work/in-time" ]; then
            echo "interop-grpc: the load was over before the server was told to end: set CALLS higher" >&2
            failed=1
        fi
        pid=$first
        stop
        kill "$second"
        wait "$second" || true
        read -r ended2 received2 sent2 < <(sed -n 's/^counted //p' "$work/out2")
        ended=$((ended + ended2)) received=$((received + received2)) sent=$((sent + sent2))
        echo "interop-grpc: $closed of $many were closed by the server that shut down" >&2
        row "unary, one of two processes on a port shuts down in order, 16 x 32" "$many" "$((many - closed))" "$ended" "$ended"
    fi
done

{
    echo "| server | load, connections x streams | calls | velo: correct | messages | the server: ended | received | sent | |"
    echo "|---|---|---:|---:|---:|---:|---:|---:|---|"
    cat "$work/rows"
    if [ ${#skipped[@]} -gt 0 ]; then
        echo
        printf 'Skipped: %s.\n' "$(printf '%s; ' "${skipped[@]}" | sed 's/; $//')"
    fi
} >"$work/table"
cat "$work/table"
if [ $# -eq 0 ]; then
    { echo; cat "$work/table"; echo; } | scripts/splice.sh "$document" interop-grpc
    echo "interop-grpc: written to $document" >&2
fi
exit "$failed"
