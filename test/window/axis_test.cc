// SPDX-License-Identifier: Apache-2.0
#include <mshadow/window/axis.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace mshadow {
namespace {

using expr::detail::CoveringWindows;
using expr::detail::MakeCoverAxis;
using expr::detail::MakeWindowAxis;
using expr::detail::WindowAxis;

// Every size, window, stride and padding up to a few cells: f(size, ksize, stride, pad).
template <typename F>
void ForEachAxis(const F& f) {
  for (index_t size = 1; size <= 9; ++size) {
    for (index_t ksize = 1; ksize <= 5; ++ksize) {
      for (index_t stride = 1; stride <= 4; ++stride) {
        for (index_t pad = 0; pad <= ksize / 2; ++pad) {
          SCOPED_TRACE(::testing::Message()
                       << size << ": " << ksize << '/' << stride << " pad " << pad);
          f(size, ksize, stride, pad);
        }
      }
    }
  }
}

TEST(WindowAxis, Cells) {
  ForEachAxis([](index_t size, index_t ksize, index_t stride, index_t pad) {
    constexpr std::ptrdiff_t kWindows = 12;
    const WindowAxis axis = MakeWindowAxis(size, ksize, stride, pad, kWindows);
    bool whole[kWindows];
    for (std::ptrdiff_t i = 0; i < kWindows; ++i) {
      std::ptrdiff_t cells = 0, first = -1;
      for (std::ptrdiff_t k = 0; k < axis.ksize; ++k) {
        const std::ptrdiff_t cell = i * axis.stride - axis.pad + k;
        if (cell < 0 || cell >= axis.size) continue;
        if (cells++ == 0) first = cell;
      }
      EXPECT_EQ(axis.End(i) - axis.Begin(i), cells) << i;
      if (cells > 0) {
        EXPECT_EQ(axis.Begin(i), first) << i;
      }
      whole[i] = cells == axis.ksize;
    }
    for (index_t n = 1; n < kWindows; ++n) {
      EXPECT_EQ(MakeWindowAxis(size, ksize, stride, pad, n).all_whole,
                std::find(whole, whole + n, false) == whole + n)
          << n;
    }
    const std::ptrdiff_t begins_inside =
        std::find_if(whole, whole + kWindows, [](bool w) { return w; }) - whole;
    if (begins_inside < kWindows) {
      EXPECT_EQ(axis.FirstWhole(), begins_inside);
    }
    for (std::ptrdiff_t i = 0; i < kWindows; ++i) {
      EXPECT_EQ(axis.Whole(i, kWindows), std::find(whole + i, whole + kWindows, false) - whole - i)
          << i;
    }
  });
}

TEST(CoveringWindows, Windows) {
  ForEachAxis([](index_t windows, index_t ksize, index_t stride, index_t pad) {
    const CoveringWindows axis = MakeCoverAxis(windows, ksize, stride, pad);
    for (std::ptrdiff_t cell = 0; cell < 20; ++cell) {
      std::ptrdiff_t count = 0, first = -1;
      for (std::ptrdiff_t i = 0; i < axis.windows; ++i) {
        const std::ptrdiff_t begin = i * axis.stride - axis.pad;
        if (cell < begin || cell >= begin + axis.ksize) continue;
        if (count++ == 0) first = i;
      }
      if (count > 0) {
        EXPECT_EQ(axis.Of(cell).begin, first) << cell;
      }
      EXPECT_EQ(axis.Of(cell).Count(), count) << cell;
    }
  });
}

}  // namespace
}  // namespace mshadow
