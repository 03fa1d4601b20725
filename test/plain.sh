#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With MSHADOW_PLAIN_CXX the headers are standard C++: for compilers other than GCC and Clang.
#   test/plain.sh COMPILER
# Also: without exceptions there is no mshadow, and without a library's header no such switch; the
# compiler says so first.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
compiler=${1:?usage: plain.sh COMPILER}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
options=(-std=c++17 -I "$here/../include")

# What compilers know and the standard does not, in lines of our headers. Macros of the standard
# library, as HUGE_VAL and va_start, may hold builtins.
"$compiler" "${options[@]}" -DMSHADOW_PLAIN_CXX=1 -E "$here/warnings/statements.cc" |
  awk '/^# [0-9]+ "/ {ours = $3 ~ /include\/mshadow/; next} ours' >"$dir/lines"
[ "$(wc -l <"$dir/lines")" -gt 10000 ]
if grep -vE '__builtin_(huge_val|inf|nan|va_start|va_end)' "$dir/lines" |
  grep -nE '__attribute__|__atomic_|__builtin_|_Pragma|#pragma|__asm|vector_size|__PRETTY_FUNCTION__'; then
  echo 'these lines are not standard C++'
  exit 1
fi
"$compiler" "${options[@]}" -DMSHADOW_PLAIN_CXX=1 -pedantic-errors -Wall -Wextra -Werror \
  -fsyntax-only "$here/warnings/statements.cc"
"$compiler" "${options[@]}" -DMSHADOW_PLAIN_CXX=1 -pedantic-errors "$here/plain.cc" -o "$dir/plain"
"$dir/plain"

# Without exceptions.
echo '#include <mshadow/tensor.h>' >"$dir/none.cc"
"$compiler" "${options[@]}" -fno-exceptions -fsyntax-only "$dir/none.cc" 2>"$dir/log" && exit 1
grep -m 1 error "$dir/log" | grep -F 'errors are exceptions: compile without -fno-exceptions'

# Without the header that a switch needs, the first error names its package. Empty headers stand for
# the standard library's, which -nostdinc hides as well.
touch "$dir/cstddef" "$dir/cstdint"
while read -r switch package; do
  "$compiler" -std=c++17 -nostdinc -I "$dir" "$switch" -E "$here/../include/mshadow/core/config.h" \
    >/dev/null 2>"$dir/log" && exit 1
  grep -m 1 error "$dir/log" | grep "(Debian.*$package)"
done <<'SWITCHES'
-DMSHADOW_USE_CBLAS=1 libopenblas-dev
-DMSHADOW_USE_MKL=1 libmkl-dev
-DMSHADOW_USE_CUDA=1 -I/usr/local/cuda/include
-fopenmp libomp-dev
SWITCHES
