#!/usr/bin/env bash
# Counts the instructions of each case of a program with valgrind and writes them as JSON. One run of the program does
# every case twice, few times and many times, and calls bench_count_from_here before and after: there callgrind writes
# down its count and begins again. The difference of the two counts is the rounds alone.
# usage: icount.sh <program> <file to write> [case]...
# Ends with 2 where there is no valgrind.
set -euo pipefail

program=$1 target=$2
shift 2
command -v valgrind >/dev/null || {
  echo "icount: found no valgrind, wanted it to count instructions; install the package valgrind" >&2
  exit 2
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Valgrind knows AVX2 and nothing newer, so kernels that are chosen at run time are told so.
TOPBIT_CPU_ISA=avx2 ATEN_CPU_CAPABILITY=avx2 valgrind --tool=callgrind --callgrind-out-file="$folder/count" \
  --dump-before=bench_count_from_here "$program" --count "$@" >"$folder/cases" 2>"$folder/log" || {
  grep -v '^==' "$folder/log" >&2 || true
  tail -n 5 "$folder/log" >&2
  echo "icount: $program did not run under valgrind" >&2
  exit 1
}

# The first count of a case is its warming up, and what went before it.
count_of() { sed -n 's/^totals: //p' "$folder/count.$1"; }
n=0
while read -r name rounds; do
  echo "$name $(count_of $((n + 2))) $(count_of $((n + 3))) $rounds"
  n=$((n + 3))
done <"$folder/cases" >"$folder/counts"
awk 'NF != 4 { exit 1 } END { if (NR == 0) exit 1 }' "$folder/counts" || {
  echo "icount: found no counts for some case of $program, wanted two for each; is one of '$*' no case it counts?" >&2
  exit 1
}

mkdir -p "$(dirname -- "$target")"
awk '
  { name[NR] = $1; each[NR] = ($3 - $2) / $4; if ($1 == "dispatch/function_pointer") base = each[NR] }
  function object(title, first, subtracted, pattern,   i, separator) {
    printf "  \"%s\": {", title
    for (i = first; i <= NR; ++i) {
      if (name[i] !~ pattern) continue
      printf "%s\n    \"%s\": %.2f", separator, name[i], each[i] - subtracted
      separator = ","
    }
    printf "\n  }"
  }
  END {
    print "{\n  \"unit\": \"instructions per call\","
    object("cases", 1, 0, ".")
    if (base) {
      print ","
      object("over_function_pointer", 1, base, "^dispatch/")
    }
    print "\n}"
  }' "$folder/counts" >"$target"

awk 'BEGIN { printf "%-44s %12s\n", "instructions per call", "" }
  { printf "%-44s %12.2f\n", $1, ($3 - $2) / $4 }' "$folder/counts"
