#!/usr/bin/env bash
# splice.sh DOCUMENT NAME: replaces what stands between <!-- BEGIN NAME --> and <!-- END NAME --> by standard input.
set -euo pipefail
document=$1 name=$2
text=$(mktemp)
trap 'rm -f "$text" "$text.new"' EXIT
cat >"$text"
grep -q "<!-- BEGIN $name -->" "$document" || { echo "splice: $document has no marker BEGIN $name" >&2; exit 2; }
awk -v text="$text" -v begin="<!-- BEGIN $name -->" -v end="<!-- END $name -->" '
    index($0, end) { inside = 0 }
    !inside { print }
    index($0, begin) { inside = 1; while ((getline line < text) > 0) print line }
' "$document" >"$text.new"
cat "$text.new" >"$document"
