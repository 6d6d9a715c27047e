#!/usr/bin/env bash
# Shows that reference_rules.sh passes a tree whose tests are as its list says, and finds out every way to differ.
# usage: reference_rules_test.sh <folder of reference_rules.sh>
set -euo pipefail

rules=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tests/rules" "$folder/tests/core" "$folder/tests/compile_fail"
cp "$rules/rule_tags.awk" "$folder/tests/rules"

# Arguments: passes or fails, what it must print, the list.
expect() {
  local wanted=$1 text=$2 status=passes output
  printf '%s\n' "$3" >"$folder/tests/rules/reference_rules.txt"
  output=$(bash "$rules/reference_rules.sh" "$folder") || status=fails
  if [[ $status != "$wanted" || $output != *"$text"* ]]; then
    printf 'found that the check %s, wanted that it %s and prints: %s\n%s\n' "$status" "$wanted" "$text" "$output"
    exit 1
  fi
}

cat >"$folder/tests/core/key.test.cpp" <<'TEXT'
TEST_CASE("key: a tag in the line, (and) a [K9] in the name", "[core][K1][P4n]") {}
TEST_CASE("key: a name "
          "in two parts, \"quoted\"",
          "[core][K2]") {
  CHECK(text == "[K7]");
}
TEMPLATE_TEST_CASE("key: of types", "[core][K2]", (pair<int, int>), float) {}
TEXT
printf '// expect: error\n// rule: K3, S1\nint x = "";\n' >"$folder/tests/compile_fail/wrong.cpp"
printf '# rule: S2\nadd_test(NAME code.call COMMAND x)\n# rule: S3\n# Why.\n  codegen_rule(code.jump OBJECT x)\n' \
  >"$folder/tests/core/CMakeLists.txt"

all=$'K1 | tested | one\nK2 | tested | two\nK3 | tested | three\nP4n | tested | four\nS | tested | all of S'
expect passes $'K1    tested          one\n      tests/core/key.test.cpp: key: a tag in the line, (and) a [K9] in the name\n' "$all"
expect passes $'two\n      tests/core/key.test.cpp: key: a name in two parts, "quoted"\n      tests/core/key.test.cpp: key: of types\n' "$all"
expect passes $'three\n      tests/compile_fail/wrong.cpp: compile_fail.wrong\n' "$all"
expect passes $'tests/core/CMakeLists.txt: code.call\n      tests/core/CMakeLists.txt: code.jump\n' "$all"
expect passes '5 tested, 2 not applicable, 1 later' "$all"$'\n# why\n\nT | not applicable | x\nA1 | later | y\nA2 | not applicable | z'

expect fails 'found: K4 is tested, says the list, but no test names it' "$all"$'\nK4 | tested | five'
expect fails 'key: of types" names K2, which the list does not have' "${all/K2 |/K5 |}"
expect fails 'found: K1 is "later", says the list, but has a test' "${all/K1 | tested/K1 | later}"
expect fails 'found: S is "not applicable", says the list, but has a test' "${all/S | tested/S | not applicable}"
expect fails 'found: K1 is in the list twice' "$all"$'\nK1 | tested | one'
expect fails 'the state "done" is none of' "${all/K1 | tested/K1 | done}"
expect fails 'found: line 6 of the list: wanted' "$all"$'\nK6 | later'
expect fails 'found: line 6 of the list: wanted' "$all"$'\nK6 | later | '
expect fails 'found: the list has no rules' '# nothing'

[[ $(bash "$rules/reference_rules.sh" --help) == usage:* ]] || { echo "found no help, wanted usage"; exit 1; }
