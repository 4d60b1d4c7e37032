#!/usr/bin/env bash
# try-package.sh [PACKAGE...]: installs each package (of target/package, when none is named) into a Debian that holds nothing
# else, made by debootstrap, and tries there what a new user would. SUITE (trixie) may be set in the environment. Exit code 0:
# all tries passed, or this machine cannot try; 1: one failed.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null

skip() { echo "try-package: skipped: $1"; exit 0; }
[ "$(uname -s)" = Linux ] || skip "this is not Linux"
[ "$(id -u)" = 0 ] || skip "not root: chroot and debootstrap need it"
# Debian has debootstrap and chroot where only root looks.
export PATH=$PATH:/usr/sbin:/sbin LC_ALL=C
command -v debootstrap >/dev/null || skip "no debootstrap: apt-get install -y --no-install-recommends debootstrap"
unshare --mount true 2>/dev/null || skip "no namespace for mounts may be made here"

packages=("$@")
if [ $# = 0 ]; then
    shopt -s nullglob
    packages=(target/package/*.tar.gz target/package/*.deb)
    shopt -u nullglob
fi
[ "${#packages[@]}" -gt 0 ] || { echo "try-package: no package in target/package: make package" >&2; exit 1; }

suite=${SUITE:-trixie}
folder=$PWD/target/try-package
pristine=$folder/$suite
mkdir -p "$folder"
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

work=$(mktemp -d "$folder/try.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM HUP

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
try_alone() {
    local alone=$work/alone
    mkdir -p "$alone"
    tar -xzf "$1" -C "$alone" --strip-components=2 --wildcards '*/bin/velo'
    chroot "$alone" /velo --version
}

code=0
for package in "${packages[@]}"; do
    echo "$package"
    case $package in
        *.tar.gz) if said=$(try_alone "$package" 2>&1); then echo "  ok    alone in an empty root: $said"; else echo "  FAIL  alone in an empty root: $said"; code=1; fi ;;
    esac
    rm -rf "$work/root"
    cp -a "$pristine" "$work/root"
    cp "$package" "$work/inside" "$work/root/tmp/"
    # The mounts end with the namespace.
    unshare --mount --pid --fork bash -c 'mount -t proc proc "$1/proc" && mount -t sysfs -o ro sysfs "$1/sys" && exec chroot "$1" /bin/bash /tmp/inside "$2"' \
        try "$work/root" "/tmp/$(basename "$package")" || code=1
done
exit $code
