// SPDX-License-Identifier: Apache-2.0
// expect: two operands of one rank came from reductions of different axes
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

/// A vector that lost one axis of a matrix.
template <int lost>
struct Reduced : Exp<Reduced<lost>, float, type::kComplex> {
  static constexpr int kRank = 1, kDevices = cpu::kDevMask, kFullRank = 2, kLostAxes = lost;
};

void Statement(Reduced<1> columns, Reduced<2> rows) {
#ifdef FIXED
  (void)(rows * 2.0f + rows);
  (void)(columns * columns);
#else
  (void)(rows * 2.0f + columns);
#endif
}
