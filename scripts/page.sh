#!/usr/bin/env bash
# Builds the report's page from web/ into crates/report/src/write/page/page.html; with --check only says whether that is the same.
set -euo pipefail
cd "$(dirname "$0")/.."

page=crates/report/src/write/page/page.html
(
    cd web
    npm ci --no-audit --no-fund --silent
    npm run --silent types -- ${1:+--check}
    npm run --silent check
    npm run --silent build
)
if [[ ${1:-} == --check ]]; then
    if ! cmp --silent web/dist/index.html "$page"; then
        echo "error: $page is not what web/ makes: make page" >&2
        exit 1
    fi
    echo "$page is what web/ makes"
else
    cp web/dist/index.html "$page"
    echo "$page: $(($(stat --format %s "$page") / 1000)) kB"
fi
