#!/usr/bin/env bash
# docs/operators is what `topbit doc --markdown` prints: a page for each family of operators, and README.md with the list
# of them.
# usage: document.sh <program> <repository>            fails where the pages are not what this script makes
#        document.sh <program> <repository> --update   writes them
set -euo pipefail

program=$1 folder=$2/docs/operators mode=${3:-}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

cat >"$made/README.md" <<'TEXT'
# Operators

What each operator of `topbit.ops` takes, returns, throws and costs: a page for each family. An entry lists all forms
of one operation with their typed handles, in namespace `topbit`. Calls go through the function with the operator's
name: `tb::max` for `aten::max`, `aten::max_dim` and the others. In shapes, `[..]` is any number of dimensions. Errors
are thrown before anything is written. Arguments of the examples are in the syntax of `topbit call`; every example and
every error is run by a test, and every dtype is tried.

These pages are generated from the `*_docs.cpp` of each family by
`tests/pages/document.sh build/quick/bin/topbit . --update`; `topbit doc` prints the same, with the operators of
plugins.

TEXT

# The list comes first, a line for each family; then the families, whose headings rise by one level.
"$program" doc --markdown | awk -v folder="$made" '
  function slug(title) {
    title = tolower(title)
    gsub(/[^a-z0-9_ -]/, "", title)
    gsub(/ /, "-", title)
    return title
  }
  /^- \[/ && page == "" {
    family = substr($0, 4, index($0, "](") - 4)
    anchor = "(" slug(family) ".md"
    sub(/\(#[^)]*\)/, anchor ")")
    gsub(/\(#/, anchor "#")
    print >> (folder "/README.md")
    next
  }
  /^## / { page = folder "/" slug(substr($0, 4)) ".md"; blank = 0; print substr($0, 2) > page; next }
  page == "" { next }
  /^$/ { blank = 1; next }
  { if (blank) print "" > page; blank = 0; print /^### / ? substr($0, 2) : $0 > page }'

if [[ $mode == --update ]]; then
  rm -rf -- "$folder"
  cp -r -- "$made" "$folder"
  chmod 755 "$folder"
elif ! diff -ru -- "$folder" "$made" >&2; then
  printf '%s\n' "docs/operators is out of date; regenerate it with $0 $program $2 --update" >&2
  exit 1
fi
