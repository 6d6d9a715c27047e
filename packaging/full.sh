# The sections of `./dev test full`, read by ./dev, which defines $preset, $build, $compiler, say, note, fail, setup, build,
# run_tests and command_tidy. Not run by itself.
# shellcheck shell=bash disable=SC2154

full_results=build/full_results.tsv

# Name, usual minutes from nothing on two cores, what it does. A section needs no other one, but builds what is not there.
full_sections=(
  "cuda 20 the kernels of CUDA by nvcc"
  "library 25 the library and the program, optimised, for all instruction sets"
  "programs 30 tests, examples and benchmarks, optimised"
  "tests 12 all tests with all their random cases, for all instruction sets"
  "random-1 25 a quarter of the tests with ten times their random cases"
  "random-2 25 the second quarter"
  "random-3 25 the third"
  "random-4 25 the fourth"
  "floats 25 every float of every function"
  "doubles 10 many doubles and pairs of every function of two arguments"
  "graphs 10 a hundred thousand random programs, recorded and replayed"
  "fuzz-schema 5 five minutes of fuzzing"
  "fuzz-safetensors 5 five minutes of fuzzing"
  "fuzz-graphs 15 ten million inputs"
  "fuzz-matrix_market 15 ten million inputs"
  "fuzz-gguf 15 ten million inputs"
  "emulation 20 the kernels of CUDA compiled for the host with the address sanitizer, and the tests that run them"
  "tidy-modules 25 clang-tidy over modules"
  "tidy-rest 15 clang-tidy over kernels, examples and benchmarks"
  "bookworm 25 the commands of README.md in a bare Debian 12"
  "trixie 25 the same in Debian 13"
  "opencl 10 the backend of examples/opencl"
  "safetensors 2 damaged files of tensors, read by topbit and by the package safetensors"
)

full_usage() {
  cat <<'TEXT'
usage: ./dev test full [section...]
       ./dev test full --list | --help

Runs the named sections, or all of them in this order, which takes hours. One that fails does not stop the others.
build/full_results.tsv keeps the last result of each, with its date, and build/full/<section>.log what it printed. A
section whose software is not found is skipped, which is not a pass; its row says what is missing.

section              minutes from nothing on two cores
TEXT
  local line name minutes what
  for line in "${full_sections[@]}"; do
    read -r name minutes what <<<"$line"
    printf '  %-18s %3d  %s\n' "$name" "$minutes" "$what"
  done
}

# Ends a section as one that cannot run here.
skip() {
  printf '%s\n' "$1"
  exit 77
}

run_full_section() {
  local corpus until
  case $1 in
    cuda)
      [[ -n $(find_nvcc) ]] || skip 'found no nvcc'
      build topbit_kernels_cuda
      ;;
    library) build topbit_cli ;;
    programs) build ;;
    tests)
      build
      TOPBIT_TEST_SCALE=${TOPBIT_TEST_SCALE:-1} run_tests tests.xml --timeout 1800
      ;;
    random-*)
      build
      TOPBIT_TEST_SCALE=${TOPBIT_TEST_SCALE:-10} run_tests some_tests.xml --timeout 7200 --tests-information "${1#random-},,4"
      ;;
    floats | doubles)
      build kernel_tests
      local cases='accuracy: no float exceeds*'
      [[ $1 == floats ]] || cases='accuracy: doubles and pairs*'
      "$build/bin/kernel_tests" "$cases" || fail 1 "some functions are less exact than kernels/common/accuracy.h says"
      ;;
    graphs)
      build test_graphs
      TOPBIT_TEST_SCALE=200 "$build/bin/test_graphs" "[random]" || fail 1 "a replay or a pass computes something else"
      ;;
    fuzz-*)
      corpus=${1/-/_}
      grep -q "bin/$corpus:" <(ninja -C "$build" -t targets all) || skip "this configuration has no $corpus"
      build "$corpus"
      until=-max_total_time=300
      [[ ! $1 =~ -(graphs|matrix_market|gguf)$ ]] || until=-runs=10000000
      mkdir -p "$build/$corpus"
      "$build/bin/$corpus" "$until" -max_len=2000 -rss_limit_mb=1000 -timeout=10 -verbosity=0 \
        -artifact_prefix="$build/$corpus/" "$build/$corpus" "tests/fuzz/${corpus#fuzz_}" ||
        fail 1 "$corpus found an input; it is in $build/$corpus"
      ;;
    emulation)
      TOPBIT_PRESET=asan TOPBIT_TEST_SCALE=${TOPBIT_TEST_SCALE:-0.05} ./dev test -DTOPBIT_CUDA=HOST
      ;;
    tidy-modules) command_tidy --all modules ;;
    tidy-rest) command_tidy --all kernels examples bench ;;
    bookworm | trixie) packaging/bare_root.sh "$1" ;;
    opencl)
      packaging/opencl.sh --check
      build
      packaging/opencl.sh "$build" "$compiler"
      ;;
    safetensors)
      python3 -c 'import safetensors' 2>/dev/null || skip 'found no package safetensors of Python; pip install safetensors'
      build test_training
      python3 tests/training/compare_safetensors.py "$build/bin/test_training"
      ;;
  esac
}

# full_row <section> <result> <seconds> <reason>: puts it in the file instead of the section's last row.
full_row() {
  local processor kept
  processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  kept=$(awk -F '\t' -v name="$1" 'FNR > 1 && $1 != name' "$full_results" 2>/dev/null || true)
  {
    printf 'section\tresult\tdate\tseconds\tcommit\tprocessor\treason\n'
    [[ -z $kept ]] || printf '%s\n' "$kept"
    printf '%s\t%s\t%s\t%d\t%s\t%s\t%s\n' "$1" "$2" "$(date -u '+%Y-%m-%d %H:%M')" "$3" \
      "$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)" "${processor:-unknown}" "$4"
  } >"$full_results.part"
  mv -f "$full_results.part" "$full_results"
}

test_full() {
  local known=() wanted=("$@") name line minutes=0 failed=0 skipped=0
  for line in "${full_sections[@]}"; do known+=("${line%% *}"); done
  for name in "$@"; do
    case $name in
      -h | --help | --list)
        full_usage
        return
        ;;
    esac
    [[ " ${known[*]} " == *" $name "* ]] || fail 2 "found the section '$name', wanted one of: ${known[*]}"
  done
  (($#)) || wanted=("${known[@]}")
  for line in "${full_sections[@]}"; do
    read -r name line _ <<<"$line"
    [[ " ${wanted[*]} " != *" $name "* ]] || minutes=$((minutes + line))
  done
  say "${#wanted[@]} of ${#known[@]} sections, about $minutes minutes from nothing on two cores; results in $full_results"
  setup
  configure
  mkdir -p build/full
  local began status result reason
  for name in "${known[@]}"; do
    [[ " ${wanted[*]} " == *" $name "* ]] || continue
    printf '\n'
    say "section $name"
    began=$SECONDS result=passed reason=
    set +e
    (
      set -e
      run_full_section "$name"
    ) </dev/null 2>&1 | tee "build/full/$name.log"
    status=${PIPESTATUS[0]}
    set -e
    ((status == 0)) || reason=$(sed -e 's/\x1b\[[0-9;]*m//g' -e '/^[[:space:]]*$/d' "build/full/$name.log" | tail -n 1 | tr '\t' ' ')
    case $status in
      0) ;;
      77) result=skipped skipped=$((skipped + 1)) ;;
      *) result=FAILED failed=$((failed + 1)) ;;
    esac
    full_row "$name" "$result" $((SECONDS - began)) "$reason"
    say "section $name: $result after $((SECONDS - began)) s${reason:+: $reason}"
  done
  printf '\n'
  say "$((${#wanted[@]} - failed - skipped)) passed, $skipped skipped, $failed failed; the last results of all are in $full_results"
  awk -F '\t' '{ printf "    %-18s %-7s %-16s %7s  %-20s %s\n", $1, $2, $3, $4, $5, $7 }' "$full_results"
  ((failed == 0)) || fail 1 "$failed of ${#wanted[@]} sections failed; build/full has what they printed"
}
