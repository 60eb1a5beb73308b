#!/bin/sh
# Prints the python of a virtual environment with all that packages/worker-python is built, checked and run with; makes
# it where it is missing or out of date. Else prints what is missing, and exits with 3.
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
cache=${ECHOMQ_CACHE:-$root/.cache}
wanted=$root/packages/worker-python/requirements.txt

missing() { echo "$1"; exit 3; }

for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
  "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break
  candidate=
done
[ -n "$candidate" ] || missing 'Python 3.11 or newer with venv is missing'

mkdir -p "$cache"
# One at a time: tests ask for it at once.
if command -v flock >/dev/null; then exec 9>"$cache/python.lock"; flock 9; fi
venv=$cache/python
stamp="$("$candidate" -V) $(cat "$wanted")"
if [ "$(cat "$venv/stamp" 2>/dev/null)" != "$stamp" ]; then
  {
    rm -rf "$venv" && "$candidate" -m venv "$venv" &&
      "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --no-compile \
        -r "$wanted"
  } >&2 </dev/null || missing 'pip cannot install packages/worker-python/requirements.txt'
  printf '%s' "$stamp" >"$venv/stamp"
fi
echo "$venv/bin/python"
