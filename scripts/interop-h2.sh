#!/usr/bin/env bash
# interop-h2.sh [SERVER...]: velo load --http2 against other implementations of HTTP/2, and its counts against the server's own:
# nghttpd nginx apache h2o go node hyper, all unless some are named. Each server is started here, in the foreground, with a
# configuration of its own and on a port of its own; one that is not installed is skipped and named. The table goes between the markers
# in docs/engine.md, or, where servers are named, is only printed. Ends with 1 where a count differs. VELO, PORT (18600), REQUESTS
# (20000) and DOCUMENT may be set in the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
# Debian has servers where only root looks.
export PATH=$PATH:/usr/sbin:/sbin
document=${DOCUMENT:-docs/engine.md}
velo=${VELO:-${CARGO_TARGET_DIR:-target}/release/velo}
requests=${REQUESTS:-20000}
port=${PORT:-18600}
all=(nghttpd nginx apache h2o go node hyper)
. scripts/interop.sh
begin "$@"

build=$PWD/.velo/interop
mkdir -p "$work/site" "$build"
printf '%0127d\n' 0 >"$work/site/f.txt"
head -c 200000 /dev/zero | tr '\0' x >"$work/site/large.txt"
head -c 100000 /dev/zero | tr '\0' y >"$work/body"

# Loads and leaves the counts in correct, refused, lost (closed by the server), other.
load() {
    "$velo" load --http2 --quiet --insecure --expect-same --timeout 10s --csv "$work/counts.csv" "$@" >/dev/null 2>"$work/velo.err" ||
        [ -s "$work/counts.csv" ] || { cat "$work/velo.err" >&2; exit 1; }
    read -r correct refused lost other < <(awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 {
            other = 0
            for (name in at) if (name ~ /^(wrong_answer|http_error|truncated|timeout|connect_error|dropped)$/) other += $at[name]
            print $at["correct"], $at["refused"], $at["closed_by_server"], other
        }' "$work/counts.csv")
    rm "$work/counts.csv"
}

# A row: what velo counted of the requests that it was to make, and how many the server says to have answered (- where it keeps no
# count). `may_lose`: the server ends connections, and requests may be among what it leaves out.
row() { # SERVER WHAT REQUESTS SERVERS-COUNT [may-lose]
    local verdict=same
    [ "$((correct + refused + lost + other))" = "$3" ] || verdict="differs: outcomes of $((correct + refused + lost + other))"
    [ "$4" = - ] || [ "$4" = "$correct" ] || verdict="differs: the server answered $4"
    [ "$other" = 0 ] || verdict="differs: $other failed otherwise"
    [ "${5:-}" = may-lose ] || [ "$((refused + lost))" = 0 ] || verdict="differs: $refused refused, $lost closed by the server"
    told "$1 | $2 | $3 | $correct | $refused | $lost | $4" "$verdict"
}

# The loads of servers that write a line for each answer into a log: START makes the server listen on two ports, COUNT counts answers.
files() { # SERVER START COUNT
    local name=$1 clear=$port tls=$((port + 1))
    port=$((port + 2))
    local what
    for what in small large tls; do
        rm -f "$work/access.log"
        "$2" "$clear" "$tls"
        case $what in
            small)
                load -n "$requests" -c 4 --streams 32 "http://127.0.0.1:$clear/f.txt"
                stop
                row "$name" "128 bytes in clear, 4 x 32" "$requests" "$("$3")"
                ;;
            large)
                load -n 1000 -c 2 --streams 16 "http://127.0.0.1:$clear/large.txt"
                stop
                row "$name" "200,000 bytes in clear, 2 x 16" 1000 "$("$3")"
                ;;
            tls)
                load -n "$requests" -c 4 --streams 32 "https://127.0.0.1:$tls/f.txt"
                stop
                row "$name" "128 bytes over TLS, 4 x 32" "$requests" "$("$3")"
                ;;
        esac
    done
}
lines() { grep -c ' 200 ' "$work/access.log" || true; }

# nghttpd: its log of frames says what it has ended with DATA.
start_nghttpd() {
    if [ "$what" = tls ]; then
        start "$2" nghttpd -v -n1 -m 100 -d "$work/site" "$2" "$work/key.pem" "$work/cert.pem"
    else
        start "$1" nghttpd -v --no-tls -n1 -m 100 -d "$work/site" "$1"
    fi
}
frames() { grep -cE 'send .*DATA.* frame <length=[0-9]+, flags=0x01' "$work/out" || true; }

# What nginx is told beside: keepalive_requests.
nginx_conf() { # CLEAR TLS LINE
    cat >"$work/nginx.conf" <<END
daemon off;
master_process off;
pid $work/nginx.pid;
error_log $work/nginx.err;
events { worker_connections 1024; }
http {
    log_format counted '\$remote_addr \$status \$body_bytes_sent';
    access_log $work/access.log counted;
    client_body_temp_path $work/nginx-body;
    proxy_temp_path $work/nginx-proxy;
    fastcgi_temp_path $work/nginx-fastcgi;
    uwsgi_temp_path $work/nginx-uwsgi;
    scgi_temp_path $work/nginx-scgi;
    keepalive_requests $3;
    server {
        listen 127.0.0.1:$1 http2;
        listen 127.0.0.1:$2 ssl http2;
        ssl_certificate $work/cert.pem;
        ssl_certificate_key $work/key.pem;
        root $work/site;
    }
}
END
}
start_nginx() {
    nginx_conf "$1" "$2" 1000000
    start "$1 $2" nginx -e "$work/nginx.err" -c "$work/nginx.conf"
}

start_apache() {
    cat >"$work/apache.conf" <<END
ServerRoot $work
ServerName 127.0.0.1
PidFile $work/apache.pid
Listen 127.0.0.1:$1
Listen 127.0.0.1:$2
$(for module in mpm_event authz_core log_config http2 ssl unixd mime; do
        # Some are built in.
        [ -f "/usr/lib/apache2/modules/mod_$module.so" ] && echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
    done)
User $(id -un)
TypesConfig /etc/mime.types
ErrorLog $work/apache.err
LogFormat "%a %s %B" counted
CustomLog $work/access.log counted
StartServers 1
ServerLimit 1
ThreadsPerChild 64
MaxRequestWorkers 64
DocumentRoot $work/site
Protocols h2 h2c
H2MaxSessionStreams 100
<Directory $work/site>
    Require all granted
</Directory>
<VirtualHost 127.0.0.1:$2>
    SSLEngine on
    SSLCertificateFile $work/cert.pem
    SSLCertificateKeyFile $work/key.pem
</VirtualHost>
END
    [ "$(id -u)" != 0 ] || sed -i 's/^User .*/User www-data/' "$work/apache.conf"
    start "$1 $2" apache2 -D FOREGROUND -d "$work" -f "$work/apache.conf"
}

start_h2o() {
    cat >"$work/h2o.conf" <<END
pid-file: $work/h2o.pid
error-log: $work/h2o.err
num-threads: 1
$([ "$(id -u)" = 0 ] && echo "user: root")
access-log:
  path: $work/access.log
  format: "%h %s %b"
listen:
  host: 127.0.0.1
  port: $1
listen:
  host: 127.0.0.1
  port: $2
  ssl:
    certificate-file: $work/cert.pem
    key-file: $work/key.pem
hosts:
  default:
    paths:
      /:
        file.dir: $work/site
END
    start "$1 $2" h2o -m worker -c "$work/h2o.conf"
}

# Servers that count for themselves.
counted() { # SERVER COMMAND...
    local name=$1 clear=$port tls=$((port + 1))
    port=$((port + 2))
    start "$clear" "${@:2}" "$clear" "$work/site/f.txt"
    load -n "$requests" -c 4 --streams 32 "http://127.0.0.1:$clear/f.txt"
    stop
    row "$name" "128 bytes in clear, 4 x 32" "$requests" "$(answered)"
    start "$clear" "${@:2}" "$clear" "$work/site/f.txt"
    load -n 1000 -c 2 --streams 16 -m POST --body "@$work/body" "http://127.0.0.1:$clear/bytes/200000"
    stop
    row "$name" "100,000 bytes there and 200,000 back, 2 x 16" 1000 "$(answered)"
    start "$tls" "${@:2}" "$tls" "$work/site/f.txt" "$work/cert.pem" "$work/key.pem"
    load -n "$requests" -c 4 --streams 32 "https://127.0.0.1:$tls/f.txt"
    stop
    row "$name" "128 bytes over TLS, 4 x 32" "$requests" "$(answered)"
}
answered() { sed -n 's/^answered //p' "$work/out"; }

for server in "${servers[@]}"; do
    echo "interop-h2: $server" >&2
    case $server in
        nghttpd)
            has nghttpd nghttpd openssl || continue
            version=$(nghttpd --version | head -n 1 | sed 's/.*nghttp2\//nghttpd /')
            files "$version" start_nghttpd frames
            ;;
        nginx)
            has nginx nginx openssl || continue
            nginx -V 2>&1 | grep -q http_v2_module || { skip nginx "built without HTTP/2"; continue; }
            version=$(nginx -v 2>&1 | sed 's/.*nginx\//nginx /')
            files "$version" start_nginx lines
            rm -f "$work/access.log"
            nginx_conf "$port" "$((port + 1))" 1000
            start "$port $((port + 1))" nginx -e "$work/nginx.err" -c "$work/nginx.conf"
            load -n "$requests" -c 4 --streams 32 "http://127.0.0.1:$port/f.txt"
            stop
            port=$((port + 2))
            row "$version" "GOAWAY after each 1,000 requests (\`keepalive_requests\`), 4 x 32" "$requests" "$(lines)" may-lose
            ;;
        apache)
            has apache apache2 openssl || continue
            files "Apache $(apache2 -v | sed -n 's/.*Apache\/\([^ ]*\).*/\1/p')" start_apache lines
            ;;
        h2o)
            has h2o h2o openssl || continue
            files "$(h2o --version | sed -n '1s/ version//p')" start_h2o lines
            ;;
        go)
            has go go openssl || continue
            go build -o "$build/go-server" scripts/interop-h2/server.go
            version="Go net/http $(go version | sed 's/.*go\([0-9][^ ]*\) .*/\1/')"
            counted "$version" "$build/go-server"
            # Another one listens on the same port before the first is told to end.
            start "$port" "$build/go-server" "$port" "$work/site/f.txt"
            first=$pid
            "$build/go-server" "$port" "$work/site/f.txt" >"$work/out2" 2>&1 &
            second=$!
            pids+=("$second")
            many=$((requests * 10))
            # It has the first connections, or some of them.
            (sleep 0.5 && kill "$first" && touch "$work/in-time") &
            load -n "$many" -c 16 --streams 32 "http://127.0.0.1:$port/f.txt"
            touch "$work/in-time.not"
            [ "$work/in-time" -ot "$work/in-time.not" ] && [ -e "$work/in-time" ] ||
                { echo "interop-h2: the load was over before the server was told to end: set REQUESTS higher" >&2; failed=1; }
            for pid in "$first" "$second"; do stop; done
            port=$((port + 1))
            both=$(($(answered) + $(sed -n 's/^answered //p' "$work/out2")))
            row "$version" "one of two processes on a port shuts down in order, 16 x 32" "$many" "$both" may-lose
            ;;
        node)
            has node node openssl || continue
            counted "Node.js http2 $(node --version | tr -d v)" node scripts/interop-h2/server.mjs
            ;;
        hyper)
            has hyper cargo openssl || continue
            cargo build --release --locked --quiet --manifest-path contenders/rust/hyper/Cargo.toml --target-dir "$build/hyper" ||
                { skip hyper "contenders/rust/hyper cannot be built"; continue; }
            version="hyper $(sed -n '/^name = "hyper"$/{n;s/.*"\(.*\)"/\1/p}' contenders/rust/hyper/Cargo.lock)"
            export HOST=127.0.0.1 CORES=1 DATA_DIR=$work
            for protocol in h2c h2; do
                export PORT=$port PROTOCOL=$protocol TLS_CERT=$work/cert.pem TLS_KEY=$work/key.pem
                [ "$protocol" = h2 ] || unset TLS_CERT TLS_KEY
                scheme=http what="in clear"
                [ "$protocol" = h2c ] || scheme=https what="over TLS"
                start "$port" "$build/hyper/release/$(sed -n 's/^name = "\(.*\)"/\1/p' contenders/rust/hyper/Cargo.toml | head -n 1)"
                # It keeps no count: every answer is to an id of its own instead.
                "$velo" load --http2 --quiet --insecure --value id=1..1000000 --expect-body '{id}' --csv "$work/counts.csv" \
                    -n "$requests" -c 4 --streams 32 "$scheme://127.0.0.1:$port/user/{id}" >/dev/null || true
                correct=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "correct") at = i } NR == 2 { print $at }' "$work/counts.csv")
                lost=0 other=$((requests - correct))
                stop
                port=$((port + 1))
                row "$version" "an id of its own for each request, $what, 4 x 32" "$requests" -
            done
            ;;
    esac
done

end "| server | load, connections x streams | requests | velo: correct | refused | closed by the server | the server: answered | |" \
    "|---|---|---:|---:|---:|---:|---:|---|"
