# Puts the parts together: target/dotnet, which is laid out as any .NET runtime, and target/csc, the compiler.
set -eu
cd "$(dirname "$0")/../target"
mkdir csc
tar xzf parts/azure-mcp-linux-x64-*.tgz -C parts package/dist
python3 ../kit/runtime.py parts/package/dist/azmcp.deps.json parts/python/dnv/net/runtime/.net/dotnet dotnet
tar xzf parts/typespec-http-client-csharp-*.tgz -C csc --strip-components=3 \
    package/dist/generator/Microsoft.CodeAnalysis.dll package/dist/generator/Microsoft.CodeAnalysis.CSharp.dll
mcs -langversion:7.2 -out:csc/csc.dll -r:System.Core.dll -r:Microsoft.CSharp.dll ../kit/Csc.cs
cp ../kit/csc.runtimeconfig.json csc/
rm -r parts
