#!/usr/bin/env bash
# Counts the load engine's instructions for each request with valgrind and compares them with docs/engine.md;
# `--record` writes them there, `--no-run` only compiles.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
document=docs/engine.md
target=${CARGO_TARGET_DIR:-target}

if ! command -v valgrind >/dev/null; then
    echo "instructions: no valgrind: apt-get install -y --no-install-recommends valgrind libc6-dbg" >&2
    exit 3
fi
cargo build --release --locked --package velo-load --features bench --bin velo-instructions
if [ "${1:-}" = --no-run ]; then exit 0; fi

# What the counts depend on beside the code. The C library copies and compares with the widest registers that there are.
conditions="$(rustc --version | cut -d ' ' -f 1,2), $(uname -m), $(getconf GNU_LIBC_VERSION)"
if grep -qw avx2 /proc/cpuinfo; then conditions+=", AVX2"; fi

if [ "${1:-}" = --record ]; then
    figures=$("$target/release/velo-instructions" --table "$conditions")
    { echo; echo "$figures"; echo; } | scripts/splice.sh "$document" instructions
    echo "$figures"
else
    "$target/release/velo-instructions" --compare "$document" "$conditions"
fi
