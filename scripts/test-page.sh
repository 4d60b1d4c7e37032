#!/usr/bin/env bash
# Opens the pages of runs of known figures, of recorded ones, of a comparison and of a load in a browser: everything that can be
# switched, accessibility, hostile texts. The pages and their screenshots stay in target/pages.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
pages=$target/pages
rm -rf "$pages"
mkdir -p "$pages"
"$target/debug/velo-scenes" "$pages"
recorded=crates/judge/tests/recorded/runs
for name in simulated-geometric calls bursts download grpc disturbed; do
    mkdir -p "$pages/runs/$name"
    for file in "$recorded/$name"/*.json.gz "$recorded/$name"/*.ndjson.gz; do
        gzip --decompress --stdout "$file" >"$pages/runs/$name/$(basename "$file" .gz)"
    done
done
for run in "$pages"/runs/*; do
    # A run with a row that is worth nothing ends with 1, as a check that failed.
    "$target/debug/velo" report "$run" --format html >"$pages/$(basename "$run").html" || (($? == 1))
done
"$target/debug/velo" compare "$pages/runs/before" "$pages/runs/after" --format html >"$pages/compare.html" || (($? == 1))
cd web
VELO_PAGES=$pages npm test --silent
