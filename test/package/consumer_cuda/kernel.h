// SPDX-License-Identifier: Apache-2.0
#ifndef CONSUMER_CUDA_KERNEL_H_
#define CONSUMER_CUDA_KERNEL_H_

#include <mshadow/tensor.h>

void ScaleOnHost(mshadow::Tensor<mshadow::cpu, 2> t, float factor);
void ScaleOnDevice(mshadow::Tensor<mshadow::gpu, 2> t, float factor);

#endif  // CONSUMER_CUDA_KERNEL_H_
