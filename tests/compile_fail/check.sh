#!/usr/bin/env bash
# Passes if a build fails, its first error line is the one that the source announces, and its notes are there.
# usage: check.sh <source> <build command>...
set -uo pipefail

source=$1
shift
expected=$(sed -n '1s|^// expect: ||p' "$source")
if [[ -z $expected ]]; then
  echo "$source: found no '// expect: <regular expression>' on its first line, wanted one"
  exit 1
fi

output=$("$@" 2>&1 </dev/null)
status=$?
first=$(grep -m 1 -E '(^|: )(fatal )?error: ' <<<"$output")

if ((status == 0)); then
  echo "$source: compiled, wanted an error: $expected"
elif [[ -z $first ]]; then
  echo "$source: the build failed without an error line, wanted: $expected"
elif grep -qE -- "$expected" <<<"$first"; then
  while IFS= read -r note; do
    grep -qE -- "$note" <<<"$output" && continue
    echo "$source: found the error without this line: $note"
    printf '%s\n' "$output"
    exit 1
  done < <(sed -n 's|^// note: |note: |p' "$source")
  echo "as expected: $first"
  exit 0
else
  echo "$source: found another first error line"
  echo "  found:  $first"
  echo "  wanted: $expected"
fi
printf '%s\n' "$output"
exit 1
