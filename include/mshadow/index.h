// SPDX-License-Identifier: Apache-2.0
// Indices and values of vectors, on the host: argsort(x), nonzero(x), unique(x), bincount(x).
//
//   TensorContainer<cpu, 1, int64_t> order = argsort(x), hits = nonzero(x > 0.5f);
#ifndef MSHADOW_INDEX_H_
#define MSHADOW_INDEX_H_

#include "core/letters_begin.inc"

#include "tensor.h"
#include "tensor/index.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_INDEX_H_
