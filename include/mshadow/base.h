// SPDX-License-Identifier: Apache-2.0
// The scalar vocabulary: switches, element types, shapes, devices, operators, savers, reducers.
#ifndef MSHADOW_BASE_H_
#define MSHADOW_BASE_H_

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

#endif  // MSHADOW_BASE_H_
