#!/usr/bin/env bash
# TOPBIT_TOOLS: a tool is told of kernels, regions and memory; one that does not load is said so once, and the program
# runs on.
# usage: tools.sh <program> <tool library> <one that asks for fences> <library that is no tool>
set -euo pipefail

program=$1 tool=$2 fencing=$3 other=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

check() {
  diff -u --label wanted --label found - "$folder/out" || exit 1
}

TOPBIT_TOOLS=$tool "$program" >"$folder/out"
check <<'WANTED'
init 0 20210623 0
settings 1 no fencing
push main
for aten::ones on 0
end 1
for aten::add.Tensor on 0
end 2
scan aten::cumsum on 0
end 3
reduce aten::sum on 0
end 4
for aten::ones on 0
end 5
copy 8 bytes from Host to Host, no destination
end copy
for aten::ones on 0
end 6
copy 8 bytes from Host to Host
end copy
copy 8 bytes from Host to Host, no destination
end copy
pop
memory
finalize
WANTED

# A tool that asks for fences is told of one before each beginning and each end.
TOPBIT_TOOLS=$fencing "$program" | sed -n '4,11p' >"$folder/out"
check <<'WANTED'
fence on 0
end fence 7
for aten::ones on 0
fence on 0
end fence 7
end 1
fence on 0
end fence 7
WANTED

cp "$tool" "$folder/second.so"
TOPBIT_TOOLS=$tool:$folder/second.so "$program" >"$folder/out"
grep -c '^end 3$' "$folder/out" | grep -qx 2
grep -c '^end copy$' "$folder/out" | grep -qx 6
grep -c '^pop$' "$folder/out" | grep -qx 2

TOPBIT_TOOLS="$folder/none.so:$other:$tool" "$program" >"$folder/out" 2>"$folder/err"
grep -q '^init 0 ' "$folder/out"
cp "$folder/err" "$folder/out"
sed -i "s#$folder#FOLDER#g; s#$other#OTHER#g" "$folder/out"
check <<'WANTED'
topbit: TOPBIT_TOOLS: FOLDER/none.so: cannot open shared object file: No such file or directory; the program runs without this tool
topbit: TOPBIT_TOOLS: OTHER: found no function of Kokkos Tools, wanted one such as kokkosp_init_library; the program runs without this tool
WANTED

TOPBIT_TOOLS='' "$program" >"$folder/out" 2>&1
check </dev/null
