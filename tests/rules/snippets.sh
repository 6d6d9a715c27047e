#!/usr/bin/env bash
# Each C++ block of a page stands in a file that is compiled: `<!-- from <file> -->` before the block names it, and the
# file has these lines, in this order and without others between them. `<!-- codes from <file> -->` before a table says
# so of each code in its last column.
# usage: snippets.sh <root of the tree> <page>...
set -euo pipefail

cd -- "$1"
shift
blocks=0 codes=0 wrong=0
for page in "$@"; do
  source='' table='' block='' inside=0 line_number=0
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
    elif [[ $line =~ ^'<!-- codes from '(.*)' -->'$ ]]; then
      table=${BASH_REMATCH[1]}
    elif [[ -n $table && $line == '|'*'|' ]]; then
      cell=${line%|} cell=${cell##*|}
      while [[ $cell =~ \`([^\`]+)\`(.*) ]]; do
        codes=$((codes + 1)) code=${BASH_REMATCH[1]} cell=${BASH_REMATCH[2]}
        [[ -f $table && $(<"$table") == *"$code"* ]] && continue
        echo "$page:$line_number: found the code '$code', wanted it in $table"
        wrong=$((wrong + 1))
      done
    elif [[ -n $line ]]; then
      source='' table=''
    fi
  done <"$page"
done
echo "$blocks blocks and $codes codes, $wrong of them wrong"
((blocks + codes > 0 && wrong == 0))
