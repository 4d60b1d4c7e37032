#!/usr/bin/env bash
# try-package.sh [PACKAGE...]: installs each package (of target/package, when none is named) into a Debian that holds nothing
# else, made by debootstrap, and tries there what a new user would; before that install.sh, by a server on loopback. Packages of
# another machine are left out. SUITE (trixie) may be set in the environment. Exit code 0: all tries passed, or this machine
# cannot try; 1: one failed.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
export LC_ALL=C
code=0

folder=$PWD/target/try-package
mkdir -p "$folder"
work=$(mktemp -d "$folder/try.XXXXXX")
served=
cleanup() {
    [ -z "$served" ] || kill "$served" 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# said NAME COMMAND: a line with the first of what the command prints, or with the last where it fails.
said() {
    local name=$1 printed
    shift
    if printed=$("$@" 2>&1); then echo "  ok    $name${printed:+: $(head -n 1 <<<"$printed")}"; else echo "  FAIL  $name: $(tail -n 3 <<<"$printed")"; code=1; fi
}

install_from() { HOME=$work/home PREFIX=${2:-} VELO_FROM=$1 timeout 60 sh target/package/install.sh; }
installs() { install_from "$1" && [ -x "$work/home/.local/bin/velo" ] && [ -e "$work/home/.local/share/man/man1/velo.1" ]; }
installs_elsewhere() { install_from "$1" "$work/prefix" && "$work/prefix/bin/velo" --version; }
# refuses WORDS ADDRESS: fails with these words and leaves nothing.
refuses() {
    local printed
    if printed=$(install_from "$2" "$work/refused" 2>&1); then echo "it installed: $printed"; return 1; fi
    [ ! -e "$work/refused" ] && grep -F "$1" <<<"$printed"
}
try_install() {
    mkdir -p "$work/served" "$work/home"
    cp -R target/package "$work/served/good"
    cp -R target/package "$work/served/changed"
    echo >>"$(ls "$work"/served/changed/*"$(uname -m)"-linux.tar.gz)"
    mkdir "$work/served/other"
    grep -v "$(uname -m)-linux" target/package/SHA256SUMS >"$work/served/other/SHA256SUMS"
    python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$work/served" >"$work/log" 2>&1 &
    served=$!
    local address=
    for _ in $(seq 100); do
        address=$(sed -n 's/^Serving HTTP on .* port \([0-9]*\) .*/http:\/\/127.0.0.1:\1/p' "$work/log")
        [ -z "$address" ] || break
        sleep 0.1
    done
    echo "install.sh"
    said "into ~/.local" installs "$address/good"
    said "below PREFIX" installs_elsewhere "$address/good"
    said "over what is there" installs_elsewhere "$address/good"
    said "a tarball that was changed" refuses "does not have the sum" "$address/changed"
    said "no tarball for this machine" refuses "names no tarball" "$address/other"
    said "an address with nothing there" refuses "cannot be downloaded" "$address/none"
    said "no address" refuses "VELO_FROM is not set" ""
    kill "$served"
    served=
}
if [ $# = 0 ] && [ -e target/package/install.sh ]; then
    if command -v python3 >/dev/null; then try_install; else echo "try-package: skipped install.sh: no python3 to serve it"; fi
fi

skip() { echo "try-package: skipped: $1"; exit "$code"; }
[ "$(uname -s)" = Linux ] || skip "this is not Linux"
[ "$(id -u)" = 0 ] || skip "not root: chroot and debootstrap need it"
# Debian has debootstrap and chroot where only root looks.
export PATH=$PATH:/usr/sbin:/sbin
command -v debootstrap >/dev/null || skip "no debootstrap: apt-get install -y --no-install-recommends debootstrap"
unshare --mount true 2>/dev/null || skip "no namespace for mounts may be made here"

packages=("$@")
if [ $# = 0 ]; then
    shopt -s nullglob
    machine=$(uname -m)
    case $machine in x86_64) debian=amd64 ;; aarch64) debian=arm64 ;; *) debian=$machine ;; esac
    packages=(target/package/*"$machine"-linux.tar.gz target/package/*"$machine"-linux.oci.tar target/package/*"_$debian.deb")
    shopt -u nullglob
fi
[ "${#packages[@]}" -gt 0 ] || { echo "try-package: no package in target/package: make package" >&2; exit 1; }

suite=${SUITE:-trixie}
pristine=$folder/$suite
if [ ! -e "$pristine" ]; then
    echo "try-package: making a clean $suite, once"
    rm -rf "$pristine.new"
    debootstrap --variant=minbase --include=bash-completion,fish,man-db,zsh "$suite" "$pristine.new" >"$folder/debootstrap.log" 2>&1 || {
        tail -n 5 "$folder/debootstrap.log" >&2
        skip "debootstrap did not succeed; all of it: $folder/debootstrap.log"
    }
    # For the shells' completions and the load a user is wanted who is not root.
    chroot "$pristine.new" useradd --create-home guest
    mv "$pristine.new" "$pristine"
fi

# Runs in the clean system, as root; $1 is the package.
cat >"$work/inside" <<'INSIDE'
set -u
failed=0
ok() { printf '  ok    %s\n' "$1"; }
bad() { printf '  FAIL  %s\n' "$1"; failed=1; }
# try NAME COMMAND: passes when the command does; its last line is told.
try() {
    local name=$1 said
    shift
    if said=$("$@" 2>&1); then ok "$name${said:+: $(head -n 1 <<<"$said")}"; else bad "$name: $(tail -n 3 <<<"$said")"; fi
}
# The data folders are those of a session on a desktop: fish looks into no others below /usr/local.
as_guest() { cd /home/guest && setpriv --reuid=guest --regid=guest --clear-groups env -i HOME=/home/guest PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 XDG_DATA_DIRS=/usr/local/share:/usr/share "$@"; }
guest() { as_guest bash -c "$1"; }
files() { find / -xdev \( -path /proc -o -path /sys -o -path /home -o -path /tmp -o -path /var/lib/dpkg -o -path /var/cache -o -path /var/log \) -prune -o \( -name velo -o -name 'velo[.-]*' -o -name _velo \) -print; }

if [ -n "$(files)" ]; then bad "the system is not clean: $(files | head -n 1)"; fi
case $1 in
    *.deb)
        try "dpkg --install" dpkg --install "$1"
        prefix=/usr
        ;;
    *)
        try "unpack" tar -xzf "$1" -C /tmp
        try "copy bin and share to /usr/local" bash -c 'cp -R /tmp/velo-*/bin /tmp/velo-*/share /usr/local/'
        try "README and licences" bash -c 'cd /tmp/velo-*/ && ls README.md LICENSE-APACHE LICENSE-MIT'
        prefix=/usr/local
        ;;
esac

version() { guest 'velo version' 2>/dev/null || guest 'velo --version'; }
try "velo version" version
try "velo --help" guest 'velo --help | tail -n 1'
doctor() { guest 'velo doctor >doctor.txt'; local code=$?; [ $code = 0 ] || [ $code = 3 ] && grep -c . /home/guest/doctor.txt; }
try "velo doctor, lines" doctor

# A server of so many lines as a system without packages has the means for.
as_guest perl -MIO::Socket::INET -e '
    $SIG{CHLD} = "IGNORE"; $| = 1;
    my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 64) or die "listen: $!";
    print $listener->sockport, "\n";
    while (my $peer = $listener->accept) {
        next if fork;
        while (<$peer>) { print $peer "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" if /^\r?\n$/ }
        exit;
    }' >/tmp/port &
server=$!
for _ in $(seq 50); do [ -s /tmp/port ] && break; sleep 0.1; done
load() { guest "velo load -c 2 -d 1s http://127.0.0.1:$(cat /tmp/port)/ >load.txt 2>&1" && grep -m 1 -E '[0-9]' /home/guest/load.txt || { cat /home/guest/load.txt; return 1; }; }
try "velo load of a server on loopback" load
kill "$server" 2>/dev/null

try "man velo-load" as_guest bash -c 'man velo-load | col -b | grep -m 1 "velo load"'
try "man pages" bash -c "ls $prefix/share/man/man1/ | grep -c ^velo"
try "completions in bash" as_guest bash -c '. /usr/share/bash-completion/bash_completion
    { _comp_load velo || __load_completion velo; } 2>/dev/null
    complete -p velo >/dev/null && COMP_WORDS=(velo comple) COMP_CWORD=1 COMP_TYPE=9 && _clap_complete_velo velo comple velo 2>/dev/null && [ "${COMPREPLY[*]% }" = completions ] && echo "comple becomes ${COMPREPLY[*]}"'
try "completions in zsh" as_guest zsh -f -c 'autoload -Uz compinit && compinit -D && [ "$_comps[velo]" = _velo ] && autoload +X _velo && echo "$functions_source[_velo]"'
try "completions in fish" as_guest fish -c 'complete -C "velo comple" | string match "completions*"'
try "a workload in fish" as_guest fish -c 'complete -C "velo run co" | string match "coin*"'

pointed() { guest 'velo run coin'; local code=$?; [ $code = 2 ]; }
try "velo run coin without contenders ends with 2" pointed
points() { guest 'velo run coin 2>&1 | grep "velo contenders"'; }
try "and names the command" points
try "velo contenders" guest 'velo contenders velodrome'
try "velo contenders again, nothing to write" guest 'velo contenders velodrome 2>/dev/null | grep " 0 written"'
try "velo list there, contenders" guest 'cd velodrome && velo list 2>/dev/null | grep -c /'

case $1 in
    *.deb)
        try "dpkg --purge" dpkg --purge velo
        if [ -n "$(files)" ]; then bad "left behind: $(files | tr '\n' ' ')"; else ok "nothing is left behind"; fi
        ;;
esac
exit $failed
INSIDE

# Nothing but the program: what is static runs in an empty root.
alone() {
    rm -rf "$work/alone"
    mkdir -p "$work/alone"
    tar -xzf "$1" -C "$work/alone" --strip-components=2 --wildcards '*/bin/velo'
    chroot "$work/alone" /velo --version
}
# An image as an engine takes it: by the digests, from the index to the layer; then what it starts.
image() {
    rm -rf "$work/image"
    mkdir -p "$work/image/root"
    tar -xf "$1" -C "$work/image"
    python3 - "$work/image" <<'PYTHON' || return
import gzip, hashlib, json, pathlib, sys

layout = pathlib.Path(sys.argv[1])


def blob(described):
    data = (layout / "blobs" / described["digest"].replace(":", "/")).read_bytes()
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    assert (digest, len(data)) == (described["digest"], described["size"]), described
    return data


assert json.loads((layout / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}
[described] = json.loads((layout / "index.json").read_text())["manifests"]
manifest = json.loads(blob(described))
config = json.loads(blob(manifest["config"]))
[layer] = [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()], config
assert {key: config[key] for key in ("architecture", "os")} == described["platform"], config
(layout / "layer.tar").write_bytes(layer)
(layout / "entrypoint").write_text("\n".join(config["config"]["Entrypoint"]))
PYTHON
    tar -xf "$work/image/layer.tar" -C "$work/image/root"
    chroot "$work/image/root" "$(cat "$work/image/entrypoint")" --version
}

for package in "${packages[@]}"; do
    echo "$package"
    case $package in
        *.oci.tar)
            if command -v python3 >/dev/null; then said "image" image "$package"; else echo "try-package: skipped $package: no python3 to read it"; fi
            continue
            ;;
        *.tar.gz) said "alone in an empty root" alone "$package" ;;
    esac
    rm -rf "$work/root"
    cp -a "$pristine" "$work/root"
    cp "$package" "$work/inside" "$work/root/tmp/"
    # The mounts end with the namespace.
    unshare --mount --pid --fork bash -c 'mount -t proc proc "$1/proc" && mount -t sysfs -o ro sysfs "$1/sys" && exec chroot "$1" /bin/bash /tmp/inside "$2"' \
        try "$work/root" "/tmp/$(basename "$package")" || code=1
done
exit $code
