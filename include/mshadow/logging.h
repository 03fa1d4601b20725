// SPDX-License-Identifier: Apache-2.0
// CHECK, LOG and mshadow::Error.
#ifndef MSHADOW_LOGGING_H_
#define MSHADOW_LOGGING_H_

#include "core/letters_begin.inc"

#include "core/logging.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_LOGGING_H_
