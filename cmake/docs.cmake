# SPDX-License-Identifier: Apache-2.0
# The target `docs`: the API reference by Doxygen, build/NAME/docs/html/index.html.
find_program(DOXYGEN doxygen)
mark_as_advanced(DOXYGEN)
if(DOXYGEN)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
  add_custom_target(docs COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile VERBATIM)
else()
  add_custom_target(docs COMMAND ${CMAKE_COMMAND} -E echo "Doxygen is missing (Debian: doxygen)"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
