#!/usr/bin/env bash
# Writes docs/diagnostics.md from the programs in this folder that must not compile: each mistake, what the compiler
# says to it, with the note that helps where the error does not, and its fix. The same files are the tests, so the page says what is so.
# usage: page.sh <repository>            fails where the page is not what this script makes
#        page.sh <repository> --update   writes it
#        page.sh <repository> --print    prints it
set -euo pipefail

root=$1 mode=${2:-}
folder=$root/tests/compile_fail page=$root/docs/diagnostics.md

# In the order of the page. A file says which it belongs to: `// topic: kernels`.
topics=(
  "modules:Modules"
  "keys:Keys"
  "schemas:Schemas"
  "defaults:Defaults"
  "types:Types that cannot travel in boxes"
  "registering:Registering"
  "kernels:Kernels"
  "names:Kernels by name"
  "boxed:Boxed kernels and fallbacks"
  "sets:Kernel sets"
  "calls:Calls"
  "functions:Functions of several operators"
  "rules:Rules: meta functions, batching, gradients"
  "autocast:Autocast"
  "batching:Batching"
  "training:Networks"
  "tables:Operator tables"
)

read -r -d '' program <<'AWK' || true
function fail(what) { print FILENAME ": " what > "/dev/stderr"; bad = 1; exit 1 }

# The text that a regular expression of a test stands for: it is literal, but for escapes and ".*".
function text_of(regex,   out, i, c) {
  if (regex !~ /^(error|note): /) fail("'// expect:' begins with 'error: ' and is the whole line")
  if (regex !~ /[^\\]\$$/) fail("'// expect:' ends with '$', so that the page shows all of the message")
  regex = substr(regex, 1, length(regex) - 1)
  for (i = 1; i <= length(regex); ++i) {
    c = substr(regex, i, 1)
    if (c == "\\") out = out substr(regex, ++i, 1)
    else if (substr(regex, i, 2) == ".*") { out = out "..."; ++i }
    else if (index(".*+?()[]{}|^$", c)) fail("'// expect:' has '" c "' unescaped; only '.*' may stand for anything")
    else out = out c
  }
  return out
}

FNR == 1 {
  if ($0 !~ /^\/\/ expect: /) fail("found no '// expect: <regular expression>' on its first line, wanted one")
  message = text_of(substr($0, 12))
  head = 1
  next
}
head && /^\/\/ rule: / { next }
head && /^\/\/ note: / { message = message "\n" text_of(substr($0, 4)); next }
head && /^\/\/ topic: / { topic = substr($0, 11); next }
head && /^\/\/ / { title = title (title == "" ? "" : " ") substr($0, 4); next }
{ head = 0 }
/^#ifndef FIXED$/ { part = 1; ++sections; next }
part && /^#else$/ { part = 2; next }
part && /^#endif( .*)?$/ { if (part == 1) fail("'#ifndef FIXED' has no '#else' with the fix"); part = 0; next }
{
  if (part) sub(/^# +/, "#")  # which clang-format indents
  if (part != 2) mistake = mistake $0 "\n"
  if (part == 2) fix = fix $0 "\n"
}
END {
  if (bad) exit 1
  if (title == "") fail("found no comment that says what the mistake is, wanted a sentence below '// expect:'")
  if (topic == "") fail("found no '// topic: <topic>', wanted one of:" known)
  if (index(known " ", " " topic " ") == 0) fail("found the topic '" topic "', wanted one of:" known)
  if (sections == 0 || fix == "") {
    fail("found no fix; put the mistake between '#ifndef FIXED' and '#else', and what is right between that and '#endif'")
  }
  if (part != 0) fail("'#ifndef FIXED' has no '#endif'")
  sub(/^\n+/, "", mistake); sub(/\n+$/, "\n", mistake); gsub(/\n\n\n+/, "\n\n", mistake)
  page = parts "/" topic
  sub(/\.$/, "", title)
  print "### " title "\n" >> page
  print "```cpp\n" mistake "```\n" >> page
  print "```text\n" message "\n```\n" >> page
  print "Fixed:\n" >> page
  print "```cpp\n" fix "```\n" >> page
}
AWK

known=''
for topic in "${topics[@]}"; do known+=" ${topic%%:*}"; done

parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
for file in "$folder"/*.cpp; do
  awk -v known="$known" -v parts="$parts" "$program" "$file"
done

make_page() {
  cat <<'TEXT'
# What the compiler says

Mistakes, the first error line of clang for each, without the place before it, and the fix. `...` stands for a part that
depends on the machine. Every program here is a test: the mistake must fail with this very line, the fix must compile.

This page is made from `tests/compile_fail` by `tests/compile_fail/page.sh . --update`.

TEXT
  local topic
  for topic in "${topics[@]}"; do
    [[ ! -e $parts/${topic%%:*} ]] || printf '## %s\n\n%s\n\n' "${topic#*:}" "$(<"$parts/${topic%%:*}")"
  done
}

made=$(make_page)
case $mode in
  --print) printf '%s\n' "$made" ;;
  --update) printf '%s\n' "$made" >"$page" ;;
  *)
    if ! diff -u "$page" <(printf '%s\n' "$made"); then
      echo "docs/diagnostics.md is not what tests/compile_fail/page.sh makes of the programs there; run it with --update"
      exit 1
    fi
    ;;
esac
