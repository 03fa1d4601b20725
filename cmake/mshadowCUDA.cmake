# SPDX-License-Identifier: Apache-2.0
# Makes mshadow::cuda, where the CUDA toolkit is found: mshadow::mshadow, and what Tensor<gpu> needs.
# And mshadow::cufft and mshadow::cusolver, where it has these libraries: the same with Fourier
# transforms, and with linear algebra, of Tensor<gpu>.
# Used by this project and by the installed package. MSHADOW_WITH_OPENMP as in dependencies.cmake.
if(NOT TARGET mshadow::cuda)
  find_package(CUDAToolkit 12 QUIET)
  if(CUDAToolkit_FOUND)
    add_library(mshadow::cuda INTERFACE IMPORTED)
    target_link_libraries(mshadow::cuda INTERFACE mshadow::mshadow CUDA::cudart CUDA::cublas)
    target_compile_definitions(mshadow::cuda INTERFACE MSHADOW_USE_CUDA=1)
    # For kernels of std::complex, whose constructors are constexpr.
    target_compile_options(mshadow::cuda INTERFACE
      $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--expt-relaxed-constexpr>)
    # The OpenMP target speaks to C++ only; statements on the CPU keep their threads in .cu files.
    if(MSHADOW_WITH_OPENMP)
      string(REPLACE " " "," mshadow_openmp_flags "${OpenMP_CXX_FLAGS}")
      target_compile_options(mshadow::cuda INTERFACE
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${mshadow_openmp_flags}>)
    endif()
    if(TARGET CUDA::cufft)
      add_library(mshadow::cufft INTERFACE IMPORTED)
      target_link_libraries(mshadow::cufft INTERFACE mshadow::cuda CUDA::cufft)
      target_compile_definitions(mshadow::cufft INTERFACE MSHADOW_USE_CUFFT=1)
    endif()
    if(TARGET CUDA::cusolver)
      add_library(mshadow::cusolver INTERFACE IMPORTED)
      target_link_libraries(mshadow::cusolver INTERFACE mshadow::cuda CUDA::cusolver)
      target_compile_definitions(mshadow::cusolver INTERFACE MSHADOW_USE_CUSOLVER=1)
    endif()
  endif()
endif()
