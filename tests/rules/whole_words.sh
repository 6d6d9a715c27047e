#!/usr/bin/env bash
# Looks at how functions of an object reach the thread's own variables: 64 bits at a time, each word by itself. A load
# that is wider than the store before it, or spans two stores, waits until they have left the processor.
# usage: whole_words.sh <objdump> <object> <symbol>...
set -euo pipefail

objdump=$1 object=$2
shift 2

for symbol in "$@"; do
  code=$("$objdump" -d --no-show-raw-insn "$object" |
    awk -v head="<$symbol>:" '/^[0-9a-f]+ </ { inside = $2 == head; next } inside && NF')
  # The address of the variable itself comes from %fs:0.
  accesses=$(grep -E '%fs:(0x[0-9a-f]+)?\(|%fs:.*@tpoff' <<<"$code" || true)
  [[ -n $accesses ]] || { echo "$symbol: found no access to a thread's variable"; exit 1; }
  others=$(grep -vE '\b(mov|or|and|add|cmp|test|xor)q? ' <<<"$accesses" || true)
  narrow=$(grep -E '%(e[a-d]x|[a-d][lh]|[a-d]x|esi|edi|sil|dil|r[0-9]+[dwb]|xmm[0-9]+)\b' <<<"$accesses" || true)
  [[ -z $others && -z $narrow ]] || { echo "$symbol: found other than 64 bits at a time"; echo "$code"; exit 1; }
  echo "$symbol: $(wc -l <<<"$accesses") accesses, each of 64 bits"
done
