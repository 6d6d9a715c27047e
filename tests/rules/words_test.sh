#!/usr/bin/env bash
# Shows that words.sh finds retired words wherever it looks, and passes their ordinary uses.
# usage: words_test.sh <folder of words.sh>
set -euo pipefail

rules=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{docs,tests/rules,tests/ops,modules/ops,kernels/abi,kernels/cpu}
cp "$rules/words.awk" "$folder/tests/rules"
printf '# list\n\nthe reference | PyTorch | the reference count\nbit for bit | bitwise\n' \
  >"$folder/tests/rules/retired_words.txt"

# Arguments: passes or fails, what it must print, further arguments of the check.
expect() {
  local wanted=$1 text=$2 status=passes output
  shift 2
  output=$(bash "$rules/words.sh" "$folder" "$@") || status=fails
  if [[ $status != "$wanted" || $output != *"$text"* ]]; then
    printf 'found that the check %s, wanted that it %s and prints: %s\n%s\n' "$status" "$wanted" "$text" "$output"
    exit 1
  fi
}

expect fails 'found no files'
printf 'The reference count is atomic.\n\n```cpp\n// as the reference\n```\n' >"$folder/docs/good.md"
printf '// As the reference has it, which source files may say.\nint a = 1;  // "bit for bit"\n' >"$folder/modules/ops/good.cpp"
printf '/// One reference.\nexport int the_reference;\n' >"$folder/modules/ops/good.cppm"
printf '#include "the reference"\nTEST_CASE("good: a title", "[bit for bit]") { CHECK(x == "the reference"); }\n' \
  >"$folder/tests/ops/good.test.cpp"
expect passes '3 texts, 2 patterns, 0 retired words'

printf 'One line\nof the\nreference.\n' >"$folder/docs/page.md"
expect fails 'docs/page.md:1: found "the reference" in a page, say: PyTorch'
expect passes '0 retired words' modules tests/ops
mkdir "$folder/docs/design"
printf 'As the reference\n' >"$folder/docs/design/page.md"
printf 'As the reference\n' >"$folder/NEWS.md"
expect fails 'docs/design/page.md:1: found "the reference" in a page, say: PyTorch' docs/design
expect fails 'NEWS.md:1: found "the reference" in a page, say: PyTorch' NEWS.md
printf 'int x;\n/// Equal bit\n/// for bit.\nint y;  // The reference.\n' >"$folder/modules/ops/wrong.cppm"
expect fails 'modules/ops/wrong.cppm:2: found "bit for bit" in a comment, say: bitwise' modules
expect fails 'modules/ops/wrong.cppm:4: found "the reference" in a comment, say: PyTorch' modules
printf 'int x;  // Bit for bit.\n' >"$folder/kernels/abi/wrong.h"
expect fails 'kernels/abi/wrong.h:1: found "bit for bit" in a comment' kernels
printf '\nthrow error("found bit "\n            "for bit, wanted " + x);\n' >"$folder/kernels/cpu/wrong.cpp"
expect fails 'kernels/cpu/wrong.cpp:2: found "bit for bit" in a message' kernels/cpu
printf 'TEST_CASE(\n    "wrong: as the "\n    "reference", "[x]") {}\n' >"$folder/tests/ops/wrong.test.cpp"
expect fails 'tests/ops/wrong.test.cpp:2: found "the reference" in a test title' tests

printf 'no separator\n' >"$folder/tests/rules/retired_words.txt"
expect fails 'wanted <pattern> | <instead> [ | <exception>], found: no separator'
printf '# nothing\n' >"$folder/tests/rules/retired_words.txt"
expect fails 'found no patterns'

[[ $(bash "$rules/words.sh" --help) == usage:* ]] || { echo "found no help, wanted usage"; exit 1; }
