// SPDX-License-Identifier: Apache-2.0
// The path of mshadow 2.x; Stream<gpu> and its library handles.
#ifndef MSHADOW_STREAM_GPU_INL_H_
#define MSHADOW_STREAM_GPU_INL_H_

#include "core/letters_begin.inc"

#include "tensor.h"
#include "backend/gpu/handles.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_STREAM_GPU_INL_H_
