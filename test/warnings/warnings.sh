#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The headers cause no warning: in C++17, 20 and 23, with indices of each type, without RTTI.
#   test/warnings/warnings.sh COMPILER
# Checks statements.cc, a statement of each kind, without generating code.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
compiler=${1:?usage: warnings.sh COMPILER}

check() {
  echo "$*"
  "$compiler" "$@" -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wpedantic \
    -Wdouble-promotion -Werror -fsyntax-only -I "$here/../../include" "$here/statements.cc"
}
check -std=c++17
check -std=c++20 -DMSHADOW_SIGNED_INDEX=1 -fno-rtti
check -std=c++2b -DMSHADOW_INT64_TENSOR_SIZE=1
