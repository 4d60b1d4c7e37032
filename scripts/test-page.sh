#!/usr/bin/env bash
# Opens the page with runs of known figures in a browser: everything that can be switched, accessibility, hostile texts. The
# pages and their screenshots stay in target/pages.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
pages=$target/pages
rm -rf "$pages"
mkdir -p "$pages"
"$target/debug/velo-scenes" "$pages/runs"
for run in "$pages"/runs/*; do
    # A run with a row that is worth nothing ends with 1, as a check that failed.
    "$target/debug/velo" report "$run" --format html >"$pages/$(basename "$run").html" || (($? == 1))
done
cd web
VELO_PAGES=$pages npm test --silent
