#!/bin/sh
# Makes gen/ anew from proto/: one command of buf with the plugins that go.mod names as tools. google/rpc is genproto's,
# which grpc-go uses too: a second copy would panic at the start.
set -eu
cd "$(dirname "$0")"
if ! go=$(sh ../../tools/languages/bin/go.sh); then
  echo "stubs of Go skipped: $go"
  exit 0
fi
PATH=$(dirname "$go"):$PATH
rm -rf gen
../../proto/node_modules/.bin/buf generate ../../proto --path ../../proto/echomq --template buf.gen.yaml
