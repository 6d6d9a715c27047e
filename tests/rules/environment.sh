#!/usr/bin/env bash
# The first columns of docs/environment.md's tables name every environment variable that something here reads, and no
# other: by getenv() or as a literal of its own in C++, by ENV{} in CMake, with a default or by topbit's prefix in scripts.
# usage: environment.sh <root of the tree>
set -euo pipefail

cd -- "$1"
no_variables='ENV|ID|VERSION_ID'  # the last two are words of /etc/os-release
found=$({
  find modules kernels examples bench tests -type f \( -name '*.cpp' -o -name '*.cppm' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) \
    -exec grep -hoE 'getenv\("[A-Z0-9_]+"|"TOPBIT_[A-Z0-9_]+"' {} +
  find CMakeLists.txt modules kernels examples bench tests -type f \( -name CMakeLists.txt -o -name '*.cmake' \) \
    -exec grep -hoE 'ENV\{[A-Z0-9_]+\}' {} +
  find dev .ci packaging bench tests -type f \( -name dev -o -name run -o -name '*.sh' \) \
    -exec grep -hoE '\$\{[A-Z0-9_]+:?[-+]|\$\{?TOPBIT_[A-Z0-9_]+' {} +
} | grep -oE '[A-Z][A-Z0-9_]+' | grep -vxE "$no_variables" | sort -u)
listed=$(sed -n 's/^| \(`[A-Z][^|]*`\) |.*/\1/p' docs/environment.md | grep -oE '[A-Z0-9_]+' | sort -u)

wrong=$(comm -3 <(printf '%s\n' "$found") <(printf '%s\n' "$listed"))
if [[ -n $wrong ]]; then
  comm -23 <(printf '%s\n' "$found") <(printf '%s\n' "$listed") | sed 's|$|: found in the sources, wanted in docs/environment.md too|'
  comm -13 <(printf '%s\n' "$found") <(printf '%s\n' "$listed") | sed 's|$|: found in docs/environment.md, wanted something that reads it|'
  exit 1
fi
echo "$(wc -l <<<"$listed") variables"
(($(wc -l <<<"$listed") > 10))
