#!/bin/sh
# Compile kelder.inf. Usage: build.sh [OUTPUT]; the default output is kelder.z5 beside this script.
# INFORM6_LIBRARY names the folder of the Inform 6 library where it is not in a usual place.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
output=${1:-"$here/kelder.z5"}
mend="Mend: apt-get install inform6-compiler inform6-library"

command -v inform6 >/dev/null || { echo "build.sh: inform6 is not installed. $mend" >&2; exit 1; }
for library in "${INFORM6_LIBRARY:-}" /usr/share/inform6/library /usr/local/share/inform6/library; do
    [ -f "$library/parser.h" ] && break
done
[ -f "$library/parser.h" ] || { echo "build.sh: no Inform 6 library (parser.h) found. $mend" >&2; exit 1; }

# -v5: story file version 5; -~S: without run-time checks; -E1: errors as file:line.
exec inform6 -v5 '-~S' -E1 "+$library" "$here/kelder.inf" "$output"
