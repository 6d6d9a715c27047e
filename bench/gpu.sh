#!/usr/bin/env bash
# Tests and benches of the CUDA backend on a machine with a GPU. Builds nothing: it takes what was built elsewhere.
#
#   bench/gpu.sh pack [BUILD] [FOLDER]   here: the programs and libraries that the other machine needs, stripped
#                                        (build/release, build/gpu)
#   bench/gpu.sh run [FOLDER] [STEP...]  there, in the root of the same tree: all steps, or those that are named
#
# Steps: kernels, backend, golden, cuda, cuda_lost, cuda_blocking, demo, memcheck, memcheck_cuda, memcheck_golden,
# racecheck, bench. The output of a step is in $TOPBIT_GPU_OUT, or the folder's results/; a table of steps comes last. The
# bench writes <gpu>.json, which belongs in bench/results, and its table <gpu>.md. Exit code: 0 all passed; 1 a step
# failed; 2 no GPU, or a program is missing.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

programs=(kernel_tests test_backend test_golden test_cuda bench_cuda demo_digits_cuda)

pack() {
  local build=${1:-build/release} folder=${2:-build/gpu} name found
  rm -rf "$folder"
  mkdir -p "$folder/lib"
  for name in "${programs[@]}"; do
    found=$(find "$build" -type f -name "$name" -perm -u+x | head -1)
    if [[ -z $found ]]; then
      echo "gpu.sh: found no program $name in $build, wanted it built: cmake --build $build --target ${programs[*]}" >&2
      exit 2
    fi
    strip -o "$folder/$name" "$found"
    # What Debian has and another distribution may not.
    ldd "$found" | awk '/libtbb/ {print $3}' | xargs -r -I{} cp -Lu {} "$folder/lib/"
  done
  du -sh "$folder" | cut -f1
}

declare -A verdict
failed=0

# step <name> <seconds> <command>...
step() {
  local name=$1 limit=$2 begin=$SECONDS rc
  shift 2
  [[ ${#chosen[@]} -eq 0 || " ${chosen[*]} " == *" $name "* ]] || return 0
  echo "==> $name"
  timeout -k 5 "$limit" "$@" >"$out/$name.log" 2>&1
  rc=$?
  verdict[$name]="$([[ $rc -eq 0 ]] && echo passed || echo "FAILED ($rc)"), $((SECONDS - begin)) s"
  if [[ $rc -ne 0 ]]; then
    failed=1
    tail -n "${TOPBIT_GPU_TAIL:-40}" "$out/$name.log"
  fi
  order+=("$name")
}

measure() {
  local name peers=()
  name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 | tr ' A-Z' '-a-z')
  if python3 bench/cuda/peers.py >"$out/peers.json"; then peers=(--peers "$out/peers.json"); fi
  set -o pipefail
  "$folder/bench_cuda" --json "$out/$name.json" "${peers[@]}" | tee "$out/$name.md"
}

run() {
  folder=${1:-build/gpu}
  shift || true
  chosen=("$@")
  out=${TOPBIT_GPU_OUT:-$folder/results}
  order=()
  mkdir -p "$out"
  if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L; then
    echo "gpu.sh: found no GPU, wanted one with NVIDIA's driver" >&2
    exit 2
  fi
  local name
  for name in "${programs[@]}"; do
    [[ -x $folder/$name ]] && continue
    echo "gpu.sh: found no $folder/$name, wanted what 'bench/gpu.sh pack' makes" >&2
    exit 2
  done
  export LD_LIBRARY_PATH="$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export TOPBIT_GOLDEN_FOLDER=tests/golden
  local sanitizer=(compute-sanitizer --error-exitcode 9 --print-limit 20)
  step kernels 300 "$folder/kernel_tests" "*cuda*"
  step cuda 120 "$folder/test_cuda"
  step cuda_lost 60 "$folder/test_cuda" "[lost]"
  step cuda_blocking 60 env TOPBIT_CUDA_BLOCKING=1 "$folder/test_cuda" "[blocking]"
  step backend 120 "$folder/test_backend" "*cuda*"
  step golden 400 env TOPBIT_TEST_DEVICE=cuda "$folder/test_golden" "[family]"
  step demo 120 "$folder/demo_digits_cuda" --device cuda --epochs 10
  # Families whose threads share memory or wait for each other; sums and extremes make too many launches for these tools.
  local families="softmax*,log_softmax*,layer*,rms*,sorts*,scans*,attention*,convolve*,cross*,pool*,take*,gather*,scatter*"
  step memcheck 300 "${sanitizer[@]}" --tool memcheck "$folder/kernel_tests" "$families"
  step memcheck_cuda 120 "${sanitizer[@]}" --tool memcheck --report-api-errors no "$folder/test_cuda"
  step memcheck_golden 200 env TOPBIT_TEST_DEVICE=cuda "${sanitizer[@]}" --tool memcheck "$folder/test_golden" "[family]"
  step racecheck 400 "${sanitizer[@]}" --tool racecheck "$folder/kernel_tests" "$families"
  export -f measure
  export folder out
  step bench 400 bash -c measure
  [[ -f $out/bench.log && " ${order[*]} " == *" bench "* ]] && cat "$out/bench.log"
  echo
  printf '| step | result |\n| --- | --- |\n'
  for name in "${order[@]}"; do printf '| %s | %s |\n' "$name" "${verdict[$name]}"; done
  exit "$failed"
}

case ${1:-} in
  pack) shift; pack "$@" ;;
  run) shift; run "$@" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
