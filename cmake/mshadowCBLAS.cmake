# SPDX-License-Identifier: Apache-2.0
# Finds a BLAS with its C interface, cblas.h, and defines the target mshadow::cblas, or defines
# nothing. In: CBLAS_VENDOR, OpenBLAS or Any. Out: CBLAS_LIBRARIES, CBLAS_INCLUDE_DIR.
# Included by the build and, once more, by the installed package.

if(NOT TARGET mshadow::cblas)
  set(CBLAS_LIBRARIES "")
  find_package(OpenBLAS CONFIG QUIET)
  if(OpenBLAS_LIBRARIES)
    set(CBLAS_LIBRARIES ${OpenBLAS_LIBRARIES})
  else()
    find_library(MSHADOW_OPENBLAS_LIBRARY openblas)
    mark_as_advanced(MSHADOW_OPENBLAS_LIBRARY)
    if(MSHADOW_OPENBLAS_LIBRARY)
      set(CBLAS_LIBRARIES ${MSHADOW_OPENBLAS_LIBRARY})
    endif()
  endif()
  find_path(CBLAS_INCLUDE_DIR cblas.h HINTS ${OpenBLAS_INCLUDE_DIRS} PATH_SUFFIXES openblas)
  mark_as_advanced(CBLAS_INCLUDE_DIR)

  if(NOT CBLAS_LIBRARIES AND CBLAS_VENDOR STREQUAL "Any")
    find_package(BLAS QUIET)
    if(BLAS_FOUND)
      set(CBLAS_LIBRARIES ${BLAS_LIBRARIES})
      # The reference BLAS of most systems keeps its C interface in a library of its own.
      find_library(MSHADOW_CBLAS_LIBRARY cblas)
      mark_as_advanced(MSHADOW_CBLAS_LIBRARY)
      if(MSHADOW_CBLAS_LIBRARY)
        list(PREPEND CBLAS_LIBRARIES ${MSHADOW_CBLAS_LIBRARY})
      endif()
    endif()
  endif()

  if(CBLAS_LIBRARIES AND CBLAS_INCLUDE_DIR)
    add_library(mshadow::cblas INTERFACE IMPORTED)
    set_target_properties(mshadow::cblas PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${CBLAS_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${CBLAS_LIBRARIES}")
  endif()
endif()
