#!/usr/bin/env bash
# binaries.sh finds what it is there for.
# usage: binaries_test.sh <compiler> <ar> <nm> <c++filt>
set -euo pipefail

compiler=$1 ar=$2
shift 2
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT

# archive <name> <symbol>... : an archive with an object for each symbol.
archive() {
  local name=$1 symbol objects=() i=0
  shift
  for symbol; do
    i=$((i + 1))
    printf 'int f(void) __asm__("%s");\nint f(void) { return 0; }\n' "$symbol" |
      "$compiler" -x c -c -o "$folder/$name.$i.o" -
    objects+=("$folder/$name.$i.o")
  done
  rm -f -- "$folder/$name"
  "$ar" rc "$folder/$name" "${objects[@]}"
}
# expect <text> [sizes]: the script fails and says the text.
expect() {
  local said
  if said=$(bash "$here/binaries.sh" "${tools[@]}" "$folder" ${2:+"$2"}); then
    echo "binaries.sh passed, wanted it to say: $1" && exit 1
  fi
  [[ $said == *"$1"* ]] || { echo "binaries.sh said: $said, wanted: $1" && exit 1; }
}
tools=("$@")

expect "found no archive"
archive good.a short
bash "$here/binaries.sh" "${tools[@]}" "$folder" sizes
archive long.a "$(printf 'x%.0s' {1..4001})"
expect "found 1 symbols of more than 4,000 characters"
rm -f -- "$folder"/long.a*
code=_ZN6topbit6authorW6topbitW4core14signature_codeIFddEE4infoEv
archive twice.a $code $code
expect "extern template struct signature_code<double (double)>;"
rm -f -- "$folder"/twice.a*
truncate -s 4000001 "$folder/big.o"
expect "found the object big.o of 4000001 bytes" sizes
rm -f -- "$folder/big.o"
"$compiler" -x c -c -o "$folder/data.o" - <<<'char data[16000000] = {1};'
"$ar" rc "$folder/good.a" "$folder/data.o"
rm -f -- "$folder/data.o"
expect "found good.a of " sizes
