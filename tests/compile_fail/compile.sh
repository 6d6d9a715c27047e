#!/usr/bin/env bash
# Compiles a source without FIXED, by the command that the build folder has for it with FIXED, and keeps no object. The
# build with FIXED imports the same modules, so that this one needs no build tool.
# usage: compile.sh <build folder> <source> [<option>...]
set -euo pipefail

build=$1 source=$2
shift 2
object=compile_fail_fixed.dir/$(basename -- "$source").o
command=$(sed -n "s|^ *\"command\": \"\(.*/$object .*\)\",\$|\1|p" "$build/compile_commands.json" | sed 's/\\\(["\\]\)/\1/g')
if [[ -z $command ]]; then
  echo "$build/compile_commands.json: found no command for $object, wanted one; build the target compile_fail_fixed"
  exit 1
fi
cd -- "$build"
eval "words=($command)"
kept=()
for word in "${words[@]}"; do
  case $word in
    -DFIXED | -w) ;;
    *"$object") kept+=(/dev/null) ;;
    *) kept+=("$word") ;;
  esac
done
exec "${kept[@]}" "$@"
