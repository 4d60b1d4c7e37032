# Sourced by scripts that hold velo against other generators in rounds: what they need, what a run costs, servers, and the rows of a cell.
# `work` is a folder for what runs say, `velo` the program, `rounds` their count, `servers` what is to be ended.
script=$(basename "$0" .sh)
client_cpu=$(($(nproc) - 1))

# Ends where something is not here.
need() { # PACKAGES PROGRAM...
    local program
    for program in "${@:2}"; do
        command -v "$program" >/dev/null && continue
        echo "$script: no $program: apt-get install -y --no-install-recommends $1" >&2
        exit 3
    done
    if [ ! -x /usr/bin/time ]; then
        echo "$script: no /usr/bin/time, which tells of memory: apt-get install -y --no-install-recommends time" >&2
        exit 3
    fi
    if [ "$(nproc)" -lt 2 ]; then
        echo "$script: server and generator need a CPU each; there are $(nproc)" >&2
        exit 3
    fi
    if [ ! -x "$velo" ]; then
        echo "$script: no $velo: cargo build --release, or set VELO" >&2
        exit 3
    fi
}

# Starts the reference server on the first CPU, which answers rightly and costs about what velo does; its process goes into `servers`.
# It is not the one of scripts/bench.sh, which answers wrongly at times.
serve_reference() { # PORT
    local manifest=contenders/rust/reference/Cargo.toml target=$PWD/.velo/bench/reference-right
    cargo build --release --locked --quiet --manifest-path "$manifest" --target-dir "$target"
    PROTOCOL=h2c HOST=127.0.0.1 PORT=$1 CORES=1 taskset -c 0 "$target/release/reference-server" >"$work/reference.log" 2>&1 &
    servers+=("$!")
    listens "$1" "$work/reference.log"
}
# Waits for a port, and ends where nothing listens there.
listens() { # PORT LOG
    for _ in $(seq 100); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.1
    done
    echo "$script: nothing listens on port $1 after 10 s: set PORT" >&2
    cat "$2" >&2
    exit 1
}

# Runs a command and prints its CPU time in microseconds a request, and its memory at most in MB.
cost() { # REQUESTS COMMAND...
    # The shell tells time to the millisecond, the program only to ten.
    local TIMEFORMAT='%U %S'
    { time /usr/bin/time -f %M -o "$work/memory" "${@:2}" >"$work/out" 2>"$work/err"; } 2>"$work/time" || {
        echo "$script: failed: ${*:2}" >&2
        cat "$work/out" "$work/err" >&2
        exit 1
    }
    paste -d ' ' "$work/time" "$work/memory" | awk -v n="$1" 'END { printf "%.4f %.1f\n", ($1 + $2) * 1e6 / n, $3 / 1024 }'
}
# It must have said so of all requests; most end well whatever was answered.
said() { # PATTERN
    if ! grep -Eq "$1" "$work/out" "$work/err"; then
        echo "$script: not all requests were answered" >&2
        cat "$work/out" "$work/err" >&2
        exit 1
    fi
}

# The rows of a cell: each tool runs once a round by its `run_TOOL`, the order turned round by round.
cell() { # NAME TOOL...
    local name=$1 round turn tool figures
    shift
    local tools=("$@")
    : >"$work/runs"
    for round in $(seq "$rounds"); do
        for turn in "${!tools[@]}"; do
            tool=${tools[$(((turn + round) % ${#tools[@]}))]}
            figures=$("run_$tool")
            echo "$round $tool $figures" >>"$work/runs"
        done
    done
    awk -v cell="$name" -v tools="${tools[*]}" -f scripts/rounds.awk "$work/runs"
}
