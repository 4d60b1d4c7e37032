#!/usr/bin/env bash
# Installs the load generators that `make bench` compares velo with: Debian's wrk, ab, h2load and hey (as root, else it prints
# the line), nginx for HTTPS, and oha, fortio, k6 and ghz into .velo/bench/peers. What is there already stays. Nothing else calls this.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
peers=$PWD/.velo/bench/peers
mkdir -p "$peers/bin"
# Debian has nginx where only root looks.
export PATH=$PATH:/usr/sbin:/sbin

# What could not be had, and why.
skipped=()

debian() { # PROGRAM PACKAGE
    if command -v "$1" >/dev/null; then
        echo "$1: here"
    elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "$1: installing Debian's $2"
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null ||
            skipped+=("$1: Debian's $2 cannot be installed; apt-get update may help")
    else
        skipped+=("$1: not root: sudo apt-get install -y --no-install-recommends $2")
    fi
}

# Ours is a build of one version: a build of another version is replaced.
has_version() { # PROGRAM VERSION-ARGUMENT VERSION
    [ -x "$peers/bin/$1" ] && "$peers/bin/$1" "$2" 2>&1 | grep -qF "$3"
}

rust() { # PROGRAM VERSION
    if has_version "$1" --version "$2"; then
        echo "$1: here"
    elif ! command -v cargo >/dev/null; then
        skipped+=("$1: cargo is missing")
    else
        echo "$1: building $2, some minutes"
        nice cargo install --locked --quiet --force --root "$peers" --version "$2" "$1" ||
            skipped+=("$1: cargo install --locked --version $2 $1 failed, see above")
    fi
}

# Not every one tells its version; Go tells which it built.
go_has_version() { # PROGRAM VERSION
    [ -x "$peers/bin/$1" ] && go version -m "$peers/bin/$1" 2>/dev/null | grep -q "^[[:space:]]mod[[:space:]].*[[:space:]]v$2[[:space:]]"
}

go_module() { # PROGRAM PACKAGE VERSION
    if go_has_version "$1" "$3"; then
        echo "$1: here"
    elif ! command -v go >/dev/null; then
        skipped+=("$1: go is missing")
    else
        echo "$1: building $3, some minutes"
        nice env GOBIN="$peers/bin" go install "$2@v$3" ||
            skipped+=("$1: go install $2@v$3 failed, see above")
    fi
}

debian wrk wrk
debian ab apache2-utils
debian h2load nghttp2-client
debian hey hey
debian nginx nginx-light
debian openssl openssl
rust oha 1.16.0
# Later versions of fortio need modules that not every Go proxy hands out, and of ghz it may have none.
go_module fortio fortio.org/fortio 1.66.5
go_module k6 go.k6.io/k6 1.8.1
go_module ghz github.com/bojand/ghz/cmd/ghz 0.93.0

for what in "${skipped[@]}"; do echo "skipped: $what"; done
