#!/usr/bin/env bash
# setup.sh [WORD...]: builds velo, asks it which Debian packages the contenders want and lack, and installs them where that is
# possible. WORDs go to `velo list`: workloads, whose contenders alone are meant then; --default, those measured by default.
# What cannot be installed is printed and left out: velo skips what lacks a toolchain, with the reason.
# PROFILE=dev builds the velo that checks use, in place of the one that measures: make test sets it. MEASURE: the minutes that
# measuring will take after this, for what is said at the beginning.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
export DEBIAN_FRONTEND=noninteractive

say() { echo "setup: $*"; }
meant=("$@")

policy=/usr/sbin/policy-rc.d
policy_is_ours=
work=$(mktemp -d)
cleanup() {
    if [ -n "$policy_is_ours" ]; then rm -f "$policy"; fi
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

can_install() { [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null; }

apt() {
    # Limits instead of patience: a network that is not there must not hold up the run.
    timeout --kill-after=30 900 apt-get -qq -o DPkg::Lock::Timeout=120 -o Acquire::Retries=1 \
        -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 -o Dpkg::Use-Pty=0 "$@"
}

apt_update() {
    [ -n "${updated:-}" ] && return 0
    updated=yes
    apt update >"$work/update.log" 2>&1 || {
        say "apt-get update failed, going on with the lists that are there: $(tail -n 1 "$work/update.log")"
    }
}

# The names of all services that are installed.
services() {
    {
        find /etc/init.d -maxdepth 1 -type f -printf '%f\n' 2>/dev/null || true
        find /lib/systemd/system /usr/lib/systemd/system -maxdepth 1 -name '*.service' ! -name '*@.service' \
            -printf '%f\n' 2>/dev/null | sed 's/\.service$//' || true
    } | sort -u
}

# A package may bring a service; it is neither started now nor at the next boot.
keep_services_down() {
    local service
    comm -13 "$work/services.before" <(services) | while read -r service; do
        if [ -d /run/systemd/system ]; then
            systemctl disable --quiet --now "$service.service" >/dev/null 2>&1 || true
        else
            update-rc.d "$service" disable >/dev/null 2>&1 || true
            if service "$service" status >/dev/null 2>&1; then service "$service" stop >/dev/null 2>&1 || true; fi
        fi
        say "the service $service is installed and left stopped and disabled"
    done
}

install() {
    services >"$work/services.before"
    if [ ! -e "$policy" ]; then
        # Asked by Debian's packages before they start a service; 101 forbids it.
        policy_is_ours=yes
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    say "installing $*"
    if ! apt install -y --no-install-recommends "$@" >"$work/install.log" 2>&1; then
        say "together they cannot be installed: $(grep -E '^E: ' "$work/install.log" | tail -n 1)"
        local package
        for package in "$@"; do
            apt install -y --no-install-recommends "$package" >"$work/install.log" 2>&1 ||
                say "skipped $package: $(grep -E '^E: ' "$work/install.log" | tail -n 1)"
        done
    fi
    keep_services_down
    if [ -n "$policy_is_ours" ]; then
        rm -f "$policy"
        policy_is_ours=
    fi
}

began=$SECONDS
if ! command -v cc >/dev/null && can_install; then
    apt_update
    install gcc libc6-dev
fi
scripts/check-rust.sh

case ${PROFILE:-release} in
    # All but the studies: what a dependency is built with depends on who asks for it, and the tests ask for as much.
    dev)
        velo=${CARGO_TARGET_DIR:-target}/debug/velo
        build=(cargo build --locked)
        ;;
    release)
        velo=${CARGO_TARGET_DIR:-target}/release/velo
        build=(cargo build --release --locked --package velo-cli)
        ;;
    *)
        echo "error: PROFILE=$PROFILE: expected release or dev" >&2
        exit 2
        ;;
esac
if [ -e "$velo" ]; then
    say "building velo"
else
    # From nothing: minutes of CPU time for velo, and of packages and contenders together.
    cpu_minutes=10 others=3 cpus=$(nproc)
    minutes=$(((cpu_minutes + cpus - 1) / cpus))
    say "building velo, which takes about $minutes minutes the first time"
    if [ -n "${MEASURE:-}" ]; then
        say "about $((minutes + others + MEASURE)) minutes in all: then $others for packages and contenders, $MEASURE to measure"
    fi
fi
"${build[@]}"
say "velo is built, after $((SECONDS - began)) s"

# What only the checks use.
if [ "${CI:-}" = true ] && can_install; then
    for tool in valgrind chromium; do
        command -v "$tool" >/dev/null && continue
        apt_update
        install "$tool"
    done
fi

read_missing() {
    mapfile -t missing < <("$velo" list --missing-packages "${meant[@]}" 2>"$work/notes")
    # An error of velo must not look like a machine that has everything.
    if grep -q '^error' "$work/notes"; then
        cat "$work/notes" >&2
        exit 2
    fi
}

# What could not be installed today is not tried again each time.
tried=.velo/setup-tried
was_tried() { [ -n "$(find "$tried" -mtime -1 2>/dev/null)" ] && [ "$(cat "$tried")" = "${missing[*]}" ]; }

read_missing
if [ ${#missing[@]} -gt 0 ] && can_install && ! was_tried; then
    # Fresh lists first: they say which versions there are.
    apt_update
    read_missing
    if [ ${#missing[@]} -gt 0 ]; then
        install "${missing[@]}"
        read_missing
    fi
    mkdir -p .velo
    echo "${missing[*]}" >"$tried"
fi
while read -r note; do say "${note#note: }"; done <"$work/notes"
if [ ${#missing[@]} -gt 0 ]; then
    if [ ! -e /etc/debian_version ]; then
        say "this is not Debian: install what velo list names"
    else
        say "missing, going on without: ${missing[*]}"
        say "to install: sudo apt-get install -y --no-install-recommends ${missing[*]}"
        if can_install; then say "this was tried within a day; rm $tried tries again"; fi
    fi
fi
say "done in $((SECONDS - began)) s"
