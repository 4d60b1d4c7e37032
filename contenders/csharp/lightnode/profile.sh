#!/usr/bin/env bash
# profile.sh FOLDER: where the CPU time of an echo goes, by sampling LightNode under `velo load` with perf. FOLDER is the built contender, the
# newest of .velo/build/csharp/lightnode/ after `velo verify echo --only csharp/lightnode`. Linux's perf (Debian: linux-perf) must see the
# kernel's samples, as root does. VELO, PORT (18771) and REQUESTS (400000) may be set in the environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
exec </dev/null
[ -e "${1:-}/target/lightnode.dll" ] || { echo "profile: ${1:-no folder}: expected the folder of the built contender" >&2; exit 2; }
for program in perf python3; do
    command -v "$program" >/dev/null || { echo "profile: no $program: apt-get install -y --no-install-recommends linux-perf python3" >&2; exit 3; }
done
velo=$(realpath "${VELO:-$here/../../../target/release/velo}")
port=${PORT:-18771}
requests=${REQUESTS:-400000}
url="http://127.0.0.1:$port/Perf/Echo?name=hogehoge&x=10&y=20&e=2"
work=$(mktemp -d)
server=
stop() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
    rm -rf "$work" "/tmp/perf-$server.map"
}
trap stop EXIT
trap 'exit 130' INT TERM HUP

cd "$1"
# perf finds a method by the map that the runtime writes, and only where code is not mapped twice.
DOTNET_PerfMapEnabled=1 DOTNET_EnableWriteXorExecute=0 PATH="$PWD/target/dotnet:$PATH" \
    taskset -c 0 dotnet target/lightnode.dll --urls "http://127.0.0.1:$port" >"$work/server" 2>&1 &
server=$!
for _ in $(seq 100); do
    if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
    sleep 0.1
done
load() { "$velo" load "$url" -c 20 "$@" >"$work/load" || { cat "$work/load" >&2; exit 1; }; }
# Methods are compiled again and again while they warm up.
load -d 25s
cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }
before=$(cpu_ticks)
perf record -q -e cpu-clock -F 1999 -g -p "$server" -o "$work/samples" 2>"$work/perf" &
perf=$!
load -n "$requests"
after=$(cpu_ticks)
kill -INT "$perf"
wait "$perf" || true
perf script -i "$work/samples" -F ip,sym,dso 2>/dev/null >"$work/stacks"
python3 - "$work/stacks" "$(((after - before) * 1000000 / $(getconf CLK_TCK)))" "$requests" <<'END'
import collections, re, sys

stacks, cpu_us, requests = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
LIGHTNODE = 'LightNode: route, parameters, calling the operation'
JSON = 'LightNode: the answer as JSON'
KESTREL = 'Kestrel, pipes and sockets'
HOSTING = "ASP.NET Core's hosting: context, log scope, activity"
RUNTIME = 'the runtime by itself: thread pool, collector, compiler'
KERNEL = 'the kernel: sockets, TCP, scheduling'


def part(frame):
    """Whose code a frame is; None where that is told by its callers."""
    if '[Anonymously Hosted' in frame:
        return LIGHTNODE
    # `type [Module] Type::Method(...)`: types in front of it have no blank behind the bracket.
    module = re.search(r'\[([\w.]+)\] (?=\S*::|\S)', frame)
    module = module.group(1) if module else ''
    if module == 'lightnode':
        return LIGHTNODE
    if module == 'System.Text.Json':
        return JSON
    if module.startswith(('Microsoft.AspNetCore.Server', 'System.Net.Sockets', 'System.IO.Pipelines')):
        return KESTREL
    if module.startswith(('Microsoft.', 'System.Diagnostics.')):
        return HOSTING
    return None


shares = collections.Counter()
for stack in open(stacks, errors='replace').read().split('\n\n'):
    frames = [line.strip() for line in stack.splitlines() if line.strip()]
    if not frames:
        continue
    if '[kernel.kallsyms]' in frames[0]:
        shares[KERNEL] += 1
    else:
        shares[next((found for found in map(part, frames) if found), RUNTIME)] += 1
total = sum(shares.values())
if total < 1000:
    sys.exit(f'profile: only {total} samples; perf may lack the right to sample, see perf_event_paranoid')
each = cpu_us / requests
rows = ['| where | share of samples | microseconds of a request |', '|---|---|---|']
for name in (KERNEL, KESTREL, HOSTING, LIGHTNODE, JSON, RUNTIME):
    share = shares[name] / total
    rows.append(f'| {name} | {100 * share:.1f} % | {each * share:.2f} |')
rows.append(f'| all | {total} samples | {each:.2f} |')
print('\n'.join(rows))
END
