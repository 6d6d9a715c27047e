#!/usr/bin/env bash
# Shows that check.sh passes what it should and, more to the point, finds out what it should.
# usage: checker_test.sh <check.sh> <compiler>
set -euo pipefail

check=$1 compiler=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Arguments: passes or fails, what check.sh must print, the source.
expect() {
  local wanted=$1 text=$2 status=passes output
  printf '%s\n' "$3" >"$folder/source.cpp"
  output=$(bash "$check" "$folder/source.cpp" "$compiler" -fsyntax-only "$folder/source.cpp") || status=fails
  if [[ $status != "$wanted" || $output != *"$text"* ]]; then
    printf 'found that the check %s, wanted that it %s and prints: %s\n%s\n' "$status" "$wanted" "$text" "$output"
    exit 1
  fi
}

expect passes 'as expected' $'// expect: error: static assertion failed: one$\nstatic_assert(false, "one");'
expect fails 'compiled, wanted an error' $'// expect: one\nstatic_assert(true, "one");'
expect fails 'found another first error line' $'// expect: one\nstatic_assert(false, "two");\nstatic_assert(false, "one");'
expect fails 'found no' $'static_assert(false, "one");'

invalid=$'template <auto Given>\nvoid f();\nvoid g(int x) { f<x>(); }'
expect passes 'as expected' $'// expect: error: no matching function for call to .f.$\n// note: .* .Given.$\n'"$invalid"
expect fails 'without this line: note: .* .Taken.$' $'// expect: error: no matching function for call to .f.$\n// note: .* .Taken.$\n'"$invalid"
