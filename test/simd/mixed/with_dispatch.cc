// SPDX-License-Identifier: Apache-2.0
#include "products.h"

int WrongWithDispatch() { return WrongElements<float>() + WrongElements<double>(); }
