// SPDX-License-Identifier: Apache-2.0
// What the extensions over windows share: reducers applied to windows, and grids of patches.
#ifndef MSHADOW_EXTENSION_WINDOW_H_
#define MSHADOW_EXTENSION_WINDOW_H_

#include <type_traits>
#include <utility>

#include "../core/dtype.h"
#include "../expr/argument.h"
#include "../expr/plan.h"
#include "../op/reducer.h"
#include "../simd/isa.h"

namespace mshadow {
namespace expr {
namespace detail {

template <typename Reducer, typename DType, typename = void>
struct HasCombine : std::false_type {};
template <typename Reducer, typename DType>
struct HasCombine<Reducer, DType,
                  std::void_t<decltype(Reducer::template Combine<DType>(DType(), DType()))>>
    : std::true_type {};

template <typename Reducer, typename DType, typename = void>
struct HasFinalize : std::false_type {};
template <typename Reducer, typename DType>
struct HasFinalize<Reducer, DType,
                   std::void_t<decltype(Reducer::Finalize(std::declval<volatile DType&>()))>>
    : std::true_type {};

/// What sums of DType are kept in: float for 16-bit floats.
template <typename DType>
using SumOf = std::conditional_t<float16::kIsFloat16<DType>, float, DType>;

/// The reduction of one window. 16-bit floats are summed up in float.
template <typename Reducer, typename DType>
class WindowReduction {
  static constexpr bool kCombines = HasCombine<Reducer, DType>::value;

 public:
  using Value = std::conditional_t<kCombines, SumOf<DType>, DType>;
  /// May elements be reduced in any order?
  static constexpr bool kAnyOrder = kCombines;
  MSHADOW_XINLINE WindowReduction() { Reducer::SetInitValue(value_); }
  MSHADOW_XINLINE static Value Combine(Value a, Value b) {
    return Reducer::template Combine<Value>(a, b);
  }
  MSHADOW_XINLINE static Value Initial() { return WindowReduction().value_; }
  MSHADOW_XINLINE void Add(DType element) {
    if constexpr (kCombines) {
      value_ = Reducer::template Combine<Value>(value_, static_cast<Value>(element));
    } else {
      Reducer::Reduce(value_, element);
    }
  }
  MSHADOW_XINLINE DType Result() {
    if constexpr (!kCombines && HasFinalize<Reducer, DType>::value) Reducer::Finalize(value_);
    return static_cast<DType>(value_);
  }

 private:
  Value value_;
};

/// `n` values f(0), ..., f(n - 1), of a type that need not be default-constructible.
template <typename T, int n>
struct FixedArray {
  T item[n];
};
template <int n, typename F, std::size_t... k>
MSHADOW_XINLINE auto MakeFixedArray(const F& f, std::index_sequence<k...>) {
  return FixedArray<decltype(f(0)), n>{{f(static_cast<int>(k))...}};
}
template <int n, typename F>
MSHADOW_XINLINE auto MakeFixedArray(const F& f) {
  return detail::MakeFixedArray<n>(f, std::make_index_sequence<n>());
}
/// The cursors of n rows from `first` on.
template <int n, typename P>
MSHADOW_XINLINE FixedArray<RowCursor<P>, n> RowsOf(const P& plan, std::ptrdiff_t first) {
  return detail::MakeFixedArray<n>([&](int k) { return RowOf(plan, first + k); });
}

/// A run whose elements were computed in advance.
template <typename DType, typename Value>
struct BufferCursor {
  /// Loops over a buffer may run up to a multiple of this, so that they need no scalar rest.
  static constexpr std::ptrdiff_t kStep = 16;
  static constexpr std::ptrdiff_t kMost = 2048 / sizeof(Value);
  static_assert(kMost % kStep == 0, "whole steps");
  Value value_[kMost];
  std::ptrdiff_t begin_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    return static_cast<DType>(value_[x - begin_]);
  }
  MSHADOW_XINLINE static std::ptrdiff_t RoundUp(std::ptrdiff_t n) {
    return (n + kStep - 1) / kStep * kStep;
  }
};

/// How many patches of psize pixels, `dilate` apart, fit into an image at steps of `stride`.
struct PatchGrid {
  index_t height, width;
  /// Throws Error, in the name of `function`, where none fits or an argument is not positive.
  PatchGrid(const char* function, index_t image_height, index_t image_width, index_t psize_y,
            index_t psize_x, index_t stride_y, index_t stride_x, index_t dilate_y,
            index_t dilate_x) {
    CheckPositive(function, "pstride_y", stride_y);
    CheckPositive(function, "pstride_x", stride_x);
    CheckPositive(function, "pdilate_y", dilate_y);
    CheckPositive(function, "pdilate_x", dilate_x);
    const long long most_y = image_height == 0 ? 0 : (image_height - 1) / dilate_y + 1;
    const long long most_x = image_width == 0 ? 0 : (image_width - 1) / dilate_x + 1;
    CheckArgument(function, "psize_y", psize_y, 1, most_y,
                  ", what the image's height holds at this dilation");
    CheckArgument(function, "psize_x", psize_x, 1, most_x,
                  ", what the image's width holds at this dilation");
    height = (image_height - dilate_y * (psize_y - 1) - 1) / stride_y + 1;
    width = (image_width - dilate_x * (psize_x - 1) - 1) / stride_x + 1;
  }
};

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_WINDOW_H_
