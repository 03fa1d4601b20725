// SPDX-License-Identifier: Apache-2.0
// The bodies of MSHADOW_SHARED functions, for all files of the program.
#define MSHADOW_SHARED_BODIES 1
#include "../kernels.h"
#include "../let.h"
