#!/usr/bin/env bash
# Fails where autocast adds an instruction to a call that it does not concern: of an operator with a policy outside of
# scopes, or of one without a policy in a scope.
# usage: off_test.sh <icount.sh> <bench_autocast> <file to write>
# Ends with 2 where there is no valgrind.
set -euo pipefail

icount=$1 program=$2 file=$3
bash "$icount" "$program" "$file" autocast/off autocast/policy_off autocast/no_policy
awk -F'[":, ]+' '
  /autocast\// { found[$2] = $3; ++cases }
  END {
    if (cases != 3) { print "found " cases + 0 " cases, wanted 3"; exit 1 }
    for (name in found) {
      # Means over many calls, which differ by less than an instruction from run to run.
      if (found[name] < found["autocast/off"] + 1) continue
      print name " takes " found[name] " instructions, wanted " found["autocast/off"]
      bad = 1
    }
    exit bad
  }' "$file"
