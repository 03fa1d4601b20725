// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow/dist/fold.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "error_of.h"

namespace mshadow {
namespace {

using dist::Fold;
using dist::FoldParts;

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T> || float16::kIsFloat16<T>;

/// Element i of rank r: numbers whose sums round, or wrap around.
template <typename T>
T Element(int r, std::size_t i) {
  const unsigned bits = static_cast<unsigned>(i * 2654435761u + r * 40503u + 977u) >> 7;
  if constexpr (std::is_same_v<T, bool>) {
    return bits % 3 == 0;
  } else if constexpr (kIsFloat<T>) {
    return static_cast<T>((static_cast<int>(bits % 20011) - 10000) / 7.0f);
  } else {
    return static_cast<T>(bits * 2654435761ull);
  }
}

/// The fold of one element in a plain loop.
template <typename T>
T Expected(const std::vector<std::vector<T>>& parts, std::size_t i, Fold fold) {
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t,
                                  std::conditional_t<std::is_same_v<T, double>, double, float>>;
  T extreme = parts[0][i];
  Wide sum = static_cast<Wide>(parts[0][i]), product = sum;
  for (std::size_t r = 1; r < parts.size(); ++r) {
    const T next = parts[r][i];
    sum = sum + static_cast<Wide>(next);
    product = product * static_cast<Wide>(next);
    if (fold == Fold::kMin ? next < extreme : extreme < next) extreme = next;
  }
  if (fold == Fold::kMin || fold == Fold::kMax) return extreme;
  if (fold == Fold::kProduct) return static_cast<T>(product);
  if (fold == Fold::kMean) sum /= static_cast<Wide>(parts.size());
  return static_cast<T>(sum);
}

template <typename T>
void CheckType() {
  const int type = DataType<T>::kFlag;
  for (const int n : {1, 2, 3, 4, 7}) {
    for (const std::size_t count : {0, 1, 17, 1024, 9001}) {
      std::vector<std::vector<T>> parts(n);
      std::vector<std::unique_ptr<T[]>> memory(n);
      std::vector<const void*> pointers(n);
      for (int r = 0; r < n; ++r) {
        memory[r].reset(new T[count + 1]);
        for (std::size_t i = 0; i < count; ++i) {
          parts[r].push_back(Element<T>(r, i));
          memory[r][i + 1] = parts[r][i];
        }
        pointers[r] = memory[r].get() + 1;  // of no vector's alignment
      }
      for (const Fold fold : {Fold::kSum, Fold::kProduct, Fold::kMin, Fold::kMax, Fold::kMean}) {
        if (fold == Fold::kMean && !kIsFloat<T>) continue;
        std::unique_ptr<T[]> out(new T[count + 2]());
        const auto compare = [&](const T* result) {
          for (std::size_t i = 0; i < count; ++i) {
            const T expected = Expected(parts, i, fold);
            ASSERT_EQ(std::memcmp(&result[i], &expected, sizeof(T)), 0)
                << dtype_string(type) << " " << dist::FoldName(fold) << " of " << n
                << ", element " << i << " of " << count;
          }
        };
        FoldParts(pointers.data(), n, out.get() + 1, count, type, fold);
        compare(out.get() + 1);
        ASSERT_EQ(out[0], T());
        ASSERT_EQ(out[count + 1], T());
        for (int r = 0; r < n; ++r) {  // in the place of each of the parts
          FoldParts(pointers.data(), n, const_cast<void*>(pointers[r]), count, type, fold);
          compare(memory[r].get() + 1);
          for (std::size_t i = 0; i < count; ++i) memory[r][i + 1] = parts[r][i];
        }
      }
    }
  }
}

#define MSHADOW_TEST_TYPE_(flag, value, type, ...) \
  TEST(Fold, flag) { CheckType<type>(); }
MSHADOW_FOREACH_DTYPE(MSHADOW_TEST_TYPE_, )

TEST(Fold, HalvesAreRoundedOnce) {
  // In half, 2048 + 1 = 2048 and the sum of the parts would stay there.
  std::vector<half::half_t> parts[4];
  const void* pointers[4];
  for (int r = 0; r < 4; ++r) {
    parts[r].assign(1, half::half_t(r == 0 ? 2048.0f : 1.0f));
    pointers[r] = parts[r].data();
  }
  half::half_t sum, mean;
  FoldParts(pointers, 4, &sum, 1, kFloat16, Fold::kSum);
  EXPECT_EQ(static_cast<float>(sum), 2052.0f);  // 2051, halfway between two halves, to even
  // The sum is no half, the mean is.
  for (auto& part : parts) part[0] = half::half_t(60000.0f);
  FoldParts(pointers, 4, &mean, 1, kFloat16, Fold::kMean);
  EXPECT_EQ(static_cast<float>(mean), 60000.0f);
}

TEST(Fold, NotANumberStays) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int at = 0; at < 3; ++at) {
    float parts[3] = {1.0f, 2.0f, 3.0f};
    parts[at] = nan;
    const void* pointers[] = {&parts[0], &parts[1], &parts[2]};
    for (const Fold fold : {Fold::kMin, Fold::kMax}) {
      float out = 0.0f;
      FoldParts(pointers, 3, &out, 1, kFloat32, fold);
      EXPECT_TRUE(std::isnan(out)) << at;
    }
  }
}

TEST(Fold, Errors) {
  int32_t value = 1;
  const void* pointers[] = {&value, &value};
  const auto mean = [&] { FoldParts(pointers, 2, &value, 1, kInt32, Fold::kMean); };
  EXPECT_NE(testing::ErrorOf(mean).find("the mean of elements of type int:"), std::string::npos)
      << testing::ErrorOf(mean);
  const auto unknown = [&] { FoldParts(pointers, 2, &value, 1, 99, Fold::kSum); };
  EXPECT_NE(testing::ErrorOf(unknown).find("unknown element type 99"), std::string::npos);
}

}  // namespace
}  // namespace mshadow
