#!/usr/bin/env bash
# Runs the commands of README.md in a Debian that has nothing but its base system, as a user's first clone would be built.
# Needs root and debootstrap. `./dev test full` runs it for Debian 12 and 13.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: packaging/bare_root.sh <suite> [command...]
       packaging/bare_root.sh --help

Installs the base system of a Debian suite (bookworm, trixie) into a temporary folder, copies the committed files into
it, and runs each command there: './dev demo' and './dev test' if none is given. Ends with the status of the first that
fails; 77 if this cannot be tried here.
TEXT
}

case ${1:---help} in
  -h | --help)
    usage
    exit 0
    ;;
esac
suite=$1
shift
(($# > 0)) || set -- './dev demo' './dev test'

cannot() {
  printf 'bare_root: %s\n' "$1" >&2
  exit 77
}
((EUID == 0)) || cannot "found the user $(id -un), wanted root, who can install a system into a folder"
command -v debootstrap >/dev/null || cannot "found no debootstrap; install it"

source=$(git -C "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" rev-parse --show-toplevel)
root=$(mktemp -d -t "topbit-$suite.XXXXXX")
clean_up() {
  umount "$root/dev/pts" "$root/proc" 2>/dev/null || true
  rm -rf --one-file-system -- "$root"
}
trap clean_up EXIT

printf '==> the base system of %s\n' "$suite"
debootstrap --variant=minbase "$suite" "$root" >"$root.log" 2>&1 || {
  tail -n 5 "$root.log" >&2
  cannot "debootstrap could not install $suite; the whole output is in $root.log"
}
rm -f -- "$root.log"
# As the installer of Debian leaves it: with the security suite, beside the main one.
sed -n 's#^deb \(.*\)/debian/\{0,1\} \([a-z]*\) main.*#deb \1/debian-security \2-security main#p' "$root/etc/apt/sources.list" \
  >"$root/etc/apt/sources.list.d/security.list"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mkdir "$root/topbit"
git -C "$source" archive HEAD | tar -x -C "$root/topbit"

for command; do
  printf '==> %s in %s\n' "$command" "$suite"
  began=$SECONDS status=0
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    ${TOPBIT_TEST_SCALE:+TOPBIT_TEST_SCALE="$TOPBIT_TEST_SCALE"} bash -c "cd /topbit && $command" </dev/null || status=$?
  printf '==> %s in %s: exit code %d after %d s\n' "$command" "$suite" "$status" $((SECONDS - began))
  ((status == 0)) || exit "$status"
done
