// SPDX-License-Identifier: Apache-2.0
#define MSHADOW_SIMD_DISPATCH 0
#include "products.h"

int WrongWithoutDispatch() { return WrongElements<float>() + WrongElements<double>(); }
