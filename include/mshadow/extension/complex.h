// SPDX-License-Identifier: Apache-2.0
// Complex numbers: real and imaginary parts side by side along the last axis.
#ifndef MSHADOW_EXTENSION_COMPLEX_H_
#define MSHADOW_EXTENSION_COMPLEX_H_

#include <type_traits>
#include <utility>

#include "../core/shape.h"
#include "../expr/plan/plan.h"
#include "../expr/reordered.h"
#include "../expr/traits.h"
#include "../op/complex.h"
#include "../simd/isa.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// Throws Error where the last axis does not hold whole numbers.
template <int dim>
inline void CheckComplex(const char* who, const Shape<dim>& shape) {
  MSHADOW_CHECK_EQ(shape[dim - 1] % 2, 0U) << who << ": the last axis of " << shape
                                   << " must hold pairs of real and imaginary parts";
}

/// Is OP written on numbers, RealMap(real, imag), or on a plan and indices, as in 2.x?
template <typename OP, typename DType, typename = void>
struct MapsNumbers : std::false_type {};
template <typename OP, typename DType>
struct MapsNumbers<OP, DType, std::void_t<decltype(OP::RealMap(DType(), DType()))>>
    : std::true_type {};

/// Pairs (f.Real(p), f.Imag(p)) as elements 2 p and 2 p + 1 of a row.
template <typename DType, typename Pairs>
struct PairsCursor {
  Pairs pairs_;
  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    return (x & 1) == 0 ? pairs_.Real(x >> 1) : pairs_.Imag(x >> 1);
  }
  MSHADOW_FORCE_INLINE void Write(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if (x < end && (x & 1) != 0) *to++ = Eval(x++);
    if (x < end && (end & 1) != 0) {
      --end;
      to[end - x] = Eval(end);
    }
    FillPairs(to, x >> 1, end >> 1);
  }

 private:
  MSHADOW_FORCE_INLINE void FillPairs(DType* to, std::ptrdiff_t first, std::ptrdiff_t last) const {
    const Pairs pairs = pairs_;
    MSHADOW_IVDEP
    for (std::ptrdiff_t k = 0; k < last - first; ++k) {
      const DType real = pairs.Real(first + k), imag = pairs.Imag(first + k);
      to[2 * k] = real;
      to[2 * k + 1] = imag;
    }
  }
};

/// A row of complex numbers, or of real ones whose imaginary part is 0.
template <bool kComplex, typename A>
struct NumbersRow {
  A a_;
  MSHADOW_XINLINE auto Real(std::ptrdiff_t p) const { return a_.Eval(kComplex ? 2 * p : p); }
  MSHADOW_XINLINE auto Imag(std::ptrdiff_t p) const {
    if constexpr (kComplex) {
      return a_.Eval(2 * p + 1);
    } else {
      return static_cast<decltype(a_.Eval(p))>(0.0f);
    }
  }
};

}  // namespace detail

/// OP of pairs; calctype, an op::complex::BinaryCalculationType, says which operands are complex.
template <int calctype, typename OP, typename TA, typename TB, typename DType, int etype>
struct ComplexBinaryMapExp
    : public Exp<ComplexBinaryMapExp<calctype, OP, TA, TB, DType, etype>, DType, etype> {
  static_assert(ExpInfo<TA>::kDim == ExpInfo<TB>::kDim && ExpInfo<TA>::kDim > 0,
                "mshadow: operands of complex numbers must have the same number of axes");
  static constexpr bool kLhsComplex = calctype != op::complex::kBinaryRC;
  static constexpr bool kRhsComplex = calctype != op::complex::kBinaryCR;
  static constexpr int kRank = ExpInfo<TA>::kDim;
  static constexpr int kDevices = ExpInfo<TA>::kDevMask & ExpInfo<TB>::kDevMask;
  TA item1_;
  TB item2_;
  ComplexBinaryMapExp(const TA& item1, const TB& item2) : item1_(item1), item2_(item2) {}
  template <int dim>
  Shape<dim> GetShape() const {
    const Shape<dim> a = ShapeCheck<dim, TA>::Check(item1_), b = ShapeCheck<dim, TB>::Check(item2_);
    Shape<dim> wide_a = a, wide_b = b;
    if (kLhsComplex) detail::CheckComplex("ComplexBinaryMapExp", a);
    if (kRhsComplex) detail::CheckComplex("ComplexBinaryMapExp", b);
    if (!kLhsComplex) wide_a[dim - 1] *= 2;
    if (!kRhsComplex) wide_b[dim - 1] *= 2;
    MSHADOW_CHECK_EQ(wide_a, wide_b) << "ComplexBinaryMapExp: shapes " << a << " and " << b
                             << " do not fit, real numbers counted double";
    return wide_a;
  }
  // The parts of a number are read together, and written one after the other.
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(item1_, written, false) || expr::Overlaps(item2_, written, false);
  }
};

/// OP of each number; calctype is an op::complex::UnitaryCalculationType.
template <int calctype, typename OP, typename TA, typename DType, int etype>
struct ComplexUnitaryExp
    : public Exp<ComplexUnitaryExp<calctype, OP, TA, DType, etype>, DType, etype> {
  static_assert(ExpInfo<TA>::kDim > 0, "mshadow: complex numbers need an expression with axes");
  static constexpr int kRank = ExpInfo<TA>::kDim;
  static constexpr int kDevices = ExpInfo<TA>::kDevMask;
  TA item1_;
  explicit ComplexUnitaryExp(const TA& item1) : item1_(item1) {}
  template <int dim>
  Shape<dim> GetShape() const {
    Shape<dim> shape = ShapeCheck<dim, TA>::Check(item1_);
    if constexpr (calctype == op::complex::kUnitaryR2C) {
      shape[dim - 1] *= 2;
    } else {
      detail::CheckComplex("ComplexUnitaryExp", shape);
      if constexpr (calctype == op::complex::kUnitaryC2R) shape[dim - 1] /= 2;
    }
    return shape;
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(item1_, written, false);
  }
};

/// OP of each pair of numbers of a and b, which calctype (op::complex::kBinaryCC, kBinaryCR,
/// kBinaryRC) says to be complex or real. Complex operands (.., 2 n), real ones (.., n) -> (.., 2
/// n). Throws Error where shapes do not fit.
template <int calctype, typename OP, typename TA, typename TB, typename DType, int ta, int tb>
inline ComplexBinaryMapExp<calctype, OP, TA, TB, DType, (ta | tb | type::kMapper)> ComplexF(
    const Exp<TA, DType, ta>& lhs, const Exp<TB, DType, tb>& rhs) {
  return ComplexBinaryMapExp<calctype, OP, TA, TB, DType, (ta | tb | type::kMapper)>(lhs.self(),
                                                                                     rhs.self());
}
/// OP of each number of src: op::complex::kUnitaryC2C (.., 2 n) -> (.., 2 n), kUnitaryC2R
/// (.., 2 n) -> (.., n), kUnitaryR2C (.., n) -> (.., 2 n). Throws Error for an odd number of parts.
template <int calctype, typename OP, typename TA, typename DType, int ta>
inline ComplexUnitaryExp<calctype, OP, TA, DType, (ta | type::kMapper)> ComplexF(
    const Exp<TA, DType, ta>& src) {
  return ComplexUnitaryExp<calctype, OP, TA, DType, (ta | type::kMapper)>(src.self());
}

#define MSHADOW_COMPLEX_BINARY_(name, calctype, OP)                                         \
  template <typename TA, typename TB, typename DType, int ta, int tb>                       \
  inline auto name(const Exp<TA, DType, ta>& lhs, const Exp<TB, DType, tb>& rhs) {          \
    return ComplexF<op::complex::calctype, op::complex::OP>(lhs, rhs);                      \
  }                                                                                         \
  MSHADOW_OWNS_TEMPORARIES_(name)
/// Products and quotients; c stands for a complex operand, r for a real one. See op/complex.h.
MSHADOW_COMPLEX_BINARY_(complex_mul_cc, kBinaryCC, mul)
MSHADOW_COMPLEX_BINARY_(complex_mul_cr, kBinaryCR, mul)
MSHADOW_COMPLEX_BINARY_(complex_mul_rc, kBinaryRC, mul)
MSHADOW_COMPLEX_BINARY_(complex_div_cc, kBinaryCC, div)
MSHADOW_COMPLEX_BINARY_(complex_div_cr, kBinaryCR, div)
MSHADOW_COMPLEX_BINARY_(complex_div_rc, kBinaryRC, div)
#undef MSHADOW_COMPLEX_BINARY_

#define MSHADOW_COMPLEX_UNARY_(name, calctype, OP)                   \
  template <typename TA, typename DType, int ta>                     \
  inline auto name(const Exp<TA, DType, ta>& src) {                  \
    return ComplexF<op::complex::calctype, op::complex::OP>(src);    \
  }                                                                  \
  MSHADOW_OWNS_TEMPORARIES_(name)
/// real - i imag
MSHADOW_COMPLEX_UNARY_(conj, kUnitaryC2C, conjugate)
/// imag + i real
MSHADOW_COMPLEX_UNARY_(complex_exchange, kUnitaryC2C, exchange)
/// Real numbers as complex ones.
MSHADOW_COMPLEX_UNARY_(complex_pad_imag, kUnitaryR2C, pad_imag)
/// The real parts.
MSHADOW_COMPLEX_UNARY_(complex_toreal, kUnitaryC2R, toreal)
/// real^2 + imag^2
MSHADOW_COMPLEX_UNARY_(complex_abs_square, kUnitaryC2R, abs_square)
/// real + imag
MSHADOW_COMPLEX_UNARY_(complex_sum_real_imag, kUnitaryC2R, sum_real_imag)
#undef MSHADOW_COMPLEX_UNARY_

template <int calctype, typename OP, typename TA, typename TB, typename DType, int etype>
class Plan<ComplexBinaryMapExp<calctype, OP, TA, TB, DType, etype>, DType> {
  using Node = ComplexBinaryMapExp<calctype, OP, TA, TB, DType, etype>;
  using Lhs = RereadPlan<TA, DType>;
  using Rhs = RereadPlan<TB, DType>;

 public:
  static constexpr int kCost = 4 + 2 * kCostOf<Lhs> + 2 * kCostOf<Rhs>;
  explicit Plan(const Node& e) : lhs_(MakePlanOf<Lhs>(e.item1_)), rhs_(MakePlanOf<Rhs>(e.item2_)) {}

  struct Pairs {
    detail::NumbersRow<Node::kLhsComplex, RowCursor<Lhs>> a_;
    detail::NumbersRow<Node::kRhsComplex, RowCursor<Rhs>> b_;
    MSHADOW_XINLINE DType Real(std::ptrdiff_t p) const {
      return OP::RealMap(DType(a_.Real(p)), DType(a_.Imag(p)), DType(b_.Real(p)),
                         DType(b_.Imag(p)));
    }
    MSHADOW_XINLINE DType Imag(std::ptrdiff_t p) const {
      return OP::ImagMap(DType(a_.Real(p)), DType(a_.Imag(p)), DType(b_.Real(p)),
                         DType(b_.Imag(p)));
    }
  };
  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const {
    return detail::PairsCursor<DType, Pairs>{Pairs{{RowOf(lhs_, y)}, {RowOf(rhs_, y)}}};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (; y < end_y; ++y, to += stride) Row(y).Write(to, x, end);
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return {Gcd(expr::FlatRows(lhs_, Node::kLhsComplex ? cols : cols / 2),
                expr::FlatRows(rhs_, Node::kRhsComplex ? cols : cols / 2)),
            0, ReadsOf(lhs_, rhs_)};
  }

 private:
  Lhs lhs_;
  Rhs rhs_;
};

template <int calctype, typename OP, typename TA, typename DType, int etype>
class Plan<ComplexUnitaryExp<calctype, OP, TA, DType, etype>, DType> {
  using Src = RereadPlan<TA, DType>;
  static constexpr bool kFromComplex = calctype != op::complex::kUnitaryR2C;
  static constexpr bool kToComplex = calctype != op::complex::kUnitaryC2R;
  static constexpr bool kOnNumbers = detail::MapsNumbers<OP, DType>::value;

 public:
  static constexpr int kCost = 2 + 2 * kCostOf<Src>;
  explicit Plan(const ComplexUnitaryExp<calctype, OP, TA, DType, etype>& e)
      : src_(MakePlanOf<Src>(e.item1_)) {}

  /// By the cursor of the row.
  struct NumberPairs {
    detail::NumbersRow<kFromComplex, RowCursor<Src>> a_;
    MSHADOW_XINLINE DType Real(std::ptrdiff_t p) const {
      return OP::RealMap(DType(a_.Real(p)), DType(a_.Imag(p)));
    }
    MSHADOW_XINLINE DType Imag(std::ptrdiff_t p) const {
      return OP::ImagMap(DType(a_.Real(p)), DType(a_.Imag(p)));
    }
  };
  /// By the plan and indices.
  struct PlanPairs {
    const Src& src_;
    index_t y_;
    MSHADOW_XINLINE DType Real(std::ptrdiff_t p) const {
      const index_t x = static_cast<index_t>(p);
      if constexpr (kFromComplex) {
        return OP::RealMap(src_, y_, 2 * x, y_, 2 * x + 1);
      } else {
        return OP::RealMap(src_, y_, x);
      }
    }
    MSHADOW_XINLINE DType Imag(std::ptrdiff_t p) const {
      const index_t x = static_cast<index_t>(p);
      if constexpr (kFromComplex) {
        return OP::ImagMap(src_, y_, 2 * x, y_, 2 * x + 1);
      } else {
        return OP::ImagMap(src_, y_, x);
      }
    }
  };
  /// Of real results, one for each pair.
  template <typename Pairs>
  struct RealCursor {
    Pairs pairs_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return pairs_.Real(x); }
  };

  MSHADOW_XINLINE auto Row(std::ptrdiff_t y) const {
    if constexpr (kOnNumbers) {
      return Finish(NumberPairs{{RowOf(src_, y)}});
    } else {
      return Finish(PlanPairs{src_, static_cast<index_t>(y)});
    }
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  template <bool fills = kToComplex>
  MSHADOW_FORCE_INLINE auto Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const
      -> std::enable_if_t<fills> {
    for (; y < end_y; ++y, to += stride) Row(y).Write(to, x, end);
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    const std::ptrdiff_t src_cols = !kFromComplex ? cols / 2 : kToComplex ? cols : 2 * cols;
    return {kOnNumbers ? expr::FlatRows(src_, src_cols) : 1, 0, ReadsOf(src_)};
  }

 private:
  template <typename Pairs>
  MSHADOW_XINLINE static auto Finish(const Pairs& pairs) {
    if constexpr (kToComplex) {
      return detail::PairsCursor<DType, Pairs>{pairs};
    } else {
      return RealCursor<Pairs>{pairs};
    }
  }
  Src src_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_COMPLEX_H_
