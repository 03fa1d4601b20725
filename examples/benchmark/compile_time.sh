#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What statements cost a compilation, beside Eigen and xtensor where they are found.
#   examples/benchmark/compile_time.sh [RUNS [COMPILER...]]
# Default: 3 runs of g++ and of clang++, minutes each; where a compiler is missing, without it.
# Prints Markdown: CPU seconds and peak memory of `COMPILER -std=c++17 -O2 -DNDEBUG -c`, the least
# of RUNS, of files with the include and 0, 1, 10 and 50 functions of one statement on matrices,
#   o = (((a + 2.0f) - b) * a) / exp(b);
# whose operators and function differ from one to the next, so that in every library each is a type
# of its own and nothing of one serves the next; "one more" is the slope from 10 to 50. Libraries
# take turns within a run; `*` marks a missed aim. Then README.md's program beside the same in Eigen
# (readme_eigen.cc), and single statements that are no maps, over the include. Other folders of headers: CPLUS_INCLUDE_PATH.
# For mshadow alone, in short: cmake/include_cost.sh.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
runs=${1:-3}
compilers=("${@:2}")
if [ ${#compilers[@]} -eq 0 ]; then compilers=(g++ clang++); fi
libraries=(mshadow 'mshadow, one instruction set' 'Eigen Array' 'Eigen Tensor' xtensor)
sizes=(0 1 10 50)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# describe LIBRARY: its headers and flags, the type of a matrix parameter, the left-hand side, and
# how OP of b is written.
describe() {
  flags=()
  left=o
  case $1 in
    mshadow*)
      headers=(mshadow/tensor.h) flags=(-I "$here/../../include")
      matrix='mshadow::Tensor<mshadow::cpu, 2>' op='mshadow::expr::F<mshadow::op::OP>(b)'
      # One: what the flags allow, which is what the others compile; else that, AVX2 and AVX-512.
      if [ "$1" != mshadow ]; then flags+=(-DMSHADOW_SIMD_DISPATCH=0); fi
      ;;
    'Eigen Array')
      headers=(Eigen/Core) flags=(-isystem /usr/include/eigen3)
      matrix='Eigen::Map<Eigen::ArrayXXf>' op='b.OP()'
      ;;
    'Eigen Tensor')
      headers=(unsupported/Eigen/CXX11/Tensor) flags=(-isystem /usr/include/eigen3)
      matrix='Eigen::TensorMap<Eigen::Tensor<float, 2>>' op='b.OP()'
      ;;
    xtensor)
      headers=(xtensor/xtensor.hpp xtensor/xnoalias.hpp)
      matrix='xt::xtensor<float, 2>&' op='xt::OP(b)' left='xt::noalias(o)'
      ;;
  esac
}

# program N: the include and N statements of the library described.
program() {
  local ops=(+ - '*' /) functions=(exp tanh sqrt abs square) i first step
  printf '#include <%s>\n' "${headers[@]}"
  for ((i = 0; i < $1; ++i)); do
    # Of 50: a function of 5, and 10 orders of the operators, by where they start and the step.
    first=$((i / 5)) step=$((i / 20 + 1))
    echo "void Run$i($matrix o, $matrix a, $matrix b) {"
    echo "  $left = (((a ${ops[first % 4]} 2.0f) ${ops[(first + step) % 4]} b)" \
      "${ops[(first + 2 * step) % 4]} a) ${ops[(first + 3 * step) % 4]}" \
      "${op/OP/${functions[i % 5]}};"
    echo '}'
  done
}

# what_else: README.md's program, Eigen's, and files of one statement: what they are called, and each
# its statement.
ones=('sum(a)' 'a - mean<1>(a)' 'dot(a, b), no BLAS' 'dot(a, b), BLAS' 'pool<red::maximum>')
what_else() {
  local i statement=('t = sum(a);' 'a = a - mean<1>(a);' 'a = dot(a, b);' 'a = dot(a, b);'
    'o = pool<red::maximum>(x, 2, 2, 2, 2);')
  awk '/^```cpp$/ { on = 1; next } /^```$/ && on { exit } on' "$here/../../README.md" >"$dir/readme.cc"
  cp "$here/readme_eigen.cc" "$dir/eigen.cc"
  for i in "${!ones[@]}"; do
    printf '#include <mshadow/tensor.h>\nusing namespace mshadow;\nusing namespace mshadow::expr;\n'
    echo 'struct Operands { Tensor<cpu, 2> a, b; Tensor<cpu, 4> x, o; };'
    echo "void Run(float& t, Operands& p) {"
    echo "  auto& [a, b, x, o] = p; (void)t; (void)a; (void)b; (void)x; (void)o; ${statement[i]} }"
  done | awk -v dir="$dir" '/^#include/ { n++ } { print >(dir "/one" n - 1 ".cc") }'
}

# measure COMPILER FILE-STEM: appends a line `STEM SECONDS MIB` to the file `used`.
measure() {
  local file=$dir/$2 used
  used=$("$dir/usage" "$1" -std=c++17 -O2 -DNDEBUG "${flags[@]}" -c "$file.cc" -o "$file.o")
  echo "$2 $used" >>"$dir/used"
}

what_else
for compiler in "${compilers[@]}"; do
  if ! command -v "$compiler" >/dev/null; then echo "no $compiler"; continue; fi
  "$compiler" "$here/usage.cc" -o "$dir/usage"
  : >"$dir/used"
  found=()
  for ((i = 0; i < ${#libraries[@]}; ++i)); do
    describe "${libraries[i]}"
    program 0 >"$dir/found.cc"
    if [ "$i" -lt 2 ] ||  # ours: errors are shown below
      "$compiler" -std=c++17 "${flags[@]}" -fsyntax-only "$dir/found.cc" 2>/dev/null; then
      found+=("$i")
      for size in "${sizes[@]}"; do program "$size" >"$dir/${i}_$size.cc"; done
    else
      echo "no ${libraries[i]} (${headers[*]})"
    fi
  done
  for ((run = 0; run < runs; ++run)); do
    for size in "${sizes[@]}"; do
      for i in "${found[@]}"; do
        describe "${libraries[i]}"
        measure "$compiler" "${i}_$size"
      done
    done
    describe mshadow
    measure "$compiler" readme
    for i in "${!ones[@]}"; do
      describe mshadow
      if [[ ${ones[i]} == *', BLAS' ]]; then flags+=(-DMSHADOW_USE_CBLAS=1); fi
      measure "$compiler" "one$i" 2>/dev/null || true  # where there is no cblas.h
    done
    describe 'Eigen Array'
    measure "$compiler" eigen 2>/dev/null || true
  done

  printf '\n%s, seconds and MiB:\n\n' "$("$compiler" --version | head -n 1)"
  printf '| library | include | 1 statement | 10 | 50 | one more |\n|---|--:|--:|--:|--:|--:|\n'
  names=$(IFS=';' && echo "${libraries[*]}")
  awk -v names="$names" -v sizes="${sizes[*]}" -v ones="$(IFS=';' && echo "${ones[*]}")" '
    !($1 in seconds) || $2 < seconds[$1] { seconds[$1] = $2 }
    !($1 in memory) || $3 < memory[$1] { memory[$1] = $3 }
    # One line: a measured ratio or time and its aim, with * where it is missed.
    function aim(what, figure, unit, most) {
      printf "- %s: %.2f%s, aim at most %.1f%s%s\n", what, figure, unit, most, unit,
             figure <= most ? "" : " *"
    }
    END {
      count = split(names, name, ";")
      columns = split(sizes, size, " ")
      for (i = 0; i < count; ++i) {
        if (!((i "_0") in seconds)) continue
        printf "| %s |", name[i + 1]
        for (s = 1; s <= columns; ++s) {
          key = i "_" size[s]
          printf " %.2f s, %.0f |", seconds[key], memory[key]
        }
        printf " %.3f s, %.1f |\n", (seconds[i "_50"] - seconds[i "_10"]) / 40,
               (memory[i "_50"] - memory[i "_10"]) / 40
      }
      print ""
      aim("the include of mshadow", seconds["0_0"], " s", 0.6)
      for (peer = 2; peer < count; ++peer) {
        if (!((peer "_50") in seconds)) continue
        of = "50 statements, mshadow over " name[peer + 1]
        if (name[peer + 1] == "Eigen Tensor") {
          aim("the include, mshadow over " name[peer + 1], seconds["0_0"] / seconds[peer "_0"], "", 0.5)
          aim(of ", time", seconds["0_50"] / seconds[peer "_50"], "", 1.5)
          aim(of ", memory", memory["0_50"] / memory[peer "_50"], "", 0.5)
        } else {
          printf "- %s: %.2f of time, %.2f of memory\n", of,
                 seconds["0_50"] / seconds[peer "_50"], memory["0_50"] / memory[peer "_50"]
        }
      }
      printf "- the program of README.md: %.2f s\n", seconds["readme"]
      if ("eigen" in seconds) {
        printf "- the same in Eigen: %.2f s\n", seconds["eigen"]
        aim("mshadow over Eigen", seconds["readme"] / seconds["eigen"], "", 1.3)
      }
      count = split(ones, one, ";")
      for (i = 0; i < count; ++i) {
        if (("one" i) in seconds) {
          printf "- over the include, %s: %.2f s\n", one[i + 1], seconds["one" i] - seconds["0_0"]
        }
      }
    }' "$dir/used"
done
