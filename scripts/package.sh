#!/usr/bin/env bash
# Builds the packages of a release into target/package: for each platform a tarball, a .deb and a container image; then install.sh
# and the SHA-256 sums of all. TARGETS names other platforms than the static ones of this machine and of 64-bit ARM. The same
# sources and the same toolchain give the same bytes: times are SOURCE_DATE_EPOCH, by default that of the last commit.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
scripts/check-rust.sh

machine=$(uname -m)
targets=("$machine-unknown-linux-musl")
[ "$machine" = aarch64 ] || targets+=(aarch64-unknown-linux-musl)
[ -z "${TARGETS:-}" ] || read -ra targets <<<"$TARGETS"
cargo_home=${CARGO_HOME:-$HOME/.cargo}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
# Here whatever the target folder is: `assets` in crates/cli/Cargo.toml names it.
package=$PWD/target/package

fail() { echo "package: $1" >&2; exit 3; }
command -v cargo-deb >/dev/null || fail "no cargo-deb, so there would be no .deb: cargo install cargo-deb --locked"

# Prints what a target lacks here, with the line that installs it. The C and assembly parts of ring, which does TLS, are compiled too.
lack_of() {
    local cross=${1%%-*}-linux-gnu-gcc
    if [ ! -e "$(rustc --print sysroot)/lib/rustlib/$1" ]; then
        echo "no standard library: rustup target add $1"
    elif [ "${1%%-*}" != "$machine" ] && ! command -v "$cross" >/dev/null; then
        echo "no $cross: apt-get install -y gcc-${1%%-*}-linux-gnu (with the libc6-dev that it recommends)"
    elif [ "$1" = "$machine-unknown-linux-musl" ] && ! command -v musl-gcc >/dev/null; then
        echo "no musl-gcc: apt-get install -y --no-install-recommends musl-tools"
    fi
}

build() {
    local target=$1 cross=${1%%-*}-linux-gnu-gcc underscored=${1//-/_}
    if [ "${target%%-*}" != "$machine" ]; then
        # The compiler's own libc is not linked: Rust brings musl.
        export "CC_$underscored=$cross" "CARGO_TARGET_${underscored^^}_LINKER=$cross"
    fi
    # No path of this machine is in the binary, in messages of a panic neither.
    export RUSTFLAGS="--remap-path-prefix=$PWD=/velo --remap-path-prefix=$cargo_home=/cargo"
    cargo build --profile dist --locked --package velo-cli --target "$target"
}

tarball() {
    local name=velo-$version-${1%%-*}-linux
    mkdir -p "$package/$name/bin"
    cp "$built" "$package/$name/bin/velo"
    cp -R "$package/share" README.md LICENSE-APACHE LICENSE-MIT "$package/$name/"
    chmod -R u=rwX,go=rX "$package/$name"
    tar --create --directory "$package" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
        --format=ustar "$name" | gzip --no-name --best >"$package/$name.tar.gz"
    rm -rf "${package:?}/$name"
}

deb() {
    # Debian has its own place for zsh, and one for documents.
    cp -R "$package/share" "$package/share.deb"
    mv "$package/share.deb/zsh/site-functions" "$package/share.deb/zsh/vendor-completions"
    mkdir -p "$package/share.deb/doc/velo"
    cp README.md LICENSE-APACHE LICENSE-MIT "$package/share.deb/doc/velo/"
    chmod -R u=rwX,go=rX "$package/share.deb"
    cargo deb --quiet --package velo-cli --target "$1" --profile dist --no-build --no-strip --output "$package/"
    rm -rf "$package/share.deb"
}

image() {
    case $1 in
        x86_64-*-musl) scripts/oci.sh "$built" "$version" amd64 "$package/velo-$version-x86_64-linux.oci.tar" ;;
        aarch64-*-musl) scripts/oci.sh "$built" "$version" arm64 "$package/velo-$version-aarch64-linux.oci.tar" ;;
        *) echo "package: no container image for $1: its root is empty, so the program must be static" ;;
    esac
}

rm -rf "$package"
mkdir -p "$package/share"/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
for target in "${targets[@]}"; do
    lack=$(lack_of "$target")
    if [ -n "$lack" ]; then
        # What is left out is other machines'; the first is that which the completions are made with.
        [ "$target" != "${targets[0]}" ] || fail "$target: $lack"
        echo "package: skipped $target: $lack"
        continue
    fi
    build "$target"
    built=${CARGO_TARGET_DIR:-$PWD/target}/$target/dist/velo
    if [ "$target" = "${targets[0]}" ]; then
        "$built" completions bash >"$package/share/bash-completion/completions/velo"
        "$built" completions zsh >"$package/share/zsh/site-functions/_velo"
        "$built" completions fish >"$package/share/fish/vendor_completions.d/velo.fish"
        "$built" man "$package/share/man/man1" 2>/dev/null
    fi
    tarball "$target"
    deb "$target"
    image "$target"
done

rm -rf "$package/share"
cp scripts/install.sh "$package/"
sums=$(cd "$package" && sha256sum -- *)
tee "$package/SHA256SUMS" <<<"$sums"
ls -l "$package"
