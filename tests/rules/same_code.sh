#!/usr/bin/env bash
# Passes if two functions of an object have the same code, relocations and all.
# usage: same_code.sh <objdump> <object> <symbol> <symbol>
set -euo pipefail

objdump=$1 object=$2
# The whole object is disassembled: asked for one function, objdump mixes up the relocations before it.
all=$("$objdump" -dr --no-show-raw-insn "$object")
code_of() {
  awk -v head="<$1>:" '/^[0-9a-f]+ </ { inside = $2 == head; next } inside' <<<"$all" |
    # Addresses, names of places inside the function and of its constants, and padding are no difference.
    sed -n -E 's/^[ \t]*[0-9a-f]+:[ \t]+//p' |
    sed -E "s/[0-9a-f]+ <$1(\+0x[0-9a-f]+)?>/HERE/g; s/\.LCPI[0-9]+_/.LCPI_/; /^(nop|cs nop|data16|xchg +%ax,%ax|int3)/d"
}
first=$(code_of "$3") second=$(code_of "$4")
[[ -n $first && -n $second ]] || { echo "found no function $3 or $4 in the object"; exit 1; }
echo "$3 and $4: $(wc -l <<<"$first") and $(wc -l <<<"$second") lines"
diff <(echo "$first") <(echo "$second") && exit 0
echo "found different code, wanted the same"
exit 1
