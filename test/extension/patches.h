// SPDX-License-Identifier: Apache-2.0
// Patches in plain loops, for the tests of unpack_patch2col and pack_col2patch.
#ifndef MSHADOW_TEST_EXTENSION_PATCHES_H_
#define MSHADOW_TEST_EXTENSION_PATCHES_H_

#include "reference.h"

namespace mshadow {
namespace testing {

struct Patch {
  index_t py, px, sy, sx, dy, dx;
};
const Patch kPatches[] = {{1, 1, 1, 1, 1, 1}, {3, 3, 1, 1, 1, 1}, {3, 3, 2, 2, 1, 1},
                          {2, 2, 2, 2, 1, 1}, {5, 3, 1, 1, 1, 1}, {2, 3, 3, 1, 1, 1},
                          {3, 3, 1, 1, 2, 2}, {3, 3, 2, 2, 2, 2}, {3, 3, 2, 3, 3, 2},
                          {2, 3, 4, 3, 2, 2}, {3, 2, 6, 4, 2, 3}, {1, 3, 2, 5, 1, 1}};

/// Images (N, C, H, W) and the matrix of their patches.
struct Grid {
  std::size_t N, C, H, W, h, w;
  Patch p;
  Grid(std::size_t n, std::size_t c, std::size_t height, std::size_t width, const Patch& patch)
      : N(n), C(c), H(height), W(width), p(patch) {
    h = Fits() ? (H - p.dy * (p.py - 1) - 1) / p.sy + 1 : 0;
    w = Fits() ? (W - p.dx * (p.px - 1) - 1) / p.sx + 1 : 0;
  }
  bool Fits() const {
    return static_cast<std::size_t>(p.dy * (p.py - 1)) < H &&
           static_cast<std::size_t>(p.dx * (p.px - 1)) < W;
  }
  Shape<2> MatShape() const {
    return Shape2(static_cast<index_t>(C * p.py * p.px), static_cast<index_t>(N * h * w));
  }
  /// Calls f(element of the matrix, element of the images) for every element of the matrix.
  template <typename F>
  void ForEach(const F& f) const {
    for (std::size_t row = 0; row < C * p.py * p.px; ++row) {
      for (std::size_t column = 0; column < N * h * w; ++column) {
        const std::size_t v = column / w % h * p.sy + row / p.px % p.py * p.dy;
        const std::size_t u = column % w * p.sx + row % p.px * p.dx;
        const std::size_t plane = column / w / h * C + row / p.px / p.py;
        f(row * N * h * w + column, (plane * H + v) * W + u);
      }
    }
  }
};

template <typename F>
void ForEachPatch(const F& f) {
  for (const Patch& p : kPatches) {
    SCOPED_TRACE(::testing::Message() << p.py << 'x' << p.px << " stride " << p.sy << ',' << p.sx
                                      << " dilation " << p.dy << ',' << p.dx);
    f(p);
  }
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_EXTENSION_PATCHES_H_
