#!/usr/bin/env bash
# The checker of RUNPATH finds what is wrong, and nothing else.
# usage: runpath_test.sh <compiler>
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# expect <passed|failed> <linker's arguments>...
expect() {
  local wanted=$1 found=passed
  shift
  "$compiler" -shared -x c++ /dev/null -o "$work/library.so" "$@"
  bash "$here/runpath.sh" "$work" >"$work/said" || found=failed
  [[ $found == "$wanted" ]] || {
    echo "found that the check of $* $found, wanted that it $wanted: $(<"$work/said")"
    exit 1
  }
}

compiler=$1
bash "$here/runpath.sh" "$work" >/dev/null && { echo "found that a folder without binaries passed" && exit 1; }
expect passed
expect passed -Wl,-rpath,/usr/lib
expect passed '-Wl,-rpath,$ORIGIN'
expect passed '-Wl,-rpath,$ORIGIN/../lib:/usr/lib'
expect failed -Wl,-rpath,:::::
expect failed '-Wl,-rpath,/usr/lib:'
expect failed '-Wl,-rpath,:/usr/lib'
expect failed '-Wl,-rpath,/usr/lib::/lib'
expect failed -Wl,-rpath,lib
expect failed '-Wl,-rpath,$ORIGINAL/lib'
expect failed '-Wl,-rpath,$ORIGIN/../'
expect failed -Wl,--disable-new-dtags,-rpath,.
