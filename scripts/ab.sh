#!/usr/bin/env bash
# ab.sh [CONTENDER...]: holds ab's count against velo load's on echo, loaded as published: one request again and again, 20 at a time, a
# connection for each; and once more with connections that are kept. Prints a table. ROUNDS (5) and REQUESTS (20000) may be set. Needs ab (Debian's apache2-utils) and what the contenders are built with; ten minutes on an idle machine.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
velo=${VELO:-${CARGO_TARGET_DIR:-target}/release/velo}
rounds=${ROUNDS:-5}
requests=${REQUESTS:-20000}
path='/Perf/Echo?name=hogehoge&x=10&y=20&e=2'
contenders=("$@")
if [ "${#contenders[@]}" = 0 ]; then
    contenders=(csharp/aspnet-raw-sync csharp/lightnode csharp/system-web go/net-http java/jetty js/node-http php/fpm
        python/asgi ruby/rack-puma rust/hyper)
fi

work=$(mktemp -d)
server=
ended() {
    [ -z "$server" ] || { kill -INT "$server" 2>/dev/null && wait "$server" || true; }
    rm -rf "$work"
}
trap ended EXIT
# shellcheck source=scripts/rounds.sh
. scripts/rounds.sh
need "apache2-utils time" ab

# Starts a contender and prints where it is.
serve() { # CONTENDER
    : >"$work/at"
    "$velo" serve echo --only "$1" >"$work/at" 2>"$work/serve.log" &
    server=$!
    until [ -s "$work/at" ]; do
        sleep 0.2
        kill -0 "$server" 2>/dev/null || { server=; return 1; }
    done
}

# Each prints requests/s, and ab the share of connections that were kept.
by_ab() { # URL [FLAG]
    taskset -c "$client_cpu" ab -q -n "$requests" -c 20 "${@:2}" "$1" >"$work/ab" 2>&1 || { cat "$work/ab" >&2; return 1; }
    awk -v n="$requests" '
        /^Complete requests/ { whole = $3 }
        /^(Failed requests|Non-2xx responses)/ { failed += $3 }
        /^Keep-Alive requests/ { kept = $3 }
        /^Requests per second/ { rate = $4 }
        END { if (whole != n || failed) { print "ab: " whole " complete, " failed " failed" > "/dev/stderr"; exit 1 }; print rate, kept / n }' "$work/ab"
}
by_velo() { # URL [FLAG]
    "$velo" load --quiet -c 20 -n "$requests" --cpus "$client_cpu" "${@:2}" --expect-json '{"Name": "hogehoge", "Sum": 60}' \
        --fail-on 'errors=0' --json "$work/load.json" "$1" >"$work/load" 2>&1 || { cat "$work/load" >&2; return 1; }
    jq -r '"\(.figures.goodput_per_s) 1"' "$work/load.json"
}

echo '| contender | ab, new | velo, new | velo over ab | ab -k | of them kept | velo, kept |'
echo '| --- | ---: | ---: | ---: | ---: | ---: | ---: |'
for contender in "${contenders[@]}"; do
    if ! serve "$contender"; then
        echo "ab: left out: $contender: $(tail -n 1 "$work/serve.log")" >&2
        continue
    fi
    url=$(awk '{ print $2 }' "$work/at")$path
    # Compilers have had their time before anything is counted.
    for flag in --no-keepalive ''; do "$velo" load --quiet -c 20 -d 5s --cpus "$client_cpu" $flag "$url" >"$work/load" 2>&1; done
    : >"$work/counts"
    for round in $(seq "$rounds"); do
        cells=('new ab by_ab' 'new velo by_velo --no-keepalive' 'kept ab by_ab -k' 'kept velo by_velo')
        for turn in 0 1 2 3; do
            read -r way tool run flag <<<"${cells[(turn + round) % 4]}"
            # shellcheck disable=SC2086
            echo "$round $way $tool $("$run" "$url" $flag)" >>"$work/counts"
        done
    done
    awk -v contender="$contender" -v rounds="$rounds" -f scripts/ab.awk "$work/counts"
    kill -INT "$server"
    wait "$server" || true
    server=
done
echo
echo "$rounds rounds of $requests requests, $(date -u +%F); ab $(ab -V | sed -n 's/.*Version \([0-9.]*\).*/\1/p'), HTTP/1.0"
