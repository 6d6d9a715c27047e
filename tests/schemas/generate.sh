#!/usr/bin/env bash
# Writes a source file that asserts, of each schema in some native_functions.yaml, that the compiler reads it, prints it,
# reads that as the same schema, and makes a C++ signature of it. A schema that several lists have is asserted once; with
# TOPBIT_TEST_SCALE=0.1 a random tenth of them, always the same. The output is left alone if nothing changed.
# usage: generate.sh <compile_time.cpp.in> <output> <native_functions.yaml>...
set -euo pipefail

head=$1 output=$2
shift 2
for list; do
  grep -q '^- func: ' "$list" || { echo "$list: found no line '- func: ...', wanted a native_functions.yaml" >&2; exit 1; }
done
schemas=$(sed -n 's/^- func: //p' "$@" | awk -v scale="${TOPBIT_TEST_SCALE:-1}" '
  BEGIN { srand(1) }
  !seen[$0]++ && (NR == 1 || scale + 0 <= 0 || rand() < scale)')
{
  cat "$head"
  sed 's/.*/static_assert(comes_back<R"~(&)~">);/' <<<"$schemas"
} >"$output.new"
if cmp -s "$output.new" "$output"; then rm "$output.new"; else mv "$output.new" "$output"; fi
echo "$(wc -l <<<"$schemas") schemas for the compiler"
