# Steps of `./dev bench`, which reads this file and defines $build, $preset, say, note and fail. Not run by itself.
# shellcheck shell=bash disable=SC2154

# Instructions per call of a program's cases, the named ones or all, unless they were counted since it was built.
count_instructions() {
  local program=$1 file=$2
  shift 2
  [[ -e $file && $file -nt $program ]] && return 0
  say "counting instructions of $(basename -- "$program")"
  bench/dispatch/icount.sh "$program" "$file" "$@"
}

bench_dispatch() {
  local program=$build/bin/bench_dispatch peer=bench_dispatch_libtorch flags=()
  if command -v valgrind >/dev/null; then
    count_instructions "$program" "$build/icount.json"
    flags=(--icount "$build/icount.json")
  fi
  # CMake knows the peer's program only where it found libtorch.
  if grep -q "$peer" "$build/build.ninja"; then
    if cmake --build --preset "$preset" --target "$peer"; then
      if command -v valgrind >/dev/null; then
        # The cases the table asks for: libtorch takes a while to start.
        count_instructions "$build/bin/$peer" "$build/icount_libtorch.json" \
          dispatch/{function_pointer,unboxed,boxed_kernel,boxed_fallback,call_boxed,{redispatch,guard_and_call}/{1,4}}
        flags+=(--libtorch-icount "$build/icount_libtorch.json")
      fi
      say "running $peer"
      "$build/bin/$peer" "$@" --no-table --json "$build/libtorch.json"
      flags+=(--libtorch "$build/libtorch.json")
    else
      note "$peer cannot be built with the libtorch found here, so the table goes without it"
    fi
  fi
  say "running bench_dispatch"
  "$program" "${flags[@]}" "$@"
}

# The kernels beside other libraries, and what gnuplot draws of that.
bench_kernels() {
  local program=$build/bin/bench_kernels folder=$build/bench_kernels words=() word docs=no
  for word in "$@"; do
    if [[ $word == --docs ]]; then docs=yes; else words+=("$word"); fi
  done
  if [[ $docs == yes && " ${words[*]} " =~ \ --(quick|filter) ]]; then
    fail 2 "found --docs beside ${BASH_REMATCH[0]}, wanted all rows for docs/performance.md"
  fi
  if cmake --build --preset "$preset" --target bench_kernels_peers; then
    program+=_peers
  else
    note "bench_kernels_peers cannot be built with the libraries found here, so topbit is measured alone"
  fi
  if [[ " ${words[*]} " =~ \ --(help|list)\  ]]; then
    "$program" "${words[@]}"
    return
  fi
  say "running $(basename -- "$program")"
  mkdir -p "$folder/data"
  rm -f "$folder"/data/*
  [[ $docs == no ]] || words+=(--page docs/performance.md)
  "$program" --json "$folder/kernels.json" --plots "$folder/data" "${words[@]}"
  local plots=$folder status=0
  [[ $docs == no ]] || plots=docs/performance
  say "drawing"
  bench/kernels/plots/draw.sh "$folder/data" "$plots" || status=$?
  ((status == 2)) || return "$status"
}

# Every operator beside the PyTorch in a folder, whose cells are compiled here with its own headers, or beside those of
# another build of topbit.
bench_operators() {
  local folder=$build/bench_operators torch='' beside=no words=() peer=()
  while (($#)); do
    case $1 in
      --torch)
        (($# > 1)) || fail 2 "found --torch without a folder, wanted one with include and lib, such as site-packages/torch"
        torch=$2
        shift
        ;;
      --torch=*) torch=${1#*=} ;;
      --beside | --beside=*)
        beside=yes
        words+=("$1")
        ;;
      *) words+=("$1") ;;
    esac
    shift
  done
  mkdir -p "$folder"
  if [[ " ${words[*]} " =~ \ --(help|list)\  || " ${words[*]} " == *" -h "* ]]; then
    "$build/bin/bench_operators" "${words[@]}"
    return
  fi
  if [[ $beside == yes ]]; then
    [[ -z $torch ]] || fail 2 "found --torch with --beside, wanted one of them"
    build bench_operators_cells
    say "running bench_operators"
    "$build/bin/bench_operators" --json "$folder/beside.json" "${words[@]}"
    return
  fi
  torch=${torch:-${TOPBIT_TORCH:-}}
  if [[ -n $torch ]]; then
    say "building the cells for the PyTorch in $torch, a minute or two the first time"
    bench/operators/torch/build.sh "$compiler" "$torch" "$folder/cells.so" || fail 1 "PyTorch's cells cannot be built; the reason is above"
    peer=(--torch "$folder/cells.so")
  else
    note "found neither --torch nor TOPBIT_TORCH, so topbit is measured alone; a folder with include and lib, such as"
    note "site-packages/torch of 'pip install torch', gives ratios"
  fi
  say "running bench_operators"
  "$build/bin/bench_operators" "${peer[@]}" --json "$folder/operators.json" --svg "$folder/operators.svg" "${words[@]}"
}
