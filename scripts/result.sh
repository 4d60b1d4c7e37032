#!/usr/bin/env bash
# result.sh RUN [FILE]: puts the answer, the claims and the validity of a run's folder into docs/results/coin.md, its chart beside it and its
# answer into README.md, that of coin where the run has other workloads too; or the former into another document with the same markers. The
# whole report is a run's artefact: velo report RUN.
set -euo pipefail
cd "$(dirname "$0")/.."
run=${1:?the folder of a run, as in results/2026-11-21T10-31-02-myhost}
document=${2:-docs/results/coin.md}
velo=${CARGO_TARGET_DIR:-target}/release/velo
# Exit code 1 says that a contender failed, which is a part of the result.
report=$("$velo" report "$run" --format markdown) || [ $? = 1 ]
{
    echo
    awk -f scripts/result.awk <<<"$report"
    echo
} | cat -s | scripts/splice.sh "$document" result
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
