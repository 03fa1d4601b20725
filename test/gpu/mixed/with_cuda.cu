// SPDX-License-Identifier: Apache-2.0
#include "run.h"

std::string WithCuda() { return ErrorOf<mshadow::gpu>(); }
