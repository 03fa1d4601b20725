# SPDX-License-Identifier: Apache-2.0
# A plain copy of include/ in another project, compiled with no other flag and no other library.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(COPY ${INCLUDE_DIR} DESTINATION ${WORK_DIR}/copy)
execute_process(
  COMMAND ${COMPILER} -O2 -std=c++17 -I copy/include ${CONSUMER}/main.cc ${CONSUMER}/second.cc
    -o consumer
  WORKING_DIRECTORY ${WORK_DIR} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the consumer does not compile")
endif()
execute_process(COMMAND ${WORK_DIR}/consumer RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the consumer failed: ${result}")
endif()
