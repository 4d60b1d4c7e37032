set -eu
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
if dotnet --version 2>/dev/null | grep -qE '^([89]|[1-9][0-9])\.'; then
    # No compiler server: nothing is to outlive the build.
    dotnet publish --no-restore -c Release -o target -p:UseSharedCompilation=false --verbosity quiet
    echo "built by SDK $(dotnet --version)" > target/built
else
    # Where what Windows adds to `await` is at hand, mcs asks for types of Windows.
    assemblies=$(ls target/packages/dotnetcore2/bin/shared/Microsoft.NETCore.App/3.1.23/*.dll | grep -v WindowsRuntime)
    # The sources are those that owin.csproj compiles.
    mcs -langversion:7.2 -optimize+ -nostdlib -noconfig -nowarn:1702 -out:target/owin.dll *.cs kit/*.cs \
        $(printf ' -r:%s' $assemblies)
    cp runtimeconfig.json target/owin.runtimeconfig.json
    echo "the runtime from PyPI, built by $(mcs --version)" > target/built
fi
