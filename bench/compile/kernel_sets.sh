#!/usr/bin/env bash
# What kernel sets cost the compiler: operators with kernels for four keys, as sets, under one static_assert.
# usage: kernel_sets.sh [<operators>] [<build folder>]
# Prints seconds of processor time and megabytes of one compilation, the quickest of three, each step with the steps
# before it; the first line is what the operators cost by themselves.
set -euo pipefail

cd -- "$(dirname -- "$0")/../.."
count=${1:-1000} build=${2:-build/release}
[[ $count =~ ^[1-9][0-9]*$ ]] || { echo "found '$count', wanted a number of operators" >&2; exit 2; }
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
keys=(CPU CUDA XPU Meta)

options=(-std=c++20 -O2 -Wno-c++26-extensions -fno-integrated-cc1)
for interface in "$build"/modules/CMakeFiles/topbit_{std,core}.dir/*.pcm; do
  name=$(basename -- "$interface" .pcm)
  options+=("-fmodule-file=${name/-/:}=$interface")
done
((${#options[@]} > 4)) || { echo "found no built modules in $build, wanted those of topbit::core; build it first" >&2; exit 2; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints a text for each operator, with $i for its number, and a comma in between.
listed() { local text; text=$(for ((i = 0; i < count; ++i)); do printf '%s, ' "${1//\$i/$i}"; done); printf '%s' "${text%, }"; }

declarations() {
  printf 'import topbit.core;\nnamespace tb = topbit;\n'
  for ((i = 0; i < count; ++i)); do
    printf 'inline constexpr tb::op<"bench::operator_%d", int(int)> op_%d;\n' "$i" "$i"
    printf "int op_${i}_%s(int);\n" "${keys[@]}"
  done
}
sets() {
  local key
  for key in "${keys[@]}"; do
    printf 'inline constexpr auto set_%s = tb::static_dispatch::kernels<tb::key::%s>(%s);\n' "$key" "$key" "$(listed "tb::static_dispatch::bind<op_\$i, &op_\$i_$key>")"
  done
}
coverage() {
  printf 'static_assert(tb::static_dispatch::covers_all<tb::static_dispatch::operators<%s>, tb::static_dispatch::keys<%s>, %s>);\n' "$(listed 'op_$i')" \
    "$(printf 'tb::key::%s, ' "${keys[@]}" | sed 's/, $//')" "$(printf 'set_%s, ' "${keys[@]}" | sed 's/, $//')"
}
union() {
  printf 'struct everything { static constexpr auto kernels = tb::static_dispatch::merge(%s); };\n' "$(printf 'set_%s, ' "${keys[@]}" | sed 's/, $//')"
  printf 'inline constexpr tb::static_dispatch::named_set<everything> all;\n'
}
calls() { for ((i = 0; i < count; ++i)); do printf 'int call_%d(int x) { return all.call<op_%d, tb::key::CPU>(x); }\n' "$i" "$i"; done; }

# measure <title> <step>...
measure() {
  local title=$1 best='' memory='' run seconds kilobytes step
  shift
  for step in "$@"; do "$step"; done >"$folder/source.cpp"
  for run in 1 2 3; do
    rm -f "$folder/cost"
    "$compiler" "${options[@]}" -fproc-stat-report="$folder/cost" -c "$folder/source.cpp" -o "$folder/source.o"
    # program, output, microseconds in all, microseconds of the processor, kilobytes
    IFS=, read -r _ _ _ seconds kilobytes <"$folder/cost"
    if [[ -z $best ]] || ((seconds < best)); then best=$seconds memory=$kilobytes; fi
  done
  printf '%-42s %3d.%02d s %6d MB\n' "$title" $((best / 1000000)) $((best / 10000 % 100)) $((memory / 1000))
}

printf '%d operators, %d keys\n' "$count" "${#keys[@]}"
measure "the operators declared" declarations
measure "and bound in sets" declarations sets
measure "and covered by one static_assert" declarations sets coverage
measure "and each called by a named set" declarations sets coverage union calls
