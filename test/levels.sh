#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles a program with every public header at every level of optimisation, and runs it.
#   test/levels.sh COMPILER [LEVEL...]
# Below -O2, GCC 14 compiles attributes of functions in ways of its own (simd/isa.h). At every level
# GCC must vectorise branches in a user's op.
set -euo pipefail
tests=$(cd "$(dirname "$0")" && pwd)
include=$(cd "$(dirname "$0")/../include" && pwd)
compiler=${1:?usage: levels.sh COMPILER}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for header in "$include"/mshadow/*.h; do
  case $header in
    */kernels.h | *gpu-inl.h) ;;  # for other builds
    */eigen.h | */npz.h) ;;       # for libraries that may be missing
    *) echo "#include <mshadow/$(basename "$header")>" ;;
  esac
done >"$dir/program.cc"
cat >>"$dir/program.cc" <<'PROGRAM'
#include <cstdio>
#include <cstdlib>
using namespace mshadow;
using namespace mshadow::expr;

struct UsersBranch {
  MSHADOW_XINLINE static float Map(float a) { return a > 0 ? a : a * a; }
};
struct UsersExp {
  MSHADOW_XINLINE static float Map(float a) { return a > 1 ? a : expf(a) - 1; }
};

int main() {
  // Large, so that non-temporal stores run too.
  TensorContainer<cpu, 2> x(Shape2(3000, 4000), 1.0f), y(Shape2(3000, 4000)), t(Shape2(4000, 3000));
  TensorContainer<cpu, 2, half::half_t> h(Shape2(3000, 4000));
  TensorContainer<cpu, 1> sums(Shape1(4000));
  y = F<op::exp>(x * 0.0f) + 1.0f;
  t = y.T();
  h = tcast<half::half_t>(y);
  sums = sum_rows(y);
  x = F<UsersBranch>(y - 3.0f);
  const bool branch = x[2999][3999] == 1.0f;
  x = F<UsersExp>(y);
  TensorContainer<cpu, 1, double> numbers(Shape1(3));
  numbers[0] = -1.0;
  numbers[1] = std::strtod("inf", nullptr);
  numbers[2] = std::strtod("nan", nullptr);
  const bool printed = ToString(numbers) == "[-1. inf nan]";
  const bool right = branch && printed && x[2999][3999] == 2.0f && y[2999][3999] == 2.0f &&
                     t[3999][0] == 2.0f && static_cast<float>(h[7][9]) == 2.0f &&
                     sums[3999] == 6000.0f;
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
PROGRAM

# At -O0 g++ adds the hooks of profilers, which do nothing here. (Those of Clang 14 do not link with
# libstdc++'s std::string.)
first=-O0
if "$compiler" --version | grep -q 'Free Software'; then
  first='-O0 -finstrument-functions'
  cat >>"$dir/program.cc" <<'HOOKS'
extern "C" __attribute__((no_instrument_function)) void __cyg_profile_func_enter(void*, void*) {}
extern "C" __attribute__((no_instrument_function)) void __cyg_profile_func_exit(void*, void*) {}
HOOKS
  # Under the sanitizers GCC takes addresses of functions for no constants. (The tests run under
  # Clang's.)
  "$compiler" -std=c++17 -w -O1 -fsanitize=address,undefined -I "$include" "$dir/program.cc" \
    -o "$dir/program"
  echo "-fsanitize=address,undefined: $("$dir/program")"
fi

levels=("${@:2}")
if [ ${#levels[@]} -eq 0 ]; then levels=(-Og -O1 -Os -O2 -O3 -Ofast); fi
for level in "$first" "${levels[@]}"; do
  # Newer Clangs call the name -Ofast deprecated.
  "$compiler" -std=c++17 -Wall -Wextra -Werror -Wno-error=deprecated $level -I "$include" \
    "$dir/program.cc" -o "$dir/program"
  echo "$level: $("$dir/program")"
  if "$compiler" --version | grep -q 'Free Software' && [ "$(uname -m)" = x86_64 ]; then
    "$tests/simd/vector_code.sh" "$dir/program" UsersBranch UsersExp
  fi
done
