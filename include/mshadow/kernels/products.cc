// SPDX-License-Identifier: Apache-2.0
#include "../kernels.h"

MSHADOW_NAMESPACE_BEGIN
namespace simd {
MSHADOW_KERNELS_OF_PRODUCTS()
}  // namespace simd
MSHADOW_NAMESPACE_END
