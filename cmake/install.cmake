# SPDX-License-Identifier: Apache-2.0
# The CMake package: find_package(mshadow) finds it after an install and in the build tree.
include(CMakePackageConfigHelpers)

set(mshadow_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mshadow)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/mshadowConfig.cmake.in ${PROJECT_BINARY_DIR}/mshadowConfig.cmake
  INSTALL_DESTINATION ${mshadow_package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mshadowConfigVersion.cmake
  COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
foreach(script mshadowCBLAS mshadowCUDA mshadowDist mshadowKernels)
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
  ${PROJECT_BINARY_DIR}/mshadowKernels.cmake
  DESTINATION ${mshadow_package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/mshadow)
export(EXPORT mshadowTargets NAMESPACE mshadow:: FILE ${PROJECT_BINARY_DIR}/mshadowTargets.cmake)
