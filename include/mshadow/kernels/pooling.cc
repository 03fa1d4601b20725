// SPDX-License-Identifier: Apache-2.0
#include "../kernels.h"

namespace mshadow {
namespace simd {
MSHADOW_KERNELS_OF_POOLING(MSHADOW_DEFINE_KERNEL)
}  // namespace simd
}  // namespace mshadow
