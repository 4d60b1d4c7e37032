#!/usr/bin/env bash
# Compiles what the last steps of test.sh run, so that they find it compiled. What fails here fails there too, and is told there.
set -uo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}

cargo test --locked --no-run --manifest-path contenders/rust/reference/Cargo.toml --target-dir "$target/reference"
cargo clippy --locked --manifest-path studies/Cargo.toml --all-targets --target-dir "$target/studies" -- -D warnings
cargo test --locked --no-run --manifest-path studies/Cargo.toml --target-dir "$target/studies"
cargo build --release --locked --package velo-load --features bench --bin velo-instructions
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
