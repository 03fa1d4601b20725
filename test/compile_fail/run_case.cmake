# SPDX-License-Identifier: Apache-2.0
# Fails unless the program CASE is refused by COMPILER with the messages it announces, in the first
# line that is an error, and its corrected twin, the same file with -DFIXED, is accepted.
#   cmake -DCOMPILER=g++ -DINCLUDE_DIR=include -DCASE=NAME.cc -P run_case.cmake
# The program says what it expects, once or several times:
#   // expect: a regex of CMake that this line matches
#   // expect in a note: one that the diagnostics match, where the words are the compiler's own
cmake_minimum_required(VERSION 3.20)
set(ENV{LC_ALL} C)  # plain quotes in the messages

# Not message(FATAL_ERROR), which breaks long lines anywhere.
macro(fail text)
  message("${text}")
  message(FATAL_ERROR "the case failed")
endmacro()

function(compile result_out output_out)
  execute_process(
    COMMAND ${COMPILER} -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I ${INCLUDE_DIR}
      ${ARGN} ${CASE}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(${result_out} ${result} PARENT_SCOPE)
  set(${output_out} "${output}" PARENT_SCOPE)
endfunction()

file(STRINGS ${CASE} expectations REGEX "^// expect: ")
file(STRINGS ${CASE} notes REGEX "^// expect in a note: ")
if(NOT expectations AND NOT notes)
  fail("${CASE} has no line '// expect: MESSAGE'")
endif()

compile(result output)
if(result EQUAL 0)
  fail("${CASE} compiles, and must not")
endif()
string(REGEX MATCH "[^\n]*error:[^\n]*" first "${output}")
foreach(expectation IN LISTS expectations notes)
  set(where "${first}")
  if(expectation MATCHES "^// expect in a note: ")
    set(where "${output}")
  endif()
  string(REGEX REPLACE "^// expect[a-z ]*: " "" expectation "${expectation}")
  if(NOT where MATCHES "${expectation}")
    fail("${CASE} is refused without the message '${expectation}':\n${output}")
  endif()
endforeach()

compile(result output -DFIXED)
if(NOT result EQUAL 0)
  fail("${CASE} does not compile with -DFIXED:\n${output}")
endif()
