// SPDX-License-Identifier: Apache-2.0
// Programs of 2019 define MSHADOW_INT64_TENSOR_SIZE as 0 and rely on a signed index_t.
#define MSHADOW_INT64_TENSOR_SIZE 0
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "compat/values.h"

namespace {

using namespace mshadow;  // NOLINT
using mshadow::testing::V;
using mshadow::testing::Values;

static_assert(std::is_same_v<index_t, int32_t>, "");

template <mshadow::index_t n = -1>
struct Known {
  static constexpr bool value = n >= 0;
};

TEST(OldIndex, IsSignedWhereTheSizeIsDefinedAsZero) {
  EXPECT_FALSE(Known<>::value);
  EXPECT_TRUE(Known<3>::value);
  TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f);
  for (index_t i = a.size(0) - 1; i >= 0; --i) a[i] += static_cast<float>(i);
  EXPECT_EQ(Values(a), (V{1, 1, 1, 2, 2, 2}));
  index_t last = -1;
  for (index_t i = 0; i < a.size(1); ++i) last = std::max(last, i);
  EXPECT_EQ(last, 2);
}

}  // namespace
