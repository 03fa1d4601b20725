// SPDX-License-Identifier: Apache-2.0
// Order and selection, of tensors and expressions of any rank on the host or on a GPU: sorts,
// quantiles, bins, sets, elements chosen by masks, indices or at random.
//
//   auto [values, indices] = topk(x, 10);
//   x = select(y, y > median(y));
//
// See guide/order.md.
#ifndef MSHADOW_INDEX_H_
#define MSHADOW_INDEX_H_

#include "core/letters_begin.inc"

#include "tensor.h"

#include "order/bins.h"
#include "order/gather.h"
#include "order/quantile.h"
#include "order/search.h"
#include "order/select.h"
#include "order/sets.h"
#include "order/shuffle.h"
#include "order/sort.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_INDEX_H_
