# SPDX-License-Identifier: Apache-2.0
# Fails where two of the object files both define a symbol that matches PATTERN (of the mangled name)
# and that the linker would take from either.
#   cmake -DNM=nm "-DOBJECTS=a.o;b.o" -DPATTERN=7mshadow -P check_symbols.cmake
cmake_minimum_required(VERSION 3.20)

set(seen "")
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} --defined-only --format=posix ${object}
    OUTPUT_VARIABLE lines RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${NM} cannot read ${object}")
  endif()
  # Weak and unique ones: what an inline function, a template or an inline variable becomes.
  string(REGEX MATCHALL "[^\n ]+ [WVu] " lines "${lines}")
  list(TRANSFORM lines REPLACE " .*" "")
  list(FILTER lines INCLUDE REGEX "${PATTERN}")
  list(REMOVE_DUPLICATES lines)
  list(LENGTH lines count)
  if(count LESS 10)
    message(FATAL_ERROR "${object} has ${count} symbols that match ${PATTERN}: not what is meant")
  endif()
  list(APPEND seen ${lines})
endforeach()

list(LENGTH seen all)
set(unique ${seen})
list(REMOVE_DUPLICATES unique)
list(LENGTH unique different)
if(NOT all EQUAL different)
  foreach(symbol IN LISTS unique)
    list(REMOVE_AT seen 0)
    if(symbol IN_LIST seen)
      message("in two of the files: ${symbol}")
    endif()
  endforeach()
  message(FATAL_ERROR "${all} symbols, ${different} of them different")
endif()
message("${all} symbols, all different")
