#!/usr/bin/env bash
# Compiles the cells for the PyTorch in a folder, as a shared library for bench_operators --torch. Makes only what changed.
# usage: build.sh <compiler> <folder with include and lib, such as site-packages/torch> <shared library to make>
set -euo pipefail

compiler=$1 torch=$(readlink -f -- "$2" || true) target=$3
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
if [[ ! -e $torch/include/ATen/ATen.h || ! -e $torch/lib/libtorch_cpu.so ]]; then
  echo "found no include/ATen/ATen.h and lib/libtorch_cpu.so in '$2', wanted a libtorch or site-packages/torch" >&2
  exit 1
fi

# A wheel keeps the libraries that it links in folders beside it.
folders=("$torch/lib")
for folder in "$torch"/../nvidia/*/lib; do
  [[ ! -d $folder ]] || folders+=("$(readlink -f -- "$folder")")
done
abi=0
! grep -q NSt7__cxx1112basic_string "$torch/lib/libc10.so" || abi=1
options=(-std=c++20 -O1 -w -fPIC -fvisibility=hidden "-D_GLIBCXX_USE_CXX11_ABI=$abi" -I"$here" -I"$here/.."
  -isystem "$torch/include" -isystem "$torch/include/torch/csrc/api/include")

objects=$target.objects
mkdir -p "$objects"
# Another PyTorch, or another way to compile, begins anew.
made_with="$compiler ${options[*]} $(stat -Lc '%s %Y' "$torch/lib/libtorch_cpu.so")"
if [[ $(cat "$objects/made_with" 2>/dev/null) != "$made_with" ]]; then
  rm -f "$objects"/*.o "$target"
  printf '%s\n' "$made_with" >"$objects/made_with"
fi
compile() {
  local source=$1 object
  object=$objects/$(basename -- "${source%.cpp}").o
  if [[ -e $object && -z $(find "$here/.." -newer "$object" \( -name '*.h' -o -path "*/$(basename -- "$source")" \) -print -quit) ]]; then
    return
  fi
  "$compiler" "${options[@]}" -c "$source" -o "$object.new" && mv "$object.new" "$object"
}
export -f compile
declare -p options >"$objects/options"
export here objects compiler
# shellcheck disable=SC2016
printf '%s\0' "$here"/../cells/*.cpp "$here/../side.cpp" "$here/../shape.cpp" "$here/../export.cpp" |
  xargs -0 -n 1 -P "$(nproc)" bash -c 'set -euo pipefail; . "$objects/options"; compile "$1"' _
rpath=$(IFS=:; echo "${folders[*]}")
if [[ ! -e $target || -n $(find "$objects" -name '*.o' -newer "$target" -print -quit) ]]; then
  # The older kind of tag, which holds for the libraries of those libraries too.
  "$compiler" -shared -Wl,-Bsymbolic -Wl,--disable-new-dtags "-Wl,-rpath,$rpath" "-Wl,-rpath-link,$rpath" -o "$target" "$objects"/*.o \
    -Wl,--no-as-needed "$torch/lib/libtorch_cpu.so" "$torch/lib/libc10.so"
fi
