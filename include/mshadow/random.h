// SPDX-License-Identifier: Apache-2.0
// Random numbers; <mshadow/tensor.h> brings all of it but <random> and beta, binomial, multinomial,
// categorical and truncated normal numbers.
//
//   Random<cpu> random(42);
//   random.SampleGaussian(&weights, 0, 0.01f);
//   mask = (random.uniform(mask.shape_) < 0.5f) * 2.0f;
#ifndef MSHADOW_RANDOM_H_
#define MSHADOW_RANDOM_H_

#include "core/letters_begin.inc"

#include <random>

#include "tensor.h"
#include "core/samplers.h"
#include "tensor/random.h"
#include "backend/cpu/random.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_RANDOM_H_
