#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lists what kernels call in the machine code of programs, and fails where there is anything but
# the C library, other kernels, and functions that stand apart on purpose.
#   test/simd/kernel_calls.sh PROGRAM...
# A kernel is a function for one instruction set with everything inlined (simd/isa.h). What is not
# is compiled for the baseline, is not vectorised with the loop, and a call of it may wait tens of
# nanoseconds.
set -euo pipefail
export LC_ALL=C

# Mangled names: of kernels, and of the functions that they may call. Each of these is compiled for
# the instruction set of its caller, or runs once for many elements.
kernel='^_ZN7mshadow4simd(6Avx512|4Avx2|8Baseline)(3Run|4Call)'
apart='(8CopyRows|5Again|7Scatter|8Dispatch|9StorePart|12ConvertWhole|15ConvertSixteens|13PhiloxChunkOf'
apart+='|15GatherWholeAvx2|15GatherAscending|17GatherWholeAvx512'
apart+='|12WriteReduced|15WriteLastChange|8AddBlock|8GiveBack'
# Blocks of windows, of resized images and of random numbers: each asks for its own kernel.
apart+='|(9RandomExp|9WindowExp|9UnpoolExp|15AvgUnPoolingExp|9ResizeExp|18PackColToPatchXExp|20UnpackPatchToColXExp|20UpSamplingNearestExp)I.*E4Fill'
apart+='|15WritePooledRows|17WriteUnpooledRows|15WriteSharedRows|[0-9]Throw[A-Za-z]*'
# Plans that may own memory (expr/materialised.h) are copied for a block or a row, totals are made
# for a result.
apart+='|7RowSumsI.*[CD]1|9NamedRows[CD]1|Plan(Of)?I.*[CD]1|5TotalC1)[EIRPv]'
for program; do
  objdump -d --no-show-raw-insn "$program"
done | awk -v kernel="$kernel" -v apart="$apart" '
  /^[0-9a-f]+ <.*>:$/ {
    name = substr($2, 2, length($2) - 3)
    inside = name ~ kernel
    kernels += inside
  }
  inside && match($0, /(call|jmp) +[0-9a-f]+ <[^>]*>/) {
    callee = substr($0, RSTART, RLENGTH)
    sub(/^[^<]*</, "", callee)
    sub(/(@plt)?([+]0x[0-9a-f]+)?>$/, "", callee)
    if (callee != name && callee ~ /^_Z.*7mshadow/ && callee !~ kernel && callee !~ apart) {
      if (!((name, callee) in seen)) printf "%s\n  calls %s\n", name, callee
      seen[name, callee] = 1
    }
  }
  END {
    for (one in seen) ++calls
    printf "%d kernels, %d calls that are not inlined\n", kernels, calls
    exit !kernels || calls
  }'
