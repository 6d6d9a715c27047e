#!/usr/bin/env bash
# Configures, builds and runs a project from nothing. Nothing of topbit's may print a warning there.
# usage: build_and_run.sh <build folder> <program>... -- <cmake> <arguments of the configure step>...
set -euo pipefail

build=$1
shift
programs=()
while [[ $1 != -- ]]; do
  programs+=("$1")
  shift
done
cmake=$2
shift 2

rm -rf "$build"
"$cmake" -B "$build" "$@"
"$cmake" --build "$build" --target "${programs[@]}" 2>&1 | tee "$build/said"
if grep -q 'warning:' "$build/said"; then
  echo "found $(grep -c 'warning:' "$build/said") warnings, wanted none"
  exit 1
fi
for program in "${programs[@]}"; do "$build/$program"; done
