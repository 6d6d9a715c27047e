#!/usr/bin/env bash
# Builds examples/opencl against an installed topbit, compares it with the CPU, trains on it, and tries what can go
# wrong around it: no device, and a cache of programs that is damaged. `./dev test full` runs it.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: packaging/opencl.sh <build folder> [compiler]
       packaging/opencl.sh --check | --help

Installs topbit from its build folder into a temporary one. Programs of OpenCL are kept in <build folder>/opencl_cache, so
that they are compiled once. Ends with 77 if this machine has no OpenCL, which --check tells without a build.
TEXT
}

case ${1:---help} in
  -h | --help)
    usage
    exit 0
    ;;
esac
cannot() {
  printf 'opencl: %s\n' "$1" >&2
  exit 77
}
[[ -e /usr/include/CL/cl.h ]] || cannot "found no CL/cl.h, wanted the headers of OpenCL; './dev setup opencl' installs them"
compgen -G '/etc/OpenCL/vendors/*.icd' >/dev/null ||
  cannot "found no OpenCL platform in /etc/OpenCL/vendors, wanted one such as PoCL; './dev setup opencl' installs it"
[[ $1 != --check ]] || exit 0

build=$(readlink -f -- "$1")
compiler=${2:-clang++-22}
source=$(readlink -f -- "$(dirname -- "${BASH_SOURCE[0]}")/..")
work=$(mktemp -d -t topbit-opencl.XXXXXX)
trap 'rm -rf -- "$work"' EXIT
failed() {
  printf 'opencl: %s\n' "$1" >&2
  exit 1
}

cmake --install "$build" --prefix "$work/prefix" >"$work/log" || failed "cmake could not install $build"
cmake -S "$source/examples/opencl" -B "$work/build" -G Ninja "-DCMAKE_CXX_COMPILER=$compiler" \
  "-DCMAKE_PREFIX_PATH=$work/prefix" >>"$work/log" 2>&1 || {
  tail -n 20 "$work/log" >&2
  failed "cmake could not configure examples/opencl"
}
cmake --build "$work/build" 2>&1 | tee "$work/said"
! grep -q 'warning:' "$work/said" || failed "found $(grep -c 'warning:' "$work/said") warnings, wanted none"

export XDG_CACHE_HOME=$build/opencl_cache
mkdir -p "$XDG_CACHE_HOME"
"$work/build/conformance"
# Programs for one combination of dtypes each, which otherwise only calls of many elements get.
TOPBIT_OPENCL_MANY=1 "$work/build/conformance" --quick --seed 2 --level 2-13
"$work/build/train" "$source/examples/data/digits.csv"

# A byte of every program is changed: it is noticed, and the program is built again.
export XDG_CACHE_HOME=$work/cache
mkdir "$work/cache"
"$work/build/conformance" --quick --level 3
files=("$work"/cache/topbit_opencl/*)
[[ -e ${files[0]} ]] || failed "found no programs in the cache, wanted some"
sha256sum "${files[@]}" >"$work/good"
for file in "${files[@]}"; do
  printf 'XXXXXXXX' | dd of="$file" bs=1 seek=$(($(stat -c %s "$file") / 2)) conv=notrunc status=none
done
sha256sum "${files[@]}" >"$work/damaged"
! cmp -s "$work/good" "$work/damaged" || failed "could not damage the cache"
"$work/build/conformance" --quick --level 3
for file in "${files[@]}"; do
  ! grep -qF "$(sha256sum "$file")" "$work/damaged" || failed "found $file still damaged, wanted it built again"
done
# Where no folder for programs can be made, they are built in every process.
mkdir "$work/none"
touch "$work/none/topbit_opencl"
XDG_CACHE_HOME=$work/none "$work/build/conformance" --quick --level 3

# Without a platform the device does not exist, and the error says why.
status=0
OCL_ICD_VENDORS=$work/no_vendors "$work/build/train" "$source/examples/data/digits.csv" >"$work/said" 2>&1 || status=$?
((status == 1)) || failed "without a platform train ended with $status, wanted 1"
grep -q 'found no OpenCL platform' "$work/said" || failed "without a platform train said: $(cat "$work/said")"
printf 'opencl: passed\n'
