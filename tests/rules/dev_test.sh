#!/usr/bin/env bash
# Shows what packaging/seconds.sh reads out of ninja's log and CTest's file, how it estimates what is left, and what
# packaging/full.sh keeps of its sections. Nothing is built: ninja and the sections are stand-ins.
# usage: dev_test.sh <root of the tree>
set -euo pipefail

source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unset CMAKE_BUILD_PARALLEL_LEVEL
mkdir -p build/quick programs

same() {
  [[ $2 == "$3" ]] || { printf '%s: found\n%s\nwanted\n%s\n' "$1" "$2" "$3"; exit 1; }
}
build=build/quick
say() { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
fail() { printf 'dev: %s\n' "${*:2}"; exit "$1"; }
setup() { :; }
configure() { :; }
. "$source/packaging/seconds.sh"
. "$source/packaging/full.sh"

# ---------------------------------------------------------------------------------------------------- seconds

# step <start ms> <end ms> <hash> <output>...
step() {
  local output
  for output in "${@:4}"; do printf '%s\t%s\t1\t%s\t%s\n' "$1" "$2" "$output" "$3"; done
}
{
  printf '# ninja log v5\n'
  step 0 9000 a old.cpp.o
} >before
{
  cat before
  step 0 1000 b a.cppm.o.ddi
  step 0 500 c CXX.dd x/CXXModules.json a.cppm.o.modmap
  step 1000 3000 d a.cppm.o a.pcm
  step 1000 5000 e a.cpp.o
  step 5000 7000 f b.cpp.o
  step 7000 7500 g bin/program
} >after
same 'steps of one run' "$(log_kinds before after)" $'scan 2 1.5\ninterfaces 1 2.0\nobjects 2 6.0\nlinks 1 0.5'
printf '<testsuite time="9">\n<testcase name="time=&quot;8" classname="a" time="1.6" status="run">\n<testcase name="b" time="2"/>\n</testsuite>\n' >tests.xml
same 'seconds of tests' "$(run_seconds tests.xml)" 4

# A stand-in for ninja: -n fails until the file `scanned` is there, -t commands lists all.
cat >programs/ninja <<'TEXT'
#!/usr/bin/env bash
if [[ $3 == -n ]]; then
  [[ -e scanned ]] || exit 1
  printf '[] Building CXX object a.cpp.o\n[] Linking CXX executable bin/program\n[] Scanning a.cpp for CXX dependencies\n'
else
  for i in {1..300}; do printf 'clang++ @a%d.o.modmap -o a%d.o -c a%d.cpp\n' $i $i $i; done
  printf 'clang-scan-deps -format=p1689 -- clang++ -c a.cpp\n: && clang++ a.cppm.o -o bin/program && :\nclang++ -o a.cppm.o -c a.cppm\n'
fi
TEXT
cat >programs/nproc <<'TEXT'
#!/usr/bin/env bash
echo 2
TEXT
chmod +x programs/*
PATH=$folder/programs:$PATH
same 'steps before the first build' "$(steps_left all | sort)" $'interfaces 1\nlinks 1\nobjects 300\nscan 1'
cp after build/quick/.ninja_log
same 'steps after a part of it' "$(steps_left all | sort)" $'interfaces 0\nlinks 0\nobjects 297\nscan 0'
touch scanned
same 'steps that ninja knows' "$(steps_left all | sort)" $'links 1\nobjects 1\nscan 1'
rm scanned

reference_steps=(scan 0 interfaces 0 objects 2 links 0)
reference_runs=600
# 297 objects of 2 s and 600 s of tests, on two processors: 597 s.
same 'an estimate without a past' "$(say_how_long all none)" \
  '==> about 10 minutes: 297 steps to build and the tests to run on 2 processors, by what steps take on the reference machine'
# 200 steps, each twice as long as on the reference machine, but with three at a time on two processors; 100 are left.
for i in {1..200}; do step 0 6000 "h$i" "a$i.cpp.o"; done >build/quick/.ninja_log
same 'an estimate by earlier steps' "$(say_how_long all)" \
  '==> about 4 minutes: 103 steps to build on 2 processors, by what its last 200 steps took'

# ----------------------------------------------------------------------------------------------- full

run_full_section() {
  case $1 in
    opencl) skip 'found no OpenCL' ;;
    floats) fail 1 "too${tab}wide" ;;
    *) echo built ;;
  esac
}
tab=$'\t'
status=0
output=$(test_full opencl doubles floats) || status=$?
same 'exit code of a failure' "$status" 1
rows() { awk -F '\t' '{ print $1, $2, $7 }' build/full_results.tsv; }
same 'rows of sections' "$(rows)" $'section result reason\nfloats FAILED dev: too wide\ndoubles passed \nopencl skipped found no OpenCL'
grep -q '^    opencl  *skipped .*found no OpenCL$' <<<"$output" || { printf 'found no row of opencl, wanted it printed\n%s\n' "$output"; exit 1; }
run_full_section() { :; }
test_full floats >/dev/null
same 'a row instead of the last one' "$(rows)" $'section result reason\ndoubles passed \nopencl skipped found no OpenCL\nfloats passed '
status=0
output=$(test_full opencl cuba) || status=$?
same 'exit code of an unknown section' "$status" 2
[[ $output == *"found the section 'cuba', wanted one of: cuda library "* ]] || { printf 'found\n%s\n' "$output"; exit 1; }
for line in "${full_sections[@]}"; do
  read -r name minutes _ <<<"$line"
  ((minutes <= 30)) || { echo "found $minutes minutes of section $name, wanted at most 30; divide it"; exit 1; }
done
echo "14 properties"
