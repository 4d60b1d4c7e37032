# Sourced by scripts that load servers of other implementations and hold velo's counts against theirs: which servers, where they are started,
# and the table. `document`, `velo` and `port` are set before, and `all`, the names of the servers.
script=$(basename "$0" .sh)

# The servers that are named, or all: `servers`. A folder for the run, `work`, with a certificate; all that was started ends with the script.
begin() { # [SERVER...]
    local server
    count_named=$#
    servers=("${@:-${all[@]}}")
    for server in "${servers[@]}"; do
        if [[ " ${all[*]} " != *" $server "* ]]; then
            echo "$script: no server $server; there are ${all[*]}" >&2
            exit 2
        fi
    done
    if [ ! -x "$velo" ]; then
        echo "$script: no $velo: cargo build --release, or set VELO" >&2
        exit 3
    fi
    work=$(mktemp -d)
    # Some servers serve as another user.
    chmod 755 "$work"
    pids=()
    trap 'for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; wait; rm -rf "$work"' EXIT
    if command -v openssl >/dev/null; then
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
        chmod 644 "$work/key.pem"
    fi
    : >"$work/rows"
    skipped=()
    failed=0
}

skip() { skipped+=("$1: $2"); } # SERVER WHY
# Whether all programs are here; else the server is skipped.
has() { # SERVER PROGRAM...
    local program lacking=()
    for program in "${@:2}"; do command -v "$program" >/dev/null || lacking+=("$program"); done
    [ "${#lacking[@]}" -eq 0 ] || { skip "$1" "no ${lacking[*]}"; return 1; }
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; } # PORT
# Starts a server in the foreground of its own and waits for its ports; `pid` is its process.
start() { # PORTS COMMAND...
    local each
    for each in $1; do
        if listens "$each"; then
            echo "$script: port $each is taken: set PORT" >&2
            exit 3
        fi
    done
    "${@:2}" >"$work/out" 2>"$work/err" &
    pid=$!
    pids+=("$pid")
    for each in $1; do
        for _ in $(seq 150); do
            listens "$each" && continue 2
            sleep 0.1
        done
        echo "$script: nothing listens on port $each after 15 s: ${*:2}" >&2
        cat "$work/out" "$work/err" >&2
        exit 1
    done
}
# Ends it in order, so that all is in its log.
stop() {
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
}

# A row of the table: its cells, but for the last.
told() { # CELLS VERDICT
    [ "$2" = same ] || failed=1
    echo "| $1 | $2 |" | tee -a "$work/rows" >&2
}

# The table, and into the document where no server was named. Ends with 1 where a count differs.
end() { # HEAD RULE
    {
        echo "$1"
        echo "$2"
        cat "$work/rows"
        if [ ${#skipped[@]} -gt 0 ]; then
            echo
            printf 'Skipped: %s.\n' "$(printf '%s; ' "${skipped[@]}" | sed 's/; $//')"
        fi
    } >"$work/table"
    cat "$work/table"
    if [ "$count_named" -eq 0 ]; then
        { echo; scripts/brief.py interop <"$work/table"; echo; } | scripts/splice.sh "$document" "$script"
        echo "$script: written to $document" >&2
    fi
    exit "$failed"
}
