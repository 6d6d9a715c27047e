#!/usr/bin/env bash
# Shows that layout.sh finds a partition in another folder or list, an import against the order, and an interface that the
# module does not export.
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
# Arguments: file, name, an import, `export ` or nothing.
partition() { printf '// A comment.\n%smodule topbit.toy:%s;\n\nimport topbit.std;\n%s\n' "${4-export }" "$2" "${3:-}" >"$folder/modules/toy/$1"; }
# Arguments: the files of the lists INTERFACE and INTERNAL.
lists() {
  {
    printf 'topbit_module(toy\n  INTERFACE\n    toy/toy.cppm\n'
    printf '    toy/%s\n' $1
    [[ -z ${2:-} ]] || printf '  INTERNAL\n    toy/%s\n' $2
    printf '  LINK topbit::std)\n'
  } >"$folder/modules/CMakeLists.txt"
}

printf 'export module topbit.toy;\n\nexport import :version;\nexport import :keys.key;\n' >"$folder/modules/toy/toy.cppm"
lists 'version.cppm keys/key.cppm' schema/parser.cppm
partition version.cppm version
partition keys/key.cppm keys.key 'import :version;'
partition schema/parser.cppm schema.parser 'import :keys.key;' ''
expect passes 'toy: 3 partitions, 0 out of place'

partition keys/key.cppm keys.key 'import :schema.parser;'
expect fails 'modules/toy/keys/key.cppm:5: found that partition :keys.key imports :schema.parser, which is listed after it in modules/CMakeLists.txt'
partition keys/key.cppm keys.key

partition keys/row.cppm schema.parser
expect fails 'modules/toy/keys/row.cppm: found partition :schema.parser in folder modules/toy/keys, wanted modules/toy/schema/parser.cppm in folder modules/toy/schema'
partition keys/row.cppm keys.row
expect fails 'modules/CMakeLists.txt: found :keys.row in the list of no module, wanted it in INTERFACE'
lists 'version.cppm keys/key.cppm keys/row.cppm' schema/parser.cppm
expect fails 'modules/toy/toy.cppm: found no export of interface :keys.row, wanted export import :keys.row;'
partition keys/row.cppm keys.row '' ''
expect fails 'modules/CMakeLists.txt: found :keys.row in the list INTERFACE, wanted it in INTERNAL'
rm "$folder/modules/toy/keys/row.cppm"

lists 'version.cppm keys/key.cppm schema/parser.cppm keys/row.cppm'
expect fails 'modules/CMakeLists.txt: found :keys.row behind another folder, wanted it beside the others of its folder'
lists 'version.cppm keys/key.cppm' schema/parser.cppm
printf 'import :schema.parser;\n' >>"$folder/modules/toy/toy.cppm"
expect fails 'modules/toy/toy.cppm: found an import of :schema.parser, wanted exported partitions only'
