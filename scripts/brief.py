#!/usr/bin/env python3
"""brief.py KIND: the short form of a study's tables, which documents hold; the whole tables stay in .velo/.

Reads Markdown from standard input and writes Markdown. KIND: peers (one table for each number of connections), sizes (one table with a row for each size
and tool), floor, openloop, interop, faults, simulation.
"""
import re
import sys


def blocks(text):
    """Tables and the lines between them, in order: ("table", head, rows) or ("line", text)."""
    lines, found, at = text.splitlines(), [], 0
    while at < len(lines):
        if lines[at].startswith("|") and at + 1 < len(lines) and re.match(r"\|[\s:|-]+$", lines[at + 1]):
            rows = []
            head = cells(lines[at])
            at += 2
            while at < len(lines) and lines[at].startswith("|"):
                rows.append(cells(lines[at]))
                at += 1
            found.append(("table", head, rows))
        else:
            found.append(("line", lines[at]))
            at += 1
    return found


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def rounded(text):
    """Ratios to two digits, as many as their intervals bear."""
    return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", text)


def captioned(found):
    """Each table with what is written above it, before a colon."""
    caption = "velo / tool"
    for block in found:
        if block[0] == "table":
            yield caption, block[1], block[2]
        elif block[1].endswith(":"):
            caption = block[1].rstrip(":")


def outside(found, keep):
    lines = [block[1] for block in found if block[0] == "line" and block[1].strip() and keep(block[1])]
    return [re.sub("; server .*?on CPU 0, generator on CPU 1", "", line.replace("order within a round by seed", "seed")) for line in lines]


def pivot(found, first, value, memory):
    """A row for each tool, a column for each caption; of many the first, the middle and the last."""
    captions, tools, most = [], {}, {}
    for caption, _, rows in captioned(found):
        captions.append(caption)
        for row in rows:
            tool = re.sub(r"velo \(.*", "velo", row[0])
            tools.setdefault(tool, {})[caption] = rounded(value(row))
            if memory is not None:
                most[tool] = row[memory]
    if len(captions) > 3:
        captions = [captions[0], captions[len(captions) // 2], captions[-1]]
    rows = [[tool] + [by.get(caption, "-") for caption in captions] + ([most[tool]] if memory is not None else []) for tool, by in tools.items()]
    return table([first] + captions + (["peak memory, MB"] if memory is not None else []), rows)


def peers(found):
    is_start = any(block[0] == "table" and block[1][1].startswith("ms") for block in found)
    if is_start:
        tables = [(head, rows) for _, head, rows in captioned(found)]
        many = {row[0]: row[1] for row in tables[1][1]}
        single = {row[0]: row[1:] for row in tables[0][1]}
        rows = [[tool, *single.get(tool, ["-", "-"]), memory] for tool, memory in many.items()]
        body = table(["tool", "one request, ms", "its peak memory, MB", "with 1,024 connections, MB"], rows)
    else:
        body = pivot(found, "tool", lambda row: row[1].split(" (")[0] + " µs" if row[2] == "-" else row[2], 4)
    goals = outside(found, lambda line: line.startswith("- **not met**"))
    notes = outside(found, lambda line: not line.startswith("- ") and not line.endswith(":"))
    return "\n\n".join(notes[:1] + [body] + goals + ["\n".join(notes[1:])])


def sizes(found):
    _, head, rows = next(captioned(found))
    sizes_, tools, size = {}, [], ""
    for row in rows:
        size = row[0] or size
        tool, cost, ratio = row[1:4]
        if tool not in tools:
            tools.append(tool)
        sizes_.setdefault(size, {})[tool] = cost + " µs" if ratio == "-" else ratio
    body = table([head[0] or "connections x streams"] + tools, [[size] + [by.get(tool, "-") for tool in tools] for size, by in sizes_.items()])
    return body + "\n\n" + "\n".join(outside(found, lambda _: True))


def floor(found):
    body = pivot(found, "client", lambda row: f"{row[1].split(' (')[0]} µs" if row[4] == "-" else f"{row[4]}; {row[5].split(':')[0]} calls", None)
    return "\n\n".join([body, "\n".join(outside(found, lambda line: re.match(r"\d", line) and not line.endswith(":")))])


def openloop(found):
    loads, tools = [], {}
    for caption, head, rows in ((c.lstrip("# "), h, r) for c, h, r in headed(found)):
        loads.append(caption)
        for row in rows:
            times = [re.sub(r"\*|\s*\(.*", "", row[at]) for at in (head.index("p50"), head.index("p99"))]
            rate = head.index("rate")
            lag = f"; {row[rate]}" if re.match(r"-[1-9]", row[rate]) else ""
            tools.setdefault(row[0], {})[caption] = " / ".join(times) + lag if times[0] != "-" else ""
    tools = {tool: by for tool, by in tools.items() if any(by.values())}
    body = table(["p50 / p99, µs"] + list(tools), [[load] + [by.get(load, "-") for by in tools.values()] for load in loads])
    notes = outside(found, lambda line: not line.startswith(("#", "Measured with")))
    return body + "\n\n" + "\n".join(notes[1:])


def headed(found):
    heading = ""
    for block in found:
        if block[0] == "line" and block[1].startswith("#"):
            heading = block[1]
        elif block[0] == "table":
            yield heading, block[1], block[2]


def interop(found):
    _, head, rows = next(captioned(found))
    servers = {}
    for row in rows:
        server = servers.setdefault(row[0], {"loads": 0, "asked": 0, "differ": []})
        server["loads"] += 1
        server["asked"] += sum(int(number) for number in re.findall(r"\d+", row[2].replace(",", "")))
        if row[-1] != "same":
            server["differ"].append(f"{row[1]}: {row[-1]}")
    what = "requests" if head[2] == "requests" else "calls"
    body = table(["server", "loads", what, "counts"], [[name, str(s["loads"]), f"{s['asked']:,}", "; ".join(s["differ"]) or "all the same"] for name, s in servers.items()])
    return "\n\n".join([body] + outside(found, lambda line: line.startswith("Skipped")))


def faults(found):
    _, head, rows = next(captioned(found))
    grades = ["wrong", "silent", "hang", "crash"]
    out = []
    for at, tool in enumerate(head[1:], 1):
        by = {grade: [] for grade in grades}
        idle = 0
        for row in rows:
            grade = row[at].split()[0]
            idle += "0" in row[at].split()[1:]
            if grade in by:
                number = row[0].split()[0]
                by[grade].append(number if number not in "-+" else row[0].lstrip("+- ").replace("`", ""))
        total = next((row[at].strip("*") for row in rows if row[0].startswith("right, of")), "")
        memory = next((row[at] for row in rows if row[0].startswith("most memory")), None)
        out.append([tool, total] + [", ".join(by[grade]) or "-" for grade in grades] + [str(idle)] + ([memory] if memory else []))
    body = table(["tool", "right"] + grades + ["exit 0, nothing worked"] + (["most memory, MB"] if len(out[0]) == 8 else []), out)
    notes = outside(found, lambda line: not line.startswith("- ") and not line.startswith("Why"))
    return body + "\n\n" + "\n".join(notes)


def numbers(texts):
    return [float(number) for text in texts for number in re.findall(r"\d+(?:\.\d+)?", text)]


def span(texts):
    found = numbers(texts)
    low, high = min(found), max(found)
    return f"{low:.1f}" if low == high else f"{low:.1f} to {high:.1f}"


def rules_beside(head, rows):
    """A row for each machine; what each rule says of it stands in one cell, in the order of the rules."""
    machines = {}
    for row in rows:
        machines.setdefault(row[0], []).append(row)
    shown = [[name] + [", ".join(row[at] or "-" for row in own) for at in range(2, len(head))] for name, own in machines.items()]
    return table([head[0]] + head[2:], shown)


def simulation(found):
    lines = outside(found, lambda _: True)
    parts = []
    for _, head, rows in captioned(found):
        wanted = [at for at, name in enumerate(head) if name.startswith(("false sep", "coverage", "found", "neighbours", "half-width"))]
        if "budget" in head:
            continue
        if head[0].startswith("counter"):
            parts.append(table(head, rows))
            continue
        if head[0] == "CPU time taken":
            parts.append(rules_beside(head, rows))
            continue
        groups = {}
        for row in rows:
            noise = row[head.index("noise")] if "noise" in head else ""
            kind = " a shared machine" if "shared machine" in noise else ""
            spread = head.index("launches add" if "launches add" in head else "between launches")
            group = (row[0] if "noise" in head and "launches add" not in head and "each group" not in head[0] else "all", row[spread] + kind)
            groups.setdefault(group, []).append(row)
        shown = [[group[0], group[1].replace("% a", "%, windows of a"), str(len(rows))] + [span(row[at] for row in rows) for at in wanted] for group, rows in groups.items()]
        parts.append(table(["contenders" if "each" not in head[0] else head[0], head[spread], "rows of the table"] + [{"found, %": "found with looks, %"}.get(head[at], head[at]) for at in wanted], shown))
    return "\n".join(lines).replace("\n- ", "\n\n- ", 1) + "\n\n" + "\n\n".join(parts)


kinds = {"peers": peers, "sizes": sizes, "floor": floor, "openloop": openloop, "interop": interop, "faults": faults, "simulation": simulation}
if len(sys.argv) != 2 or sys.argv[1] not in kinds:
    sys.exit(f"brief: expected one of {', '.join(kinds)}")
print(kinds[sys.argv[1]](blocks(sys.stdin.read())))
