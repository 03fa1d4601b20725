#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs nvcc through ccache: CMAKE_CUDA_COMPILER_LAUNCHER=test/cache_nvcc.sh
# ccache 4.7 compares what `nvcc -E` prints, which is the code for one architecture. By itself it
# would take an old object where code of the host or of another architecture has changed. So an
# object is found again only if no source of this tree has changed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
sums=build/sources.sum
if [ ! -e $sums ] || [ -n "$(find include test examples -newer $sums -print -quit)" ]; then
  mkdir -p build
  find include test examples -name '*.h' -o -name '*.cc' -o -name '*.cu' | LC_ALL=C sort |
    xargs sha256sum >$sums.$$
  mv $sums.$$ $sums
fi
cd "$OLDPWD"
export CCACHE_EXTRAFILES=$root/$sums
exec ccache "$@"
