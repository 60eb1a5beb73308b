#!/bin/sh
# Makes src/echomq anew from proto/: one command of grpcio-tools, which has its own protoc. google/rpc comes from
# googleapis-common-protos.
set -eu
cd "$(dirname "$0")/../.."
if ! python=$(sh tools/languages/bin/python.sh); then
  echo "stubs of Python skipped: $python"
  exit 0
fi
out=packages/worker-python/src
rm -rf "$out/echomq"
"$python" -m grpc_tools.protoc -I proto \
  --python_out="$out" --grpc_python_out="$out" --pyi_out="$out" proto/echomq/v1/*.proto
# Files without a service have no stubs.
for stubs in "$out"/echomq/v1/*_pb2_grpc.py; do
  case $stubs in *_service_pb2_grpc.py) ;; *) rm "$stubs" ;; esac
done
