#!/usr/bin/env bash
# What the compiled library may weigh, so that building and linking stay short: no symbol whose name is over 4,000
# characters, and each signature's code in one object. With `sizes`, of an optimised build: no object over 4 MB, no
# archive over 40 MB, and none but that of topbit.ops over 16 MB.
# usage: binaries.sh <nm> <c++filt> <folder of archives> [sizes]
set -euo pipefail

nm=$1 filt=$2 folder=$3 sizes=${4:-}
names=$(mktemp)
trap 'rm -f -- "$names"' EXIT
failed=0
fail() {
  printf '%s\n' "$1"
  failed=1
}

mapfile -d '' archives < <(find "$folder" -name '*.a' -print0 | sort -z)
((${#archives[@]})) || { echo "found no archive in $folder, wanted those of the library"; exit 1; }
"$nm" --defined-only -A "${archives[@]}" 2>/dev/null >"$names"

# "archive:object: address type name"
long=$(awk 'length($NF) > 4000 { print length($NF), $1, substr($NF, 1, 120) }' "$names" | sort -rn)
[[ -z $long ]] || fail "found $(wc -l <<<"$long") symbols of more than 4,000 characters, wanted none. A type that lists operators has their
schemas in its name: keep such a list as data. The longest: $(head -n 3 <<<"$long")"

# info() of signature_code<Sig> is there in each object that has the code of Sig.
several=$(awk '$NF ~ /14signature_codeI.*E4infoEv$/ { print $NF }' "$names" | sort | uniq -d | "$filt" |
  sed -E 's/@topbit\.[a-z]+//g; s/topbit:://g; s/, 18446744073709551615ul//g; s/\blong\b/std::int64_t/g;
    s/basic_string_view<char, std::char_traits<char>>/string_view/g; s/^.*signature_code<(.*)>::info\(\)$/extern template struct signature_code<\1>;/')
[[ -z $several ]] || fail "found the code of $(wc -l <<<"$several") signatures in more than one object, wanted it once. Add to modules/tensor/signatures:
$several"

if [[ $sizes == sizes ]]; then
  for archive in "${archives[@]}"; do
    size=$(stat -c %s "$archive") name=$(basename -- "$archive") most=16000000
    [[ $name != libtopbit_ops.a ]] || most=40000000
    ((size <= most)) || fail "found $name of $size bytes, wanted at most $most"
  done
  while read -r size object; do
    fail "found the object $object of $size bytes, wanted at most 4000000"
  done < <(find "$folder" -name '*.o' -size +4000000c -printf '%s %P\n')
fi
((failed == 0)) && echo "${#archives[@]} archives, $(wc -l <"$names") symbols"
exit "$failed"
