#!/usr/bin/env bash
# Shows that page.sh makes the page of a program, and finds out the programs and the page that it should.
# usage: page_test.sh <page.sh>
set -euo pipefail

page=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tests/compile_fail" "$folder/docs"

# Arguments: passes or fails, what page.sh must print, its mode, the program.
expect() {
  local wanted=$1 text=$2 status=passes output
  printf '%s\n' "$4" >"$folder/tests/compile_fail/wrong.cpp"
  output=$(bash "$page" "$folder" "$3" 2>&1) || status=fails
  if [[ $status != "$wanted" || $output != *"$text"* ]]; then
    printf 'found that the page %s, wanted that it %s and prints: %s\n%s\n' "$status" "$wanted" "$text" "$output"
    exit 1
  fi
}

fix=$'#ifndef FIXED\nint x = "";\n#else\nint x = 0;\n#endif'
head=$'// expect: error: a \\(b\\) .*$\n// topic: keys\n// A number\n// is no text.'

expect passes $'### A number is no text\n\n```cpp\nint x = "";\n```\n\n```text\nerror: a (b) ...\n```\n\nFixed:\n\n```cpp\nint x = 0;\n```' \
  --print "$head"$'\n'"$fix"
expect passes $'error: a (b) ...\nnote: c\n```' --print "${head/$'\n'/$'\n// note: c$\n'}"$'\n'"$fix"
expect passes '' --update "$head"$'\n'"$fix"
expect passes '' '' "$head"$'\n'"$fix"
expect fails 'run it with --update' '' "${head/number/figure}"$'\n'"$fix"
expect fails 'found no fix' --print "$head"$'\nint x = "";'
expect fails "has no '#else'" --print "$head"$'\n#ifndef FIXED\nint x = "";\n#endif'
expect fails "found no '// topic: <topic>'" --print $'// expect: error: a$\n// A number.\n'"$fix"
expect fails "found the topic 'locks'" --print "${head/keys/locks}"$'\n'"$fix"
expect fails 'found no comment' --print $'// expect: error: a$\n// topic: keys\n'"$fix"
expect fails "ends with '\$'" --print $'// expect: error: a\n// topic: keys\n// A number.\n'"$fix"
expect fails "begins with 'error: '" --print $'// expect: a$\n// topic: keys\n// A number.\n'"$fix"
expect fails "has '+' unescaped" --print $'// expect: error: a+$\n// topic: keys\n// A number.\n'"$fix"
expect fails "found no '// expect:" --print "$fix"
