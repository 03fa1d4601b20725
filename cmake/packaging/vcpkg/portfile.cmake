# SPDX-License-Identifier: Apache-2.0
# A port for vcpkg, as an overlay of this clone: vcpkg install mshadow --overlay-ports=cmake/packaging/vcpkg
set(VCPKG_BUILD_TYPE release)  # headers alone
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(blas builtin)
if("openblas" IN_LIST FEATURES)
  set(blas openblas)
endif()
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DMSHADOW_BUILD_TESTS=OFF -DMSHADOW_BUILD_EXAMPLES=OFF -DMSHADOW_BUILD_BENCHMARKS=OFF
    -DMSHADOW_USE_CUDA=OFF -DMSHADOW_BLAS=${blas})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/mshadow)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib" "${CURRENT_PACKAGES_DIR}/debug")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
