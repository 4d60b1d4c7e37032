# Fetches the parts of the kit into target/parts and checks their hashes. The last line of a failure is the reason for a skip.
set -eu
cd "$(dirname "$0")"
fail() { echo "$1" >&2; exit 1; }

[ "$(uname -sm)" = "Linux x86_64" ] || fail "without the .NET SDK 8 or later it runs on Linux x86-64 only, this is $(uname -sm)"
missing=
command -v mcs >/dev/null || missing="$missing mono-mcs"
command -v npm >/dev/null || missing="$missing npm"
python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
[ -z "$missing" ] ||
    fail "neither the .NET SDK 8 or later is here, nor what stands in for it: apt-get install -y --no-install-recommends$missing"

parts=../target/parts
mkdir -p "$parts"
npm pack --silent --ignore-scripts --pack-destination "$parts" \
    @azure/mcp-linux-x64@0.2.0 @typespec/http-client-csharp@1.0.0-alpha.20260929.2 >/dev/null ||
    fail "npm could not fetch the packages of kit/packages.sha256: a log is in npm's own folder"
sums=$PWD/packages.sha256
(cd "$parts" && sha256sum --quiet --check "$sums") || fail "a package is not the one whose hash kit/packages.sha256 has"
python3 -m venv "$parts/venv"
"$parts/venv/bin/pip" install -q --disable-pip-version-check --no-deps --require-hashes --target "$parts/python" -r requirements.txt
