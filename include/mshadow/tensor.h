// SPDX-License-Identifier: Apache-2.0
// mshadow: lazy tensor expressions for CPU and GPU. This header brings everything.
//
//   using namespace mshadow;
//   using namespace mshadow::expr;
//   TensorContainer<cpu, 2> in(Shape2(2, 3), 0.5f), out(Shape2(2, 3));
//   out = sigmoid(in * 2.0f) + 1.0f;
#ifndef MSHADOW_TENSOR_H_
#define MSHADOW_TENSOR_H_

#include "core/letters_begin.inc"

#include "base.h"
#include "expression.h"
#include "extension.h"
#include "tensor/container.h"
#include "tensor/function.h"
#include "tensor/io.h"
#include "tensor/memory.h"
#include "tensor/random.h"
#include "tensor/view.h"
#include "backend/cpu/blas.h"
#include "backend/cpu/device.h"
#include "backend/cpu/executor.h"
#include "backend/cpu/function.h"
#include "backend/cpu/random.h"
#include "backend/cpu/reduce.h"
#if MSHADOW_USE_CUDA
#include "backend/gpu/blas.h"
#include "backend/gpu/device.h"
#include "backend/gpu/executor.h"
#include "backend/gpu/function.h"
#include "backend/gpu/random.h"
#include "backend/gpu/reduce.h"
#else
#include "backend/gpu/without_cuda.h"
#endif
#if MSHADOW_2X
#include "packet-inl.h"
#include "tensor/blob.h"
#endif
#if MSHADOW_COMPILED_KERNELS
#include "kernels.h"
#endif

#include "core/letters_end.inc"
#endif  // MSHADOW_TENSOR_H_
