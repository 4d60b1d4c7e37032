# Arguments, such as --variant raw-sync, are the program's own. The protocol is a matter of Kestrel's configuration: https in the address, a certificate in PEM files, HTTP/2 in clear.
set -eu
scheme=http
case "$PROTOCOL" in
    https1 | h2)
        scheme=https
        export Kestrel__Certificates__Default__Path="$TLS_CERT" Kestrel__Certificates__Default__KeyPath="$TLS_KEY"
        ;;
    # Without TLS there is no ALPN, and Kestrel would speak HTTP/1.1.
    h2c) export Kestrel__EndpointDefaults__Protocols=Http2 ;;
esac
# On one CPU .NET waits a second without new code before it compiles well what is called often, which under load never comes.
export DOTNET_TC_CallCountingDelayMs=0
export DOTNET_EnableDiagnostics=0 PATH="$PWD/target/dotnet:$PATH"
exec dotnet target/aspnet.dll --urls "$scheme://$HOST:$PORT" "$@"
