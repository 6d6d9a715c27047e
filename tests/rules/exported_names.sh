#!/usr/bin/env bash
# What topbit exports is a promise, so it is written down: tests/surface/exported_names.txt has a line
# `<module> <name>` for each name, by namespace and then by name. This compares the list with the interface units, and
# says how many names each namespace has: the dispatcher's may be few enough to be looked through.
# usage: exported_names.sh <root of the tree> [--update]
set -euo pipefail

cd -- "$1"
list=tests/surface/exported_names.txt
most_of_core=80
# The std facade exports what the library uses of std, and the program what its tests use: neither is a promise.
found=$(find modules -name '*.cppm' ! -path 'modules/std/*' ! -path 'modules/cli/*' -print0 | sort -z |
  xargs -0 awk -f tests/rules/exported_names.awk |
  awk '{ n = match($2, /[^:]*$/); print substr($2, 1, n - 3) "\t" substr($2, n) "\t" $0 }' |
  LC_ALL=C sort -u -t $'\t' -k1,1 -k2,2 -k3,3 | cut -f3)
counts=$(awk '{ n = match($2, /[^:]*$/); print $1, substr($2, 1, n - 3) }' <<<"$found" | LC_ALL=C sort | uniq -c)
printf '%s\n' "$counts"
of_core=$(awk '$2 == "topbit.core" && $3 == "topbit" { print $1 }' <<<"$counts")
if ((of_core > most_of_core)); then
  echo "found $of_core names of topbit.core in namespace topbit, wanted at most $most_of_core: give a new facility a"
  echo "namespace of its own; topbit::inspect, topbit::static_dispatch and topbit::author are there"
  exit 1
fi
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
