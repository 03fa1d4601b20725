# SPDX-License-Identifier: Apache-2.0
# Fails where an object defines a kernel that mshadow::kernels has, or asks for none of them.
string(REPLACE ":" ";" objects "${OBJECTS}")
execute_process(COMMAND ${NM} -C ${objects} OUTPUT_VARIABLE symbols RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${NM} failed")
endif()
foreach(kernel "PoolKernel<mshadow::expr::detail::WindowReduction<mshadow::red::maximum"
    "PoolKernel<mshadow::expr::detail::WindowMean" SmallUnpoolKernel
    "UnpoolKernel<mshadow::red::sum" "SmallGemm<float>" "SmallGemm<double>"
    SoftmaxKernel SoftmaxGradKernel NormalVariate
    "FoldRows<mshadow::statistic::Sum<float>" "FoldRows<mshadow::statistic::Max<float>"
    "FoldColumns<mshadow::statistic::Mean<float>" "JoinLanes<mshadow::statistic::Sum<float>"
    "MergeLanes<mshadow::statistic::Mean<float>"
    "FoldColumns<mshadow::statistic::ByReducer<mshadow::red::sum")
  if(NOT symbols MATCHES "U void mshadow::simd::(RunOn|Baseline::Call)<[^\n]*${kernel}")
    message(FATAL_ERROR "nothing asks the library for ${kernel}")
  endif()
  if(symbols MATCHES "[TtWwV] [^\n]*::(Run|RunOn|Call)<[^\n]*${kernel}")
    message(FATAL_ERROR "${kernel} is compiled here: ${CMAKE_MATCH_0}")
  endif()
endforeach()
# What all statements share.
foreach(function ShareMap RunTensors ThrowAssignMismatch AllocTemporary RunFold)
  if(NOT symbols MATCHES "U [^\n]*::${function}\\(")
    message(FATAL_ERROR "nothing asks the library for ${function}")
  endif()
endforeach()
