// SPDX-License-Identifier: Apache-2.0
// What a reduction leaves: a tensor that remembers the axes it lost.
#ifndef MSHADOW_TEST_EXPR_REDUCED_H_
#define MSHADOW_TEST_EXPR_REDUCED_H_

#include <mshadow/tensor.h>

namespace mshadow {
namespace testing {

/// The elements of src_; full, lost: kFullRank and kLostAxes of expr/aligned.h.
template <typename T, typename DType, int full, int lost>
struct ReducedExp : expr::Exp<ReducedExp<T, DType, full, lost>, DType, expr::type::kChainer> {
  static constexpr int kRank = T::kRank, kDevices = T::kDevices;
  static constexpr int kFullRank = full, kLostAxes = lost;
  T src_;
  explicit ReducedExp(const T& src) : src_(src) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return src_.template GetShape<dim>();
  }
  bool Overlaps(const expr::WrittenView& written, bool same_index) const {
    return src_.Overlaps(written, same_index);
  }
};

/// `t`, as if of an expression of `full` axes the axes `lost` were reduced.
template <int full, int lost, typename Device, int dim, typename DType>
auto Reduced(const Tensor<Device, dim, DType>& t) {
  return ReducedExp<Tensor<Device, dim, DType>, DType, full, lost>(t);
}

}  // namespace testing

namespace expr {
template <typename T, typename DType, int full, int lost>
class Plan<testing::ReducedExp<T, DType, full, lost>, DType> : public Plan<T, DType> {
 public:
  explicit Plan(const testing::ReducedExp<T, DType, full, lost>& e) : Plan<T, DType>(e.src_) {}
};
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_TEST_EXPR_REDUCED_H_
