// SPDX-License-Identifier: Apache-2.0
#include "statements.h"

int WrongWithUnsigned() {
  return WrongElements(mshadow::index_t{41}) + WrongElements(mshadow::index_t{4000});
}
