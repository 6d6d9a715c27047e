#!/usr/bin/env bash
# What topbit exports is a promise, so it is written down: tests/surface/exported_names.txt has a line
# `<module> <name>` for each name. This compares the list with the interface units.
# usage: exported_names.sh <root of the tree> [--update]
set -euo pipefail

cd -- "$1"
list=tests/surface/exported_names.txt
# The std facade exports what the library uses of std, and the program what its tests use: neither is a promise.
found=$(find modules -name '*.cppm' ! -path 'modules/std/*' ! -path 'modules/cli/*' -print0 | sort -z |
  xargs -0 awk -f tests/rules/exported_names.awk | LC_ALL=C sort -u)
if [[ ${2:-} == --update ]]; then
  printf '%s\n' "$found" >"$list"
elif ! difference=$(diff "$list" <(printf '%s\n' "$found")); then
  echo "found other exported names than $list has (< only in the list, > only in the modules):"
  printf '%s\n' "$difference"
  echo "if this is meant, run: bash tests/rules/exported_names.sh . --update"
  exit 1
else
  echo "$(wc -l <"$list") exported names are as listed"
fi
