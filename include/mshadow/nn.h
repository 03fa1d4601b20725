// SPDX-License-Identifier: Apache-2.0
// Steps of networks as parts of expressions: softmax<axis>(x), log_softmax<axis>(x),
// layer_norm(x, gamma, beta), rms_norm, batch_norm, group_norm, dropout, conv1d(x, w), conv2d,
// conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d, scaled_dot_product_attention.
//
//   y = layer_norm(x + dot(softmax<1>(q), v), gamma, beta);
#ifndef MSHADOW_NN_H_
#define MSHADOW_NN_H_

#include "core/letters_begin.inc"

#include "tensor.h"
#include "extension/attention.h"
#include "extension/conv1d.h"
#include "extension/conv2d.h"
#include "extension/conv3d.h"
#include "extension/conv_transpose.h"
#include "extension/normalise.h"
#include "extension/softmax.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_NN_H_
