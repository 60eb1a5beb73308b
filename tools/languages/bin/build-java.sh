#!/bin/sh
# build-java.sh MVN FOLDER: builds packages/worker-java and apps/sample-worker-java into the folder, unless they are what
# stands there already.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
library=$root/packages/worker-java
app=$root/apps/sample-worker-java
mkdir -p "$2"
# One at a time: tests ask for it at once.
if command -v flock >/dev/null; then exec 9>"$2/lock"; flock 9; fi
stamp=$("$1" -v | cksum; find "$root/pom.xml" "$library/src" "$library/pom.xml" "$app/src" "$app/pom.xml" "$root/proto/echomq" -type f | sort | xargs cat | cksum)
[ "$(cat "$2/stamp" 2>/dev/null)" = "$stamp" ] && exit
rm -f "$2/sample-worker.jsa"
"$1" -B -ntp -q -f "$root/pom.xml" package -DskipTests "-Dto=$2"
# The classes as an archive, so that a worker starts in a third of the time; it goes without. Nobody is at port 1.
java -XX:ArchiveClassesAtExit="$2/sample-worker.jsa" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
  -jar "$2/sample-worker.jar" --address 127.0.0.1:1 >/dev/null 2>&1 &
worker=$!
sleep 5
kill "$worker" && wait "$worker" || true
printf '%s' "$stamp" >"$2/stamp"
