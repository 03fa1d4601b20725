// SPDX-License-Identifier: Apache-2.0
// The same program on a GPU.
#include "run.h"

namespace mnist {

int RunOnGpu(const Options& options) { return RunOnRanks<gpu>(options); }

}  // namespace mnist
