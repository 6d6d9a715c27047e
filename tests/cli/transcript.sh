#!/usr/bin/env bash
# Runs the commands of transcripts again and compares what they print, byte for byte. In a transcript
#   # text      is a remark
#   $ command   is run by bash, in an empty folder that the commands of one transcript share
# and what stands between is its output: standard output first, then each line of standard error behind "! ", then
# "? <status>" unless that is 0. `topbit` is the program, $ZOO and $GARDEN the tests' plugins, which lie in one folder.
# Escape characters are shown as ^[, lines of the library's own sources as N, since they change with it.
# Of a Markdown file the blocks marked `console` are the transcript; it is not updated.
# usage: transcript.sh <program> <plugin> [--update] <transcript>...
set -uo pipefail

program=$(readlink -f -- "$1") ZOO=$(readlink -f -- "$2")
GARDEN=${ZOO%/*}/garden.so
shift 2
update=no
if [[ ${1:-} == --update ]]; then
  update=yes
  shift
fi

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir "$work/bin"
ln -s -- "$program" "$work/bin/topbit"
PATH=$work/bin:$PATH
# Nothing else of the environment changes what topbit prints here.
unset NO_COLOR COLUMNS TOPBIT_STRICT
export ZOO GARDEN PATH TERM=xterm LC_ALL=C.UTF-8

shown() {
  sed -E -e "s|$ZOO|ZOO|g; s|$work|WORK|g" -e $'s/\e/^[/g' \
    -e 's|(modules/[a-z_/]*\.cppm?):[0-9]+|\1:N|g; s|("modules/[a-z_/]*\.cppm?","line":)[0-9]+|\1N|g' "$@"
}

# Prints the transcript $1 with the output of now.
replay() {
  local line status
  while IFS= read -r line; do
    [[ $line == '#'* || $line == '$ '* ]] || continue
    printf '%s\n' "$line"
    [[ $line == '$ '* ]] || continue
    (cd -- "$folder" && exec bash -o pipefail -c "${line#'$ '}" </dev/null) >"$work/out" 2>"$work/err"
    status=$?
    shown "$work/out"
    # A last line without an end would swallow what follows.
    [[ ! -s $work/out || -z $(tail -c 1 "$work/out") ]] || printf '%%\n'
    shown "$work/err" | sed 's/^/! /'
    ((status == 0)) || printf '? %s\n' "$status"
  done <"$1"
}

failed=0
for transcript in "$@"; do
  folder=$work/folder
  rm -rf -- "$folder"
  mkdir -- "$folder"
  committed=$transcript
  if [[ $transcript == *.md ]]; then
    committed=$work/committed
    sed -n '/^```console$/,/^```$/{/^```/!p}' "$transcript" >"$committed"
  fi
  replay "$committed" >"$work/now"
  if [[ ! -s $committed ]]; then
    echo "found no commands in $transcript, wanted some"
    failed=1
  elif [[ $update == yes && $committed == "$transcript" ]]; then
    cp -- "$work/now" "$transcript"
  elif ! diff -u --label "$transcript, as committed" --label "$transcript, now" -- "$committed" "$work/now"; then
    failed=1
  fi
done
((failed == 0)) || echo "if this is meant, run tests/cli/transcript.sh with --update and read the difference"
exit "$failed"
