// SPDX-License-Identifier: Apache-2.0
#include <mshadow/simd/copy_rows.h>

#include <cstdint>
#include <memory>

#include "testing.h"

namespace mshadow {
namespace {

/// An element of 12 bytes, which no move holds.
struct Triple {
  int32_t a[3];
  explicit Triple(std::ptrdiff_t i = 0)
      : a{static_cast<int32_t>(i), static_cast<int32_t>(-i), static_cast<int32_t>(i * i)} {}
  bool operator==(const Triple& other) const {
    return a[0] == other.a[0] && a[1] == other.a[1] && a[2] == other.a[2];
  }
};

// Every width up to several moves, between rows that are packed or not, at any address. The rows
// are in memory of exactly their size, for the address sanitizer; a guard lies between rows.
template <typename T>
void CheckCopies() {
  for (std::ptrdiff_t cols = 1; cols <= 80; ++cols) {
    for (std::ptrdiff_t rows : {0, 1, 2, 3, 7, 8, 9}) {
      for (std::ptrdiff_t to_pad : {0, 3}) {
        for (std::ptrdiff_t from_pad : {0, 1}) {
          for (std::ptrdiff_t step : {1, 0, -1}) {
            const std::ptrdiff_t width = step == 0 ? 1 : cols;
            const std::ptrdiff_t to_stride = cols + to_pad, from_stride = width + from_pad;
            const std::ptrdiff_t to_size = rows == 0 ? 0 : (rows - 1) * to_stride + cols;
            const std::ptrdiff_t from_size = rows == 0 ? 0 : (rows - 1) * from_stride + width;
            const std::unique_ptr<T[]> to(new T[to_size + 1]), from(new T[from_size + 1]);
            for (std::ptrdiff_t i = 0; i <= to_size; ++i) to[i] = T(77);
            for (std::ptrdiff_t i = 0; i <= from_size; ++i) from[i] = static_cast<T>(i % 61);
            constexpr std::ptrdiff_t kSize = sizeof(T);
            const simd::RowsToCopy copy{reinterpret_cast<char*>(to.get() + 1), to_stride * kSize,
                                        reinterpret_cast<const char*>(from.get() + 1),
                                        from_stride * kSize, rows, cols * kSize};
            step == 0   ? simd::RepeatElements<sizeof(T)>(copy)
            : step == 1 ? simd::CopyRows(copy)
                        : simd::ReverseElements<sizeof(T)>(copy);
            const std::ptrdiff_t first = step == -1 ? cols : 1;
            ASSERT_EQ(to[0], T(77));
            for (std::ptrdiff_t i = 0; i < to_size; ++i) {
              const std::ptrdiff_t y = i / to_stride, x = i % to_stride;
              const T expected = x < cols ? from[first + y * from_stride + x * step] : T(77);
              ASSERT_EQ(to[1 + i], expected) << rows << " x " << cols << ", " << i;
            }
          }
        }
      }
    }
  }
}

TEST(CopyRows, EverySizeAndStride) {
  testing::ForEachIsa([] {
    CheckCopies<uint8_t>();
    CheckCopies<uint16_t>();
    CheckCopies<float>();
    CheckCopies<double>();
    CheckCopies<Triple>();
  });
}

}  // namespace
}  // namespace mshadow
