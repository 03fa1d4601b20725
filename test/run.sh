#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing (Debian, Ubuntu), builds and runs tests, stops at the first failure.
#   test/run.sh quick        the tests that a change breaks most often, in less than 5 minutes
#   test/run.sh [STAGE...]   all stages, or some; all take 65 minutes on two cores
# Without a cache, a first run compiles everything. Later runs, also in another clone, compile what
# changed: ccache keeps the rest. A run that is stopped leaves no processes.
#   quick    g++ -O0, kernels not optimised, a few element types: unit tests of expr, extension and
#            tensor. Not part of `all`
# Stages of a whole run, in this order:
#   release  g++, every test, and the tests of the tree and of the build
#   asan     clang++ -O0, unit tests under AddressSanitizer and UndefinedBehaviorSanitizer (without
#            the checks of pointers, which AddressSanitizer makes too and which double the
#            compilation), random statements beside NumPy. Findings name functions; with
#            -DCMAKE_CXX_FLAGS=-g1 the preset names lines too, and compiles an eighth longer
#   tsan     g++, the tests labelled `threads` under ThreadSanitizer
#   clang    clang++ -O2, the unit tests of what has loops of its own (asan has compiled the others),
#            and the tests of the build but headers alone, levels and packages
#   int64    unit tests of the layers below the back end with MSHADOW_INT64_TENSOR_SIZE=1, for the
#            baseline instruction set, by the g++ of Debian 13 (test/debian.sh); where there can be no
#            such system, by that of this one
#   signed   the same with MSHADOW_SIGNED_INDEX=1, by the clang++ of Debian 13
#   no-blas  the main job, examples/mnist, with the builtin GEMM, a short run
#   compilers  Debian 13: examples/run.sh, a short run, and every level of optimisation of g++ and
#            clang++; skipped, with a line that says why, where there can be no such system
#   cross    64-bit Arm under qemu-user: unit tests of core, op and expr, a few of extensions and of
#            the back end, a program at -O2; reading and writing of files on s390x, which is
#            big-endian; RISC-V, the program alone. What has no compiler here is skipped.
# The last line counts the tests of all stages.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
export CXX=${CXX:-g++}
passed=0
summary=''
all=(release asan tsan clang int64 signed no-blas compilers cross)
stages=("${@:-${all[@]}}")
WATCHED_SINCE=$(date +%s)
export WATCHED_SINCE

# A compilation takes up to 1.7 GB.
memory=$(awk '/^MemAvailable/ {print int($2 / 2000000)}' /proc/meminfo 2>/dev/null || true)
jobs=$(nproc)
if [ "${memory:-$jobs}" -lt "$jobs" ]; then jobs=$((memory > 0 ? memory : 1)); fi
export JOBS=$jobs

# Seconds of each stage on two cores, with nothing in the cache.
declare -A seconds=([quick]=240 [release]=2000 [asan]=700 [tsan]=110 [clang]=260 [int64]=110
  [signed]=60 [no-blas]=85 [compilers]=240 [cross]=350)
expected=0
for stage in "${stages[@]}"; do
  if [ -z "${seconds[$stage]:-}" ]; then echo "there is no stage $stage"; exit 1; fi
  expected=$((expected + seconds[$stage]))
done
echo "stages: ${stages[*]}"
echo "about $(((expected / 30 + jobs - 1) / jobs)) minutes with $jobs jobs, less with a filled ccache"
if [ $# -eq 0 ]; then echo 'test/run.sh quick runs the most useful tests in less than 5 minutes'; fi

packages=(g++ make cmake libgtest-dev ccache)
if [ "${stages[*]}" != quick ]; then
  packages+=(zlib1g-dev libpng-dev libeigen3-dev libfftw3-dev doxygen clang libclang-rt-dev libomp-dev valgrind
    python3-numpy python3-dev pybind11-dev openmpi-bin libopenmpi-dev mpich libmpich-dev
    'libopenblas-openmp-dev|libopenblas-dev|libopenblas-pthread-dev|libopenblas-serial-dev')
fi
cmake/install_packages.sh "${packages[@]}"

# Where the sources are, and what the folder is called, does not matter to the cache; nor do times of
# files: precompiled headers are compared by what is in them.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CMAKE_CUDA_COMPILER_LAUNCHER=$root/test/cache_nvcc.sh
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi
# What commands run in: nothing, or test/debian.sh.
inside=()

# fail STAGE WHAT: the end of a run that did not pass.
fail() {
  printf '\n%s' "$summary"
  printf '%-9s FAILED: %s\n' "$1" "$2"
  printf 'again, alone: test/run.sh %s\n\n' "${1%_*}"
  echo "$passed passed, ${3:-1} failed"
  exit 1
}

# build STAGE CMAKE-OPTION... [-- BUILD-OPTION...]: configures and builds the folder build/STAGE.
build() {
  local stage=$1 options=()
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
  if [ $# -gt 0 ]; then shift; fi
  cmake/watched.sh "build/$stage.log" "${inside[@]}" cmake "${options[@]}" ||
    { cat "build/$stage.log"; fail "$stage" 'cmake'; }
  grep '^-- mshadow' "build/$stage.log" || true
  cmake/watched.sh "build/$stage.log" \
    "${inside[@]}" cmake --build "build/$stage" -j"$jobs" "$@" ||
    { tail -n 200 "build/$stage.log"; fail "$stage" 'the build'; }
}

# check STAGE [CTEST-OPTION...]: runs the tests of a build folder and counts them.
check() {
  local stage=$1 status=0 line failed='' total='' skipped
  shift
  cmake/watched.sh - "${inside[@]}" ctest --test-dir "build/$stage" -j"$jobs" --output-on-failure \
    --no-tests=error "$@" 2>&1 | tee "build/$stage.log" || status=$?
  line=$(sed -nE 's/.* ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "build/$stage.log")
  read -r failed total <<<"$line" || true
  # ctest counts what was skipped, for want of a GPU, among those that passed.
  skipped=$(grep -c '\*\*\*Skipped' "build/$stage.log" || true)
  total=$((${total:-0} - skipped))
  passed=$((passed + total - ${failed:-0}))
  if [ "$status" -ne 0 ]; then fail "$stage" 'ctest' "${failed:-1}"; fi
  tests="$total tests"
  if [ "$skipped" -gt 0 ]; then tests+=", $skipped not run"; fi
}

mkdir -p build
batches=-DMSHADOW_BATCH_TESTS=ON
if [ "${memory:-1}" -eq 0 ]; then batches=-DMSHADOW_BATCH_TESTS=OFF; fi  # each takes less alone
unit=(-DMSHADOW_BUILD_EXAMPLES=OFF -DMSHADOW_BUILD_BENCHMARKS=OFF "$batches")
number=0
for stage in "${stages[@]}"; do
  number=$((number + 1))
  printf '\n==== %s (stage %d of %d, after %d min)\n' "$stage" $number ${#stages[@]} $((SECONDS / 60))
  start=$SECONDS
  tests=''
  case $stage in
    quick)
      # Half of the time to compile all of extension goes into these.
      slow='complex|pack_col2patch|pool3d|reduce_with_axis|reduceto1d|reduction|resize'
      slow+='|spatial_pool|swapaxis|unpool'
      build quick --preset debug -B build/quick "${unit[@]}" -DMSHADOW_USE_CUDA=OFF \
        "-DCMAKE_CXX_FLAGS=-DMSHADOW_DEBUG_KERNELS=1 -DMSHADOW_TEST_FEW_DTYPES" \
        -DCMAKE_CXX_FLAGS_DEBUG=-O0 "-DMSHADOW_TEST_SKIP=^extension/.*($slow)" \
        -- --target expr_tests extension_tests tensor_tests
      check quick -L '^(expr|extension|tensor)$'
      ;;
    release)
      build release --preset default -B build/release $batches -DMSHADOW_BENCHMARK_FLAGS=-O0
      check release
      ;;
    asan)
      # Clang's precompiled headers hold the path of this folder: ccache has none for another clone.
      build asan --preset asan "${unit[@]}" -DCMAKE_CXX_COMPILER=clang++ \
        -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON '-DMSHADOW_TEST_SKIP=^grad/(axes|einsum|forward|map|pool|products|reductions|unary|views)'
      check asan -LE '^build$'
      ;;
    tsan)
      build tsan --preset tsan "${unit[@]}" -- --target threads_tests
      check tsan -L '^threads$'
      ;;
    clang)
      build clang --preset clang "${unit[@]}" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
        '-DMSHADOW_TEST_FOLDERS=^(backend|core|op|simd)$'
      check clang -E '^(headers_alone|levels|package_)'
      ;;
    int64 | signed)
      macro=MSHADOW_INT64_TENSOR_SIZE compiler=g++
      if [ "$stage" = signed ]; then macro=MSHADOW_SIGNED_INDEX compiler=clang++; fi
      if why=$(test/debian.sh --make); then inside=(test/debian.sh); else echo "$why"; fi
      build "$stage" --preset debug -B "build/$stage" "${unit[@]}" \
        "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_CXX_FLAGS=-D$macro=1 -DMSHADOW_DEBUG_KERNELS=1" \
        -DCMAKE_CXX_FLAGS_DEBUG=-O0 -- --target core_tests expr_tests tensor_tests
      check "$stage" -L '^(core|expr|tensor)$'
      inside=()
      ;;
    no-blas)
      build no-blas --preset no-blas -DMSHADOW_BUILD_TESTS=OFF -DMSHADOW_BUILD_BENCHMARKS=OFF \
        -- --target mnist
      # The builtin GEMM adds up in an order that does not depend on the number of threads.
      rm -f build/no-blas/mnist[0-9]*.model
      for threads in 2 1; do
        cmake/watched.sh - build/no-blas/examples/mnist/mnist --model "build/no-blas/mnist$threads.model" \
          --threads $threads --digits 2000 --epochs 2 || fail no-blas 'examples/mnist'
      done
      cmp build/no-blas/mnist[12].model || fail no-blas 'the number of threads changed the model'
      passed=$((passed + 1))
      tests='examples/mnist'
      ;;
    compilers)
      if why=$(test/debian.sh --make); then
        inside=(test/debian.sh)
        echo 'examples/run.sh in Debian 13'
        cmake/watched.sh - "${inside[@]}" examples/run.sh --digits 1000 --epochs 1 ||
          fail compilers 'examples/run.sh in Debian 13'
        passed=$((passed + 1))
        tests='examples/run.sh'
        for compiler in g++ clang++; do
          cmake/watched.sh - "${inside[@]}" test/levels.sh "$compiler" ||
            fail compilers "test/levels.sh $compiler"
          passed=$((passed + 1))
          tests+=", every level of $compiler"
        done
        inside=()
      else
        echo "$why"
        summary+=$(printf '%-9s skipped: %s' "$stage" "$why")$'\n'
        continue
      fi
      ;;
    cross)
      # Where there are no such packages, or no archive, the stage says what it leaves out.
      cmake/install_packages.sh qemu-user g++-{aarch64,riscv64,s390x}-linux-gnu ||
        echo 'no packages of cross compilers'
      arm=()
      for test in test/{core,op,op/math}/*_test.cc; do
        case $test in
          */normal_* | */distribution_* | */rounds_once_*) ;;  # minutes under qemu
          *) arm+=("${test#test/}") ;;
        esac
      done
      arm+=(expr/{call,dot,dot_engine,engine,engine_threads,exp,make_tensor,materialised}
        expr/{operators,reordered,traits,transpose,typecast}
        expr/plan/{map_plan,plan,row,row_lanes,short_row,strided_plan}
        extension/{broadcast,choose,mask,pad,row_sums,slice,take,tile,transpose,where}
        simd/{half_convert,philox,transpose_block} backend/cpu/blas/{gemm,small_gemm})
      for machine in aarch64 s390x riscv64; do
        case $machine in
          aarch64) names=("${arm[@]%_test.cc}") ;;
          s390x) names=(core/half interop/npy interop/safetensors tensor/io) ;;
          riscv64) names=() ;;
        esac
        if ! type "$machine-linux-gnu-g++" "qemu-$machine" >/dev/null 2>&1; then
          echo "$machine is skipped: $machine-linux-gnu-g++ or qemu-$machine is not installed"
          continue
        fi
        cmake/watched.sh - test/cross.sh "$machine" "${names[@]}" | tee "build/cross_$machine.log" ||
          fail cross "test/cross.sh $machine"
        count=$(sed -n '$s/ tests$//p' "build/cross_$machine.log")
        passed=$((passed + count))
        tests+="${tests:+, }$machine $count tests"
      done
      ;;
  esac
  summary+=$(printf '%-9s passed: %s, %d s' "$stage" "$tests" $((SECONDS - start)))$'\n'
done

printf '\n%s\n' "$summary"
echo "$passed passed, 0 failed"
