#!/usr/bin/env bash
# RUNPATH and RPATH name the folders in which the dynamic linker looks for libraries. An empty entry is the working
# directory, and a relative one begins there: whoever writes to that folder decides which code runs. Passes if no binary
# below the folders has such an entry, nor one that ends in '/', which is what an empty variable leaves behind.
# usage: runpath.sh <folder>...
set -euo pipefail

binaries=0 wrong=0
while IFS= read -r -d '' file; do
  dynamic=$(readelf -d "$file" 2>/dev/null) || continue
  binaries=$((binaries + 1))
  while IFS= read -r path; do
    while IFS= read -r -d : entry; do
      [[ $entry == */ || ! $entry =~ ^(/|'$ORIGIN'(/|$)) ]] || continue
      echo "$file: found the entry '$entry' in '$path', wanted a full path or one that begins with \$ORIGIN"
      wrong=$((wrong + 1))
      break
    done <<<"$path:"
  done < <(sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]$/\2/p' <<<"$dynamic")
done < <(find "$@" -type f \( -perm -u+x -o -name '*.so' -o -name '*.so.*' \) ! -name '*.o' ! -path '*/CMakeFiles/*' -print0)
echo "$binaries binaries, $wrong wrong paths"
((binaries > 0 && wrong == 0))
