#!/usr/bin/env bash
# Trains with the contract checker, which must find nothing but hints, and with a profile, whose table and trace must be
# there.
# usage: watched.sh <demo_digits_watched>
set -euo pipefail

program=$(readlink -f -- "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

TOPBIT_CHECK=2 "$program" --model cnn --epochs 1 --quiet 2>err
grep -E '^topbit: ' err | grep -v '^topbit: hint: ' && exit 1
grep -E '^topbit::convolve +[0-9]+ ' err
grep -E '^aten::_fused_adamw_ +[0-9]+ ' err
grep -E '^peak of cpu: ' err
gzip -t digits.json.gz
