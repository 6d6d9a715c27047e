#!/usr/bin/env bash
# Tries exported_names.sh on small trees: what it finds, in which order, and how many names the dispatcher may have.
# usage: exported_names_test.sh <folder of the scripts>
set -euo pipefail

rules=$(cd -- "$1" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/modules/core "$tree"/tests/rules "$tree"/tests/surface
cp "$rules"/exported_names.{awk,sh} "$tree"/tests/rules

fail() { echo "$1"; exit 1; }
# write <names at the top of topbit>: beside the three that each tree has there
write() {
  {
    echo 'export module topbit.core:names;'
    echo 'namespace topbit {'
    echo 'namespace inspect {'
    echo 'export struct answer {};'
    echo '}  // namespace inspect'
    echo 'export class unknown_operator : public error {};'
    echo 'export bool operator==(a, b);'
    echo 'export constexpr int zero = 0, one = 1;'
    for ((i = 0; i < $1; ++i)); do echo "export void f$i();"; done
    echo '}  // namespace topbit'
    echo 'export namespace topbit::inspect {'
    echo 'using topbit::zero;'
    echo '}  // namespace topbit::inspect'
  } >"$tree"/modules/core/names.cppm
}

write 1
bash "$tree"/tests/rules/exported_names.sh "$tree" --update >"$tree"/said
wanted='topbit.core topbit::f0
topbit.core topbit::one
topbit.core topbit::unknown_operator
topbit.core topbit::zero
topbit.core topbit::inspect::answer
topbit.core topbit::inspect::zero'
found=$(<"$tree"/tests/surface/exported_names.txt)
[[ $found == "$wanted" ]] || fail "found the list '$found', wanted '$wanted'"
grep -qE '^ +4 topbit.core topbit$' "$tree"/said || fail "found no count of 4 for topbit.core topbit in '$(<"$tree"/said)'"

write 2
! bash "$tree"/tests/rules/exported_names.sh "$tree" >"$tree"/said || fail "found a new name accepted, wanted it refused"
grep -q '^> topbit.core topbit::f1$' "$tree"/said || fail "found no word of f1 in '$(<"$tree"/said)'"

write 77
bash "$tree"/tests/rules/exported_names.sh "$tree" --update >/dev/null || fail "found 80 names refused"
write 78
! bash "$tree"/tests/rules/exported_names.sh "$tree" --update >"$tree"/said || fail "found 81 names accepted, wanted 80 at most"
grep -q 'found 81 names of topbit.core' "$tree"/said || fail "found no word of 81 names in '$(<"$tree"/said)'"
echo "names are found, sorted, compared and counted"
