// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_RANGE_H_
#define MSHADOW_EXTENSION_RANGE_H_

#include <cstdint>
#include <type_traits>

#include "../core/argument.h"
#include "../core/dtype.h"
#include "../core/fast_divmod.h"
#include "../expr/plan/plan.h"
#include "../expr/plan/short_row.h"
#include "../expr/traits.h"
#include "../op/math/wrap.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The length of range(start, stop, step, repeat): repeat times as many as there are steps from
/// start that do not reach stop. Throws Error where step is 0 or leads away from stop, where repeat
/// is not positive, or where index_t cannot count the elements.
template <typename DType>
inline index_t RangeOutSize(DType start, DType stop, DType step, int repeat) {
  // double counts what float and 32 bits can hold; steps of wider integers are divided as such.
  using Real = std::conditional_t<std::is_integral_v<DType>, DType, double>;
  const Real from = static_cast<Real>(start), to = static_cast<Real>(stop);
  const Real by = static_cast<Real>(step);
  MSHADOW_CHECK(by != Real(0)) << "range: step must not be 0";
  detail::CheckPositive("range", "repeat", repeat);
  MSHADOW_CHECK(from == to || (to > from) == (by > Real(0)))
      << "range: step = " << static_cast<double>(by) << " leads away from stop: start = "
      << static_cast<double>(from) << ", stop = " << static_cast<double>(to);
  double steps;
  if constexpr (std::is_integral_v<DType>) {
    // The distances as unsigned numbers: they may exceed the type.
    const uint64_t distance = to > from ? static_cast<uint64_t>(to) - static_cast<uint64_t>(from)
                                        : static_cast<uint64_t>(from) - static_cast<uint64_t>(to);
    const uint64_t stride =
        by > Real(0) ? static_cast<uint64_t>(by) : uint64_t(0) - static_cast<uint64_t>(by);
    steps = static_cast<double>(distance / stride + (distance % stride != 0 ? 1 : 0));
  } else {
    steps = MSHADOW_HOST_LIBM(ceil)((to - from) / by);
  }
  const double size = steps * repeat;
  MSHADOW_CHECK(size <= static_cast<double>(mshadow::detail::kMaxElements))
      << "range: index_t cannot count " << size << " elements";
  return static_cast<index_t>(size);
}

template <typename DType>
struct RangeExp : public Exp<RangeExp<DType>, DType, type::kMapper> {
  static constexpr int kRank = 1;
  static constexpr int kDevices = 0xffff;
  DType start_, stop_, step_;
  int repeat_;
  index_t size_;
  RangeExp(DType start, DType stop, DType step, int repeat)
      : start_(start), stop_(stop), step_(step), repeat_(repeat),
        size_(RangeOutSize(start, stop, step, repeat)) {}
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == 1, "mshadow: range gives one axis; reshape or broadcast it to others");
    return Shape1(size_);
  }
  bool Overlaps(const WrittenView&, bool) const { return false; }
};

/// out[i] = start + (i / repeat) step, i / repeat rounded down, for the RangeOutSize(start, stop,
/// step, repeat) elements in front of stop; see there for errors.
template <typename DType>
inline RangeExp<DType> range(DType start, DType stop, DType step = DType(1), int repeat = 1) {
  return RangeExp<DType>(start, stop, step, repeat);
}

/// The same of mixed types, range(0, n): the elements have their common type. (int&...: template
/// arguments that a program writes are those of the function above.)
template <int&..., typename Start, typename Stop, typename Step = Start,
          typename DType = std::common_type_t<Start, Stop, Step>,
          typename = std::enable_if_t<
              !(std::is_same_v<Start, Stop> && std::is_same_v<Stop, Step>) &&
              std::is_arithmetic_v<DType>>>
inline RangeExp<DType> range(Start start, Stop stop, Step step = Step(1), int repeat = 1) {
  return RangeExp<DType>(static_cast<DType>(start), static_cast<DType>(stop),
                         static_cast<DType>(step), repeat);
}

template <typename DType>
class Plan<RangeExp<DType>, DType> {
  // 16-bit floats cannot hold the number of every step.
  using Acc = Accumulator<DType>;

 public:
  static constexpr int kCost = 2;
  explicit Plan(const RangeExp<DType>& e)
      : start_(static_cast<Acc>(e.start_)), step_(static_cast<Acc>(e.step_)),
        repeat_(e.repeat_), few_(static_cast<std::size_t>(e.size_) <= 0x7fffffffu) {}

  /// Numbers of elements, and of steps, fit 31 bits: every instruction set converts and divides
  /// them.
  template <bool kRepeats>
  struct FewCursor {
    Acc start_, step_;
    FastDivmod repeat_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const std::ptrdiff_t step = kRepeats ? FloorDiv(x & 0x7fffffff, repeat_) : x;
      return static_cast<DType>(
          op::math::MulAdd(static_cast<Acc>(static_cast<int32_t>(step)), step_, start_));
    }
  };
  struct Cursor {
    Acc start_, step_;
    FastDivmod repeat_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      return static_cast<DType>(
          op::math::MulAdd(static_cast<Acc>(FloorDiv(x, repeat_)), step_, start_));
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t) const {
    return Cursor{start_, step_, repeat_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t,
                                 std::ptrdiff_t x, std::ptrdiff_t end) const {
    if (!few_) {
      detail::WriteShortRow(Row(0), x, end, to);
    } else if (repeat_ != 1) {
      detail::WriteShortRow(FewCursor<true>{start_, step_, repeat_}, x, end, to);
    } else {
      detail::WriteShortRow(FewCursor<false>{start_, step_, repeat_}, x, end, to);
    }
  }

 private:
  Acc start_, step_;
  FastDivmod repeat_;
  bool few_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_RANGE_H_
