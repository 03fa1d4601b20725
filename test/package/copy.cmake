# SPDX-License-Identifier: Apache-2.0
# A plain copy of include/ in another project, compiled with no other flag and no other library.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(COPY ${INCLUDE_DIR} DESTINATION ${WORK_DIR}/copy)
foreach(command IN ITEMS "${LAUNCHER};${COMPILER};-I;copy/include;-c;${CONSUMER}/main.cc"
    "${LAUNCHER};${COMPILER};-I;copy/include;-c;${CONSUMER}/second.cc"
    "${COMPILER};main.o;second.o;-o;consumer")
  list(REMOVE_ITEM command "")  # no launcher
  execute_process(COMMAND ${command} -O2 -std=c++17
    WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "this does not compile: ${command}")
  endif()
endforeach()
execute_process(COMMAND ${WORK_DIR}/consumer RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the consumer failed: ${result}")
endif()
