# SPDX-License-Identifier: Apache-2.0
# Fails on an include that points up or sideways in the layers.
#   cmake -DINCLUDE_DIR=include -P cmake/check_layers.cmake
#
# Folder = layer. A header may include its own folder and folders of a lower level; folders of one
# level do not see each other. There are no exceptions.
cmake_minimum_required(VERSION 3.20)

# Folder (a regex on the path below include/) and its level, the first match counts.
set(layers
  "mshadow/core/=0"
  "mshadow/op/=1"       "mshadow/simd/=1"
  "mshadow/expr/=2"
  "mshadow/window/=3"
  "mshadow/tensor/=4"   "mshadow/extension/=4"
  "mshadow/backend/[^/]+/=5" "mshadow/interop/=5"
  "mshadow/cuda/=7"     # public headers of 2.x, on top of the others
  "mshadow/dist/=7"     # on top of tensor.h, not part of it
  "mshadow/dist\\.h$=8"
  "mshadow/grad/=7"     # on top of tensor.h, too
  "mshadow/grad\\.h$=8"
  "mshadow/order/=7"    # on top of tensor.h, too
  "mshadow/index\\.h$=8"
  "mshadow/numpy/=7"
  "mshadow/numpy\\.h$=8"
  "mshadow/fft/=7"
  "mshadow/fft\\.h$=8"
  "mshadow/linalg/=7"
  "mshadow/linalg\\.h$=8"
  "mshadow/[^/]+$=6"    # the public headers
  "mshadow-ps/=9")

# Headers from outside, and the only folder that may name them; the first match counts.
set(confined
  "cuda_(fp16|bf16)\\.h=mshadow/core/"  # the 16-bit types alone, as half_t converts from __half
  "(omp|cblas[^/]*|mkl[^/]*|openblas[^/]*)\\.h=mshadow/backend/cpu/"
  "fftw3\\.h=mshadow/fft/"
  "(mpi|mpi-ext|nccl)\\.h=mshadow/dist/"
  "(cuda|cub|cublas|cufft|cusolver|cudnn|curand|thrust|nccl)[^.]*(\\..*)?=mshadow/backend/gpu/"
  "([a-z0-9]*intrin|arm_neon|arm_sve)\\.h=mshadow/simd/")

# Sets `folder_out` and `level_out` of the path; an empty folder: the path is in no layer.
function(layer_of path folder_out level_out)
  set(${folder_out} "" PARENT_SCOPE)
  foreach(layer IN LISTS layers)
    string(REGEX MATCH "^(.*)=([0-9])$" _ "${layer}")
    set(level ${CMAKE_MATCH_2})
    if(path MATCHES "^(${CMAKE_MATCH_1})")
      string(REGEX REPLACE "/[^/]+$" "/" folder "${CMAKE_MATCH_1}")
      set(${folder_out} ${folder} PARENT_SCOPE)
      set(${level_out} ${level} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Adds to `errors` in the caller what is wrong with the line `text` of `header`.
function(check_include header number text)
  layer_of(${header} folder level)
  set(where "${header}:${number}")
  if(NOT text MATCHES "include[ \t]*([<\"])([^>\"]+)[>\"]")
    set(message "names no file, so its layer cannot be checked")
  else()
    set(target ${CMAKE_MATCH_2})
    get_filename_component(beside ${INCLUDE_DIR}/${header} DIRECTORY)
    get_filename_component(beside ${beside}/${target} ABSOLUTE)
    if(CMAKE_MATCH_1 STREQUAL "\"" AND EXISTS ${beside})
      file(RELATIVE_PATH target ${INCLUDE_DIR} ${beside})
    endif()
    set(message "")
    if(target MATCHES "^mshadow(-ps)?/")
      layer_of(${target} target_folder target_level)
      if(NOT EXISTS ${INCLUDE_DIR}/${target})
        set(message "includes ${target}, which does not exist")
      elseif(NOT target_folder)
        set(message "includes ${target}, which is in no layer")
      elseif(NOT target_folder STREQUAL folder)
        set(step "includes ${target}: ${folder} is level ${level}, ${target_folder} is level")
        if(target_level GREATER level)
          set(message "${step} ${target_level}; an include must not point up")
        elseif(target_level EQUAL level)
          set(message "${step} ${target_level}; folders of one level must not see each other")
        endif()
      endif()
    elseif(target MATCHES "^\\.")
      set(message "includes ${target}, which does not exist")
    else()
      foreach(rule IN LISTS confined)
        string(REGEX MATCH "^(.*)=(.*)$" _ "${rule}")
        set(only_in ${CMAKE_MATCH_2})
        if(target MATCHES "^(${CMAKE_MATCH_1})$")
          if(NOT folder STREQUAL only_in)
            set(message "includes ${target}, which only ${only_in} may name")
          endif()
          break()
        endif()
      endforeach()
    endif()
  endif()
  if(message)
    list(APPEND errors "${where}: ${message}")
    set(errors "${errors}" PARENT_SCOPE)
  endif()
endfunction()

get_filename_component(INCLUDE_DIR "${INCLUDE_DIR}" ABSOLUTE)
file(GLOB_RECURSE headers RELATIVE ${INCLUDE_DIR} ${INCLUDE_DIR}/*.h ${INCLUDE_DIR}/*.cuh)
if(NOT headers)
  message(FATAL_ERROR "no header under ${INCLUDE_DIR}")
endif()
set(errors "")
foreach(header IN LISTS headers)
  layer_of(${header} folder level)
  if(NOT folder)
    list(APPEND errors "${header}:1: is in no layer")
    continue()
  endif()
  # A CMake list of the lines: characters that lists give a meaning to are of no use here.
  file(READ ${INCLUDE_DIR}/${header} content)
  string(REGEX REPLACE "[][;\\\\]" " " content "${content}")
  string(REPLACE "\n" ";" content "${content}")
  set(number 0)
  foreach(line IN LISTS content)
    math(EXPR number "${number} + 1")
    if(line MATCHES "^[ \t]*#[ \t]*include")
      check_include(${header} ${number} "${line}")
    endif()
  endforeach()
endforeach()

list(LENGTH headers count)
list(LENGTH errors wrong)
foreach(error IN LISTS errors)
  message("${error}")
endforeach()
if(wrong)
  message(FATAL_ERROR "${wrong} includes break the layers")
endif()
message("${count} headers, every include points down")
