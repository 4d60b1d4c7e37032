#!/usr/bin/env bash
# result.sh RUN [FILE [SECTION]]: puts the report of a run's folder into docs/results/coin.md, its chart beside it and its answer into
# README.md, that of coin where the run has other workloads too; or the report into another document with the same markers. Details are left out. With a section, such as sweep, only that
# of the terminal's report, between markers of its name.
set -euo pipefail
cd "$(dirname "$0")/.."
run=${1:?the folder of a run, as in results/2026-11-21T10-31-02-myhost}
document=${2:-docs/results/coin.md}
section=${3:-}
velo=${CARGO_TARGET_DIR:-target}/release/velo
format=markdown
if [ -n "$section" ]; then format=terminal; fi
# Exit code 1 says that a contender failed, which is a part of the result.
report=$("$velo" report "$run" --format "$format") || [ $? = 1 ]
{
    echo
    if [ -n "$section" ]; then
        echo '```'
        awk -v section="$section" '$1 == section { inside = 1 } inside && /^$/ { exit } inside' <<<"$report"
        echo '```'
    else
        # The document has a heading above this, so the report's own go down by one; the details stay with the run.
        awk '/^# / { next } /^### (Details|Strictness)/ { skipping = 1; next } /^##? / { skipping = 0 }
             skipping { next } /^##/ { print "#" $0; next } { print }' <<<"$report" | cat -s
    fi
    echo
} | scripts/splice.sh "$document" "${section:-result}"
echo "written to $document"
if [ "$document" = docs/results/coin.md ]; then
    "$velo" report "$run" --svg docs/results/coin.svg || [ $? = 1 ]
    terminal=$("$velo" report "$run") || [ $? = 1 ]
    # What comes after the validity is the answer.
    {
        echo
        echo '```'
        awk '/^validity/ { at_validity = 1 } at_validity && /^$/ { answer = 1; if (!began++) next } answer' <<<"$terminal" |
            awk -v RS= 'sub(/^coin: /, "") { coin = $0 } { all = all separator $0; separator = "\n\n" } END { print coin ? coin : all }'
        echo '```'
        echo
    } | scripts/splice.sh README.md answer
    echo "written to docs/results/coin.svg and README.md"
fi
