#!/usr/bin/env bash
# Each C++ block of a page stands in a file that is compiled: `<!-- from <file> -->` before the block names it, and the
# file has these lines, in this order and without others between them.
# usage: snippets.sh <root of the tree> <page>...
set -euo pipefail

cd -- "$1"
shift
blocks=0 wrong=0
for page in "$@"; do
  source='' block='' inside=0 line_number=0
  while IFS= read -r line; do
    line_number=$((line_number + 1))
    if ((inside)) && [[ $line == '```' ]]; then
      inside=0
      blocks=$((blocks + 1))
      if [[ -z $source ]]; then
        echo "$page:$line_number: found a block without '<!-- from <file> -->' before it"
        wrong=$((wrong + 1))
      elif [[ ! -f $source || $'\n'$(<"$source")$'\n' != *$'\n'"$block"* ]]; then
        echo "$page:$line_number: found a block that is not in $source"
        wrong=$((wrong + 1))
      fi
      source=''
    elif ((inside)); then
      block+=$line$'\n'
    elif [[ $line == '```cpp' ]]; then
      inside=1 block=''
    elif [[ $line =~ ^'<!-- from '(.*)' -->'$ ]]; then
      source=${BASH_REMATCH[1]}
    elif [[ -n $line ]]; then
      source=''
    fi
  done <"$page"
done
echo "$blocks blocks, $wrong of them wrong"
((blocks > 0 && wrong == 0))
