// SPDX-License-Identifier: Apache-2.0
// What the extensions over windows share: reducers applied to windows, and grids of patches.
#ifndef MSHADOW_WINDOW_WINDOW_H_
#define MSHADOW_WINDOW_WINDOW_H_

#include <string>
#include <type_traits>
#include <utility>

#include "../core/argument.h"
#include "../core/dtype.h"
#include "../core/logging.h"
#include "../core/shape.h"
#include "../expr/plan/plan.h"
#include "../op/long_sum.h"
#include "../op/math/wrap.h"
#include "../op/reducer.h"
#include "../op/reducer_traits.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

template <typename Reducer, typename DType, typename = void>
struct CombinesThree : std::false_type {};
template <typename Reducer, typename DType>
struct CombinesThree<Reducer, DType,
                     std::void_t<decltype(Reducer::Combine(DType(), DType(), DType()))>>
    : std::true_type {};

/// The reduction of one window. 16-bit floats are summed up in float.
template <typename Reducer, typename DType>
class WindowReduction {
  static_assert(!std::is_void_v<Reducer>,
                "mshadow: pool<Reducer>(x, ...) and pool3d need to know how a window is reduced: "
                "red::maximum, red::minimum or red::sum");
  static constexpr bool kCombines = red::HasCombine<Reducer, Accumulator<DType>>::value;

 public:
  using Value = std::conditional_t<kCombines, Accumulator<DType>, DType>;
  /// May elements be reduced in any order?
  static constexpr bool kAnyOrder = kCombines;
  /// Does the result depend on the number of cells?
  static constexpr bool kCounts = false;
  /// May windows begin in a padding?
  static constexpr bool kPads = false;
  /// The type of a total of many values, each reduced from some hundred cells.
  using Total = red::WideResult<Reducer, Value>;
  MSHADOW_XINLINE static Total AddTo(Total total, Value value) {
    return Reducer::Combine(total, static_cast<Total>(value));
  }
  MSHADOW_XINLINE WindowReduction() : value_(Initial()) {}
  MSHADOW_XINLINE static Value Combine(Value a, Value b) { return Reducer::Combine(a, b); }
  MSHADOW_XINLINE static Value Combine(Value a, Value b, Value c) {
    if constexpr (CombinesThree<Reducer, Value>::value) {
      return Reducer::Combine(a, b, c);
    } else {
      return Combine(Combine(a, b), c);
    }
  }
  MSHADOW_XINLINE static Value Initial() { return red::InitValue<Reducer, Value>(); }
  MSHADOW_XINLINE void Add(DType element) {
    if constexpr (kCombines) {
      value_ = Reducer::Combine(value_, static_cast<Value>(element));
    } else {
      Reducer::Reduce(value_, element);
    }
  }
  /// What the value of a window stands for, given Part of the number of its cells.
  MSHADOW_XINLINE static DType Result(Value value, Value) { return static_cast<DType>(value); }
  MSHADOW_XINLINE static Value Part(std::ptrdiff_t) { return Value(); }
  MSHADOW_XINLINE DType Result(std::ptrdiff_t) {
    if constexpr (!kCombines && red::HasFinalize<Reducer, DType>::value) Reducer::Finalize(value_);
    return static_cast<DType>(value_);
  }

 private:
  Value value_;
};

/// The mean of the cells of one window that lie in the image; 0 of none. Integers are rounded
/// towards 0.
template <typename DType>
class WindowMean {
 public:
  using Value = std::conditional_t<std::is_integral_v<DType>,
                                   std::conditional_t<(sizeof(DType) < 4), int32_t, int64_t>,
                                   Accumulator<DType>>;
  static constexpr bool kAnyOrder = true;
  static constexpr bool kCounts = true;
  static constexpr bool kPads = true;
  using Total = red::WideSum<Value>;
  MSHADOW_XINLINE static Total AddTo(Total total, Value value) {
    return op::math::Add(total, static_cast<Total>(value));
  }
  MSHADOW_XINLINE static Value Combine(Value a, Value b) { return op::math::Add(a, b); }
  MSHADOW_XINLINE static Value Combine(Value a, Value b, Value c) {
    return op::math::Add(op::math::Add(a, b), c);
  }
  MSHADOW_XINLINE static Value Initial() { return Value(0); }
  /// A multiplication takes a quarter of the time of a division; it rounds once more.
  MSHADOW_XINLINE static Value Part(std::ptrdiff_t cells) {
    const Value count = static_cast<Value>(cells > 0 ? cells : 1);
    return std::is_integral_v<DType> ? count : Value(1) / count;
  }
  MSHADOW_XINLINE static DType Result(Value sum, Value part) {
    return static_cast<DType>(std::is_integral_v<DType> ? sum / part : sum * part);
  }
  MSHADOW_XINLINE void Add(DType element) {
    sum_ = op::math::Add(sum_, static_cast<Value>(element));
  }
  MSHADOW_XINLINE DType Result(std::ptrdiff_t count) { return Result(sum_, Part(count)); }

 private:
  Value sum_ = Value(0);
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
  return detail::MakeFixedArray<n>([&](int k)
                                       MSHADOW_INLINE_LAMBDA { return RowOf(plan, first + k); });
}

/// The names of the arguments that size windows of so many axes: sizes, strides, paddings.
template <int axes>
struct WindowArguments {
  static constexpr const char* kNames[] = {"ksize[0]",   "ksize[1]",   "ksize[2]",
                                           "kstride[0]", "kstride[1]", "kstride[2]",
                                           "pad[0]",     "pad[1]",     "pad[2]"};
};
template <>
struct WindowArguments<2> {
  static constexpr const char* kNames[] = {"ksize_y",   "ksize_x", "kstride_y",
                                           "kstride_x", "pad_y",   "pad_x"};
};
/// Calls f(i) for i < axes. (GCC leaves a loop over two axes a loop.)
template <typename F, std::size_t... i>
MSHADOW_FORCE_INLINE void ForEachAxis(const F& f, std::index_sequence<i...>) {
  (f(static_cast<int>(i)), ...);
}
template <int axes, typename F>
MSHADOW_FORCE_INLINE void ForEachAxis(const F& f) {
  detail::ForEachAxis(f, std::make_index_sequence<axes>());
}
/// Throws Error, in the name of `function`, where a size or a stride is not positive, or where a
/// padding exceeds half the window: each covers a cell. pads: is there any padding?
template <bool pads, int axes>
inline void CheckWindow(const char* function, const Shape<axes>& ksize, const Shape<axes>& kstride,
                        [[maybe_unused]] const Shape<axes>& pad) {
  constexpr long long kMax = 0x3fffffff;
  const char* const* const names = WindowArguments<axes>::kNames;
  ForEachAxis<axes>([&](int i) MSHADOW_INLINE_LAMBDA {
    CheckPositive(function, names[i], ksize[i]);
    CheckPositive(function, names[axes + i], kstride[i]);
    if constexpr (pads) {
      CheckArgument(function, names[2 * axes + i], pad[i], 0, ksize[i] / 2, ", half the window");
      CheckArgument(function, names[2 * axes + i], pad[i], 0, kMax, ", what an extent may grow by");
    }
  });
}
/// The last `axes` extents of a shape.
template <int axes, int dim>
inline Shape<axes> LastAxes(const Shape<dim>& shape) {
  Shape<axes> last;
  for (int i = 0; i < axes; ++i) last[i] = shape[dim - axes + i];
  return last;
}

template <int dim>
[[noreturn]] MSHADOW_COLD inline void ThrowEmptyWindow(
    const char* function, const Shape<dim>& image, const Shape<dim>& ksize,
    const Shape<dim>& kstride, const Shape<dim>& pad, const Shape<dim>& pooled) {
  throw Error(std::string(function) + ": pooled shape " + LogText(pooled) +
              " has windows that hold no element: image " + LogText(image) + ", window " +
              LogText(ksize) + ", stride " + LogText(kstride) +
              (pad == Shape<dim>() ? std::string() : ", padding " + LogText(pad)));
}
/// The step, or the extent where that is less: what exceeds the extent plays no part, and would
/// overflow sums.
inline index_t FitExtent(index_t step, index_t extent) { return step < extent ? step : extent; }
/// A window's size, or what pools alike where it exceeds the extent and its padding; at least twice
/// the padding, so that the same window may be asked for again.
inline index_t FitSize(index_t ksize, index_t extent, index_t pad) {
  return pad + FitExtent(ksize - pad, extent < pad ? pad : extent);
}

/// Throws Error, in the name of `function`, where a window of the pooled shape holds no element of
/// the image: window i begins at i kstride - pad. Sizes and strides are positive. What reaches beyond
/// the padded image becomes its extent, which pools alike and overflows nowhere.
template <int dim>
inline void FitWindows(const char* function, const Shape<dim>& image, Shape<dim>* ksize,
                       Shape<dim>* kstride, const Shape<dim>& pad, const Shape<dim>& pooled) {
  for (int i = 0; i < dim; ++i) {
    if (pooled[i] == 0) return;  // no windows
  }
  bool all_hold = true;
  for (int i = 0; i < dim; ++i) {
    const long long size = static_cast<long long>(image[i]), padding = pad[i];
    const long long last = static_cast<long long>(pooled[i]) - 1;
    all_hold = all_hold && size > 0 && static_cast<long long>((*ksize)[i]) > padding && last >= 0 &&
               last <= (size - 1 + padding) / static_cast<long long>((*kstride)[i]);
  }
  if (!MSHADOW_LIKELY(all_hold)) {
    ThrowEmptyWindow(function, image, *ksize, *kstride, pad, pooled);
  }
  for (int i = 0; i < dim; ++i) {
    (*ksize)[i] = FitSize((*ksize)[i], image[i], pad[i]);
    (*kstride)[i] = FitExtent((*kstride)[i], image[i] + pad[i]);
  }
}

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
    constexpr long long kAny = 0x7fffffffffffffff;
    CheckArgument(function, "the image's height", image_height, 0, kAny, "");
    CheckArgument(function, "the image's width", image_width, 0, kAny, "");
    const long long most_y = image_height == 0 ? 0 : (image_height - 1) / dilate_y + 1;
    const long long most_x = image_width == 0 ? 0 : (image_width - 1) / dilate_x + 1;
    CheckArgument(function, "psize_y", psize_y, 1, most_y,
                  ", what the image's height holds at this dilation");
    CheckArgument(function, "psize_x", psize_x, 1, most_x,
                  ", what the image's width holds at this dilation");
    height = (image_height - dilate_y * (psize_y - 1) - 1) / stride_y + 1;
    width = (image_width - dilate_x * (psize_x - 1) - 1) / stride_x + 1;
    constexpr long long kMax = 0xffffffff;  // plans keep strides in 32 bits
    if (height > 1) CheckArgument(function, "pstride_y", stride_y, 1, kMax, "");
    if (width > 1) CheckArgument(function, "pstride_x", stride_x, 1, kMax, "");
  }
};

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_WINDOW_H_
