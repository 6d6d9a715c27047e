#!/usr/bin/env bash
# The library's operators with which a gradient can be lost are those that a list names, and no others: the list only
# gets shorter. A line of it is an operator's name; '#' begins a remark.
# usage: undeclared.sh <program> <list> [--update], which takes lines out and adds none
set -uo pipefail

found=$("$1" gradients --missing --names)
status=$?
if ((status != 0)); then
  echo "$1 gradients ended with $status, wanted 0"
  exit 1
fi
export LC_ALL=C
listed=$(grep -v '^#' "$2" | sort)
found=$(sort <<<"$found")
more=$(comm -13 <(echo "$listed") <(echo "$found")) less=$(comm -23 <(echo "$listed") <(echo "$found"))
if [[ ${3:-} == --update ]]; then
  { grep '^#' "$2"; comm -12 <(echo "$listed") <(echo "$found"); } | grep . >"$2.new"
  mv -- "$2.new" "$2"
  less=''
fi
if [[ -n $more ]]; then
  echo "found operators that lose a gradient, wanted a rule or a declaration for each (topbit gradients says which):"
  echo "$more"
fi
if [[ -n $less ]]; then
  echo "found operators in $2 that lose no gradient any more, wanted their lines taken out:"
  echo "$less"
fi
[[ -z $more && -z $less ]]
