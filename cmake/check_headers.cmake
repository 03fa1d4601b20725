# SPDX-License-Identifier: Apache-2.0
# Fails when a header does not compile alone, or not when it is included twice, or a public one not
# where the user has macros of one letter, as -DN=100.
#   cmake -DCOMPILER=g++ -DINCLUDE_DIR=include -DWORK_DIR=/tmp/headers -P cmake/check_headers.cmake
# ONLY:   a regex on the path below INCLUDE_DIR, which headers (default: all).
# FLAGS:  of the compiler (default: -std=c++17 -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow
#         -Wpedantic -Werror -fsyntax-only).
# SUFFIX: of the file that is compiled (default: cc).
cmake_minimum_required(VERSION 3.20)

if(NOT DEFINED FLAGS)
  string(JOIN " " FLAGS -std=c++17 -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wpedantic
    -Werror -fsyntax-only)
endif()
separate_arguments(FLAGS UNIX_COMMAND "${FLAGS}")
if(NOT DEFINED SUFFIX)
  set(SUFFIX cc)
endif()
get_filename_component(INCLUDE_DIR "${INCLUDE_DIR}" ABSOLUTE)
file(GLOB_RECURSE headers RELATIVE ${INCLUDE_DIR} ${INCLUDE_DIR}/*.h)
if(DEFINED ONLY)
  list(FILTER headers INCLUDE REGEX "${ONLY}")
endif()
if(NOT headers)
  message(FATAL_ERROR "no header in ${INCLUDE_DIR} matches '${ONLY}'")
endif()

string(REGEX MATCHALL "[A-Z]" letters ABCDEFGHIJKLMNOPQRSTUVWXYZ)
list(TRANSFORM letters REPLACE "(.)" "-D\\1=1")

file(MAKE_DIRECTORY ${WORK_DIR})
set(failed "")
foreach(header IN LISTS headers)
  set(file ${WORK_DIR}/header.${SUFFIX})
  file(WRITE ${file} "#include <${header}>\n#include <${header}>\n")
  set(macros "")
  if(header MATCHES "^mshadow/[^/]+$|/mshadow_ps.h$" AND NOT SUFFIX STREQUAL "cu")  # CUDA's do not
    set(macros ${letters})
  endif()
  execute_process(COMMAND ${COMPILER} ${FLAGS} ${macros} -I ${INCLUDE_DIR} ${file}
    WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(output MATCHES "#error[^\n]* is not on the include path")
    message("${header} is not compiled, a library that it is for is missing")
  elseif(NOT result EQUAL 0)
    message("${header} does not compile alone:\n${output}")
    list(APPEND failed ${header})
  endif()
endforeach()

list(LENGTH headers count)
if(failed)
  list(JOIN failed " " failed)
  message(FATAL_ERROR "headers that do not compile alone: ${failed}")
endif()
message("${count} headers compile alone")
