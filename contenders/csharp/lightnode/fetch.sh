# With the .NET SDK, what the project file names, which is nothing from a registry; without it the kit.
set -eu
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
if dotnet --version 2>/dev/null | grep -qE '^([89]|[1-9][0-9])\.'; then
    dotnet restore --verbosity quiet
else
    sh kit/fetch.sh
fi
