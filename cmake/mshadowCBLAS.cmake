# SPDX-License-Identifier: Apache-2.0
# Finds a BLAS with its C interface, cblas.h, and defines the target mshadow::cblas, or defines
# nothing. Where LAPACK is in the same libraries, as it is in OpenBLAS, and takes integers of 32 bits,
# there is mshadow::lapack too.
# In: CBLAS_VENDOR, OpenBLAS or Any. Out: CBLAS_LIBRARIES, CBLAS_INCLUDE_DIR, and
# CBLAS_NOT_FOUND_WHY, a sentence where nothing was found.
# Included by the build and, once more, by the installed package.
include(CheckCXXSourceCompiles)
include(CheckCXXSourceRuns)
include(CMakePushCheckState)

# mshadow_try_cblas(<where> <include hint> <library> ...): takes these libraries, found at <where>, if
# they are files and a program with cblas_sgemm links to them. What a package file or a cache says
# is not believed: Debian 13's OpenBLASConfig.cmake may name a file that does not exist.
function(mshadow_try_cblas where hint)
  if(CBLAS_LIBRARIES OR NOT ARGN)
    return()
  endif()
  set(why "")
  foreach(library IN LISTS ARGN)
    if(IS_ABSOLUTE "${library}" AND NOT EXISTS "${library}")
      set(why "${where} names ${library}, which does not exist")
    endif()
  endforeach()
  if(NOT why)
    find_path(CBLAS_INCLUDE_DIR cblas.h HINTS ${hint} PATH_SUFFIXES openblas)
    mark_as_advanced(CBLAS_INCLUDE_DIR)
    if(CBLAS_INCLUDE_DIR)
      set(CMAKE_REQUIRED_INCLUDES ${CBLAS_INCLUDE_DIR})
      set(CMAKE_REQUIRED_LIBRARIES ${ARGN})
      set(CMAKE_REQUIRED_QUIET ON)
      unset(MSHADOW_CBLAS_LINKS CACHE)  # it is that of another library, or of another day
      check_cxx_source_compiles("
        extern \"C\" {
        #include <cblas.h>
        }
        int main() {
          float a = 2, b = 3, c = 0;
          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1);
          return c == 6 ? 0 : 1;
        }" MSHADOW_CBLAS_LINKS)
      if(NOT MSHADOW_CBLAS_LINKS)
        set(why "a program with cblas_sgemm does not link to ${ARGN}, found by ${where}")
      endif()
    else()
      set(why "there is no cblas.h for ${ARGN}, found by ${where}")
    endif()
  endif()
  if(why)
    set(CBLAS_NOT_FOUND_WHY "${why}" PARENT_SCOPE)
  else()
    set(CBLAS_LIBRARIES "${ARGN}" PARENT_SCOPE)
  endif()
endfunction()

if(NOT TARGET mshadow::cblas)
  set(CBLAS_LIBRARIES "")
  set(CBLAS_NOT_FOUND_WHY "there is no OpenBLAS")
  find_package(OpenBLAS CONFIG QUIET)
  mshadow_try_cblas("OpenBLASConfig.cmake" "${OpenBLAS_INCLUDE_DIRS}" ${OpenBLAS_LIBRARIES})
  if(NOT CBLAS_LIBRARIES)
    find_library(MSHADOW_OPENBLAS_LIBRARY openblas)
    mark_as_advanced(MSHADOW_OPENBLAS_LIBRARY)
    if(MSHADOW_OPENBLAS_LIBRARY)
      mshadow_try_cblas("find_library" "" ${MSHADOW_OPENBLAS_LIBRARY})
    endif()
  endif()
  if(NOT CBLAS_LIBRARIES)
    set(BLA_VENDOR OpenBLAS)
    find_package(BLAS QUIET)
    if(BLAS_FOUND)
      mshadow_try_cblas("FindBLAS" "" ${BLAS_LIBRARIES})
    endif()
    unset(BLA_VENDOR)
  endif()

  if(NOT CBLAS_LIBRARIES AND CBLAS_VENDOR STREQUAL "Any")
    unset(BLAS_LIBRARIES CACHE)
    unset(BLAS_FOUND)
    find_package(BLAS QUIET)
    if(BLAS_FOUND)
      # The reference BLAS of most systems keeps its C interface in a library of its own.
      find_library(MSHADOW_CBLAS_LIBRARY cblas)
      mark_as_advanced(MSHADOW_CBLAS_LIBRARY)
      if(MSHADOW_CBLAS_LIBRARY)
        mshadow_try_cblas("FindBLAS" "" ${MSHADOW_CBLAS_LIBRARY} ${BLAS_LIBRARIES})
      endif()
      mshadow_try_cblas("FindBLAS" "" ${BLAS_LIBRARIES})
    endif()
  endif()

  if(CBLAS_LIBRARIES)
    set(CBLAS_NOT_FOUND_WHY "")
    add_library(mshadow::cblas INTERFACE IMPORTED)
    set_target_properties(mshadow::cblas PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${CBLAS_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${CBLAS_LIBRARIES}")
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_LIBRARIES ${CBLAS_LIBRARIES})
    set(CMAKE_REQUIRED_QUIET ON)
    # LAPACK is called with integers of 32 bits. One built for 64 bits (ILP64) may have the same
    # symbols: it takes `n`, 1 and -1, for a negative number, and an index of no elements is 0. Where
    # bytes come the other way round, 0 and 1 are no elements in 32 bits and one in 64. Where programs
    # cannot run, as for another machine, it is enough that this one links.
    set(MSHADOW_LAPACK_SOURCE "
      extern \"C\" {
      void dgesdd_();
      int idamax_(const int* n, const double* x, const int* step);
      }
      int main() {
        const int one = 1, first = *reinterpret_cast<const char*>(&one);  // 0: big-endian
        const int n[2] = {first, first == 1 ? -1 : 1}, step[2] = {first, 1 - first};
        const double x = 1;
        if (reinterpret_cast<long>(&dgesdd_) == 0) return 1;
        return idamax_(n, &x, step) == first ? 0 : 64;
      }")
    unset(MSHADOW_LAPACK_LINKS CACHE)
    check_cxx_source_compiles("${MSHADOW_LAPACK_SOURCE}" MSHADOW_LAPACK_LINKS)
    if(MSHADOW_LAPACK_LINKS AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
      unset(MSHADOW_LAPACK_RUNS CACHE)
      unset(MSHADOW_LAPACK_RUNS_EXITCODE CACHE)
      check_cxx_source_runs("${MSHADOW_LAPACK_SOURCE}" MSHADOW_LAPACK_RUNS)
      if(MSHADOW_LAPACK_RUNS_EXITCODE EQUAL 64)
        set(MSHADOW_LAPACK_LINKS "" CACHE INTERNAL "LAPACK of 32 bits")
      endif()
    endif()
    cmake_pop_check_state()
    if(MSHADOW_LAPACK_LINKS)
      add_library(mshadow::lapack INTERFACE IMPORTED)
    endif()
  endif()
endif()
