// SPDX-License-Identifier: Apache-2.0
// The scalar vocabulary: switches, element types, shapes, devices, operators, savers, reducers.
#ifndef MSHADOW_BASE_H_
#define MSHADOW_BASE_H_

#include "core/letters_begin.inc"

// Constants of types, which code written for 2.x takes for granted; they cost nothing.
#include <cfloat>
#include <climits>

#include "core/bfloat.h"
#include "core/config.h"
#include "core/device.h"
#include "core/dtype.h"
#include "core/half.h"
#include "core/layout.h"
#include "core/logging.h"
#include "core/shape.h"
#include "core/type_switch.h"
#include "op/binary.h"
#include "op/reducer.h"
#include "op/saver.h"
#include "op/ternary.h"
#include "op/unary.h"
#if MSHADOW_USE_CUDA
#include "backend/gpu/kernel_names.h"
#endif

#if MSHADOW_2X
// The headers that base.h of 2.x brought.
#include <math.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/gpu/headers_2x.h"
#endif

#include "core/letters_end.inc"
#endif  // MSHADOW_BASE_H_
