# SPDX-License-Identifier: Apache-2.0
# The Debian package: made, unpacked into an empty root, and found there by pkg-config.
cmake_minimum_required(VERSION 3.20)

# run(<variable> <command> ...): what it prints; fails where it fails.
function(run variable)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK_DIR}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}${error}")
  endif()
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR}/root)
run(output ${CPACK} -G DEB -B ${WORK_DIR} --config ${BUILD_DIR}/CPackConfig.cmake)
file(GLOB package ${WORK_DIR}/*.deb)
if(NOT package STREQUAL "${WORK_DIR}/libmshadow-dev_${VERSION}_all.deb")
  message(FATAL_ERROR "the package is called ${package}")
endif()
run(output dpkg-deb -x ${package} root)
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${WORK_DIR}/root/usr/share/pkgconfig)
  run(version ${PKG_CONFIG} --modversion mshadow)
  run(flags ${PKG_CONFIG} --cflags mshadow)
  string(STRIP "${flags}" flags)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  if(NOT version STREQUAL "${VERSION}\n")
    message(FATAL_ERROR "pkg-config says that the version is ${version}")
  endif()
  run(output ${COMPILER} -O1 -std=c++17 ${CONSUMER}/main.cc ${CONSUMER}/second.cc ${flags}
    -o consumer)
  run(output ${WORK_DIR}/consumer)
endif()
