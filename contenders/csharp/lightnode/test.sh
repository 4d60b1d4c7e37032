#!/usr/bin/env bash
# The tests of LightNode: the library's own, its OpenAPI document, and its generated clients, compiled and called. What they need is
# fetched into target/test, which stays. With `--measure allocations` or `--measure cpu` it measures instead. Status 75: it could not be fetched, and the last line says why.
set -euo pipefail
cd "$(dirname "$0")"
exec </dev/null
skip() { echo "$1" >&2; exit 75; }

node_is_new() { node -e 'process.exit(+process.versions.node.split(".")[0] >= 18 ? 0 : 1)' 2>/dev/null; }
node_is_new || skip "no Node.js 18 or later, which runs the TypeScript client"

work=$PWD/target/test
kit=$work/$(cat ../aspnet/kit/* tests/packages.sha256 tests/requirements.txt | sha256sum | cut -c 1-16)
# So that it is no part of the contender (https://bford.info/cachedir/).
mkdir -p target
echo "Signature: 8a477f597d28d172789f06886806bc55" >target/CACHEDIR.TAG
if [ ! -e "$kit/whole" ]; then
    rm -rf "$work"
    mkdir -p "$kit"
    cp -r ../aspnet/kit "$kit/kit"
    sh "$kit/kit/fetch.sh" || exit 75
    sh "$kit/kit/build.sh"
    npm pack --silent --ignore-scripts --pack-destination "$kit" typescript@5.9.3 >/dev/null || skip "npm could not fetch TypeScript"
    (cd "$kit" && sha256sum --quiet --check "$OLDPWD/tests/packages.sha256") || skip "TypeScript's package is not the one whose hash tests/packages.sha256 has"
    tar xzf "$kit"/typescript-*.tgz -C "$kit"
    python3 -m venv "$kit/venv"
    "$kit/venv/bin/pip" install -q --disable-pip-version-check -r tests/requirements.txt || skip "pip could not fetch what tests/requirements.txt names"
    touch "$kit/whole"
fi

dotnet=$kit/target/dotnet/dotnet
out=$work/out
rm -rf "$out"
mkdir -p "$out/ts"
export DOTNET_EnableDiagnostics=0
compile() {
    local name=$1
    shift
    "$dotnet" "$kit/target/csc/csc.dll" -nologo -langversion:12 -nullable:enable -optimize+ -deterministic -warnaserror+ -target:exe \
        "-out:$out/$name.dll" $(printf ' -r:%s' "$kit"/target/dotnet/shared/*/*/*.dll) "$@" ../aspnet/kit/ImplicitUsings.cs
    cp ../aspnet/kit/aspnet.runtimeconfig.json "$out/$name.runtimeconfig.json"
}

mapfile -t library < <(find LightNode -name '*.cs')
compile tests "${library[@]}" tests/*.cs Contracts.cs Json.cs
if [ $# -gt 0 ]; then
    "$dotnet" "$out/tests.dll" "$@"
    exit
fi

# Each feature names its tests, and there are no others.
named=$(cut -f 2 tests/features.tsv | tr ';' '\n' | sed 's/^ *//' | sort)
diff <("$dotnet" "$out/tests.dll" --names | sort) <(echo "$named") ||
    { echo "tests/features.tsv: expected it to name the tests that there are (<), and no others (>)" >&2; exit 1; }

"$dotnet" "$out/tests.dll"

"$dotnet" "$out/tests.dll" --openapi >"$out/openapi.json"
"$kit/venv/bin/python" -m openapi_spec_validator "$out/openapi.json"

"$dotnet" "$out/tests.dll" --client csharp >"$out/Client.cs"
compile client "$out/Client.cs" tests/clients/Main.cs
"$dotnet" "$out/tests.dll" --with-server "$dotnet" "$out/client.dll"

"$dotnet" "$out/tests.dll" --client typescript >"$out/ts/client.ts"
cp tests/clients/main.ts tests/clients/tsconfig.json "$out/ts/"
echo '{"type": "module"}' >"$out/ts/package.json"
node "$kit/package/bin/tsc" --project "$out/ts"
"$dotnet" "$out/tests.dll" --with-server node "$out/ts/main.js"
