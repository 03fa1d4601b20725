# SPDX-License-Identifier: Apache-2.0
# Two copies of include/ under different paths in one program, as two vendored libraries bring them:
# a file of each, and a file that includes both.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(COPY ${INCLUDE_DIR} DESTINATION ${WORK_DIR}/first)
file(COPY ${INCLUDE_DIR} DESTINATION ${WORK_DIR}/second/vendor)
file(WRITE ${WORK_DIR}/both.cc [[
#include "first/include/mshadow/tensor.h"
#include "second/vendor/include/mshadow/tensor.h"
float Both() {
  mshadow::TensorContainer<mshadow::cpu, 1> x(mshadow::Shape1(3), 2.0f);
  x *= 2.0f;
  return x[2];
}
]])
foreach(command IN ITEMS
    "${LAUNCHER};${COMPILER};-I;first/include;-c;${CONSUMER}/main.cc"
    "${LAUNCHER};${COMPILER};-I;second/vendor/include;-c;${CONSUMER}/second.cc"
    "${LAUNCHER};${COMPILER};-c;both.cc" "${COMPILER};main.o;second.o;both.o;-o;consumer")
  list(REMOVE_ITEM command "")  # no launcher
  execute_process(COMMAND ${command} -O1 -std=c++17 -Wall -Wextra -Werror
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "this does not compile: ${command}")
  endif()
endforeach()
execute_process(COMMAND ${WORK_DIR}/consumer RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the consumer failed: ${result}")
endif()
