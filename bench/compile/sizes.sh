#!/usr/bin/env bash
# Writes the sizes of the library's archives and of two programs as JSON: of the program `topbit`, which exports all of the
# library to plugins, and of the digits demo, an ordinary program.
# usage: sizes.sh <build folder> <output>
set -euo pipefail

build=$1 output=$2
stripped=$(mktemp)
trap 'rm -f -- "$stripped"' EXIT
bytes() { stat -c %s "$1"; }
stripped_bytes() { strip -o "$stripped" "$1" && bytes "$stripped"; }

{
  printf '{\n  "unit": "bytes",\n  "compiler": "%s",\n' "$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=.*\///p' "$build/CMakeCache.txt")"
  printf '  "programs": {\n'
  printf '    "topbit": {"file": %d, "stripped": %d},\n' "$(bytes "$build/bin/topbit")" "$(stripped_bytes "$build/bin/topbit")"
  printf '    "demo_digits": {"file": %d, "stripped": %d}\n  },\n' \
    "$(bytes "$build/bin/demo_digits")" "$(stripped_bytes "$build/bin/demo_digits")"
  printf '  "archives": {\n'
  find "$build/modules" "$build/kernels" -name 'libtopbit_*.a' -printf '%f %s\n' | LC_ALL=C sort |
    awk '{ printf "%s    \"%s\": %d", NR == 1 ? "" : ",\n", $1, $2 } END { printf "\n  }\n}\n" }'
} >"$output"
