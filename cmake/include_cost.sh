#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints what the library costs a compilation, beside the budgets.
#   cmake/include_cost.sh [COMPILER [RUNS]]
# User seconds of `COMPILER -std=c++17 -O2 -c`, the median of RUNS (default 5). The statements are
# distinct types, so nothing of one serves the next; their cost is the slope between 1 and 11.
# Fails only when something does not compile.
set -euo pipefail
export LC_ALL=C
compiler=${1:-g++}
runs=${2:-5}
include=$(cd "$(dirname "$0")/../include" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# statements N: a program of N distinct statements on two tensors.
statements() {
  echo '#include <mshadow/tensor.h>'
  for ((i = 0; i < $1; ++i)); do
    echo "struct Op$i { template <typename T> MSHADOW_XINLINE static T Map(T a) {"
    echo "  return a * T($i) + T(1); } };"
  done
  echo 'void Run(mshadow::Tensor<mshadow::cpu, 2> a, mshadow::Tensor<mshadow::cpu, 2> b) {'
  for ((i = 0; i < $1; ++i)); do
    echo "  b = mshadow::expr::F<Op$i>(a) * b + $i.0f;"
  done
  echo '}'
}

# seconds NAME: the median of the user seconds that NAME.cc takes.
seconds() {
  local TIMEFORMAT=%U i
  "$compiler" -std=c++17 -O2 -I "$include" -c "$dir/$1.cc" -o "$dir/$1.o"  # fills the file cache
  for ((i = 0; i < runs; ++i)); do
    { time "$compiler" -std=c++17 -O2 -I "$include" -c "$dir/$1.cc" -o "$dir/$1.o"; } 2>&1
  done | sort -n | sed -n "$(((runs + 1) / 2))p"
}

# one STATEMENT: a program of one statement on 4 axes, images, or on one, values.
one() {
  echo '#include <mshadow/tensor.h>'
  echo 'using namespace mshadow;'
  echo 'using namespace mshadow::expr;'
  echo "void Run(Tensor<cpu, 4> images, Tensor<cpu, 4> out, Tensor<cpu, 1> values) { $1 }"
}

printf '#include <string>\n#include <vector>\n' >"$dir/standard.cc"
printf '#include <cmath>\n' >"$dir/cmath.cc"
one 'out = pool<red::maximum>(images, 2, 2, 2); static_cast<void>(values);' >"$dir/pool.cc"
one 'values = sumall_except_dim<1>(images); static_cast<void>(out);' >"$dir/sum.cc"
statements 0 >"$dir/tensor.cc"
statements 1 >"$dir/one.cc"
statements 11 >"$dir/eleven.cc"
standard=$(seconds standard)
tensor=$(seconds tensor)
one=$(seconds one)
eleven=$(seconds eleven)
cmath=$(seconds cmath)
pool=$(seconds pool)
sum=$(seconds sum)

awk -v compiler="$compiler" -v runs="$runs" -v standard="$standard" -v tensor="$tensor" \
    -v one="$one" -v eleven="$eleven" -v cmath="$cmath" -v pool="$pool" -v sum="$sum" '
function row(name, figure, budget) {
  printf "  %-34s %6.2f", name, figure
  if (budget) printf "   budget %.1f  %s", budget, figure <= budget ? "kept" : "EXCEEDED"
  printf "\n"
}
BEGIN {
  printf "include cost, user seconds of %s -O2 (median of %d)\n", compiler, runs
  row("<vector> and <string>", standard)
  row("<mshadow/tensor.h>", tensor, 0.6)
  row("  as a multiple", tensor / standard, 2.3)
  row("  <cmath> alone", cmath)
  row("  and 1 statement", one)
  row("  and 11 distinct statements", eleven)
  row("  one more statement", (eleven - one) / 10, 0.1)
  row("  and a pooling", pool)
  row("    times the include", pool / tensor)
  row("  and a sum over all axes but one", sum)
  row("    times the include", sum / tensor)
}'
