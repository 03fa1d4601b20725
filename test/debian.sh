#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs commands in Debian 13, whatever this machine has. They see this tree as the folder /mshadow,
# and what they build in /mshadow/build lies in build/debian-13 of the tree.
#   test/debian.sh --make     makes the system; prints a line and fails where that cannot be
#   test/debian.sh COMMAND... runs a command in it
# The system stays in ${XDG_CACHE_HOME:-~/.cache}/mshadow/debian-13, with the results that ccache
# keeps. It takes a minute to make and 1.3 GB. Needs root, debootstrap and a mirror of Debian.
set -euo pipefail
tree=$(cd "$(dirname "$0")/.." && pwd)
suite=trixie
packages='ca-certificates ccache clang cmake g++ libgtest-dev libomp-dev libopenblas-openmp-dev'
packages+=' libpng-dev make zlib1g-dev'
root=${XDG_CACHE_HOME:-$HOME/.cache}/mshadow/debian-13

# in_root ROOT COMMAND...: mounts last as long as the command, and no other process sees them.
in_root() {
  local in=$1
  shift
  unshare --mount --propagation private bash -c '
    set -e
    mount --bind "$2" "$1/mshadow"
    mkdir -p "$2/build/debian-13"
    mount --bind "$2/build/debian-13" "$1/mshadow/build"
    mount --bind /proc "$1/proc"
    mount --bind /dev "$1/dev"
    root=$1
    shift 2
    exec chroot "$root" sh -c "cd /mshadow && exec \"\$@\"" sh "$@"
  ' bash "$in" "$tree" env -u XDG_CACHE_HOME -u TMPDIR -u CC -u CXX HOME=/root LANG=C.UTF-8 LC_ALL=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    CCACHE_DIR=/var/cache/ccache CCACHE_BASEDIR=/mshadow "$@"
}

if [ "${1:-}" != --make ]; then
  in_root "$root" "$@"
  exit
fi

# no WHY: the end where there can be no such system.
no() {
  echo "no Debian 13 here: $1"
  exit 1
}

if [ "$(id -u)" -ne 0 ]; then no 'chroot needs root'; fi
unshare --mount --propagation private true 2>/dev/null || no 'this machine allows no mounts'
# A system is complete once it bears its name, and made anew where it should hold other packages.
if [ -d "$root" ] && [ "$(cat "$root/mshadow/packages" 2>/dev/null)" = "$packages" ]; then exit 0; fi

"$tree/cmake/install_packages.sh" debootstrap >&2 && command -v debootstrap >/dev/null ||
  no 'debootstrap is not installed'
# The mirror that this machine uses; elsewhere than on Debian, debootstrap knows one.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
  'Label: Debian' 2>/dev/null | sort -u | head -n 1) || mirror=''
mkdir -p "$(dirname "$root")" && new=$(mktemp -d "$root.XXXXXX") ||
  no "there is no folder for it, $(dirname "$root")"
trap 'rm -rf --one-file-system "$new"' EXIT
chmod 755 "$new"
debootstrap --variant=minbase "--include=${packages// /,}" $suite "$new" ${mirror:+"$mirror"} \
  >"$new.log" 2>&1 </dev/null || { log=$(tail -n 1 "$new.log"); rm -f "$new.log"; no "$log"; }
rm -rf "$new.log" "$new"/var/cache/apt/archives/*.deb
# Seen only beneath the tree that is mounted there.
mkdir "$new/mshadow"
echo "$packages" >"$new/mshadow/packages"
in_root "$new" true || no 'nothing runs in it'
if [ -e "$root" ]; then
  mv -T "$root" "$new.old"
  rm -rf --one-file-system "$new.old"
fi
mv -T "$new" "$root"
