#!/usr/bin/env bash
# Builds the documentation as a site, build/site, with mkdocs-material in an environment of its own, build/site-venv.
# Links that lead nowhere are errors.
#
# A copy of the documents in build/site-source has the paths of the tree, so that links are the same in the site and in
# the repository. Source files that documents link to are copied too.
# usage: build.sh
set -euo pipefail

cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.."
venv=build/site-venv staging=build/site-source
tools=(mkdocs-material==9.8.1 mkdocs==1.6.1)

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
  echo "found no python3 with the module venv, wanted it for $venv; install it (python3-venv on Debian)" >&2
  exit 2
fi
mkdir -p build
if [[ ! -e $venv/installed || $(<"$venv/installed") != "${tools[*]}" ]]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" --quiet --disable-pip-version-check install "${tools[@]}"
  printf '%s' "${tools[*]}" >"$venv/installed"
fi

rm -rf "$staging"
mkdir -p "$staging"
cp -- *.md LICENSE "$staging"
cp -r docs "$staging"
rm -r "$staging/docs/site"
for page in *.md $(find docs -name '*.md' | sort); do
  { grep -oE '\]\([^()#: ]+[)#]' "$page" || true; } | sed -E 's/^\]\(//; s/[)#]$//' | while IFS= read -r link; do
    target=$(realpath --relative-to=. -- "$(dirname -- "$page")/$link")
    [[ -e $staging/$target || ! -f $target ]] || (mkdir -p "$staging/$(dirname -- "$target")" && cp -- "$target" "$staging/$target")
  done
done

# A name such as aten::_fused_sgd_ in a heading is no emphasis.
sed -i -E 's/^(#+ )([a-z]+::.*)$/\1`\2`/' "$staging"/docs/operators/*.md

# --quiet would hide warnings from --strict.
if ! NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict --clean >build/site.log 2>&1; then
  grep -v '^INFO' build/site.log >&2
  exit 1
fi
echo "$(find build/site -name '*.html' | wc -l) pages in build/site"
