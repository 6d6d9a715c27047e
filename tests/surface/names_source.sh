#!/usr/bin/env bash
# Prints a program that imports one module and names everything that it is listed to export, each once.
# usage: names_source.sh <exported_names.txt> <module> <interface units that may re-export>...
set -euo pipefail

list=$1 module=$2
shift 2
# The module itself, and what its primary interface unit exports of others.
modules=$(printf '%s\n' "$module" && awk -v module="$module" '
  FNR == 1 { mine = 0 }
  $0 == "export module " module ";" { mine = 1 }
  mine && /^export import [a-z]/ { sub(/;.*/, "", $3); print $3 }' "$@")
printf 'import %s;\n' "$module"
awk -v modules="$modules" '
  BEGIN { count = split(modules, names, "\n"); for (i = 1; i <= count; i++) wanted[names[i]] = 1 }
  $1 in wanted { printf "namespace n%d { using %s; }\n", NR, $2; found++ }
  END { if (!found) { print "#error \"found no exported names, wanted some\"" } }' "$list"
printf 'int main() {}\n'
