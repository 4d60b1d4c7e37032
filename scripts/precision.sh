#!/usr/bin/env bash
# precision.sh OLD NEW: how wide the intervals of two velo programs are, in turn, on three servers of the same code: a, b, and one that spins for
# each request. Each program runs in the checkout that it was built in. Each run is kept in .velo/precision; what is there already is not run
# again, so that it goes on after an interruption. RUNS (8), BUDGET (60s), STACK (js or go) and STEPS of the spin (2000) may be set in the
# environment. On an otherwise idle machine.
set -euo pipefail
if [ $# -ne 2 ]; then
    echo "usage: scripts/precision.sh OLD NEW: paths of two velo programs, each below the checkout that it was built in" >&2
    exit 2
fi
old=$(realpath "$1") new=$(realpath "$2")
cd "$(dirname "$0")/.."
exec </dev/null
runs=${RUNS:-8} budget=${BUDGET:-60s} stack=${STACK:-js} steps=${STEPS:-2000}
folder=$PWD/.velo/precision
results=$folder/$stack-$budget-$steps
mkdir -p "$results"
case $stack in
    js) model=contenders/js/node-http file=server.js ;;
    go) model=contenders/go/net-http file=main.go ;;
    *)
        echo "STACK=$stack: js or go" >&2
        exit 2
        ;;
esac

# The code of a spin of so many steps, which no compiler can leave out.
spin() {
    case $stack in
        js) cat <<END ;;

const STEPS = $1;

function spin() {
  let x = 1;
  for (let i = 0; i < STEPS; i++) x = (Math.imul(x, 0x9e3779b1) + 1) | 0;
  if (x === 0) throw new Error('it never is');
}
END
        go) cat <<END ;;

const steps = $1

func spin() {
	x := uint32(1)
	for i := 0; i < steps; i++ {
		x = x*0x9e3779b1 + 1
	}
	if x == 0 {
		panic("it never is")
	}
}
END
    esac
}

# The folder of a program's contenders, the same code but for a number.
servers_of() {
    local root contender server
    root=$(git -C "$(dirname "$1")" rev-parse --show-toplevel)
    for server in a:0 b:0 spin:"$steps"; do
        contender=$root/.velo/precision/$stack/${server%:*}
        rm -rf "$contender"
        mkdir -p "$(dirname "$contender")"
        cp -r "$root/$model" "$contender"
        spin "${server#*:}" >>"$contender/$file"
        sed -i -E 's/^func(tion)? coin\(.*$/&\n  spin();/' "$contender/$file"
    done
    dirname "$contender"
}

for run in $(seq "$runs"); do
    for version in old new; do
        out=$results/$version-$run
        [ -e "$out/judgement.json" ] && continue
        rm -rf "$out"
        servers=$(servers_of "${!version}")
        # A run that says that something is wrong with a row ends with 1 and counts.
        (cd "$servers" && "${!version}" run coin --only rust/reference --only "$stack/a" --only "$stack/b" --only "$stack/spin" \
            --contender "$servers/a" --contender "$servers/b" --contender "$servers/spin" \
            --budget "$budget" --seed "$run" --out "$out" >"$out.txt" 2>&1) || (($? == 1))
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
        by_goodput = [pairs for pairs in judgement["workloads"][0]["pairs"] if pairs["of"] == "goodput"]
        for pair in by_goodput[0]["compared"] if by_goodput else []:
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
