#!/usr/bin/env bash
# Configures topbit as shared libraries, which is not built here, and passes if no binary would get an empty entry in the
# path to its libraries: CMake ends the paths of a build tree with one where it exchanges them when it installs.
# usage: runpath_shared.sh <build folder> <cmake> <argument of the configure step>...
set -euo pipefail

build=$1
shift
cmake=$1
shift
rm -rf "$build"
"$cmake" -B "$build" -DBUILD_SHARED_LIBS=ON -DTOPBIT_TESTS=OFF -DTOPBIT_EXAMPLES=OFF -DTOPBIT_BENCH=OFF "$@" >/dev/null
paths=$(grep -oE -- '-Wl,-rpath,[^ ]*' "$build/build.ninja")
printf '%s\n' "$paths" | sort | uniq -c
if grep -E '[,:](:|$)' <<<"$(tr -d '"' <<<"$paths")"; then
  echo "found the paths above with empty entries, wanted none"
  exit 1
fi
