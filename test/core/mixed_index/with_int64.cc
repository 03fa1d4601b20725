// SPDX-License-Identifier: Apache-2.0
#define MSHADOW_INT64_TENSOR_SIZE 1
#include "statements.h"

int WrongWithInt64() {
  return WrongElements(mshadow::index_t{47}) + WrongElements(mshadow::index_t{4000});
}
