#!/usr/bin/env bash
# Draws the figures of bench_kernels --plots with gnuplot. Status 2: there is no gnuplot.
# usage: draw.sh <folder of the numbers> <folder for the SVG files>
set -euo pipefail

data=$1 target=$2
scripts=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
if ! command -v gnuplot >/dev/null; then
  echo "found no gnuplot, wanted 5.4 or newer to draw the plots; install it, or use the tables" >&2
  exit 2
fi
mkdir -p "$target"

# draw <figure> <script> [what gnuplot is to know]
draw() {
  [[ -e $data/$1.gp ]] || return 0
  # Not on stderr, unless it fails: it mentions every series without points, such as a library that lacks an operation.
  gnuplot -e "data='$data'; scripts='$scripts'; figure='$1'; out='$target/$1.svg'${3:+; $3}" "$scripts/$2.gp" \
    2>"$data/$1.log" || { cat "$data/$1.log" >&2; exit 1; }
  echo "$target/$1.svg"
}
for figure in elementwise functions reductions small; do
  draw "$figure" lines "linear=0; doubling=0; xname='elements'"
done
draw rows lines "linear=0; doubling=0; xname='length of a row'"
draw matmul lines "linear=1; doubling=1; xname='rows and columns'"
draw roofline roofline
draw accuracy accuracy
