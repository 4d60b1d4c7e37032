# PyPI has no SDK but the runtime, and assemblies to compile against, as plain archives.
set -eu
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
if dotnet --version 2>/dev/null | grep -qE '^([89]|[1-9][0-9])\.'; then
    dotnet restore --verbosity quiet
else
    command -v mcs >/dev/null || { echo "neither the .NET SDK 8 nor Mono's compiler is here" >&2; exit 1; }
    python3 -m venv .venv
    .venv/bin/pip install -q --disable-pip-version-check --no-deps --require-hashes --target target/packages -r requirements.txt
    chmod +x target/packages/dnv/net/runtime/.net/dotnet
    ln -s packages/dnv/net/runtime/.net target/dotnet
fi
