#!/bin/sh
# Prints the python of a virtual environment with the packages of requirements.txt; makes it where it is missing or out of
# date. Else prints what is missing, and exits with 3.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cache=${ECHOMQ_CACHE:-$here/../../../.cache}
wanted=$here/requirements.txt

missing() { echo "$1"; exit 3; }

python3 -c 'import venv, ensurepip' 2>/dev/null || missing 'Python 3 with venv is missing'

mkdir -p "$cache"
# One at a time: tests ask for it at once.
if command -v flock >/dev/null; then exec 9>"$cache/bench-python.lock"; flock 9; fi
venv=$cache/bench-python
stamp="$(python3 -V) $(cat "$wanted")"
if [ "$(cat "$venv/stamp" 2>/dev/null)" != "$stamp" ]; then
  {
    rm -rf "$venv" && python3 -m venv "$venv" &&
      "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --no-compile \
        -r "$wanted"
  } >&2 </dev/null || missing 'pip cannot install tools/bench/python/requirements.txt'
  printf '%s' "$stamp" >"$venv/stamp"
fi
echo "$venv/bin/python"
