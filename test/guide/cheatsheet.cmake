# SPDX-License-Identifier: Apache-2.0
# Every statement in the last column of guide/cheatsheet.md is one of cheatsheet.cc, which runs.
#   cmake -DCOMPILER=g++ -DINCLUDE_DIR=include -DPAGE=guide/cheatsheet.md -DPROGRAM=test/guide/cheatsheet.cc
#     -DWORK_DIR=/tmp/page -P cheatsheet.cmake
cmake_minimum_required(VERSION 3.20)

file(READ ${PROGRAM} program)
file(READ ${PAGE} page)
string(REPLACE ";" "\\;" page "${page}")
string(REGEX MATCHALL "\n\\|[^\n]*" lines "${page}")
set(count 0)
foreach(line IN LISTS lines)
  if(line MATCHES "\\| `([^`]+)` \\|$")
    string(REPLACE "\\|" "|" statement "${CMAKE_MATCH_1}")
    string(FIND "${program}" "\n  ${statement}\n" position)
    if(position EQUAL -1)
      message(FATAL_ERROR "${PROGRAM} does not have the statement\n${statement}")
    endif()
    math(EXPR count "${count} + 1")
  endif()
endforeach()
if(count LESS 80)
  message(FATAL_ERROR "${PAGE} has ${count} statements only")
endif()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
execute_process(COMMAND ${LAUNCHER} ${COMPILER} -std=c++17 -DMSHADOW_DEBUG_KERNELS=1 -Wall -Wextra
  -Werror -I ${INCLUDE_DIR} -c ${PROGRAM} -o program.o
  WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result)
if(result EQUAL 0)
  execute_process(COMMAND ${COMPILER} program.o -o program
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result)
endif()
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} does not compile")
endif()
execute_process(COMMAND ${WORK_DIR}/program WORKING_DIRECTORY ${WORK_DIR}
  RESULT_VARIABLE result OUTPUT_VARIABLE printed)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "status ${result}; the program printed\n${printed}")
endif()
message("${count} statements are compiled and run")
