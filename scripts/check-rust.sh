#!/usr/bin/env bash
# Fails, with the line to run, where Rust or a C linker is missing or too old to build velo.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=$(sed -nE 's/^rust-version *= *"([0-9.]+)".*/\1/p' Cargo.toml)

advise() {
    cat >&2 <<TEXT
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile default
  then: . "\$HOME/.cargo/env"      (or, where the distribution's Rust is new enough: apt-get install cargo)
TEXT
    exit 3
}

# True when version $1 is $2 or later.
at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

if ! command -v cargo >/dev/null; then
    echo "error: no cargo: velo is built with Rust $wanted or later" >&2
    advise
fi
found=$(cargo --version </dev/null | sed -nE 's/^cargo ([0-9.]+).*/\1/p')
if [ -z "$found" ] || ! at_least "$found" "$wanted"; then
    echo "error: cargo ${found:-of an unknown version} is too old: velo is built with Rust $wanted or later" >&2
    advise
fi
if ! command -v cc >/dev/null; then
    echo "error: no C compiler (cc), which Rust links with" >&2
    echo "  apt-get install -y --no-install-recommends gcc libc6-dev" >&2
    exit 3
fi
