#!/usr/bin/env bash
# The files that differ from where this branch left main, one a line, uncommitted ones too. CHANGED_SINCE names another commit;
# one that is not here, as of a branch that is new, is passed over. Fails where nothing is known to compare with.
set -euo pipefail
cd "$(dirname "$0")/.."
base=$(git rev-parse --verify --quiet "${CHANGED_SINCE:-}^{commit}" || true)
for main in origin/main main; do
    if [ -z "$base" ]; then base=$(git merge-base HEAD "$main" 2>/dev/null || true); fi
done
[ -n "$base" ] || { echo "changed.sh: neither main nor CHANGED_SINCE is known here: everything is checked" >&2; exit 1; }
{
    git diff --name-only "$base"
    git ls-files --others --exclude-standard
} | sort -u
