#!/usr/bin/env bash
# Where the partitions of a module are, and what they import. A partition `folder.name` of module topbit.m is the file
# modules/m/folder/name.cppm, `name` alone modules/m/name.cppm. An interface stands in the list INTERFACE of the module's
# CMake target and is exported by modules/m/m.cppm; another partition stands in the list INTERNAL. A partition imports
# only those before it in the two lists, and the partitions of a folder stand together in each, so that folders depend in
# one direction.
# usage: layout.sh <root of the tree>
set -euo pipefail

cd -- "$1"
for primary in modules/*/*.cppm; do
  module=$(basename "$(dirname "$primary")")
  [[ $primary == "modules/$module/$module.cppm" ]] || continue
  list=modules/CMakeLists.txt
  if [[ -e modules/$module/CMakeLists.txt ]]; then list=modules/$module/CMakeLists.txt; fi
  if [[ -e modules/topbit_$module.cmake ]]; then list=modules/topbit_$module.cmake; fi
  find "modules/$module" -name '*.cppm' ! -path "$primary" | sort | xargs -r awk -v module="$module" -v primary="$primary" -v list="$list" '
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
        if (line ~ /^export import :/) exported[partition(line)] = 1
        else if (line ~ /^import :/) wrong(primary ": found an import of :" partition(line) ", wanted exported partitions only")
      }
      prefix = list == "modules/" module "/CMakeLists.txt" ? "" : module "/"
      while ((getline line < list) > 0) {
        name = line
        sub(/^ */, "", name)
        if (name ~ /^(INTERFACE|INTERNAL)$/) { kind = name; last = "" }
        else if (name ~ /^[A-Z]/) kind = ""
        if (kind == "" || name !~ /[.]cppm$/ || index(name, prefix) != 1) continue
        sub(prefix, "", name)
        sub(/[.]cppm$/, "", name)
        gsub(/\//, ".", name)
        place[name] = ++count
        listed_as[name] = kind
        folder = name ~ /[.]/ ? substr(name, 1, index(name, ".") - 1) : ""
        if (folder != last && (kind folder) in listed) wrong(list ": found :" name " behind another folder, wanted it beside the others of its folder")
        listed[kind (last = folder)]
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
      kind = /^export/ ? "INTERFACE" : "INTERNAL"
      if (listed_as[name] != kind) wrong(list ": found :" name " in the list " (name in place ? listed_as[name] : "of no module") ", wanted it in " kind)
      if (kind == "INTERFACE" && !(name in exported)) wrong(primary ": found no export of interface :" name ", wanted export import :" name ";")
    }
    name != "" && /^(export )?import :/ {
      import = partition($0)
      if (name in place && place[import] >= place[name])
        wrong(FILENAME ":" FNR ": found that partition :" name " imports :" import ", which is listed after it in " list)
    }
    END {
      print module ": " partitions + 0 " partitions, " failures + 0 " out of place"
      exit failures != 0
    }' || failed=1
done
exit "${failed:-0}"
