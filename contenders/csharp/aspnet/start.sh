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
export DOTNET_EnableDiagnostics=0 PATH="$PWD/target/dotnet:$PATH"
exec dotnet target/aspnet.dll --urls "$scheme://$HOST:$PORT" "$@"
