#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails unless the AVX2 kernels of a program that have NAME in their names consist of vector code.
#   test/simd/vector_code.sh PROGRAM NAME...
# A loop that GCC does not vectorise holds no 256-bit register.
set -euo pipefail
export LC_ALL=C
program=${1:?usage: vector_code.sh PROGRAM NAME...}
shift
code=$(objdump -d --no-show-raw-insn "$program")
for name; do
  awk -v name="$name" '
    /^[0-9a-f]+ <.*>:$/ {
      kernel = $2 ~ /^<_ZN7mshadow4simd4Avx2(3Run|4Call)/ && index($2, name) ? $2 : ""
      if (kernel) vectors[kernel] = 0
    }
    kernel && /%ymm/ { ++vectors[kernel] }
    END {
      for (kernel in vectors) {
        ++kernels
        if (vectors[kernel] == 0) { print "no vector code in " kernel; ++bad }
      }
      if (!kernels) print "no AVX2 kernel of " name
      exit !kernels || bad
    }' <<<"$code"
done
