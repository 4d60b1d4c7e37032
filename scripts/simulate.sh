#!/usr/bin/env bash
# simulate.sh: tries the rules for pairs on simulated runs and writes the table into METHODOLOGY.md. RUNS (2000) and SEED
# (1) may be set in the environment. Ends with 1 when a cell breaks a bound; the table is written all the same.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
velo=${CARGO_TARGET_DIR:-target}/release/velo
cargo build --release --locked --quiet --package velo-cli
command=(simulate --runs "${RUNS:-2000}" --seed "${SEED:-1}")
state=0
table=$("$velo" "${command[@]}") || state=$?
[ "$state" -le 1 ] || exit "$state"
{
    echo
    echo "\`velo ${command[*]}\`:"
    echo
    echo "$table"
    echo
} | scripts/splice.sh METHODOLOGY.md simulation
echo "$table"
exit "$state"
