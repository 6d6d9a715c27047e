#!/usr/bin/env bash
# Looks at the object code of one function.
# usage: codegen.sh <objdump> <object> <symbol> <most instructions> <indirect> <direct>
# <indirect> jumps and calls through a register or memory, and <direct> ones to another function (a jump that leaves
# the function counts as a call), have to be exactly as many; an instruction that locks the bus is never allowed.
set -euo pipefail

objdump=$1 object=$2 symbol=$3 most=$4 indirect_wanted=$5 direct_wanted=$6

code=$("$objdump" -dr --no-show-raw-insn --disassemble-symbols="$symbol" "$object" 2>/dev/null ||
  "$objdump" -dr --no-show-raw-insn --disassemble="$symbol" "$object")

# Lines are `  address:<tab>instruction`; a relocation line below an instruction names where it leads.
# Padding after the function is no part of it.
counts=$(awk -v symbol="$symbol" '
  /^[ \t]*[0-9a-f]+:[ \t]+R_X86_64_/ {
    if (jump && $NF !~ ("^" symbol "([-+]|$)") && $0 ~ /PLT32|PC32|GOTPCREL/) { direct++; jump = 0 }
    next
  }
  /^[ \t]*[0-9a-f]+:[ \t]/ {
    sub(/^[ \t]*[0-9a-f]+:[ \t]+/, "")
    if (pending && !/^(nop|cs nop|data16|xchg +%ax,%ax|int3)/) { count += pending; pending = 0 }
    if (/^(nop|cs nop|data16|xchg +%ax,%ax|int3)/) { pending++; jump = 0; next }
    count++
    jump = 0
    if (/^(notrack )?(jmp|call)q? +\*/) indirect++
    else if (/^callq? /) direct++
    else if (/^(jmp|j[a-z]+) /) { jump = 1; if (!/^jmp/) branches++ }
    if (/^lock/ || /^xchg.*\(/) locked++
  }
  END { print count + 0, indirect + 0, direct + 0, locked + 0, branches + 0 }
' <<<"$code")
read -r count indirect direct locked branches <<<"$counts"

problems=()
((count > 0)) || problems+=("found no function $symbol in the object")
((count <= most)) || problems+=("found $count instructions, wanted at most $most")
((indirect == indirect_wanted)) || problems+=("found $indirect indirect jumps or calls, wanted $indirect_wanted")
((direct == direct_wanted)) || problems+=("found $direct direct calls, wanted $direct_wanted")
((locked == 0)) || problems+=("found $locked locked instructions, wanted none")

echo "$symbol: $count instructions, $indirect indirect, $direct direct, $locked locked, $branches branches"
((${#problems[@]} == 0)) && exit 0
printf '%s\n' "${problems[@]}" "$code"
exit 1
