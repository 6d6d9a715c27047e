#!/usr/bin/env bash
# The installed program answers, and what comes with it is where shells and man look for it.
# usage: program.sh <prefix> <plugin>
set -euo pipefail

prefix=$1 plugin=$2
for file in man/man1/topbit.1 bash-completion/completions/topbit zsh/site-functions/_topbit fish/vendor_completions.d/topbit.fish; do
  [[ -s $prefix/share/$file ]] || {
    echo "found no share/$file in $prefix, wanted it installed"
    exit 1
  }
done
"$prefix/bin/topbit" --version
"$prefix/bin/topbit" --load "$plugin" explain aten::relu CPU
"$prefix/bin/topbit" --load "$plugin" ops zoo::feed
