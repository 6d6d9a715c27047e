#!/usr/bin/env bash
# docs/operators.md is what `topbit doc --markdown` prints, below a head of its own.
# usage: document.sh <program> <repository>            fails where the page is not what this script makes
#        document.sh <program> <repository> --update   writes it
set -euo pipefail

program=$1 page=$2/docs/operators.md mode=${3:-}

made() {
  cat <<'TEXT'
# Operators

What each operator of `topbit.ops` takes, returns, throws and costs. An entry lists all forms of one operation with their typed
handles, in namespace `topbit`. Calls go through the function with the operator's name: `tb::max` for `aten::max`, `aten::max_dim` and the others. In shapes, `[..]` is any number of dimensions. Errors are thrown before anything is written; in addition to those listed
there is `device_error` if tensors of one call are on different devices. Arguments of the examples are in the syntax of `topbit call`; every example
and every error is run by a test, and every dtype is tried.

This page is generated from the data in `modules/operator_docs` by `tests/pages/document.sh build/release/bin/topbit . --update`;
`topbit doc` prints the same, with the operators of plugins.

TEXT
  "$program" doc --markdown
}

if [[ $mode == --update ]]; then
  made >"$page.new"
  mv -- "$page.new" "$page"
elif ! made | diff -u -- "$page" - >&2; then
  printf '%s\n' "docs/operators.md is out of date; regenerate it with $0 $program $2 --update" >&2
  exit 1
fi
