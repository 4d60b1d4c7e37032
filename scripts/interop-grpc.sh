#!/usr/bin/env bash
# interop-grpc.sh [SERVER...]: velo load --grpc against other implementations of gRPC, and its counts against the server's own: grpc-go
# grpc-js grpcio tonic grpc-java, all unless some are named. Each serves scripts/interop-grpc/numbers.proto, whose methods are one of each
# kind, counts calls by status and messages either way, and is built here with the versions that its contender has; one whose toolchain is
# missing is skipped and named. The table goes between the markers in docs/engine.md, or, where servers are named, is only printed. Ends
# with 1 where a count differs. VELO, PORT (18700), CALLS (20000) and DOCUMENT may be set in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
document=${DOCUMENT:-docs/engine.md}
velo=${VELO:-$PWD/${CARGO_TARGET_DIR:-target}/release/velo}
calls=${CALLS:-20000}
port=${PORT:-18700}
all=(grpc-go grpc-js grpcio tonic grpc-java)

for program in python3 openssl; do
    if ! command -v "$program" >/dev/null; then
        echo "interop-grpc: no $program: apt-get install -y --no-install-recommends python3 python3-venv openssl" >&2
        exit 3
    fi
done
. scripts/interop.sh
begin "$@"

sources=$PWD/scripts/interop-grpc
contenders=$PWD/contenders
build=$PWD/.velo/interop-grpc
mkdir -p "$build"

# Each step says whether it went well: in a condition, `set -e` does not.
# protoc is the one inside of grpcio-tools.
tools() {
    [ -x "$build/python/bin/python" ] || python3 -m venv "$build/python" || return
    "$build/python/bin/pip" install -q --disable-pip-version-check --require-hashes -r "$contenders/python/grpcio/requirements.txt"
}
build_grpcio() {
    mkdir -p "$build/grpcio"
    tools && cp "$sources/server.py" "$build/grpcio/" &&
        "$build/python/bin/python" -m grpc_tools.protoc -I "$sources" --python_out="$build/grpcio" --grpc_python_out="$build/grpcio" \
            numbers.proto || return
    version="grpcio $("$build/python/bin/python" -c 'import grpc; print(grpc.__version__)')"
    command=("$build/python/bin/python" "$build/grpcio/server.py")
}
build_grpc-go() {
    mkdir -p "$build/go"
    tools && cp "$sources/server.go" "$contenders/go/grpc/go.mod" "$contenders/go/grpc/go.sum" "$build/go/" || return
    (
        cd "$build/go" && go mod edit -module numbers &&
            go build -o bin/ google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc &&
            PATH=$PWD/bin:$PATH "$build/python/bin/python" -m grpc_tools.protoc -I "$sources" --go_out=. --go-grpc_out=. \
                --go_opt=module=numbers,Mnumbers.proto=numbers/numbers --go-grpc_opt=module=numbers,Mnumbers.proto=numbers/numbers \
                numbers.proto &&
            go build -o server server.go
    ) || return
    version="grpc-go $(cd "$build/go" && go list -m -f '{{.Version}}' google.golang.org/grpc | tr -d v)"
    command=("$build/go/server")
}
build_grpc-js() {
    mkdir -p "$build/js"
    cp "$sources/server.mjs" "$sources/numbers.proto" "$contenders/js/grpc-js/package.json" "$contenders/js/grpc-js/package-lock.json" "$build/js/" &&
        (cd "$build/js" && npm ci --ignore-scripts --silent) || return
    version="grpc-js $(cd "$build/js" && node -p 'require("@grpc/grpc-js/package.json").version')"
    command=(node "$build/js/server.mjs")
}
build_tonic() {
    mkdir -p "$build/tonic/src" "$build/tonic/proto"
    # What the contender has not: streams of answers, gzip, a signal to end.
    sed -e 's/^tonic = .*/tonic = { version = "0.14", features = ["tls-ring", "gzip"] }\ntokio-stream = "0.1"/' \
        -e 's/features = \["fs", /features = ["signal", "time", /' "$contenders/rust/tonic/Cargo.toml" >"$build/tonic/Cargo.toml" &&
        sed 's/^const PROTOS.*/const PROTOS: [\&str; 1] = ["numbers.proto"];/' "$contenders/rust/tonic/build.rs" >"$build/tonic/build.rs" &&
        cp "$contenders/rust/tonic/Cargo.lock" "$build/tonic/" &&
        cp "$sources/server.rs" "$build/tonic/src/main.rs" && cp "$sources/numbers.proto" "$build/tonic/proto/" &&
        (cd "$build/tonic" && cargo build --release --quiet --target-dir "$build/tonic/target") || return
    version="tonic $(sed -n '/^name = "tonic"$/{n;s/.*"\(.*\)"/\1/p}' "$build/tonic/Cargo.lock")"
    command=("$build/tonic/target/release/tonic-server")
}
build_grpc-java() {
    mkdir -p "$build/java/src/main/java/velodrome" "$build/java/src/main/proto"
    cp "$contenders/java/grpc/pom.xml" "$build/java/" && cp "$sources/Server.java" "$build/java/src/main/java/velodrome/" &&
        cp "$sources/numbers.proto" "$build/java/src/main/proto/" && (cd "$build/java" && mvn -q -B package) || return
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

# Starts the server on a port of its own.
serve() { # ARGUMENTS...
    port=$((port + 1))
    start "$port" "${command[@]}" "$port" "$@"
}
# Ends it in order; what it has counted, as it stands in OUTPUT, is in `its_statuses received sent`.
finish() { # [OUTPUT]
    stop
    if ! read -r received sent its_statuses < <(sed -n 's/^counted //p' "${1:-$work/out}"); then
        echo "interop-grpc: $version has not said what it counted" >&2
        cat "$work/out" "$work/err" >&2
        exit 1
    fi
}

# Loads, and leaves what velo counted: calls by status (CODE:CALLS...), messages sent and got; calls that took too long, that the server closed
# or refused, for which no connection could be made, and all others that failed.
load() { # STATUS-THAT-IS-CORRECT FLAGS...
    local right=$1
    "$velo" load "${definition[@]}" --timeout 60s --quiet --insecure --expect-grpc-status "$right" --json "$work/load.json" "${@:2}" \
        >/dev/null 2>"$work/velo.err" || [ -s "$work/load.json" ] || { cat "$work/velo.err" >&2; exit 1; }
    read -r out in late closed unconnected other statuses < <(python3 - "$work/load.json" "$right" <<'END'
import collections, json, sys

record, right = json.load(open(sys.argv[1]))["record"], int(sys.argv[2])
outcomes = collections.Counter(record["outcomes"])
statuses = collections.Counter({error["code"]: error["calls"] for error in record.get("grpc_errors", [])})
outcomes["http_error"] -= statuses.total()
correct = outcomes.pop("correct")
statuses[right] += correct
late = outcomes.pop("timeout")
closed = outcomes.pop("closed_by_server") + outcomes.pop("refused", 0)
unconnected = outcomes.pop("connect_error")
# Of an answer that is no stream the one message is not counted by itself.
messages = record.get("messages", correct if right == 0 else 0)
words = [f"{code}:{calls}" for code, calls in sorted(statuses.items()) if calls]
print(record["sent"] * record["settings"]["grpc"]["messages"], messages, late, closed, unconnected, outcomes.total(), *words)
END
    )
    rm "$work/load.json"
}

calls_of() { # STATUSES
    local sum=0 each
    for each in $1; do sum=$((sum + ${each#*:})); done
    echo "$sum"
}
named() { # STATUSES
    local each text=
    for each in $1; do
        case ${each%:*} in
            0) text+=", ${each#*:} OK" ;;
            1) text+=", ${each#*:} CANCELLED" ;;
            4) text+=", ${each#*:} DEADLINE_EXCEEDED" ;;
            5) text+=", ${each#*:} NOT_FOUND" ;;
            14) text+=", ${each#*:} UNAVAILABLE" ;;
            8) text+=", ${each#*:} RESOURCE_EXHAUSTED" ;;
            *) text+=", ${each#*:} of status ${each%:*}" ;;
        esac
    done
    [ "$late" = 0 ] || text+=", $late too late"
    [ "$closed" = 0 ] || text+=", $closed closed"
    echo "${text:-, none}" | sed 's/^, //'
}
# A row. STATUSES (- where what both counted is to be the same, whatever it is) and messages that both must have counted.
row() { # WHAT STATUSES SENT-BY-VELO SENT-BY-SERVER
    local verdict=same
    [ "$2" = - ] || [ "$statuses" = "$2" ] || verdict="differs: $2 was to be"
    [ "$3" = - ] || [ "$out" = "$3" ] || verdict="differs: $3 were to be sent"
    [ "$4" = - ] || [ "$in" = "$4" ] || verdict="differs: $4 were to be sent back"
    [ "$its_statuses" = "$statuses" ] || verdict="differs: the server ended ${its_statuses:-none}"
    [ "$received" = "$out" ] || verdict="differs: the server received $received"
    [ "$sent" = "$in" ] || verdict="differs: the server sent $sent"
    [ "$late" = 0 ] || verdict="differs: $late took too long"
    [ "$closed" = 0 ] || verdict="differs: $closed were closed by the server"
    [ "$unconnected" = 0 ] || verdict="differs: $unconnected found no connection"
    [ "$other" = 0 ] || verdict="differs: $other failed otherwise"
    said "$1" "$verdict"
}
said() { # WHAT VERDICT
    local theirs
    theirs=$(late=0 closed=0 named "$its_statuses")
    told "$version | $1 | $(named "$statuses") | $out | $in | $theirs | $received | $sent" "$2"
}

method=numbers.Numbers
definition=(--proto "$sources/numbers.proto")
drawn=(--value 'id=1..1000000')
small() { # FLAGS...
    load 0 --grpc $method/One "${drawn[@]}" --data '{"number": {id}}' --expect-json '{"number": {id}}' --streams 32 "$@"
}
text() { # BYTES, a multiple of 3: so many as JSON has them
    head -c $(($1 / 3 * 4)) /dev/zero | tr '\0' A
}

all_loads() {
    local url each

    for each in "in clear" "over TLS"; do
        if [ "$each" = "over TLS" ]; then
            serve "$work/cert.pem" "$work/key.pem"
            url=https://127.0.0.1:$port
        else
            serve
            url=http://127.0.0.1:$port
        fi
        small -n "$calls" -c 4 "$url"
        finish
        row "unary $each, 4 x 32" "0:$calls" "$calls" "$calls"
    done

    serve
    url=http://127.0.0.1:$port
    load 0 --grpc $method/One "${drawn[@]}" --metadata 'x-echo: velo' --data '{"number": {id}}' --expect-header 'x-echo: velo' \
        --expect-json '{"number": {id}}' -n 2000 -c 2 --streams 16 "$url"
    finish
    row "unary, metadata comes back, 2 x 16" 0:2000 2000 2000

    serve
    url=http://127.0.0.1:$port
    load 0 --grpc $method/One --value 'status=0|5|8' --data '{"status": {status}}' -n 3000 -c 2 --streams 16 "$url"
    finish
    row "unary, statuses drawn, 2 x 16" - 3000 -

    serve
    url=http://127.0.0.1:$port
    load 5 --grpc $method/One --data '{"status": 5}' -n 2000 -c 2 --streams 16 "$url"
    finish
    row "unary, NOT_FOUND expected, 2 x 16" 5:2000 2000 0

    serve
    url=http://127.0.0.1:$port
    printf '{"number": 7, "padding": 262144, "filler": "%s"}' "$(text 262143)" >"$work/large.json"
    load 0 --grpc $method/One --data "@$work/large.json" --limit-body 1m --expect-same -n 400 -c 2 --streams 4 "$url"
    finish
    row "unary, 256 KiB there and back, 2 x 4" 0:400 400 400

    serve
    url=http://127.0.0.1:$port
    load 0 --grpc $method/One --gzip --data '{"number": 7, "padding": 2000}' --expect-same -n 2000 -c 2 --streams 16 "$url"
    finish
    row "unary, packed with gzip, 2 x 16" 0:2000 2000 2000

    serve
    url=http://127.0.0.1:$port
    load 0 --grpc $method/Down "${drawn[@]}" --data '{"number": {id}, "count": 1000}' --expect-json '{"number": {id}}' \
        --expect-messages 1000 -n 100 -c 2 --streams 8 "$url"
    finish
    row "1,000 messages from the server, 2 x 8" 0:100 100 100000

    serve
    url=http://127.0.0.1:$port
    # 1.5 MB a call: more than any server's window.
    load 0 --grpc $method/Up --data "{\"number\": 7, \"filler\": \"$(text 1500)\"}" --messages 1000 \
        --expect-json '{"number": 7000, "count": 1000}' -n 100 -c 2 --streams 4 "$url"
    finish
    row "1,000 messages of 1.5 kB to the server, 2 x 4" 0:100 100000 100

    serve
    url=http://127.0.0.1:$port
    load 0 --grpc $method/Both "${drawn[@]}" --data '{"number": {id}}' --messages 100 --expect-json '{"number": {id}}' \
        --expect-messages 100 -n 500 -c 2 --streams 8 "$url"
    finish
    row "100 messages there and back, 2 x 8" 0:500 50000 50000

    serve "$work/cert.pem" "$work/key.pem"
    url=https://127.0.0.1:$port
    load 0 --grpc $method/Both --gzip --data "@$work/large.json" --limit-body 1m --messages 8 --expect-same --expect-messages 8 \
        -n 40 -c 2 --streams 2 "$url"
    finish
    row "8 of 256 KiB there and back, packed with gzip, over TLS, 2 x 2" 0:40 320 320

    serve
    url=http://127.0.0.1:$port
    load 0 --grpc $method/One --data '{"wait_ms": 1500}' --deadline 200ms -n 32 -c 2 --streams 16 "$url"
    # What is still asleep is to wake up.
    sleep 2
    finish
    deadline_row "unary, a deadline passes, 2 x 16"

    serve
    url=http://127.0.0.1:$port
    # The same, but only the server looks at it.
    load 0 --grpc $method/One --data '{"wait_ms": 1500}' --metadata 'grpc-timeout: 200m' -n 32 -c 2 --streams 16 "$url"
    sleep 2
    finish
    deadline_row "unary, a deadline passes that only the server looks at, 2 x 16"

    serve
    # In the midst of the load the server is told to end, and no other takes its place: what it has begun it ends, what it did not take is
    # counted as closed or without a connection.
    (sleep 1 && kill "$pid") &
    small -d 3s -c 4 "http://127.0.0.1:$port"
    finish
    if [ "$((unconnected + closed))" = 0 ]; then
        echo "interop-grpc: the load was over before the server was told to end" >&2
        failed=1
    fi
    graceful_row "unary, the server shuts down in order in the midst, 4 x 32"
}
# A server may end a call whose deadline has passed by its status or by a reset, before its handler has seen it or later, or not at all.
deadline_row() { # WHAT
    local verdict=same
    [ "$out" = 32 ] || verdict="differs: 32 were to be sent"
    [ "$((late + closed + $(calls_of "$statuses")))" = 32 ] || verdict="differs: 32 were to be too late"
    # tonic answers CANCELLED: its status for a time that has expired.
    local ends="^(4:[0-9]+)?$"
    [[ $version != tonic* ]] || ends="^(1:[0-9]+)?$"
    [[ $statuses =~ $ends ]] || verdict="differs: another status than DEADLINE_EXCEEDED"
    [ -z "$its_statuses" ] || verdict="differs: the server ended $its_statuses"
    [ "$received" -le 32 ] || verdict="differs: the server received $received"
    [ "$((in + sent + other + unconnected))" = 0 ] || verdict="differs: $other failed otherwise"
    said "$1" "$verdict"
}
# What it has taken but not begun a server may answer with CANCELLED or UNAVAILABLE before a handler sees it, as grpcio does.
graceful_row() { # WHAT
    local verdict=same each unseen=0
    for each in $statuses; do
        case ${each%:*} in
            0) [ "$its_statuses" = "$each" ] || verdict="differs: the server ended $its_statuses" ;;
            1 | 14) unseen=$((unseen + ${each#*:})) ;;
            *) verdict="differs: $each" ;;
        esac
    done
    [[ $statuses == 0:* ]] || verdict="differs: no call was OK"
    [ "$sent" = "$in" ] || verdict="differs: the server sent $sent"
    [ "$((received + closed + unseen))" = "$out" ] || verdict="differs: the server received $received"
    [ "$((late + other))" = 0 ] || verdict="differs: $((late + other)) failed otherwise"
    said "$1" "$verdict"
}

for server in "${servers[@]}"; do
    echo "interop-grpc: $server" >&2
    has "$server" $(needed "$server") || continue
    if ! "build_$server" >"$work/build.log" 2>&1; then
        tail -n 20 "$work/build.log" >&2
        skip "$server" "cannot be built"
        continue
    fi
    all_loads
    if [ "$server" = grpc-go ]; then
        serve
        url=http://127.0.0.1:$port
        definition=(--reflect)
        load 0 --grpc $method/One --data '{"number": 7}' --expect-json '{"number": 7}' -n 1000 -c 2 --streams 4 "$url"
        definition=(--proto "$sources/numbers.proto")
        finish
        row "unary, by reflection, 2 x 4" 0:1000 1000 1000

        # Another one listens on the same port before the first is told to end.
        serve
        first=$pid
        "${command[@]}" "$port" >"$work/out2" 2>&1 &
        second=$!
        pids+=("$second")
        (sleep 0.5 && kill "$first" && touch "$work/in-time") &
        small -n "$((calls * 5))" -c 16 "http://127.0.0.1:$port"
        if [ ! -e "$work/in-time" ]; then
            echo "interop-grpc: the load was over before the server was told to end: set CALLS higher" >&2
            failed=1
        fi
        pid=$second
        finish "$work/out2"
        theirs=$its_statuses also_received=$received also_sent=$sent
        pid=$first
        finish
        [ "$received" -gt 0 ] || { echo "interop-grpc: the first of two processes had no connection" >&2; failed=1; }
        its_statuses=0:$(($(calls_of "$its_statuses") + $(calls_of "$theirs"))) received=$((received + also_received)) sent=$((sent + also_sent))
        graceful_row "unary, one of two processes on a port shuts down in order, 16 x 32"
    fi
done

end "| server | load, connections x streams | velo: calls | messages sent | got | the server: calls | messages got | sent | |" \
    "|---|---|---|---:|---:|---|---:|---:|---|"
