# SPDX-License-Identifier: Apache-2.0
# Compiles and runs the programs that a page links to, and compares what each prints with the ```
# block right behind its link. Every .cc beside the page must be there.
#   cmake -DCOMPILER=g++ -DPAGE=guide/exp-template/README.md -DWORK_DIR=/tmp/page -P run_programs.cmake
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
file(READ ${PAGE} text)
get_filename_component(PAGE ${PAGE} ABSOLUTE)
get_filename_component(folder ${PAGE} DIRECTORY)
file(GLOB programs RELATIVE ${folder} ${folder}/*.cc)
foreach(program IN LISTS programs)
  execute_process(
    COMMAND ${COMPILER} -std=c++17 -O2 -Wall -Wextra -Wpedantic -Werror ${folder}/${program} -o program
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${program} does not compile")
  endif()
  execute_process(COMMAND ${WORK_DIR}/program RESULT_VARIABLE result OUTPUT_VARIABLE printed)
  string(FIND "${text}" "[${program}](${program})\n```\n${printed}```\n" position)
  if(NOT result EQUAL 0 OR position EQUAL -1)
    message(FATAL_ERROR "status ${result}; ${PAGE} does not say that ${program} prints\n${printed}")
  endif()
endforeach()
list(LENGTH programs count)
if(count EQUAL 0)
  message(FATAL_ERROR "there is no program beside ${PAGE}")
endif()
message("${count} programs print what ${PAGE} says")
