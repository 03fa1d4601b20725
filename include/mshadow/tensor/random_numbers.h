// SPDX-License-Identifier: Apache-2.0
// RandomExp: random numbers as an operand without memory.
#ifndef MSHADOW_TENSOR_RANDOM_NUMBERS_H_
#define MSHADOW_TENSOR_RANDOM_NUMBERS_H_

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "../core/variate.h"
#include "../expr/plan/plan.h"
#include "../expr/traits.h"
#include "random.h"

MSHADOW_NAMESPACE_BEGIN

/// Fills memory of a device with random numbers. A back end specialises it with
///   Fill(rng::Rows<DType>, rng::Draw, variate, Stream<Device>*)       see core/variate.h
///   FillEach(rng::Rows<DType>, rng::Draw, sampler, Stream<Device>*)   see core/distribution.h
/// and the host with
///   FillPart(rng::Rows<DType>, base, rng::Draw, variate)    elements base, .. of a draw, at once
template <typename Device>
struct RandomFill;
template <typename Device, typename DType>
class RandomBase;

namespace expr {

/// out[i] = number i of a draw, which `variate_` makes. Each evaluation computes the same numbers.
template <typename Device, typename Variate, int dim, typename DType>
struct RandomExp : public Exp<RandomExp<Device, Variate, dim, DType>, DType, type::kMapper> {
  static constexpr int kRank = dim;
  static constexpr int kDevices = Device::kDevMask;
  Variate variate_;
  rng::Draw draw_;
  Shape<dim> shape_;
  RandomBase<Device, DType>* source_;
  RandomExp(const Variate& variate, const rng::Draw& draw, const Shape<dim>& shape,
            RandomBase<Device, DType>* source)
      : variate_(variate), draw_(draw), shape_(shape), source_(source) {
    static_cast<void>(shape.CheckedSize());
  }
  template <int rank>
  Shape<rank> GetShape() const {
    static_assert(rank == dim, "mshadow: random numbers have another number of axes than the "
                               "statement they stand in");
    return shape_;
  }
  bool Overlaps(const WrittenView&, bool) const { return false; }
  bool IsSame(const RandomExp& other) const {
    return std::memcmp(&draw_, &other.draw_, sizeof(draw_)) == 0 && shape_ == other.shape_ &&
           std::memcmp(&variate_, &other.variate_, sizeof(variate_)) == 0;
  }
  /// The type that 2.x has: the numbers in memory of the Random, which must still exist, until the
  /// next such conversion.
  operator ReshapeExp<Tensor<Device, 1, DType>, DType, dim, 1>() const {  // NOLINT: implicit
    return {source_->InMemory(*this), shape_};
  }
};

template <typename Device, typename Variate, int dim, typename DType>
class Plan<RandomExp<Device, Variate, dim, DType>, DType> {
 public:
  static constexpr PlanFacts kFacts{20, 0, Access::kSame};
  explicit Plan(const RandomExp<Device, Variate, dim, DType>& e)
      : variate_(e.variate_), draw_(e.draw_),
        cols_(static_cast<std::ptrdiff_t>(e.shape_[dim - 1])) {}

  struct Cursor {
    Variate variate_;
    rng::Draw draw_;
    std::ptrdiff_t first_;
    // A host kernel is not for the device.
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      if constexpr (Device::kDevCPU) {
        // As in FillPart: normal numbers of other instruction sets have other bits.
        DType number;
        RandomFill<Device>::FillPart(rng::Rows<DType>{&number, 1, 1, 1}, first_ + x, draw_,
                                     variate_);
        return number;
      } else {
        return rng::ElementOf<DType>(variate_, draw_, first_ + x);
      }
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{variate_, draw_, y * cols_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const {
    return Row(static_cast<std::ptrdiff_t>(y)).Eval(static_cast<std::ptrdiff_t>(x));
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {0}; }
  /// Whole rows as one stretch of elements.
  MSHADOW_NOINLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                             std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const std::ptrdiff_t n = end - x;
    if (n == cols_ && end_y - y > 1) {
      const std::ptrdiff_t size = (end_y - y) * n;
      const bool is_row = stride == n;
      return RandomFill<Device>::FillPart(
          rng::Rows<DType>{to, size, is_row ? size : n, is_row ? size : stride}, y * n, draw_,
          variate_);
    }
    for (; y < end_y; ++y, to += stride) {
      RandomFill<Device>::FillPart(rng::Rows<DType>{to, n, n, n}, y * cols_ + x, draw_, variate_);
    }
  }

 private:
  Variate variate_;
  rng::Draw draw_;
  std::ptrdiff_t cols_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_RANDOM_NUMBERS_H_
