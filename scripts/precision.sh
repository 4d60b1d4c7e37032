#!/usr/bin/env bash
# precision.sh OLD NEW: how wide the intervals of two velo programs are, in turn, on three Node servers of the same code: a, b, and one that
# spins for each request. Each run is kept in .velo/precision; what is there already is not run again, so that it goes on after an interruption.
# RUNS (8), BUDGET (60s) and STEPS of the spin (2000) may be set in the environment. On an otherwise idle machine.
set -euo pipefail
if [ $# -ne 2 ]; then
    echo "usage: scripts/precision.sh OLD NEW: paths of two velo programs" >&2
    exit 2
fi
old=$(realpath "$1") new=$(realpath "$2")
cd "$(dirname "$0")/.."
exec </dev/null
runs=${RUNS:-8} budget=${BUDGET:-60s} steps=${STEPS:-2000}
folder=$PWD/.velo/precision
results=$folder/$budget-$steps

# The same code but for a number.
for server in a:0 b:0 spin:"$steps"; do
    contender=$folder/js/node-${server%:*}
    rm -rf "$contender"
    mkdir -p "$folder/js" "$results"
    cp -r contenders/js/node-http "$contender"
    cat >>"$contender/server.js" <<END

const STEPS = ${server#*:};

function spin() {
  let x = 1;
  for (let i = 0; i < STEPS; i++) x = (Math.imul(x, 0x9e3779b1) + 1) | 0;
  if (x === 0) throw new Error('it never is');
}
END
    sed -i 's/^function coin(.*$/&\n  spin();/' "$contender/server.js"
done

for run in $(seq "$runs"); do
    for version in old new; do
        out=$results/$version-$run
        [ -e "$out/judgement.json" ] && continue
        rm -rf "$out"
        # A run that says that something is wrong with a row ends with 1 and counts.
        "${!version}" run coin --only rust/reference --only 'js/node-[abs]*' --contender "$folder/js/node-a" --contender "$folder/js/node-b" \
            --contender "$folder/js/node-spin" --budget "$budget" --seed "$run" --out "$out" >"$out.txt" 2>&1 || (($? == 1))
        echo "$version $run: $(sed -n 's/^plan *//p' "$out.txt" | tail -1)"
    done
done

python3 - "$results" <<'END'
import json, pathlib, statistics, sys

COUNTED = "block"
print("| | runs | half-width, % (least to greatest) | counted, % | equal ones separated | spin found against both |")
print("| --- | ---: | ---: | ---: | ---: | ---: |")
medians = {}
for version in ("old", "new"):
    widths, counted, separated, found, runs = [], [], 0, 0, 0
    for file in sorted(pathlib.Path(sys.argv[1]).glob(f"{version}-*/judgement.json")):
        judgement = json.loads(file.read_text())
        run = json.loads((file.parent / "run.json").read_text())
        runs += 1
        spins = 0
        for pair in (judgement["workloads"][0]["pairs"] or {}).get("compared", []):
            ratio = pair["ratio"]
            if ratio["low"] is not None:
                widths.append(100 * ((ratio["high"] / ratio["low"]) ** 0.5 - 1))
            if pair["state"] == "separated":
                if "spin" in pair["over"] + pair["under"]:
                    spins += "spin" in pair["under"]
                else:
                    separated += 1
        found += spins == 2
        windows = map(json.loads, (file.parent / "windows.ndjson").open())
        kind = lambda w: w.get("kind") or w["purpose"].get("is") if not isinstance(w.get("purpose"), str) else w["purpose"]
        ns = sum(w["duration_ns"] for w in windows if kind(w) == COUNTED)
        counted.append(100 * ns / run["timings"]["measure_ns"])
    if widths:
        medians[version] = statistics.median(widths)
        print(f"| {version} | {runs} | {medians[version]:.1f} ({min(widths):.1f} to {max(widths):.1f}, {len(widths)} pairs) | "
              f"{statistics.median(counted):.0f} | {separated} | {found} |")
if len(medians) == 2:
    print(f"\nhalf-width, new over old: {medians['new'] / medians['old']:.2f}")
END
