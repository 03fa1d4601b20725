// SPDX-License-Identifier: Apache-2.0
#define MSHADOW_INT64_TENSOR_SIZE 0
#include "statements.h"

int WrongWithSigned() {
  return WrongElements(mshadow::index_t{43}) + WrongElements(mshadow::index_t{4000});
}
