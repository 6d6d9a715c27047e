#!/usr/bin/env bash
# Passes if a configure step fails and says why in one sentence.
# usage: refused.sh <build folder> <extended regular expression> <cmake> <arguments>...
# CMake breaks long lines, so white space is made equal before the comparison.
set -uo pipefail

build=$1 expected=$2 cmake=$3
shift 3
rm -rf "$build"
output=$("$cmake" -B "$build" "$@" 2>&1 </dev/null) && {
  printf 'configured, wanted a refusal: %s\n%s\n' "$expected" "$output"
  exit 1
}
if tr -s '[:space:]' ' ' <<<"$output" | grep -qE -- "$expected"; then exit 0; fi
printf 'found another message, wanted: %s\n%s\n' "$expected" "$output"
exit 1
