#!/usr/bin/env bash
# simulate.sh: tries the rules for pairs on simulated runs and writes the table, in short, into docs/evidence.md; the whole is printed. RUNS (2000) and SEED
# (1) may be set in the environment. Ends with 1 when a cell breaks a bound; the table is written all the same.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
target=${CARGO_TARGET_DIR:-$PWD/target}
arguments=(--runs "${RUNS:-2000}" --seed "${SEED:-1}")
command=(cargo run --release --package study-judge)
cargo build --release --locked --quiet --package study-judge
state=0
table=$("$target/release/study-judge" "${arguments[@]}") || state=$?
[ "$state" -le 1 ] || exit "$state"
{
    echo
    echo "\`${command[*]} -- ${arguments[*]}\`:"
    echo
    scripts/brief.py simulation <<<"$table"
    echo
} | scripts/splice.sh docs/evidence.md simulation
echo "$table"
exit "$state"
