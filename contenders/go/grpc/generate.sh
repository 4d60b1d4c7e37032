#!/bin/sh
# Makes the packages of the services by protoc, as the guide of grpc-go does; protoc is the one inside of Python's grpcio-tools.
set -eu
go build -o bin/ google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
export PATH="$PWD/bin:$PATH"
module=velodrome/contenders/go/grpc
for service in auth:auth coin:coin void:user; do
    options=module=$module,M${service%:*}.proto=$module/${service#*:}
    .venv/bin/python -m grpc_tools.protoc -I proto --go_out=. --go_opt="$options" --go-grpc_out=. --go-grpc_opt="$options" \
        "${service%:*}.proto"
done
