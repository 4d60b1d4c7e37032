#!/usr/bin/env bash
# The checks of every change, what fails fastest first. --all adds what is checked before a release; names of parts add those:
# scripts/test.sh studies instructions. What cannot be checked here is said at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null

parts=(contenders http2 lightnode oldest-rust reference studies instructions documents advisories)
wanted=" "
for part in "$@"; do
    if [ "$part" = --all ]; then
        wanted+="${parts[*]} "
    elif [[ " ${parts[*]} " = *" $part "* ]]; then
        wanted+="$part "
    else
        echo "test.sh: $part: expected --all, or of ${parts[*]}" >&2
        exit 2
    fi
done
wants() { [[ "$wanted" = *" $1 "* ]]; }
scripts/check-rust.sh

skipped=()
left_out=()
target=${CARGO_TARGET_DIR:-$PWD/target}
work=$(mktemp -d)
# The process groups of what runs beside the steps: nothing of it is left running, wherever the checks end.
jobs=()
cleanup() {
    local job
    for job in "${jobs[@]}"; do
        if kill -- "-$job" 2>/dev/null; then wait "$job" || true; fi
    done
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# Runs a command beside the steps that follow; what it prints is in a file of that name.
beside() {
    local name=$1
    shift
    set -m
    "$@" >"$work/$name" 2>&1 &
    jobs+=("$!")
    set +m
}

# Steps whose programs are compiled beside earlier ones: with --no-run they compile and do no more.
reference() {
    cargo test --locked "$@" --manifest-path contenders/rust/reference/Cargo.toml --target-dir "$target/reference"
}
studies() { cargo test --locked "$@" --package 'study-*'; }
documents() { RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked; }
ahead() {
    renice -n 19 -p "$BASHPID"
    local part
    for part in reference studies documents; do
        if wants "$part"; then "$part" --no-run; fi
    done
    if wants instructions; then scripts/instructions.sh --no-run; fi
}

# One contender of each role and toolchain, and those that this change touches; all where that is not known.
canaries=(go/net-http js/node-http python/asgi ruby/rack-puma php/fpm java/jdk-httpserver rust/reference csharp/httplistener
    go/grpc c/libcurl go/program)
contenders=(--all)
if ! wants contenders && changed=$(scripts/changed.sh); then
    contenders=()
    mapfile -t touched < <(sed -nE 's|^contenders/([a-z]+/[^/]+)/.*|\1|p' <<<"$changed")
    for contender in $(printf '%s\n' "${canaries[@]}" "${touched[@]}" | sort -u); do
        if [ -d "contenders/$contender" ]; then contenders+=(--only "$contender"); fi
    done
fi

step() { printf '\n== %s (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }

step "format"
cargo fmt --all --check
for manifest in fuzz/Cargo.toml contenders/rust/*/Cargo.toml; do
    cargo fmt --all --check --manifest-path "$manifest"
done

step "lints"
cargo clippy --workspace --all-targets --features velo-load/bench,velo-load/fuzzing --locked -- -D warnings

step "the house"
cargo run --locked --quiet --package study-house -- --check

# What the promised version lacks in the standard library, clippy finds with any toolchain (incompatible_msrv, a part of the
# lints above). What it lacks in the language and what dependencies ask for, only that toolchain itself can tell.
if wants oldest-rust; then
    step "the oldest Rust that is promised"
    promised=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    [ -n "$promised" ] || { echo "Cargo.toml: expected rust-version = \"...\" in [workspace.package]" >&2; exit 1; }
    # Listed by the names of channels: `1.90-x86_64-...`, or of releases: `1.90.0-x86_64-...`.
    oldest=$({ rustup toolchain list 2>/dev/null || true; } | sed -n "s/^\(${promised//./\\.}\(\.0\)\{0,1\}-[^ ]*\).*/\1/p" | head -n 1)
    if [ -n "$oldest" ]; then
        rustup run "$oldest" cargo check --workspace --all-targets --locked --target-dir "${CARGO_TARGET_DIR:-$PWD/target}/oldest-rust"
    else
        skipped+=("the oldest Rust that is promised: no toolchain $promised (rustup toolchain install $promised --profile minimal)")
    fi
fi

step "build"
cargo build --locked
cargo test --locked --no-run

# End-to-end tests take longest, and wait for most of their time; they take places of the machine by themselves. What they leave idle is
# for the steps that follow, and what those leave, with the lowest priority, for contenders to be built.
beside end-to-end env RUST_TEST_THREADS=$((2 * $(nproc))) cargo test --locked --test e2e
end_to_end=${jobs[-1]}
beside velo-builds nice -n 19 "$target/debug/velo" build "${contenders[@]}"
builds=${jobs[-1]}

step "tests"
# All but e2e, in the names that Cargo's patterns allow.
cargo test --locked --lib --bins --test '[!e]*' --test 'e[!2]*'
cargo test --locked --doc

step "the report's page"
node_is_new() { node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null; }
if ! command -v npm >/dev/null || ! node_is_new; then
    skipped+=("the report's page: no Node.js 20.19 or later with npm")
else
    scripts/page.sh --check
    if [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
        scripts/test-page.sh
    else
        skipped+=("the report's page in a browser: no Chromium (apt-get install chromium, or name one in CHROMIUM)")
    fi
fi

if wants lightnode; then
    step "LightNode, its document and its clients"
    code=0
    bash contenders/csharp/lightnode/test.sh >"$work/lightnode" 2>&1 || code=$?
    if [ "$code" = 75 ]; then
        skipped+=("LightNode, its document and its clients: $(tail -n 1 "$work/lightnode")")
    else
        cat "$work/lightnode"
        [ "$code" = 0 ] || exit "$code"
    fi
fi

step "end-to-end tests"
tail --lines=+1 --follow --pid="$end_to_end" "$work/end-to-end"
wait "$end_to_end"

# Who could not be built is told by what asks them, below.
step "the contenders' build"
wait "$builds" || true
tail -n 1 "$work/velo-builds"

# A contender starts on one CPU, and the other has time for what the steps behind this one compile. Should that fail, they tell.
beside compiles ahead

step "the contenders' answers"
"$target/debug/velo" verify "${contenders[@]}" --quiet

# Every server answers wait, and what is posted over HTTP/2 is in coin; clients and programs have neither. Nothing is built again.
if wants http2; then
    step "the contenders' answers over HTTP/2 and TLS, of those that have them"
    servers=(--all)
    if [ "${contenders[0]}" != --all ]; then
        servers=()
        for contender in "${contenders[@]}"; do
            manifest=contenders/$contender/contender.toml
            if [ -f "$manifest" ] && grep -qE '^workloads *=.*"(coin|wait)"' "$manifest"; then servers+=(--only "$contender"); fi
        done
    fi
    "$target/debug/velo" verify coin wait "${servers[@]}" --quiet --protocol h2
fi
wait "${jobs[-1]}" || true

if wants reference; then
    step "tests of the reference server"
    reference
fi

if wants studies; then
    step "tests of the studies"
    studies
fi

if wants instructions; then
    step "instructions per request"
    if command -v valgrind >/dev/null; then
        scripts/instructions.sh
    else
        skipped+=("instructions per request: no valgrind (apt-get install valgrind)")
    fi
fi

if wants documents; then
    step "documents"
    documents
fi

step "bans, licences, sources"
if command -v cargo-deny >/dev/null; then
    cargo deny --locked check bans licenses sources
else
    skipped+=("bans, licences, sources: no cargo-deny (cargo install cargo-deny --locked)")
fi

# The database is fetched from the network, for so many seconds at most. That it cannot be had is no fault of this checkout;
# an advisory is.
if wants advisories; then
    step "advisories"
    if command -v cargo-deny >/dev/null; then
        advisories=$work/advisories
        code=0
        timeout 20 cargo deny --locked check advisories >"$advisories" 2>&1 || code=$?
        if [ "$code" = 124 ]; then
            skipped+=("advisories: their database was not fetched within 20 s")
        elif [ "$code" != 0 ] && grep -qE "failed to (fetch|load|open|acquire) .*advisory|failed to clone|unable to access" "$advisories"; then
            skipped+=("advisories: their database cannot be had: $(grep -m 1 -oE 'Could not resolve host|unable to access|failed to [a-z]+ advisory database' "$advisories" || echo "no network")")
        else
            cat "$advisories"
            [ "$code" = 0 ] || exit "$code"
        fi
    else
        skipped+=("advisories: no cargo-deny (cargo install cargo-deny --locked)")
    fi
fi

printf '\n== all checks passed in %d s\n' "$SECONDS"
for part in "${parts[@]}"; do
    if ! wants "$part"; then left_out+=("$part"); fi
done
if [ "${#left_out[@]}" -gt 0 ]; then echo "left to make test-all: ${left_out[*]}"; fi
for what in "${skipped[@]}"; do echo "skipped: $what"; done
