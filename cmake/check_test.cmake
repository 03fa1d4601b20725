# SPDX-License-Identifier: Apache-2.0
# Tests of check_layers.cmake and check_headers.cmake: each must pass a good tree and must fail,
# naming the place, on every bad one.
#   cmake -DCOMPILER=g++ -DWORK_DIR=/tmp/check_test -P cmake/check_test.cmake
cmake_minimum_required(VERSION 3.20)

# expect(<ok|message regex> <check> <path> <text> ...): runs the check on a tree of these headers.
# The texts are elements of a CMake list, hence {semicolon} and {bracket}.
function(expect what check)
  file(REMOVE_RECURSE ${WORK_DIR})
  set(files "${ARGN}")
  while(files)
    list(POP_FRONT files path text)
    string(REPLACE "{semicolon}" ";" text "${text}")
    string(REPLACE "{bracket}" "[" text "${text}")
    file(WRITE ${WORK_DIR}/include/${path} "${text}\n")
  endwhile()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DINCLUDE_DIR=${WORK_DIR}/include -DWORK_DIR=${WORK_DIR}/work
      -DCOMPILER=${COMPILER} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${check}.cmake
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(what STREQUAL "ok")
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "${check} refused a good tree: ${ARGN}\n${output}")
    endif()
  elseif(result EQUAL 0)
    message(FATAL_ERROR "${check} accepted a bad tree: ${ARGN}\n${output}")
  elseif(NOT output MATCHES "${what}")
    message(FATAL_ERROR "${check} should have said '${what}' on: ${ARGN}\n${output}")
  endif()
endfunction()

# ---- Layers ----
set(core mshadow/core/shape.h "#include <vector>")
expect(ok check_layers ${core})
expect(ok check_layers ${core} mshadow/op/unary.h "#include \"../core/shape.h\"")
expect(ok check_layers ${core} mshadow/core/device.h "#include \"shape.h\"")
expect(ok check_layers ${core} mshadow/tensor.h "\n #  include <mshadow/core/shape.h>"
  mshadow/base.h "#include \"mshadow/tensor.h\"" mshadow-ps/ps.h "#include <mshadow/tensor.h>")
expect(ok check_layers mshadow/backend/cpu/blas.h "#include \"mshadow/backend/cpu/blas/cblas.h\""
  mshadow/backend/cpu/blas/cblas.h "#include <cblas.h>")
expect(ok check_layers mshadow/core/half.h "#include <cuda_fp16.h>"
  mshadow/backend/gpu/device.h "#include <cuda_runtime.h>\n#include <cub/cub.cuh>")
expect("core/shape.h:3: .*point up" check_layers mshadow/expr/exp.h ""
  mshadow/core/shape.h "// {bracket}{semicolon} \\\n\n#include \"mshadow/expr/exp.h\"")
expect("op/unary.h:1: .*one level" check_layers mshadow/simd/isa.h ""
  mshadow/op/unary.h "#include <mshadow/simd/isa.h>")
expect("extension/pool.h:1: .*one level" check_layers mshadow/tensor/view.h ""
  mshadow/extension/pool.h "#include \"../tensor/view.h\"")
expect("backend/cpu/blas.h:1: .*one level" check_layers mshadow/backend/gpu/blas.h ""
  mshadow/backend/cpu/blas.h "#include \"../gpu/blas.h\"")
expect("expr/exp.h:1: .*point up" check_layers mshadow/tensor.h ""
  mshadow/expr/exp.h "#include \"mshadow/tensor.h\"")
expect("core/a.h:1: .*does not exist" check_layers
  mshadow/core/a.h "#include \"mshadow/core/b.h\"")
expect("core/a.h:1: .*does not exist" check_layers mshadow/core/a.h "#include \"../core/b.h\"")
expect("core/a.h:1: .*names no file" check_layers mshadow/core/a.h "#include MSHADOW_HEADER")
expect("newfolder/a.h:1: is in no layer" check_layers mshadow/newfolder/a.h "")
expect("backend/a.h:1: is in no layer" check_layers mshadow/backend/a.h "")
expect("core/a.h:1: .*only mshadow/backend/cpu/" check_layers mshadow/core/a.h "#include <omp.h>")
expect("core/a.h:1: .*only mshadow/backend/gpu/" check_layers
  mshadow/core/a.h "#include <cuda_runtime.h>")
expect("core/a.h:1: .*only mshadow/backend/gpu/" check_layers
  mshadow/core/a.h "#include <cub/device/device_reduce.cuh>")
expect("core/a.h:1: .*only mshadow/simd/" check_layers mshadow/core/a.h "#include <immintrin.h>")

# ---- Every header alone ----
expect(ok check_headers
  mshadow/core/a.h "#pragma once\n#include <cstddef>\nusing S = std::size_t{semicolon}")
expect("core/a.h does not compile alone" check_headers
  mshadow/core/a.h "#pragma once\nusing S = std::size_t{semicolon}" mshadow/core/b.h "")
expect("core/a.h does not compile alone" check_headers
  mshadow/core/a.h "struct Twice {}{semicolon}")
expect("core/a.h does not compile alone" check_headers
  mshadow/core/a.h "#pragma once\ninline void Unused(int x) {}")

file(REMOVE_RECURSE ${WORK_DIR})
message("the checks pass what they should and fail what they should")
