#!/usr/bin/env bash
# Configures, builds and runs a project from nothing.
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
"$cmake" --build "$build" --target "${programs[@]}"
for program in "${programs[@]}"; do "$build/$program"; done
