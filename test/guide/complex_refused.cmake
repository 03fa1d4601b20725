# SPDX-License-Identifier: Apache-2.0
# Each statement of complex_refused.cc is refused by a sentence that has the words behind it, in the
# first error of four at most; without the statements the program compiles.
#   cmake -DCOMPILER=g++ -DINCLUDE_DIR=include -DPROGRAM=test/guide/complex_refused.cc
#     -DWORK_DIR=/tmp/page -P complex_refused.cmake
cmake_minimum_required(VERSION 3.20)
set(ENV{LC_ALL} C)  # plain quotes in the messages

file(READ ${PROGRAM} program)
string(REGEX REPLACE "  // the list\n.*" "" begin "${program}")
string(REGEX MATCHALL "#include <[^\n]*\n" includes "${begin}")
string(REGEX REPLACE "#include <[^\n]*\n" "" begin "${begin}")
string(REGEX REPLACE ".*  // the list\n(.*)  // its end\n.*" "\\1" statements "${program}")
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
list(JOIN includes "" header)
file(WRITE ${WORK_DIR}/headers.h "${header}")

# The headers are compiled once.
set(compile ${COMPILER} -std=c++17 -DMSHADOW_DEBUG_KERNELS=1 -I ${INCLUDE_DIR})
if(COMPILER MATCHES "clang")
  set(precompiled headers.h.pch)
  set(use -include-pch headers.h.pch)
else()
  set(precompiled headers.h.gch)
  set(use -include headers.h)
endif()
execute_process(COMMAND ${compile} -x c++-header headers.h -o ${precompiled}
  WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the headers do not compile")
endif()

# The result of compiling `statement` after the declarations.
function(compile_statement statement result_out output_out)
  file(WRITE ${WORK_DIR}/case.cc "${begin}  ${statement}\n}\n")
  execute_process(COMMAND ${compile} ${use} -fsyntax-only case.cc
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  set(${result_out} ${result} PARENT_SCOPE)
  set(${output_out} "${output}" PARENT_SCOPE)
endfunction()

compile_statement("" result output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "without a statement it does not compile:\n${output}")
endif()
set(count 0)
set(failed "")
string(REPLACE ";" "\\;" statements "${statements}")
string(REGEX MATCHALL "[^\n]+" statements "${statements}")
foreach(line IN LISTS statements)
  if(NOT line MATCHES "^ *(.*[^ ]) *// (.*)$")
    message(FATAL_ERROR "a line of the list is no statement: ${line}")
  endif()
  set(statement "${CMAKE_MATCH_1}")
  set(words "${CMAKE_MATCH_2}")
  compile_statement("${statement}" result output)
  string(REGEX MATCH "[^\n]*error:[^\n]*" first "${output}")
  string(FIND "${first}" "mshadow: " sentence)
  string(FIND "${first}" "${words}" position)
  string(REGEX MATCHALL "error:" errors "${output}")
  list(LENGTH errors errors)
  if(result EQUAL 0 OR sentence EQUAL -1 OR position EQUAL -1 OR errors GREATER 4)
    string(APPEND failed "'${statement}' is not refused by '${words}':\n${output}\n")
  endif()
  math(EXPR count "${count} + 1")
endforeach()
if(failed OR count LESS 40)
  message("${failed}")
  message(FATAL_ERROR "of ${count} statements")
endif()
message("${count} statements are refused by a sentence")
