#!/bin/sh
# Downloads velo for this machine, checks its SHA-256 sum, and installs it below PREFIX, by default ~/.local. No root is needed.
# VELO_FROM is the address of the folder that holds a release's files, SHA256SUMS among them; there is no default:
#   curl -fsSL "$VELO_FROM/install.sh" | VELO_FROM=$VELO_FROM sh
set -eu
fail() { echo "install: $1" >&2; exit 1; }
fetch() {
    if command -v curl >/dev/null; then curl -fsSL -o "$work/$1" "$VELO_FROM/$1"; else wget -q -O "$work/$1" "$VELO_FROM/$1"; fi ||
        fail "$VELO_FROM/$1 cannot be downloaded"
}
# A function, so that a script that was cut short on its way does nothing.
main() {
    [ -n "${VELO_FROM:-}" ] || fail "VELO_FROM is not set: expected the address of the folder that holds a release's SHA256SUMS"
    prefix=${PREFIX:-$HOME/.local}
    [ "$(uname -s)" = Linux ] || fail "velo is for Linux, and this is $(uname -s)"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    fetch SHA256SUMS
    tree=$(sed -n "s|^[0-9a-f]*  \(velo-[^/]*-$(uname -m)-linux\)\.tar\.gz\$|\1|p" "$work/SHA256SUMS" | head -n 1)
    [ -n "$tree" ] || fail "$VELO_FROM/SHA256SUMS names no tarball for $(uname -m)"
    fetch "$tree.tar.gz"
    (cd "$work" && grep "  $tree.tar.gz\$" SHA256SUMS >sum && sha256sum -c sum >/dev/null 2>&1) ||
        fail "$tree.tar.gz does not have the sum that SHA256SUMS says, and is not installed"
    mkdir -p "$prefix"
    tar -xzf "$work/$tree.tar.gz" -C "$prefix" --strip-components=1 "$tree/bin" "$tree/share"
    echo "$("$prefix/bin/velo" --version) is installed: $prefix/bin/velo"
    case :$PATH: in *":$prefix/bin:"*) ;; *) echo "$prefix/bin is not in PATH: export PATH=\"$prefix/bin:\$PATH\"" ;; esac
}
main
