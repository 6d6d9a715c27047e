#!/usr/bin/env bash
# Which of PyTorch's dispatcher rules is tested where: compares tests/rules/reference_rules.txt with what the tests name.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: reference_rules.sh <root of the tree>
       reference_rules.sh --help

Prints every rule of tests/rules/reference_rules.txt, its state, its title, and the tests that name it:
  a Catch2 case                      by a tag, [K8]
  a program that must not compile    by a line of its own, // rule: K8, K19
  a test stated in a CMakeLists.txt  by a line above it, # rule: S8

A line of the list is  <rule> | <state> | <title, or the reason for the state>.  A line with the letter alone stands
for all rules of that letter. States: tested, at least one test names the rule; not applicable, there is nothing like
it here; later, a part that is still to come brings it.

Fails if a tested rule has no test, if a test names a rule that the list does not have, if a rule in another state
has a test, or if a line of the list is no such line.
TEXT
}

case ${1:---help} in
  -h | --help)
    usage
    exit 0
    ;;
esac

cd -- "$1"
list=tests/rules/reference_rules.txt
if [[ ! -f $list ]]; then
  echo "found no $list"
  exit 1
fi

tags=$(find tests -type f \( -name '*.cpp' -o -name CMakeLists.txt \) -print0 | LC_ALL=C sort -z |
  xargs -0 -r awk -f tests/rules/rule_tags.awk)

awk -F '\t' '
  function trimmed(s) { sub(/^ +/, "", s); sub(/ +$/, "", s); return s }
  function problem(s) { problems[++problem_count] = s }

  # The list comes first, on standard input the tests.
  !reads_tests {
    if ($0 == "" || /^#/) next
    n = split($0, part, "|")
    id = trimmed(part[1])
    if (n != 3 || id !~ /^[A-Z]([0-9]+[a-z]*)?$/ || trimmed(part[3]) == "") {
      problem("line " FNR " of the list: wanted <rule> | <state> | <title or reason>, found: " $0)
    } else if (id in state) {
      problem(id " is in the list twice")
    } else {
      order[++rules] = id
      state[id] = trimmed(part[2])
      title[id] = trimmed(part[3])
      if (state[id] !~ /^(tested|not applicable|later)$/) {
        problem(id ": the state \"" state[id] "\" is none of tested, not applicable, later")
      }
    }
    next
  }
  $1 != "" {
    id = $1
    if (!(id in state) && substr(id, 1, 1) in state) id = substr(id, 1, 1)
    if (id in state) tests[id] = tests[id] "\n      " $2 ": " $3
    else problem($2 ": \"" $3 "\" names " id ", which the list does not have")
  }
  END {
    for (i = 1; i <= rules; i++) {
      id = order[i]
      printf "%-5s %-14s  %s%s\n", id, state[id], title[id], tests[id]
      count[state[id]]++
      if (state[id] == "tested" && tests[id] == "") problem(id " is tested, says the list, but no test names it")
      if (state[id] != "tested" && tests[id] != "") problem(id " is \"" state[id] "\", says the list, but has a test")
    }
    if (rules == 0) problem("the list has no rules")
    printf "%d tested, %d not applicable, %d later\n", count["tested"], count["not applicable"], count["later"]
    for (i = 1; i <= problem_count; i++) print "found: " problems[i]
    exit problem_count != 0
  }
' "$list" reads_tests=1 - <<<"$tags"
