# SPDX-License-Identifier: Apache-2.0
# Makes mshadow::mpi and mshadow::nccl, where an MPI and NCCL are found: mshadow::mshadow, and what
# the providers of mshadow/dist.h need. Used by this project and by the installed package; a package
# says in mshadow_FIND_COMPONENTS which of them it looks for.
if("mpi" IN_LIST mshadow_FIND_COMPONENTS AND NOT TARGET mshadow::mpi)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI 3.1 QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    find_package(Threads REQUIRED)
    add_library(mshadow::mpi INTERFACE IMPORTED)
    target_link_libraries(mshadow::mpi INTERFACE mshadow::mshadow MPI::MPI_CXX Threads::Threads)
    target_compile_definitions(mshadow::mpi INTERFACE MSHADOW_DIST_USE_MPI=1)
  endif()
endif()
# mshadow::cuda comes first (mshadowCUDA.cmake).
if("nccl" IN_LIST mshadow_FIND_COMPONENTS AND NOT TARGET mshadow::nccl AND TARGET mshadow::cuda)
  find_path(MSHADOW_NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(MSHADOW_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
  mark_as_advanced(MSHADOW_NCCL_INCLUDE_DIR MSHADOW_NCCL_LIBRARY)
  if(MSHADOW_NCCL_INCLUDE_DIR AND MSHADOW_NCCL_LIBRARY)
    find_package(Threads REQUIRED)
    add_library(mshadow::nccl INTERFACE IMPORTED)
    target_link_libraries(mshadow::nccl INTERFACE
      mshadow::cuda ${MSHADOW_NCCL_LIBRARY} Threads::Threads)
    target_include_directories(mshadow::nccl SYSTEM INTERFACE ${MSHADOW_NCCL_INCLUDE_DIR})
    target_compile_definitions(mshadow::nccl INTERFACE MSHADOW_DIST_USE_NCCL=1)
  endif()
endif()
