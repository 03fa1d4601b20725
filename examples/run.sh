#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing (Debian, Ubuntu), builds examples/mnist and runs it.
#   examples/run.sh [OPTION...]
# The options go to the program: --data DIR for MNIST's files, --epochs N, --help for all.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/examples

"$root/cmake/install_packages.sh" g++ make cmake zlib1g-dev \
  'libopenblas-openmp-dev|libopenblas-dev|libopenblas-pthread-dev|libopenblas-serial-dev'

mkdir -p "$root/build"
echo 'building examples/mnist: one to two minutes'
"$root/cmake/watched.sh" "$build.log" cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release \
  -DMSHADOW_BUILD_TESTS=OFF -DMSHADOW_BUILD_BENCHMARKS=OFF ||
  { cat "$build.log"; exit 1; }
grep '^-- mshadow' "$build.log" || true
"$root/cmake/watched.sh" "$build.log" cmake --build "$build" --target mnist -j"$(nproc)" ||
  { cat "$build.log"; exit 1; }
exec "$build/examples/mnist/mnist" --model "$build/mnist.model" "$@"
