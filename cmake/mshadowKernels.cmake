# SPDX-License-Identifier: Apache-2.0
# Makes mshadow::kernels: mshadow::mshadow, and a static library of what statements have in common
# (kernels.h). It is compiled in the build that uses it, with its compiler and its flags, and only
# if something links it. Used by this project and by the installed package.
# MSHADOW_KERNELS_DIR: the folder kernels/ among the headers.
if(NOT TARGET mshadow_kernels)
  add_library(mshadow_kernels STATIC EXCLUDE_FROM_ALL
    ${MSHADOW_KERNELS_DIR}/functions.cc
    ${MSHADOW_KERNELS_DIR}/pooling.cc
    ${MSHADOW_KERNELS_DIR}/products.cc
    ${MSHADOW_KERNELS_DIR}/reductions.cc
    ${MSHADOW_KERNELS_DIR}/shared.cc
    ${MSHADOW_KERNELS_DIR}/unpooling.cc)
  target_link_libraries(mshadow_kernels PUBLIC mshadow::mshadow)
  target_compile_definitions(mshadow_kernels PUBLIC MSHADOW_COMPILED_KERNELS=1)
  set_target_properties(mshadow_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON
    DISABLE_PRECOMPILE_HEADERS ON)  # shared.cc has a macro before the header
  add_library(mshadow::kernels ALIAS mshadow_kernels)
endif()
