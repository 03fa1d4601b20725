// SPDX-License-Identifier: Apache-2.0
// CHECK, LOG and mshadow::Error.
#ifndef MSHADOW_LOGGING_H_
#define MSHADOW_LOGGING_H_

#include "core/logging.h"

#endif  // MSHADOW_LOGGING_H_
