#!/usr/bin/env bash
# Writes a source file that asserts, of each schema in a native_functions.yaml, that the compiler reads it, prints it,
# reads that as the same schema, and makes a C++ signature of it.
# usage: generate.sh <native_functions.yaml> <compile_time.cpp.in> <output>
set -euo pipefail

schemas=$(sed -n 's/^- func: //p' "$1")
[[ -n $schemas ]] || { echo "$1: found no line '- func: ...', wanted a native_functions.yaml" >&2; exit 1; }
{
  cat "$2"
  sed 's/.*/static_assert(comes_back<R"~(&)~">);/' <<<"$schemas"
} >"$3"
echo "$(wc -l <<<"$schemas") schemas for the compiler"
