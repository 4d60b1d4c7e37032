#!/usr/bin/env bash
# fuzz.sh [TARGET] [SECONDS]: runs one fuzzer of fuzz/, or all, one after the other. fuzz.sh --keep: of what runs have found to
# reach more code, the fewest inputs that reach as much go into fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
targets=(response_parser http2_session grpc_session grpc_message hpack_reader expectations conditions)
# The longest input that is tried.
most_bytes=8192

if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "fuzz: no cargo-fuzz: cargo install cargo-fuzz --locked" >&2
    exit 3
fi

if [ "${1:-}" = --keep ]; then
    for target in "${targets[@]}"; do
        mkdir -p "fuzz/found/$target"
        cp -n "fuzz/corpus/$target"/* "fuzz/found/$target/"
        # How often a part of the code was run makes no difference here: the whole would be several times as large.
        cargo fuzz cmin --sanitizer none "$target" "fuzz/found/$target" -- -use_counters=0 -set_cover_merge=1
        # What has a name of words was put there by hand and stays.
        find "fuzz/corpus/$target" -regextype egrep -regex '.*/[0-9a-f]{40}' -delete
        cp -n "fuzz/found/$target"/* "fuzz/corpus/$target/"
    done
    du -sh --apparent-size fuzz/corpus
    exit
fi

if [ -n "${1:-}" ]; then targets=("$1"); fi
for target in "${targets[@]}"; do
    mkdir -p "fuzz/found/$target"
    # New inputs go into the first folder.
    cargo fuzz run --sanitizer none "$target" "fuzz/found/$target" "fuzz/corpus/$target" -- \
        -max_total_time="${2:-600}" -max_len="$most_bytes" -rss_limit_mb=2048 -timeout=20
done
