#!/usr/bin/env bash
# The files that differ from where this branch left main, one a line, uncommitted ones too. CHANGED_SINCE names another commit.
# On main itself, and where main is not known, those are what is not committed.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${CHANGED_SINCE:-}
for main in origin/main main; do
    if [ -z "$base" ]; then base=$(git merge-base HEAD "$main" 2>/dev/null || true); fi
done
{
    git diff --name-only "${base:-HEAD}"
    git ls-files --others --exclude-standard
} | sort -u
