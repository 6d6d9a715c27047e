#!/usr/bin/env bash
# Counts lines: an interface unit has at most 400, any other source, script or build file at most 500, README.md 130,
# ARCHITECTURE.md 200, a page of docs/design 150. Prints the ten that are nearest to their cap.
# usage: size.sh <root of the tree>
set -euo pipefail

cd -- "$1"
rooms=()
for room in CMakeLists.txt CMakePresets.json dev .ci packaging modules kernels tests examples bench docs README.md ARCHITECTURE.md; do
  [[ ! -e $room ]] || rooms+=("$room")
done

lines=$(find "${rooms[@]}" -type f \( -name '*.cppm' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp' -o -name '*.cu' \
  -o -name '*.cuh' -o -name '*.sh' -o -name '*.cmake' -o -name '*.cmake.in' -o -name CMakeLists.txt \
  -o -name CMakePresets.json -o -path dev -o -path .ci/run -o -path README.md -o -path ARCHITECTURE.md \
  -o -path 'docs/design/*.md' \) -exec wc -l {} + |
  awk '$2 != "total" {
    cap = $2 ~ /\.cppm$/ ? 400 : 500
    if ($2 == "README.md") cap = 130
    else if ($2 == "ARCHITECTURE.md") cap = 200
    else if ($2 ~ /\.md$/) cap = 150
    printf "%3d%% %4d of %d  %s\n", 100 * $1 / cap, $1, cap, $2
  }' | sort -rn)
awk 'NR <= 10' <<<"$lines"
over=$(awk '$2 > $4' <<<"$lines" | wc -l)
if [[ -z $lines ]]; then
  echo "found no files, wanted the sources of topbit"
  exit 1
elif ((over > 0)); then
  echo "found $over files above their cap, wanted none; split them by idea"
  exit 1
fi
