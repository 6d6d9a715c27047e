#!/usr/bin/env bash
# What TOPBIT_CHECK makes a program print that imports topbit.contracts, and its exit status.
# usage: environment.sh <program>
set -uo pipefail

program=$1
wrong=0

# Runs the program with the value $1 and compares its standard error, without line numbers, and its status with $2.
prints() {
  local found
  found=$({ TOPBIT_CHECK=$1 "$program" 2>&1 >/dev/null; echo "status $?"; } |
    sed -E 's|registered at [^ ;)]*environment.cpp:[0-9]+|registered at HERE|')
  [[ $found == "$2" ]] && return
  printf "TOPBIT_CHECK='%s':\nfound  %s\nwanted %s\n" "$1" "$found" "$2"
  wrong=1
}

write="topbit: planted::writes: argument 'self': was written, at byte 2 of 8 (unwritten; CPU kernel, registered at HERE)"
hint="topbit: hint: planted::forgotten_: argument 'self': was not written, although the schema says so (writes; 200 times)"
repeated="topbit: planted::counts: result tensor 0: element 0 has other bits when the call is repeated (repeatable; CPU kernel, registered at HERE)"

prints '' 'status 0'
prints 0 'status 0'
prints 1 'status 0'
prints 2 "$write"$'\n'"$hint"$'\n''status 0'
prints 3 "$write"$'\n'"$repeated"$'\n'"$hint"$'\n''status 0'
for value in 4 -1 12 yes; do
  prints "$value" "topbit: TOPBIT_CHECK: found '$value', wanted 0, 1, 2 or 3"$'\n''status 2'
done

# Calls are unharmed.
wanted=$("$program")
for value in 1 2; do
  found=$(TOPBIT_CHECK=$value "$program" 2>/dev/null)
  [[ -n $wanted && $found == "$wanted" ]] || { echo "TOPBIT_CHECK=$value: found results $found, wanted $wanted"; wrong=1; }
done
exit "$wrong"
