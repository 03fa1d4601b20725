#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing, and nothing when none is.
#   cmake/install_packages.sh PACKAGE...
# PACKAGE may be a choice, first|second|...: any of them will do, the first is installed.
set -euo pipefail

if ! command -v apt-get >/dev/null; then
  echo "no apt-get here; going on with what is installed (Debian would need: $*)"
  exit 0
fi

installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=()
for choice in "$@"; do
  found=no
  for package in ${choice//|/ }; do
    if installed "$package"; then found=yes; fi
  done
  if [ "$found" = no ]; then missing+=("${choice%%|*}"); fi
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq </dev/null
"${as_root[@]}" apt-get install -qq --yes --no-install-recommends "${missing[@]}" \
  -o Dpkg::Use-Pty=0 </dev/null >/dev/null
