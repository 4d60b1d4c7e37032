#!/usr/bin/env bash
# All checks, in the order of what fails fastest. What cannot be checked here is said at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
scripts/check-rust.sh

skipped=()
step() { printf '\n== %s\n' "$*"; }

step "format"
cargo fmt --all --check
for manifest in fuzz/Cargo.toml contenders/rust/*/Cargo.toml; do
    cargo fmt --check --manifest-path "$manifest"
done

step "lints"
cargo clippy --workspace --all-targets --features velo-load/bench,velo-load/fuzzing --locked -- -D warnings

step "build"
cargo build --workspace --locked

step "tests"
cargo test --workspace --locked

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

step "tests of the reference server"
target=${CARGO_TARGET_DIR:-$PWD/target}
cargo test --locked --manifest-path contenders/rust/reference/Cargo.toml --target-dir "$target/reference"

step "instructions per request"
if command -v valgrind >/dev/null; then
    scripts/instructions.sh
else
    skipped+=("instructions per request: no valgrind (apt-get install valgrind)")
fi

step "documents"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

step "bans, licences, sources"
if command -v cargo-deny >/dev/null; then
    cargo deny --locked check bans licenses sources
else
    skipped+=("bans, licences, sources: no cargo-deny (cargo install cargo-deny --locked)")
fi

step "every contender's answers"
"$target/debug/velo" verify --all --quiet

printf '\n== all checks passed in %d s\n' "$SECONDS"
for what in "${skipped[@]}"; do echo "skipped: $what"; done
