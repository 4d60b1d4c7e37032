#!/usr/bin/env bash
# spin.sh FOLDER STEPS..: makes of net/http contenders that spin for so many steps at each request, FOLDER/go/net-http-STEPS. They are the same
# code but for a number in their data, since another layout of the code alone can change the cost of a request by several percent.
# A second one of the same number is FOLDER/go/net-http-STEPS-twin.
set -euo pipefail
folder=$1
shift
rm -rf "$folder/go"
for steps in "$@"; do
    contender=$folder/go/net-http-$steps
    if [ -e "$contender" ]; then contender+=-twin; fi
    mkdir -p "$folder/go"
    cp -r "$(dirname "$0")/../contenders/go/net-http" "$contender"
    # Each step needs the one before, so that its length is the CPU's latency and nothing else.
    cat >"$contender/spin.go" <<EOF
package main

var steps = $steps

func spin() {
	x := uint64(1)
	for i := 0; i < steps; i++ {
		x = x*0x9E3779B97F4A7C15 + 1
	}
	if x == 0 {
		panic("it never is")
	}
}
EOF
    sed -i 's/^func coin(.*$/&\n\tspin()/' "$contender/main.go"
done
