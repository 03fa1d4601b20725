# SPDX-License-Identifier: Apache-2.0
# mshadowCBLAS.cmake takes LAPACK where its integers have 32 bits, and not where they have 64.
cmake_minimum_required(VERSION 3.20)

file(REMOVE_RECURSE ${WORK_DIR})
file(WRITE ${WORK_DIR}/cblas.h [[
enum { CblasRowMajor, CblasNoTrans };
void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                 float*, int);
]])
file(WRITE ${WORK_DIR}/blas.cc [[
extern "C" {
void cblas_sgemm() {}
void dgesdd_() {}
Int idamax_(const Int* n, const double*, const Int*) { return *n < 1 ? 0 : 1; }
}
]])
file(WRITE ${WORK_DIR}/CMakeLists.txt "
  cmake_minimum_required(VERSION 3.20)
  project(which CXX)
  include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/mshadowCBLAS.cmake)
  if(TARGET mshadow::cblas AND TARGET mshadow::lapack)
    message(STATUS \"BLAS and LAPACK\")
  elseif(TARGET mshadow::cblas)
    message(STATUS \"BLAS alone\")
  endif()
")
foreach(expected IN ITEMS "int=BLAS and LAPACK" "long long=BLAS alone")
  string(REGEX MATCH "^[^=]+" int "${expected}")
  string(REPLACE "${int}=" "" expected "${expected}")
  string(MAKE_C_IDENTIFIER ${int} name)
  set(library ${WORK_DIR}/libof_${name}.so)
  execute_process(COMMAND ${COMPILER} "-DInt=${int}" -shared -fPIC ${WORK_DIR}/blas.cc -o ${library}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK_DIR} -B ${WORK_DIR}/${name}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_DISABLE_FIND_PACKAGE_OpenBLAS=ON
    -DMSHADOW_OPENBLAS_LIBRARY=${library} -DCBLAS_INCLUDE_DIR=${WORK_DIR}
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "-- ${expected}\n")
    message(FATAL_ERROR "LAPACK of ${int}: '${expected}' is not in\n${output}")
  endif()
endforeach()
