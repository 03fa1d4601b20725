# SPDX-License-Identifier: Apache-2.0
# The port for vcpkg, run with functions in place of vcpkg's that do what they are documented to:
# the package must hold the headers, the CMake package and the licence.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
set(CURRENT_PACKAGES_DIR ${WORK_DIR}/package)
set(FEATURES "")

function(vcpkg_cmake_configure)
  cmake_parse_arguments(arg "" "SOURCE_PATH" "OPTIONS" ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK_DIR}/build
    ${arg_OPTIONS} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${WORK_DIR}/build OUTPUT_QUIET
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(arg "" "CONFIG_PATH" "" ${ARGN})
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share)
  if(NOT arg_CONFIG_PATH STREQUAL "share/cmake/mshadow")
    message(FATAL_ERROR "the CMake package is not at ${arg_CONFIG_PATH}")
  endif()
  file(RENAME ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/share/mshadow)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(arg "" "" "FILE_LIST" ${ARGN})
  configure_file(${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/mshadow/copyright COPYONLY)
endfunction()

set(port ${SOURCE_DIR}/cmake/packaging/vcpkg)
set(CMAKE_CURRENT_LIST_DIR ${port})
include(${port}/portfile.cmake)
foreach(file IN ITEMS include/mshadow/tensor.h share/mshadow/mshadowConfig.cmake
    share/mshadow/copyright)
  if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${file})
    message(FATAL_ERROR "the port does not install ${file}")
  endif()
endforeach()
file(READ ${port}/vcpkg.json json)
string(JSON version GET "${json}" version)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "vcpkg.json says ${version}, the library is ${VERSION}")
endif()
