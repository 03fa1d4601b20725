#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles tests for another CPU and runs them under qemu-user.
#   test/cross.sh MACHINE [TEST...]
# MACHINE: as in MACHINE-linux-gnu-g++. TEST: core/shape, say, which is test/core/shape_test.cc.
# Programs lie in build/cross/MACHINE. The last line counts the tests; plain.cc is one of them.
set -euo pipefail
cd "$(dirname "$0")/.."
machine=${1:?usage: cross.sh MACHINE TEST...}
shift
export compiler=$machine-linux-gnu-g++ gtest=/usr/src/googletest/googletest dir=build/cross/$machine
export run="qemu-$machine -L /usr/$machine-linux-gnu" OMP_NUM_THREADS=2
mkdir -p "$dir"

# object SOURCE OBJECT OPTION...: from the cache, if there is one.
object() {
  local source=$1 object=$2
  shift 2
  ${CMAKE_CXX_COMPILER_LAUNCHER:-} "$compiler" -std=c++17 -O0 -I "$gtest/include" "$@" \
    -c "$source" -o "$dir/$object.o"
}
# test_one TEST: prints the name, or the end of what it said.
test_one() {
  local name=${1//\//_}
  object "test/$1_test.cc" "$name" -fopenmp -Wall -Wextra -Wno-psabi -Werror -I include -I test \
    -DMSHADOW_DEBUG_KERNELS=1 -DMSHADOW_TEST_FEW_DTYPES &&
    "$compiler" -fopenmp "$dir/$name.o" "$dir/gtest-all.o" "$dir/gtest_main.o" -o "$dir/$name" &&
    $run "$dir/$name" >"$dir/$name.log" 2>&1 ||
    { tail -n 40 "$dir/$name.log"; echo "FAILED: $1"; return 1; }
  echo "passed: $1"
}
export -f object test_one

# Kernels as the compiler makes them for this CPU: what plain.cc checks, at -O2, and that there is
# no warning in what it does not run.
"$compiler" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I include test/warnings/statements.cc
object test/plain.cc plain -O2 -fopenmp -Wall -Wextra -Werror -I include
"$compiler" -fopenmp "$dir/plain.o" -o "$dir/plain"
$run "$dir/plain"

# The package holds GoogleTest for this machine, and its sources.
object "$gtest/src/gtest-all.cc" gtest-all -w -I "$gtest"
object "$gtest/src/gtest_main.cc" gtest_main -w
rm -f "$dir"/*.log
for test in "$@"; do echo "$test"; done | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'test_one {}' |
  awk -v of=$# '/^passed: /{print ++n " of " of " " $0; fflush(); next} {print}'
find "$dir" -name '*.log' -exec cat {} + | awk '/^\[  PASSED  \]/ {n += $4} END {print n + 1 " tests"}'
