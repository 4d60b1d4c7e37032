#!/usr/bin/env bash
# readme-result.sh RUN: puts the report of a run's folder into README.md, without its details.
set -euo pipefail
cd "$(dirname "$0")/.."
run=${1:?the folder of a run, as in results/2026-11-21T10-31-02-myhost}
velo=${CARGO_TARGET_DIR:-target}/release/velo
# Exit code 1 says that a contender failed, which is a part of the result.
report=$("$velo" report "$run" --format markdown) || [ $? = 1 ]
{
    echo
    # The document has a heading above this, so the report's own go down by one; the details stay with the run.
    awk '/^# / { next } /^### (Details|Strictness)/ { skipping = 1; next } /^##? / { skipping = 0 }
         skipping { next } /^##/ { print "#" $0; next } { print }' <<<"$report" | cat -s
    echo
} | scripts/splice.sh README.md result
echo "written to README.md"
