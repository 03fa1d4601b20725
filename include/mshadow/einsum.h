// SPDX-License-Identifier: Apache-2.0
// Sums of products by the names of axes: MSHADOW_EINSUM("bij,bjk->bik", a, b).
#ifndef MSHADOW_EINSUM_H_
#define MSHADOW_EINSUM_H_

#include "core/letters_begin.inc"

#include "tensor.h"
#include "extension/einsum.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_EINSUM_H_
