#!/usr/bin/env bash
# Runs an example and compares its output with the `// prints:` comments of its source. Ends with 77, as the example
# does, where that finds no device to run on.
# usage: compare.sh <source> <program>
set -uo pipefail

wanted=$(sed -n 's|^.*// prints: \{0,1\}||p' "$1")
if [[ -z $wanted ]]; then
  echo "$1: found no '// prints:' comment, wanted one for each line of output"
  exit 1
fi
found=$("$2" </dev/null)
status=$?
if ((status == 77)); then
  printf '%s\n' "$found"
  exit 77
fi
if ((status != 0)); then
  printf '%s ended with %d, wanted 0\n%s\n' "$2" "$status" "$found"
  exit 1
fi
if difference=$(diff <(printf '%s\n' "$wanted") <(printf '%s\n' "$found")); then exit 0; fi
echo "$1: found another output than its comments say (< wanted, > found):"
printf '%s\n' "$difference"
exit 1
