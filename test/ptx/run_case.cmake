# SPDX-License-Identifier: Apache-2.0
# Fails unless nvcc makes of the file CASE, for each architecture it names, the PTX it announces.
#   cmake -DCOMPILER=nvcc -DHOST_COMPILER=g++ -DINCLUDE_DIR=include -DWORK_DIR=/tmp/ptx
#         -DCASE=NAME.cu -P run_case.cmake
# The file says what it expects, once or several times:
#   // sm_90: N of INSTRUCTION        at least N times
#   // sm_90: none of INSTRUCTION
# where INSTRUCTION is a regex of CMake for the whole of an instruction's name.
cmake_minimum_required(VERSION 3.20)

# Not message(FATAL_ERROR), which breaks long lines anywhere.
macro(fail text)
  message("${text}")
  message(FATAL_ERROR "the case failed")
endmacro()

file(STRINGS ${CASE} expectations REGEX "^// sm_[0-9]+: ")
if(NOT expectations)
  fail("${CASE} has no line '// sm_ARCHITECTURE: N of INSTRUCTION'")
endif()

file(MAKE_DIRECTORY ${WORK_DIR})
foreach(expectation IN LISTS expectations)
  if(NOT expectation MATCHES "^// (sm_[0-9]+): ([1-9][0-9]*|none) of ([^ ]+)$")
    fail("${CASE}: what does '${expectation}' mean?")
  endif()
  set(architecture ${CMAKE_MATCH_1})
  set(least ${CMAKE_MATCH_2})
  set(instruction ${CMAKE_MATCH_3})
  if(NOT DEFINED ptx_${architecture})
    set(file ${WORK_DIR}/${architecture}.ptx)
    execute_process(
      COMMAND ${COMPILER} -std=c++17 -O2 -ccbin ${HOST_COMPILER} -arch=${architecture} -ptx
        -DMSHADOW_USE_CUDA=1 -I ${INCLUDE_DIR} -o ${file} ${CASE}
      RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      fail("${CASE} does not compile for ${architecture}:\n${output}")
    endif()
    file(READ ${file} ptx_${architecture})
  endif()
  string(REGEX MATCHALL "[\t {]${instruction}[\t ]" found "${ptx_${architecture}}")
  list(LENGTH found count)
  if(least STREQUAL "none" AND count GREATER 0)
    fail("${CASE} has ${count} of ${instruction} for ${architecture}, and must have none")
  elseif(NOT least STREQUAL "none" AND count LESS ${least})
    fail("${CASE} has ${count} of ${instruction} for ${architecture}, less than ${least}")
  endif()
endforeach()
