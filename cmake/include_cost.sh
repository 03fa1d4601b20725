#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints what the library costs a compilation, beside the budgets, and what mshadow::kernels saves.
#   cmake/include_cost.sh [COMPILER [RUNS]]
# User seconds of `COMPILER -std=c++17 -O2 -c`, the median of RUNS (default 5); of one run where a
# file takes seconds. The statements are distinct types, so nothing of one serves the next; their cost
# is the slope between 1 and 11.
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

# once NAME [FLAG]: the user seconds that NAME.cc takes.
once() {
  local TIMEFORMAT=%U
  { time "$compiler" -std=c++17 -O2 "${@:2}" -I "$include" -c "$dir/$1.cc" -o "$dir/$1.o"; } 2>&1
}

# seconds NAME: the median of RUNS.
seconds() {
  local i
  once "$1" >/dev/null  # fills the file cache
  for ((i = 0; i < runs; ++i)); do
    once "$1"
  done | sort -n | sed -n "$(((runs + 1) / 2))p"
}

# one STATEMENT: a program of one statement on `images` of 4 axes, a `matrix`, or `values`.
one() {
  echo '#include <mshadow/tensor.h>'
  echo 'using namespace mshadow;'
  echo 'using namespace mshadow::expr;'
  echo 'struct Operands { Tensor<cpu, 4> images, out; Tensor<cpu, 2> matrix; Tensor<cpu, 1> values; };'
  echo "void Run(Operands& o) { $1 }"
}

printf '#include <string>\n#include <vector>\n' >"$dir/standard.cc"
printf '#include <cmath>\n' >"$dir/cmath.cc"
names=('a pooling' 'its gradient' 'a product, no BLAS' 'a softmax' 'a sum over all axes but one')
one 'o.out = pool<red::maximum>(o.images, 2, 2, 2);' >"$dir/kernels0.cc"
one 'o.out = unpool<red::maximum>(o.out, o.images, o.images, 2, 2, 2);' >"$dir/kernels1.cc"
one 'o.matrix = dot(o.matrix, o.matrix);' >"$dir/kernels2.cc"
one 'Softmax(o.matrix, o.matrix);' >"$dir/kernels3.cc"
one 'o.values = sumall_except_dim<1>(o.images);' >"$dir/kernels4.cc"
statements 0 >"$dir/tensor.cc"
statements 1 >"$dir/one.cc"
statements 11 >"$dir/eleven.cc"
standard=$(seconds standard)
tensor=$(seconds tensor)
one=$(seconds one)
eleven=$(seconds eleven)
cmath=$(seconds cmath)

awk -v compiler="$compiler" -v runs="$runs" -v standard="$standard" -v tensor="$tensor" \
    -v one="$one" -v eleven="$eleven" -v cmath="$cmath" '
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
}'
printf '  the include, and one statement      alone   with mshadow::kernels\n'
for i in "${!names[@]}"; do
  printf '    and %-28s %6.2f  %6.2f\n' "${names[i]}" "$(once "kernels$i")" \
    "$(once "kernels$i" -DMSHADOW_COMPILED_KERNELS=1)"
done
