#!/usr/bin/env python3
"""estimators.py RUN...: how widely a launch's ratio of two contenders scatters over launches, by estimator, in runs that were made.

RUN is a run's folder, or a file of JSON lines (.gz too) that each have launch, block, contender, window_ms and requests_per_s.
Printed for each kind of RUN: the standard deviation over launches, over that of the median of the paired differences, as the
geometric mean over pairs. Launches are cut into pieces of BLOCKS (environment, default: whole launches), so that short ones are seen too.
"""

import collections
import gzip
import itertools
import json
import math
import os
import pathlib
import statistics
import sys


def trimmed(values):
    ordered = sorted(values)
    cut = len(ordered) // 4
    return statistics.mean(ordered[cut : len(ordered) - cut])


def hodges_lehmann(values):
    return statistics.median([(a + b) / 2 for i, a in enumerate(values) for b in values[i:]])


PAIRED = {"median": statistics.median, "mean": statistics.mean, "trimmed 25 %": trimmed, "Hodges-Lehmann": hodges_lehmann}


def differences(blocks, one, other):
    return [block[one] - block[other] for block in blocks if one in block and other in block]


def effects(blocks, names, estimator):
    """The model's: effects whose differences come closest to what each two contenders show (velo_stats::two_way)."""
    seen = {(a, b): estimator(differences(blocks, a, b)) for a, b in itertools.combinations(names, 2)}
    of = lambda a, b: seen[a, b] if (a, b) in seen else -seen[b, a]
    return {a: sum(of(a, b) for b in names if b != a) / len(names) for a in names}


def estimates(blocks, names):
    found = collections.defaultdict(dict)
    for label, estimator in PAIRED.items():
        model = effects(blocks, names, estimator)
        for pair in itertools.combinations(names, 2):
            found[pair][label] = estimator(differences(blocks, *pair))
            found[pair]["model, " + label] = model[pair[0]] - model[pair[1]]
    return found


def of_run(folder):
    launches = collections.defaultdict(lambda: collections.defaultdict(dict))
    for line in (folder / "windows.ndjson").open():
        window = json.loads(line)
        if window["purpose"]["is"] == "block" and window["outcomes"]["correct"]:
            log = math.log(window["outcomes"]["correct"] / window["duration_ns"])
            launches[window["workload"], window["launch"]][window["block"]][window["contender"]] = log
    by_workload = collections.defaultdict(list)
    for (workload, _), blocks in sorted(launches.items()):
        by_workload[workload].append([blocks[block] for block in sorted(blocks)])
    return list(by_workload.values())


def of_lines(file):
    read = gzip.open if file.suffix == ".gz" else open
    lengths = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(dict)))
    for window in map(json.loads, read(file, "rt")):
        block = lengths[window["window_ms"]][window["launch"]][window["block"]]
        block[window["contender"]] = math.log(window["requests_per_s"])
    return [[[blocks[block] for block in sorted(blocks)] for blocks in launches.values()] for launches in lengths.values()]


def relative(runs, piece):
    """For each estimator the logarithms, over pairs, of its scatter over that of the median."""
    logs = collections.defaultdict(list)
    for launches in runs:
        names = sorted(set.intersection(*({name for block in launch for name in block} for launch in launches)))
        pieces = [
            launch[at : at + (piece or len(launch))]
            for launch in launches
            for at in range(0, len(launch) - (piece or len(launch)) + 1, piece or len(launch))
        ]
        usable = lambda blocks: all(len(differences(blocks, *pair)) >= 3 for pair in itertools.combinations(names, 2))
        found = [estimates(blocks, names) for blocks in pieces if usable(blocks)]
        if len(found) < 4 or len(names) < 2:
            continue
        for pair in found[0]:
            deviation = {label: statistics.stdev(one[pair][label] for one in found) for label in found[0][pair]}
            if all(deviation.values()):
                for label, value in deviation.items():
                    logs[label].append(math.log(value / deviation["median"]))
    return logs


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__, file=sys.stderr)
        return 2
    piece = int(os.environ.get("BLOCKS", "0"))
    paths = [pathlib.Path(path) for path in sys.argv[1:]]
    kinds = {"runs": [run for path in paths if path.is_dir() for run in of_run(path)]}
    kinds |= {path.name: of_lines(path) for path in paths if path.is_file()}
    labels = [*PAIRED, *("model, " + label for label in PAIRED)]
    print(f"| windows | pairs | {' | '.join(labels)} |")
    print("| --- | ---: |" + " ---: |" * len(labels))
    for kind, runs in kinds.items():
        logs = relative(runs, piece)
        if logs:
            cells = (f"{math.exp(statistics.mean(logs[label])):.2f}" for label in labels)
            print(f"| {kind}{f', {piece} blocks' if piece else ''} | {len(logs['median'])} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
