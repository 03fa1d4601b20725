# SPDX-License-Identifier: Apache-2.0
# Fails where an object defines a kernel that mshadow::kernels has, or asks for none of them.
string(REPLACE ":" ";" objects "${OBJECTS}")
execute_process(COMMAND ${NM} -C ${objects} OUTPUT_VARIABLE symbols RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${NM} failed")
endif()
foreach(kernel SquareWindowsKernel MemoryWindowsKernel GlobalPoolKernel
    "Kernel<mshadow::expr::detail::WindowMean" SmallUnpoolKernel StridedUnpoolKernel
    NonOverlappingUnpoolKernel "GemmBlock<float>" "GemmBlock<double>" "SmallGemm<float>"
    SoftmaxKernel SoftmaxGradKernel NormalVariate
    "StatisticGroupsKernel<mshadow::statistic::Sum<float>"
    "StatisticRowsKernel<mshadow::statistic::Max<float>, mshadow::detail::BlockInMemory"
    "StatisticColumnsKernel<mshadow::statistic::Mean<float>, mshadow::detail::BlockInMemory"
    "StatisticFinishKernel<mshadow::statistic::Sum<float>"
    "StatisticMergeKernel<mshadow::statistic::Mean<float>"
    "StatisticResultsKernel<mshadow::statistic::Mean<float>"
    "StatisticFoldKernel<mshadow::statistic::Mean<float>"
    "StatisticColumnsKernel<mshadow::statistic::ByReducer<mshadow::red::sum"
    "StatisticJoinKernel<mshadow::statistic::ByReducer<mshadow::red::sum" StreamKernel)
  if(NOT symbols MATCHES "U void mshadow::simd::(RunOn|Baseline::Call)<[^\n]*${kernel}")
    message(FATAL_ERROR "nothing asks the library for ${kernel}")
  endif()
  if(symbols MATCHES "[TtWwV] [^\n]*::(Run|RunOn|Call)<[^\n]*${kernel}")
    message(FATAL_ERROR "${kernel} is compiled here: ${CMAKE_MATCH_0}")
  endif()
endforeach()
