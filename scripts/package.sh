#!/usr/bin/env bash
# Builds the packages of a release into target/package: a tarball and a .deb, with their SHA-256 sums. TARGET names another
# platform than the static one. The same sources and the same toolchain give the same bytes: times are SOURCE_DATE_EPOCH, by
# default that of the last commit.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
scripts/check-rust.sh

target=${TARGET:-$(uname -m)-unknown-linux-musl}
cargo_home=${CARGO_HOME:-$HOME/.cargo}
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

fail() { echo "package: $1" >&2; exit 3; }
[ -e "$(rustc --print sysroot)/lib/rustlib/$target" ] || fail "no standard library for $target: rustup target add $target"
case $target in
    # The C and assembly parts of ring, which does TLS, are compiled too.
    *-musl) command -v musl-gcc >/dev/null || fail "no musl-gcc: apt-get install -y --no-install-recommends musl-tools" ;;
esac

# No path of this machine is in the binary, in messages of a panic neither.
flags="--remap-path-prefix=$PWD=/velo --remap-path-prefix=$cargo_home=/cargo"
RUSTFLAGS=$flags cargo build --profile dist --locked --package velo-cli --target "$target"
built=${CARGO_TARGET_DIR:-$PWD/target}/$target/dist/velo

name=velo-$version-${target%%-*}-linux
# Here whatever the target folder is: `assets` in crates/cli/Cargo.toml names it.
package=$PWD/target/package
tree=$package/$name/share
rm -rf "$package"
mkdir -p "$package/$name/bin" "$tree"/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
"$built" completions bash >"$tree/bash-completion/completions/velo"
"$built" completions zsh >"$tree/zsh/site-functions/_velo"
"$built" completions fish >"$tree/fish/vendor_completions.d/velo.fish"
"$built" man "$tree/man/man1" 2>/dev/null
cp "$built" "$package/$name/bin/velo"
cp README.md LICENSE-APACHE LICENSE-MIT "$package/$name/"
chmod -R u=rwX,go=rX "$package"
tar --create --directory "$package" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --format=ustar "$name" | gzip --no-name --best >"$package/$name.tar.gz"

if command -v cargo-deb >/dev/null; then
    # Debian has its own place for zsh, and one for documents.
    mv "$tree" "$package/share"
    mv "$package/share/zsh/site-functions" "$package/share/zsh/vendor-completions"
    mkdir -p "$package/share/doc/velo"
    cp README.md LICENSE-APACHE LICENSE-MIT "$package/share/doc/velo/"
    chmod -R u=rwX,go=rX "$package/share"
    RUSTFLAGS=$flags cargo deb --quiet --package velo-cli --target "$target" --profile dist --no-build --no-strip \
        --output "$package/"
else
    fail "no cargo-deb, so there is no .deb: cargo install cargo-deb --locked"
fi

rm -rf "${package:?}/$name" "$package/share"
(cd "$package" && sha256sum -- *.tar.gz *.deb | tee SHA256SUMS)
ls -l "$package"
