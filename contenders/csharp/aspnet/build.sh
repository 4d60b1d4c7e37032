set -eu
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
if dotnet --version 2>/dev/null | grep -qE '^([89]|[1-9][0-9])\.'; then
    # No compiler server: nothing is to outlive the build.
    dotnet publish --no-restore -c Release -o target -p:UseSharedCompilation=false --verbosity quiet
    echo "built by SDK $(dotnet --version)" > target/built
else
    sh kit/build.sh
    csc="target/dotnet/dotnet target/csc/csc.dll"
    # The sources and settings are those of aspnet.csproj.
    $csc -nologo -langversion:12 -nullable:enable -optimize+ -deterministic -target:exe -out:target/aspnet.dll \
        $(printf ' -r:%s' target/dotnet/shared/*/*/*.dll) *.cs kit/ImplicitUsings.cs
    cp kit/aspnet.runtimeconfig.json appsettings.json target/
    echo "the runtime from npm, built by $($csc -version)" > target/built
fi
