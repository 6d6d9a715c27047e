#!/usr/bin/env bash
# Shows what .ci/run makes of time: it scales the usual seconds of a section by what the ones before took, leaves out by
# name what would not end in time, never format and tests, and fails for what failed alone. ./dev is a script that sleeps.
# usage: ci_run_test.sh <root of the tree>
set -euo pipefail

source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tree/.ci" "$folder/tree/build/ci"
cp "$source/.ci/run" "$folder/tree/.ci/run"
cat >"$folder/tree/dev" <<'TEXT'
#!/usr/bin/env bash
printf '%s %s\n' "${TOPBIT_PRESET:-none}" "$*" >>calls
[[ $* != 'test' || $TOPBIT_PRESET != ci ]] || { sleep "$TESTS_SLEEP"; printf 'seconds of steps: scan 4\n' >build/ci/seconds.txt; }
[[ $* != "$FAILS" ]]
TEXT
chmod +x "$folder/tree/dev"

# Every section of .ci/run has its usual seconds.
for section in $(bash "$source/.ci/run" no_such_section 2>&1 | sed -n 's/.*wanted one of: //p'); do
  grep -qE "^$section [0-9]+$" "$source/.ci/seconds" || { echo "found no line '$section <seconds>' in .ci/seconds, wanted one"; exit 1; }
done

# run <seconds of tests> <limit> <command of ./dev that fails> [section...]: the output goes to $output.
run() {
  local sleeps=$1 limit=$2 fails=$3
  shift 3
  rm -f "$folder/tree/calls"
  status=0
  output=$(TOPBIT_NATIVE_FUNCTIONS=none TESTS_SLEEP=$sleeps TOPBIT_CI_SECONDS=$limit FAILS=$fails "$folder/tree/.ci/run" "$@" 2>&1) || status=$?
}
# expect <exit code> <what> <pattern of a line>...
expect() {
  local wanted=$1 what=$2 pattern
  shift 2
  ((status == wanted)) || { printf '%s: found exit code %s, wanted %s\n%s\n' "$what" "$status" "$wanted" "$output"; exit 1; }
  for pattern; do
    grep -qE -- "$pattern" <<<"$output" || { printf '%s: found no line with %s, wanted one\n%s\n' "$what" "$pattern" "$output"; exit 1; }
  done
}

usual() { printf '# a comment\nformat 1\ntests 1\nasan %d\ntsan %d\n' "$1" "$2" >"$folder/tree/.ci/seconds"; }

usual 100 10
run 1 250 none format tests asan tsan
expect 0 'a machine as fast as usual' '^  asan +passed' '^  tsan +passed' '^  all +4 of 4 ' '^ +seconds of steps: scan 4'
run 3 250 none format tests asan tsan
expect 0 'a slow machine' '^  asan +left out: about [34][0-9][0-9] s after [345] s, wanted 250 s in all' '^  tsan +passed' '^  all +3 of 3 '
! grep -q '^asan' "$folder/tree/calls" || { echo "found that a section left out ran, wanted that it does not"; exit 1; }
run 0 45 none tests asan tsan
expect 0 'a folder built before' '^  asan +left out: about 50 s' '^  tsan +passed'
run 0 0 none format tests asan tsan
expect 0 'no time at all' '^  format +passed' '^  tests +passed' '^  asan +left out' '^  tsan +left out' '^  all +2 of 2 '
run 1 250 'format --check' format tests
expect 1 'a section that fails' '^  format +FAILED' '^  tests +passed' '^  all +1 of 2 '
# A failure says nothing of the machine, which counts as usual.
run 3 250 'test' tests asan
expect 1 'tests that fail' '^  tests +FAILED' '^  asan +FAILED'
run 0 soon none format
expect 2 'a limit that is no number' "found TOPBIT_CI_SECONDS 'soon', wanted a number of seconds"
echo "7 runs"
