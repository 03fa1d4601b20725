// SPDX-License-Identifier: Apache-2.0
#define MSHADOW_USE_CUDA 0
#include "run.h"

std::string WithoutCuda() { return ErrorOf<mshadow::gpu>(); }
