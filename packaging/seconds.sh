# What the steps of a build take: sums by kind, and an estimate of those that are left. Read by ./dev, which defines
# $build, say and note. Not run by itself.
# shellcheck shell=bash disable=SC2154

# Seconds that a step of each kind and all tests take on one processor of the reference machine, an AMD EPYC at 4.5 GHz:
# for a folder that has no steps of its own to go by.
reference_steps=(scan 0.02 interfaces 0.1 objects 1.3 links 0.3)
reference_runs=400

# The kind of a step by what stands in ninja's log, in its list of commands or in its messages.
kind_of_step='
  function kind(text) {
    if (text ~ /scan-deps|cmake_ninja_dyndep|^\[.*Scanning |^\[.*dyndep file|\.(ddi|dd|modmap)$|CXXModules\.json$/) return "scan"
    if (text ~ /\.pcm$|\.cppm\.o$| -c .*\.cppm$/) return "interfaces"
    if (text ~ /\.(o|pch)$| -c |^\[.*Building /) return "objects"
    return "links"
  }'

# log_kinds <log before> <log after>: the steps of a run of ninja as lines `kind number seconds`. A step has a line in the
# log for each of its outputs.
log_kinds() {
  awk -F '\t' "$kind_of_step"'
    /^#/ { next }
    FILENAME == ARGV[1] { old[$0] = 1; next }
    $0 in old { next }
    {
      step = $1 " " $2 " " $5
      kinds[step] = kind($4)
      took[step] = ($2 - $1) / 1000
    }
    END {
      for (step in kinds) { number[kinds[step]]++; seconds[kinds[step]] += took[step] }
      split("scan interfaces objects links", names, " ")
      for (i = 1; i <= 4; i++) printf "%s %d %.1f\n", names[i], number[names[i]], seconds[names[i]]
    }' "$1" "$2"
}

# The seconds of a run's tests, from CTest's file for JUnit.
run_seconds() { grep -o '<testcase [^>]*' "$1" | sed -n 's/.* time="\([0-9.]*\)".*/\1/p' | awk '{ sum += $1 } END { printf "%.0f\n", sum }'; }

# Sets `cpu` to the processor seconds of this script's children so far. Not a command to be substituted: a subshell has
# no children yet.
take_cpu_seconds() {
  times >"$build/times.txt"
  cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } printf "%d\n", sum }' "$build/times.txt")
}

# report <what> <processor seconds before> <clock before> <seconds by kind>: prints it, and keeps it for .ci/run.
report() {
  local cpu line
  take_cpu_seconds
  line="seconds of $1: $4; processor $((cpu - $2)), clock $((SECONDS - $3))"
  note "$line"
  printf '%s\n' "$line" >>"$build/seconds.txt"
}

# Steps that a target still needs, as lines `kind number`. Ninja cannot tell without the scans of a first build; until
# then, all steps of the target but for as many as the log has.
steps_left() {
  local steps
  if steps=$(NINJA_STATUS='[] ' ninja -C "$build" -n "$1" 2>/dev/null); then
    awk "$kind_of_step"'/^\[/ { left[kind($0)]++ } END { for (name in left) print name, left[name] }' <<<"$steps"
  else
    {
      [[ ! -e $build/.ninja_log ]] || log_kinds /dev/null "$build/.ninja_log"
      ninja -C "$build" -t commands "$1" | sed 's/^/$ /'
    } | awk "$kind_of_step"'
      $1 != "$" { left[$1] -= $2; next }
      { left[kind($0)]++ }
      END { for (name in left) print name, left[name] < 0 ? 0 : left[name] }'
  fi
}

# say_how_long <target> [file]: about how many minutes the target takes here and, if a file is named, the tests whose
# seconds an earlier run left there.
say_how_long() {
  local steps minutes basis runs=0 earlier=0 processors jobs
  processors=$(nproc)
  # As many as ninja starts by itself: more than there are processors, so that each takes longer.
  jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$((processors + (processors > 2 ? 2 : 1)))}
  if (($# > 1)); then
    runs=$reference_runs
    [[ ! -e $2 ]] || runs=0 earlier=$(run_seconds "$2")
  fi
  read -r steps minutes basis < <(
    {
      printf 'reference %s %s\n' "${reference_steps[@]}"
      [[ ! -e $build/.ninja_log ]] || log_kinds /dev/null "$build/.ninja_log" | sed 's/^/log /'
      steps_left "$1" | sed 's/^/left /'
    } | awk -v runs="$runs" -v earlier="$earlier" -v processors="$processors" -v jobs="$jobs" '
      $1 == "reference" { usual[$2] = $3 }
      $1 == "log" { steps += $3; took += $4; expected += $3 * usual[$2] }
      $1 == "left" { left += $3; seconds += $3 * usual[$2] }
      END {
        speed = 1
        basis = "what steps take on the reference machine"
        if (steps >= 200) {
          speed = took / expected * processors / (jobs > processors ? jobs : processors)
          basis = "what its last " steps " steps took"
        }
        printf "%d %d %s\n", left, (((seconds + runs) * speed + earlier) / processors + 59) / 60, basis
      }'
  )
  local what="$steps steps to build"
  (($# < 2)) || what+=" and the tests to run"
  say "about $minutes minutes: $what on $processors processors, by $basis"
}
