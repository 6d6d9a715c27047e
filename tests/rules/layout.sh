#!/usr/bin/env bash
# Where the partitions of a module are, and what they import. A partition `folder.name` of module topbit.m is the file
# modules/m/folder/name.cppm, `name` alone modules/m/name.cppm. If it is an interface, it stands in the list of imports of
# modules/m/m.cppm, and imports only partitions that stand before it there, so that folders depend in one direction.
# usage: layout.sh <root of the tree>
set -euo pipefail

cd -- "$1"
for primary in modules/*/*.cppm; do
  module=$(basename "$(dirname "$primary")")
  [[ $primary == "modules/$module/$module.cppm" ]] || continue
  find "modules/$module" -name '*.cppm' ! -path "$primary" | sort | xargs -r awk -v module="$module" -v primary="$primary" '
    # The name in "import :name;" or "export module topbit.m:name;", else nothing.
    function partition(line) {
      if (line !~ /^(export )?(import|module) [a-z_.]*:[a-z0-9_.]+;/) return ""
      sub(/^[^:]*:/, "", line)
      sub(/;.*/, "", line)
      return line
    }
    function wrong(text) { print text; failures++ }
    BEGIN {
      while ((getline line < primary) > 0) {
        if (line !~ /import/ || partition(line) == "") continue
        place[name = partition(line)] = ++count
        folder = name ~ /[.]/ ? substr(name, 1, index(name, ".") - 1) : ""
        if (folder != last && folder in listed) wrong(primary ": found :" name " behind another folder, wanted it beside the others of its folder")
        listed[last = folder]
      }
    }
    FNR == 1 { name = "" }
    name == "" && /^(export )?module / {
      name = partition($0)
      name_path = name
      gsub(/[.]/, "/", name_path)
      wanted = "modules/" module "/" name_path ".cppm"
      if (name == "") next
      partitions++
      folder = FILENAME; sub(/\/[^\/]*$/, "", folder)
      belongs = wanted; sub(/\/[^\/]*$/, "", belongs)
      if (FILENAME != wanted) wrong(FILENAME ": found partition :" name " in folder " folder ", wanted " wanted " in folder " belongs)
      is_interface = /^export/
      if (is_interface && !(name in place)) wrong(FILENAME ": found no import of partition :" name " in " primary)
    }
    name != "" && /^(export )?import :/ {
      import = partition($0)
      if (name in place && import in place && place[import] >= place[name])
        wrong(FILENAME ":" FNR ": found that partition :" name " imports :" import ", which is listed after it in " primary)
      if (is_interface && !(import in place)) wrong(FILENAME ":" FNR ": found an import of :" import ", which " primary " does not list")
    }
    END {
      print module ": " partitions + 0 " partitions, " failures + 0 " out of place"
      exit failures != 0
    }' || failed=1
done
exit "${failed:-0}"
