#!/usr/bin/env bash
# Shows that links.sh finds links that lead nowhere, and passes those that lead somewhere.
# usage: links_test.sh <folder of links.sh>
set -euo pipefail

rules=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Arguments: passes or fails, what it must print, further arguments of the check.
expect() {
  local wanted=$1 text=$2 status=passes output
  shift 2
  output=$(bash "$rules/links.sh" "$folder" "$@") || status=fails
  if [[ $status != "$wanted" || $output != *"$text"* ]]; then
    printf 'found that the check %s, wanted that it %s and prints: %s\n%s\n' "$status" "$wanted" "$text" "$output"
    exit 1
  fi
}

expect fails 'found no Markdown files'
mkdir -p "$folder"/{docs/design,modules,build}
printf '# Title\n\nSee [the design](docs/design/dispatch.md#one-call-step-by-step), [modules](modules), [here](#title),\n[web](https://example.org/none.md#x) and ![a picture](docs/a.svg).\n' \
  >"$folder/README.md"
printf '# Dispatch\n\n## One call, step by step\n\n## Twice\n\n## `Twice`\n\n[up](../../README.md) [second](#twice-1) `[code](none.md)`\n\n```\n[code](none.md)\n## None\n```\n\n<a id="place"></a>\n[place](#place)\n' \
  >"$folder/docs/design/dispatch.md"
touch "$folder/docs/a.svg"
printf '[not looked at](none.md)\n' >"$folder/build/page.md"
expect passes '7 links, 0 wrong'

# Each is a line of docs/page.md, with what must be said about it.
while IFS='|' read -r text message; do
  printf '# Page\n\n%s\n' "$text" >"$folder/docs/page.md"
  expect fails "docs/page.md:3: found the link $message"
  expect passes '0 wrong' README.md
done <<'TEXT'
[x](none.md)|none.md, wanted a file docs/none.md
![x](none.svg)|none.svg, wanted a file docs/none.svg
one [x](../README.md) and [y](../README.md#none)|../README.md#none, wanted a heading #none in README.md
[x](#none)|#none, wanted a heading #none in docs/page.md
[x](design/dispatch.md#none)|design/dispatch.md#none, wanted a heading #none in docs/design/dispatch.md
[x](design/dispatch.md#twice-2)|design/dispatch.md#twice-2, wanted a heading #twice-2 in docs/design/dispatch.md
[x](../../other/README.md)|../../other/README.md, which leads out of the tree, wanted a file inside it
[x](/README.md)|/README.md, wanted a path relative to the file
[x](a.svg#part)|a.svg#part, wanted no anchor, since docs/a.svg is not a Markdown file
[x]()|, wanted a file or an anchor
[x]: none.md|none.md, wanted a file docs/none.md
TEXT

[[ $(bash "$rules/links.sh" --help) == usage:* ]] || { echo "found no help, wanted usage"; exit 1; }
