#!/usr/bin/env bash
# Shows that layout.sh finds a partition in another folder, an import against the order, and one that is not listed.
# usage: layout_test.sh <folder of layout.sh>
set -euo pipefail

rules=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/modules/toy/{keys,schema}

# Arguments: passes or fails, what it must print.
expect() {
  local wanted=$1 text=$2 status=passes output
  output=$(bash "$rules/layout.sh" "$folder") || status=fails
  if [[ $status != "$wanted" || $output != *"$text"* ]]; then
    printf 'found that the check %s, wanted that it %s and prints: %s\n%s\n' "$status" "$wanted" "$text" "$output"
    exit 1
  fi
}
partition() { printf '// A comment.\nexport module topbit.toy:%s;\n\nimport topbit.std;\n%s\n' "$2" "${3:-}" >"$folder/modules/toy/$1"; }

printf 'export module topbit.toy;\n\nexport import :version;\nexport import :keys.key;\nimport :schema.parser;\n' >"$folder/modules/toy/toy.cppm"
partition version.cppm version
partition keys/key.cppm keys.key 'import :version;'
partition schema/parser.cppm schema.parser 'export import :keys.key;'
expect passes 'toy: 3 partitions, 0 out of place'

partition keys/key.cppm keys.key 'import :schema.parser;'
expect fails 'modules/toy/keys/key.cppm:5: found that partition :keys.key imports :schema.parser, which is listed after it in modules/toy/toy.cppm'
partition keys/key.cppm keys.key 'import :text;'
expect fails 'modules/toy/keys/key.cppm:5: found an import of :text, which modules/toy/toy.cppm does not list'
partition keys/key.cppm keys.key

partition keys/row.cppm schema.parser
expect fails 'modules/toy/keys/row.cppm: found partition :schema.parser in folder modules/toy/keys, wanted modules/toy/schema/parser.cppm in folder modules/toy/schema'
partition keys/row.cppm keys.row
expect fails 'modules/toy/keys/row.cppm: found no import of partition :keys.row in modules/toy/toy.cppm'
rm "$folder/modules/toy/keys/row.cppm"

partition keys/row.cppm keys.row
printf 'import :keys.row;\n' >>"$folder/modules/toy/toy.cppm"
expect fails 'modules/toy/toy.cppm: found :keys.row behind another folder, wanted it beside the others of its folder'
