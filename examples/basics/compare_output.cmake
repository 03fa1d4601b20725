# SPDX-License-Identifier: Apache-2.0
# Fails unless a program ends well and prints exactly the expected text.
#   cmake -DPROGRAM=build/basics_view -DEXPECTED=expected/view.txt -P compare_output.cmake
cmake_minimum_required(VERSION 3.20)
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE result OUTPUT_VARIABLE output)
file(READ ${EXPECTED} expected)
if(NOT result EQUAL 0 OR NOT output STREQUAL expected)
  message(FATAL_ERROR "status ${result}\n---- expected\n${expected}\n---- printed\n${output}")
endif()
