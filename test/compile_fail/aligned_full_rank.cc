// SPDX-License-Identifier: Apache-2.0
// expect: a reduction of an expression that has more axes than the operand beside it
#include <mshadow/tensor.h>

using namespace mshadow;
using namespace mshadow::expr;

/// A vector that lost axes of a tensor of `full` axes.
template <int full, int lost>
struct Reduced : Exp<Reduced<full, lost>, float, type::kMapper> {
  static constexpr int kRank = 1, kDevices = cpu::kDevMask, kFullRank = full, kLostAxes = lost;
  template <int dim>
  Shape<dim> GetShape() const {
    return Shape1(1);
  }
};

void Statement(Tensor<cpu, 2> matrix, Reduced<3, 6> of_cube, Reduced<2, 2> of_matrix) {
  (void)of_cube;
#ifdef FIXED
  (void)(matrix + of_matrix);
  (void)(matrix + Reduced<3, 3>());
#else
  (void)(matrix + of_cube);
#endif
}
