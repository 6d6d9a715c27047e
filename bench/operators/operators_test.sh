#!/usr/bin/env bash
# bench_operators without PyTorch: a few cells of every kind, one round; what it writes is JSON and XML. Skipped where the
# program is not built.
# usage: operators_test.sh <bench_operators> <folder to write to>
set -euo pipefail

program=$1 folder=$2
[[ -x $program ]] || exit 77
mkdir -p "$folder"
"$program" --list >"$folder/names"
if [[ -n $(sort "$folder/names" | uniq -d) ]] || (($(wc -l <"$folder/names") < 1000)); then
  echo "found $(wc -l <"$folder/names") cells, wanted more than 1000 with names of their own" >&2
  exit 1
fi
"$program" --rounds 1 --sizes S,32,32x1x8,1x4x64x32 --seconds 5 --json "$folder/operators.json" --svg "$folder/operators.svg" \
  >"$folder/operators.txt"
grep -q 'topbit.s times alone' "$folder/operators.txt"
"$program" --rounds 1 --draw 20 --sizes drawn --seed 3 --family unary,shape,pool,conv,backward --seconds 2 >"$folder/drawn.txt"
python3 - "$folder/operators.json" "$folder/operators.svg" <<'PYTHON'
import json, sys, xml.dom.minidom
cells = json.load(open(sys.argv[1]))["cells"]
assert len(cells) > 250 and all(cell["topbit"]["median_us"] > 0 for cell in cells), "too few cells, or one without a time"
xml.dom.minidom.parse(sys.argv[2])
PYTHON
for wrong in "--family unray" "--filter (" "--rounds 0" "--torch $folder/absent.so --sizes 32" \
  "--beside $folder --sizes 32" "--beside $folder --torch absent.so" "--beside $folder --svg x.svg" "--runs 2 --sizes 32"; do
  # shellcheck disable=SC2086
  if "$program" $wrong >/dev/null 2>"$folder/message"; then
    echo "found status 0 for '$wrong', wanted an error" >&2
    exit 1
  fi
  [[ -s $folder/message ]] || { echo "found no message for '$wrong'" >&2; exit 1; }
done

# Beside itself, where its cells are built as a shared library too; else it says how to build them.
build=$(dirname -- "$(dirname -- "$(readlink -f -- "$program")")")
if [[ -e $build/bin/bench_operators_cells.so ]]; then
  "$program" --beside "$build" --runs 2 --rounds 1 --sizes S --family unary,backward --json "$folder/beside.json" \
    >"$folder/beside.txt"
  grep -q '^families over 1.03: ' "$folder/beside.txt"
  python3 - "$folder/beside.json" <<'PYTHON'
import json, sys
cells = json.load(open(sys.argv[1]))["cells"]
assert len(cells) > 40 and all(cell["small"] and len(cell["ratios"]) == 2 for cell in cells), "wanted two ratios of each small cell"
PYTHON
  build=$folder
fi
"$program" --beside "$build" --sizes 32 >/dev/null 2>"$folder/message" && exit 1
grep -q -- "cmake --build '$build' --target bench_operators_cells" "$folder/message"
