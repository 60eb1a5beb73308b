#!/bin/sh
# Prints the path of a Go that builds packages/worker-go. Else prints what is missing, and exits with 3.
set -u
root=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$root/packages/worker-go" || exit 1
for candidate in go /usr/local/go/bin/go "$HOME/go/bin/go" /usr/lib/go/bin/go; do
  # go.mod names the oldest that will do; an older one gets a newer one by itself, or refuses.
  "$candidate" version >/dev/null 2>&1 || continue
  command -v "$candidate"
  exit 0
done
echo 'Go 1.26 or newer is missing'
exit 3
