# SPDX-License-Identifier: Apache-2.0
# Tests of run_case.cmake: it must fail on a case that announces nothing, or what has no meaning,
# that does not compile, and that has fewer or more than it announces.
cmake_minimum_required(VERSION 3.20)
include(${CMAKE_CURRENT_LIST_DIR}/../expect_case.cmake)

function(expect what program)
  file(WRITE ${WORK_DIR}/case.cu "${program}\n")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${COMPILER} -DHOST_COMPILER=${HOST_COMPILER}
      -DINCLUDE_DIR=${INCLUDE_DIR} -DWORK_DIR=${WORK_DIR} -DCASE=${WORK_DIR}/case.cu
      -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_case.cmake
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  expect_case("${what}" "${program}" "${result}" "${output}")
endfunction()

set(program "__global__ void Add(float* a, float b, float c) { *a += b * c + 1.0f / c + c * c; }")
expect(ok "// sm_90: 2 of fma\\.rn\\.f32\n// sm_90: none of fma\\.rn\\.f64\n${program}")
expect("less than 100" "// sm_90: 100 of fma\\.rn\\.f32\n${program}")
expect("less than 1" "// sm_90: 1 of fma\\.rn\n${program}")
expect("must have none" "// sm_90: none of fma\\.rn\\.f32\n${program}")
expect("what does" "// sm_90: 2 or 3 of fma\n${program}")
expect("has no line" "${program}")
expect("does not compile" "// sm_90: 1 of fma\n${program} none")
file(REMOVE_RECURSE ${WORK_DIR})
