# SPDX-License-Identifier: Apache-2.0
# Adds to the target `mshadow` what the machine offers: a BLAS, OpenMP, vector math under Clang.
# Sets MSHADOW_WITH_CBLAS and MSHADOW_WITH_OPENMP, which the installed package repeats, and
# MSHADOW_WITH_CUDA: the language CUDA is enabled and there is the target mshadow::cuda.
# mshadow::fftw, mshadow::mpi and mshadow::nccl are there where their libraries are.
# MSHADOW_GPU_PRESENT: this machine has a GPU that CUDA can use.

# ---- BLAS ----
set(MSHADOW_WITH_CBLAS OFF)
set(MSHADOW_CBLAS_VENDOR "")
if(MSHADOW_BLAS STREQUAL "auto" OR MSHADOW_BLAS STREQUAL "openblas")
  set(MSHADOW_CBLAS_VENDOR OpenBLAS)
elseif(MSHADOW_BLAS STREQUAL "cblas")
  set(MSHADOW_CBLAS_VENDOR Any)
elseif(NOT MSHADOW_BLAS STREQUAL "builtin")
  message(FATAL_ERROR
    "MSHADOW_BLAS is '${MSHADOW_BLAS}'; it must be auto, openblas, cblas or builtin")
endif()
if(MSHADOW_CBLAS_VENDOR)
  set(CBLAS_VENDOR ${MSHADOW_CBLAS_VENDOR})
  include(${CMAKE_CURRENT_LIST_DIR}/mshadowCBLAS.cmake)
  if(TARGET mshadow::cblas)
    set(MSHADOW_WITH_CBLAS ON)
  elseif(NOT MSHADOW_BLAS STREQUAL "auto")
    message(FATAL_ERROR "MSHADOW_BLAS=${MSHADOW_BLAS}: ${CBLAS_NOT_FOUND_WHY}. "
      "Debian: apt-get install libopenblas-openmp-dev; or use MSHADOW_BLAS=builtin")
  endif()
endif()
# Of an installed package that chose for itself, the machine where it is used says again.
target_link_libraries(mshadow INTERFACE $<TARGET_NAME_IF_EXISTS:mshadow::cblas>)
target_compile_definitions(mshadow INTERFACE
  MSHADOW_USE_CBLAS=$<TARGET_EXISTS:mshadow::cblas>
  MSHADOW_USE_LAPACK=$<TARGET_EXISTS:mshadow::lapack>)
if(TARGET mshadow::lapack)
  message(STATUS "mshadow: BLAS and LAPACK: ${CBLAS_LIBRARIES}")
elseif(MSHADOW_WITH_CBLAS)
  message(STATUS "mshadow: BLAS: ${CBLAS_LIBRARIES}")
elseif(MSHADOW_BLAS STREQUAL "auto")
  message(STATUS "mshadow: BLAS: builtin (${CBLAS_NOT_FOUND_WHY})")
else()
  message(STATUS "mshadow: BLAS: builtin")
endif()

# ---- OpenMP ----
set(MSHADOW_WITH_OPENMP OFF)
if(MSHADOW_OPENMP)
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(OpenMP_CXX_FOUND)
    set(MSHADOW_WITH_OPENMP ON)
    target_link_libraries(mshadow INTERFACE OpenMP::OpenMP_CXX)
  endif()
endif()
message(STATUS "mshadow: OpenMP: ${MSHADOW_WITH_OPENMP}")

# ---- A precompiled header: of all by the option, of a target by its property ----
option(MSHADOW_PRECOMPILED_HEADER "Targets that link mshadow::mshadow compile <mshadow/tensor.h> once" OFF)
string(CONCAT mshadow_precompiled $<AND:$<COMPILE_LANGUAGE:CXX>,
  $<OR:$<BOOL:${MSHADOW_PRECOMPILED_HEADER}>,$<BOOL:$<TARGET_PROPERTY:MSHADOW_PRECOMPILED_HEADER>>>>)
target_precompile_headers(mshadow INTERFACE "$<${mshadow_precompiled}:<mshadow/tensor.h$<ANGLE-R>>")

# ---- CUDA ----
set(MSHADOW_WITH_CUDA OFF)
if(MSHADOW_USE_CUDA)
  # The GPU of this machine. The query is what nvcc itself asks; it fails where there is no driver.
  find_program(MSHADOW_DEVICE_QUERY __nvcc_device_query
    HINTS "${mshadow_nvcc_dir}" /usr/local/cuda/bin)
  mark_as_advanced(MSHADOW_DEVICE_QUERY)
  set(present "")
  if(MSHADOW_DEVICE_QUERY)
    execute_process(COMMAND ${MSHADOW_DEVICE_QUERY}
      OUTPUT_VARIABLE present ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  set(MSHADOW_GPU_PRESENT OFF)
  if(present MATCHES "^[0-9]+$")
    set(MSHADOW_GPU_PRESENT ON)
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    # Where there is none, the oldest that CUDA 13 knows and a new one.
    set(CMAKE_CUDA_ARCHITECTURES 75 90)
    if(MSHADOW_GPU_PRESENT)
      set(CMAKE_CUDA_ARCHITECTURES ${present})
    endif()
  endif()
  if(NOT CMAKE_CUDA_HOST_COMPILER)
    set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
  endif()
  enable_language(CUDA)
  include(${CMAKE_CURRENT_LIST_DIR}/mshadowCUDA.cmake)
  if(NOT TARGET mshadow::cuda)
    message(FATAL_ERROR "MSHADOW_USE_CUDA is ON, but no CUDA toolkit of version 12 or newer was found")
  endif()
  set(MSHADOW_WITH_CUDA ON)
  list(JOIN CMAKE_CUDA_ARCHITECTURES ", " architectures)
  message(STATUS "mshadow: CUDA: ${CMAKE_CUDA_COMPILER_VERSION} for ${architectures}")
else()
  message(STATUS "mshadow: CUDA: OFF")
endif()

# ---- FFTW, MPI and NCCL ----
if(MSHADOW_TOP_LEVEL)
  include(${CMAKE_CURRENT_LIST_DIR}/mshadowFFTW.cmake)
  set(mshadow_FIND_COMPONENTS mpi nccl)
  include(${CMAKE_CURRENT_LIST_DIR}/mshadowDist.cmake)
  unset(mshadow_FIND_COMPONENTS)
endif()
foreach(provider IN ITEMS fftw mpi nccl)
  if(TARGET mshadow::${provider})
    message(STATUS "mshadow: ${provider}: found")
  else()
    message(STATUS "mshadow: ${provider}: not found")
  endif()
endforeach()
