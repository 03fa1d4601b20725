// SPDX-License-Identifier: Apache-2.0
// A CUDA file: one statement for both devices, and OpenMP on in its host code.
#include "kernel.h"

#ifndef _OPENMP
#error "OpenMP is off in host code of .cu files"
#endif

namespace {
template <typename Device>
void Scale(mshadow::Tensor<Device, 2> t, float factor) {
  t *= factor;
}
}  // namespace

void ScaleOnHost(mshadow::Tensor<mshadow::cpu, 2> t, float factor) { Scale(t, factor); }
void ScaleOnDevice(mshadow::Tensor<mshadow::gpu, 2> t, float factor) { Scale(t, factor); }
