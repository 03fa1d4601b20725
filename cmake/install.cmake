# SPDX-License-Identifier: Apache-2.0
# The CMake package, which find_package(mshadow) finds after an install and in the build tree, files
# for pkg-config, and a Debian package.
include(CMakePackageConfigHelpers)

# Headers are the same on every architecture.
set(mshadow_package_dir ${CMAKE_INSTALL_DATADIR}/cmake/mshadow)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/mshadowConfig.cmake.in ${PROJECT_BINARY_DIR}/mshadowConfig.cmake
  INSTALL_DESTINATION ${mshadow_package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mshadowConfigVersion.cmake
  COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
foreach(script mshadowCBLAS mshadowCUDA mshadowDist mshadowFFTW mshadowKernels)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${script}.cmake
    ${PROJECT_BINARY_DIR}/${script}.cmake COPYONLY)
endforeach()

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS mshadow EXPORT mshadowTargets)
install(EXPORT mshadowTargets NAMESPACE mshadow:: DESTINATION ${mshadow_package_dir})
install(FILES
  ${PROJECT_BINARY_DIR}/mshadowConfig.cmake
  ${PROJECT_BINARY_DIR}/mshadowConfigVersion.cmake
  ${PROJECT_BINARY_DIR}/mshadowCBLAS.cmake
  ${PROJECT_BINARY_DIR}/mshadowCUDA.cmake
  ${PROJECT_BINARY_DIR}/mshadowDist.cmake
  ${PROJECT_BINARY_DIR}/mshadowFFTW.cmake
  ${PROJECT_BINARY_DIR}/mshadowKernels.cmake
  DESTINATION ${mshadow_package_dir})
# pkg-config: mshadow, the headers alone; mshadow-openblas, with the products of OpenBLAS.
foreach(name IN ITEMS mshadow mshadow-openblas)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/packaging/${name}.pc.in
    ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/mshadow)
export(EXPORT mshadowTargets NAMESPACE mshadow:: FILE ${PROJECT_BINARY_DIR}/mshadowTargets.cmake)

# `cpack -G DEB` makes libmshadow-dev.
if(MSHADOW_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_NAME libmshadow-dev)
  set(CPACK_PACKAGE_VENDOR "the mshadow developers")
  set(CPACK_PACKAGE_CONTACT "the mshadow developers <mshadow@localhost>")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenblas-openmp-dev, g++")
  include(CPack)
endif()
