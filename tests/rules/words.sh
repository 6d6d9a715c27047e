#!/usr/bin/env bash
# Finds retired words in the documentation, in comments of interfaces, in messages and in test titles.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: words.sh <root of the tree> [path...]
       words.sh --help

Looks for the words of tests/rules/retired_words.txt in

  *.md, docs/**/*.md                   prose and code spans, not code blocks
  modules/**/*.cppm, kernels/abi/*.h   comments
  modules/**, kernels/**               string literals
  tests/**/*.cpp                       names of test cases

and fails if it finds one; with paths, only in files below these. Comments and literals that go on in the next line are
joined first. A line of the list is

  <pattern> | <what to say instead> [ | <what the pattern may be part of>]

with extended regular expressions in lower case, which match whole words whatever their case.
TEXT
}

case ${1:---help} in
  -h | --help)
    usage
    exit 0
    ;;
esac

cd -- "$1"
shift
list=tests/rules/retired_words.txt
if [[ ! -f $list ]]; then
  echo "found no $list"
  exit 1
fi

files=$({
  ls -- *.md 2>/dev/null || true
  find docs -name '*.md' 2>/dev/null || true
  find modules kernels tests -type f \( -name '*.cppm' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.h' \) \
    ! -path 'tests/rules/*' 2>/dev/null || true
} | sed '/^docs\/diagnostics\.md$/d' | LC_ALL=C sort)
if (($# > 0)); then
  files=$(for path in "$@"; do grep -E "^${path%/}(/|$)" <<<"$files" || true; done)
fi
if [[ -z $files ]]; then
  echo "found no files, wanted the sources of topbit"
  exit 1
fi

tr '\n' '\0' <<<"$files" | xargs -0 awk -f tests/rules/words.awk | awk -F '\t' -v list="$list" '
  BEGIN {
    while ((getline line < list) > 0) {
      if (line == "" || line ~ /^#/) continue
      parts = split(line, part, / \| /)
      if (parts < 2 || parts > 3) {
        print "line of " list ": wanted <pattern> | <instead> [ | <exception>], found: " line
        wrong++
        continue
      }
      pattern[++patterns] = "(^|[^[:alnum:]_])(" part[1] ")([^[:alnum:]_]|$)"
      instead[patterns] = part[2]
      except[patterns] = parts == 3 ? part[3] : ""
    }
    if (patterns == 0) {
      print "found no patterns in " list
      wrong++
    }
  }
  {
    texts++
    text = tolower($3)
    for (i = 1; i <= patterns; i++) {
      if (!match(text, pattern[i])) continue
      rest = text
      if (except[i] != "") gsub(except[i], "", rest)
      if (!match(rest, pattern[i])) continue
      found = substr(rest, RSTART, RLENGTH)
      gsub(/^[^[:alnum:]]+|[^[:alnum:]]+$/, "", found)
      printf "%s: found \"%s\" in a %s, say: %s\n", $1, found, $2, instead[i]
      wrong++
    }
  }
  END {
    printf "%d texts, %d patterns, %d retired words\n", texts, patterns, wrong
    exit wrong != 0 || texts == 0
  }
'
