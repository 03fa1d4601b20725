// SPDX-License-Identifier: Apache-2.0
// The base classes of every expression, and scalars as expressions.
#ifndef MSHADOW_EXPR_EXP_H_
#define MSHADOW_EXPR_EXP_H_

#include <iosfwd>
#include <type_traits>

#include "../core/device.h"
#include "../core/dtype.h"
#include "../core/fwd.h"
#include "../core/scalar_value.h"
#include "../core/shape.h"
#include "../op/saver.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// The kinds of expression. They can be or-ed: an expression is as hard as its hardest operand.
namespace type {
/// Memory: a tensor, or a view that can be assigned to.
const int kRValue = 0;
/// Element-wise: element i of the result reads element i of the operands only.
const int kMapper = 1;
/// Element i of the result may read any element of the operands.
const int kChainer = 3;
/// Not evaluated element by element: dot, reductions to one axis.
const int kComplex = 7;
}  // namespace type

/// Factories that only a call finds, clip(a, 0, 1), by its argument: here lies a base of every
/// expression. `using namespace mshadow::expr` does not bring their names, which are those of many
/// a user's own ops: F<clip>(a).
namespace adl {
template <typename SubType>
struct AdlTag {
  /// Says in a sentence why `if (a == b)` does not compile.
  explicit operator bool() const {
    static_assert(sizeof(SubType) == 0,
                  "mshadow: an expression is no condition: a == b is computed element by element. "
                  "Ask for one value, all(a == b) or any(a == b)");
    return false;
  }
};
}  // namespace adl

template <typename EType, typename DType>
struct TransposeExp;

/// Base of every expression. `SubType` is the class itself, `exp_type` its kind.
///
/// Nodes hold their operands by value. They are views, so an expression may be kept:
/// `auto e = a + b * 2; c = e;` is right as long as the memory of a and b lives.
template <typename SubType, typename DType, int exp_type>
struct Exp : adl::AdlTag<SubType> {
  MSHADOW_XINLINE const SubType& self() const { return *static_cast<const SubType*>(this); }
  MSHADOW_XINLINE SubType* ptrself() { return static_cast<SubType*>(this); }
  /// The matrix transposed: out[i][j] = in[j][i]; inside dot it costs nothing.
  MSHADOW_XINLINE TransposeExp<SubType, DType> T() const;

  // What other libraries have, and expressions do not: each says in a sentence what to write.
  template <typename I, typename... Is>
  DType& operator()(const I&, const Is&...) const {
    static_assert(sizeof(I) == 0,
                  "mshadow: an expression has no elements, e(i, j), before it is evaluated: "
                  "eval(e)(i, j) is one of its value");
    return *static_cast<DType*>(nullptr);
  }
  template <typename I>
  auto operator[](const I&) const {
    static_assert(sizeof(I) == 0,
                  "mshadow: an expression has no elements, e[i], before it is evaluated: "
                  "eval(e)[i] is those of its value");
  }
  template <typename B, typename E>
  auto Slice(const B&, const E&) const {
    static_assert(sizeof(B) == 0,
                  "mshadow: Slice(begin, end) is a member of Tensor alone; slice<axis>(e, begin, "
                  "end) is a part of any expression");
  }
};

/// May a `T` stand beside an expression as a scalar: `t * 2`, `half_t(2) * t`?
template <typename T, typename = void>
struct IsScalar : std::is_arithmetic<T> {};
template <typename T>
struct IsScalar<T, std::void_t<decltype(DataType<T>::kFlag)>> : std::true_type {};

/// One value for every element.
template <typename DType>
struct ScalarExp : public Exp<ScalarExp<DType>, DType, type::kMapper> {
  static constexpr int kRank = 0;
  static constexpr int kDevices = 0xffff;
  DType scalar_;
  // Implicit: functions of expressions take literals through it.
  MSHADOW_XINLINE ScalarExp(DType scalar) : scalar_(scalar) {}
#if defined(__aarch64__) || defined(__arm__)
  // GCC 10 changed how a struct of floats with an empty base is passed, and notes every such
  // argument. A struct with a copy constructor is passed by address, before and after.
  MSHADOW_XINLINE ScalarExp(const ScalarExp& other) : scalar_(other.scalar_) {}
  ScalarExp& operator=(const ScalarExp&) = default;
#endif
  template <int dim>
  MSHADOW_XINLINE Shape<dim> GetShape() const {
    // 2.x marks "fits any shape" by an outermost extent of 0; third-party nodes may look for it.
    Shape<dim> shape;
    for (int i = 0; i < dim; ++i) shape[i] = 0;
    return shape;
  }
  template <typename View>
  bool Overlaps(const View&, bool) const {
    return false;
  }
};
template <typename DType>
MSHADOW_XINLINE ScalarExp<DType> scalar(DType s) {
  return ScalarExp<DType>(s);
}

namespace adl {
// `stream << expression` without <mshadow/print.h>: an error that names the header. Both arguments
// are converted, so that every other operator<<, one of the user's too, is preferred to this one.
struct include_mshadow_print_h_to_print_tensors_and_expressions {
  template <typename SubType, typename DType, int exp_type>
  include_mshadow_print_h_to_print_tensors_and_expressions(  // NOLINT: implicit
      const Exp<SubType, DType, exp_type>&);
};
struct PrintStream {
  template <typename Char, typename Traits>
  PrintStream(std::basic_ostream<Char, Traits>&);  // NOLINT: implicit
};
// GCC ends a program that asks whether there is an operator, where that is unavailable; Clang does
// not, and GCC does not where it is deleted.
#if defined(__clang__) && !MSHADOW_PLAIN_CXX
__attribute__((unavailable("mshadow: include <mshadow/print.h> to print tensors and expressions")))
std::ostream& operator<<(PrintStream,
                         include_mshadow_print_h_to_print_tensors_and_expressions);
#else
std::ostream& operator<<(PrintStream,
                         include_mshadow_print_h_to_print_tensors_and_expressions) = delete;
#endif
}  // namespace adl

// In typecast.h.
template <typename DstDType, typename SrcDType, typename EType, int etype>
struct TypecastExp;
template <typename DstDType, typename SrcDType, typename EType, int etype>
inline TypecastExp<DstDType, SrcDType, EType, (etype | type::kMapper)> tcast(
    const Exp<EType, SrcDType, etype>& exp);

/// Says in a sentence why `dst = exp` of two element types does not compile. Real numbers become
/// complex ones of their precision.
template <typename DstDType, typename SrcDType>
struct AssignedDType {
  static_assert(!kIsComplex<SrcDType> || kIsComplex<DstDType>,
                "mshadow: a complex expression is assigned to a tensor of real elements; real(z), "
                "imag(z) and abs(z) are real");
  static_assert(std::is_same_v<DstDType, SrcDType> || kIsPartOf<DstDType, SrcDType> ||
                    (kIsComplex<SrcDType> && !kIsComplex<DstDType>),
                "mshadow: the expression has another element type than the tensor it is assigned "
                "to; convert it with tcast<T>(expression)");
};

/// Says in a sentence why `dst = exp` of other ranks does not compile; exp: 0 for a scalar.
template <int dst, int exp>
struct AssignedRank {
  static_assert(exp <= 0 || exp == dst,
                "mshadow: the expression has another number of axes than the tensor it is assigned "
                "to; broadcast<axis>(v, shape) and repmat(v, rows) repeat a vector, t[i] and "
                "sum<axis>(t) have an axis less");
};

namespace detail {
/// What `dst Saver= exp` combines with dst: exp, repeated where it has fewer axes. See aligned.h.
template <typename E, typename DType, int etype, typename R>
MSHADOW_FORCE_INLINE decltype(auto) AlignedWithTarget(const Exp<E, DType, etype>& exp,
                                                      const R& dst);
}  // namespace detail

/// Base of everything that can be assigned to. `Container` is the class itself.
template <typename Container, typename DType>
class RValueExp : public Exp<Container, DType, type::kRValue> {
 public:
// A scalar of another type, beside integers: throws Error where DType does not hold it.
#define MSHADOW_DEFINE_ASSIGNMENT_(name, Saver)                           \
  Container& name(DType s) { return Assign<Saver>(ScalarExp<DType>(s)); } \
  template <typename S, typename = EnableIfOtherScalar<DType, S>>         \
  Container& name(const S& s) {                                           \
    return name(detail::ExactScalar<DType>(s));                           \
  }                                                                       \
  template <typename E, typename EDType, int etype>                       \
  Container& name(const Exp<E, EDType, etype>& exp) {                     \
    return Assign<Saver>(exp);                                            \
  }
  MSHADOW_DEFINE_ASSIGNMENT_(__assign, sv::saveto)
  MSHADOW_DEFINE_ASSIGNMENT_(operator+=, sv::plusto)
  MSHADOW_DEFINE_ASSIGNMENT_(operator-=, sv::minusto)
  MSHADOW_DEFINE_ASSIGNMENT_(operator*=, sv::multo)
  MSHADOW_DEFINE_ASSIGNMENT_(operator/=, sv::divto)
#undef MSHADOW_DEFINE_ASSIGNMENT_

 private:
  template <typename Saver, typename E, typename EDType, int etype>
  Container& Assign(const Exp<E, EDType, etype>& exp) {
    (void)sizeof(AssignedDType<DType, EDType>);
    if constexpr (std::is_same_v<DType, EDType>) {
      using Engine = ExpEngine<Saver, Container, DType>;
      if constexpr (std::is_same_v<Saver, sv::saveto>) {
        Engine::Eval(this->ptrself(), exp);
      } else {
        Engine::Eval(this->ptrself(), detail::AlignedWithTarget(exp, this->self()));
      }
    } else if constexpr (kIsPartOf<DType, EDType>) {
      return Assign<Saver>(tcast<DType>(exp));
    }
    return *this->ptrself();
  }
};

}  // namespace expr

/// An RValueExp with device and rank known; slice, concat and flip deduce their operands from it.
template <typename Container, typename Device, int dimension, typename DType>
struct TRValue : public expr::RValueExp<Container, DType> {};

namespace detail {

/// `t` as a tensor without const, for code that only reads it: so one instantiation serves both.
template <typename Device, int dim, typename DType>
MSHADOW_XINLINE Tensor<Device, dim, std::remove_const_t<DType>> Unconst(
    const Tensor<Device, dim, DType>& t) {
  using Element = std::remove_const_t<DType>;
  return Tensor<Device, dim, Element>(const_cast<Element*>(t.dptr_), t.shape_, t.stride_,
                                      t.stream_);
}

}  // namespace detail

namespace expr {

/// The base of a view of constant elements: an expression that no assignment compiles for.
template <typename View, typename DType>
struct ConstViewExp : public Exp<View, DType, type::kRValue> {
  /// The matrix transposed, as that of a tensor.
  MSHADOW_XINLINE auto T() const { return mshadow::detail::Unconst(this->self()).T(); }

#define MSHADOW_REFUSE_ASSIGNMENT_(name)                                                  \
  template <typename E>                                                                   \
  View& name(const E&) {                                                                  \
    static_assert(mshadow::detail::Never<E>::value,                                       \
                  "mshadow: a view of const elements, Tensor<Device, dim, const T>, "     \
                  "cannot be assigned to");                                               \
    return *this->ptrself();                                                              \
  }
  MSHADOW_REFUSE_ASSIGNMENT_(__assign)
  MSHADOW_REFUSE_ASSIGNMENT_(operator+=)
  MSHADOW_REFUSE_ASSIGNMENT_(operator-=)
  MSHADOW_REFUSE_ASSIGNMENT_(operator*=)
  MSHADOW_REFUSE_ASSIGNMENT_(operator/=)
#undef MSHADOW_REFUSE_ASSIGNMENT_
};

namespace detail {

/// The base of a view of an expression, which has no device and cannot be assigned to.
template <typename View, typename DType>
struct ViewOfExp : public Exp<View, DType, type::kChainer> {
  template <typename E>
  View& __assign(const E&) {
    static_assert(sizeof(E) == 0,
                  "mshadow: slice, concat, flip and Column of an expression or of const elements "
                  "cannot be assigned to, only those of tensors can");
    return *static_cast<View*>(this);
  }
};
/// The base of a view: TRValue, or of Device void ViewOfExp.
template <typename View, typename Device, int dim, typename DType>
using ViewBase = std::conditional_t<std::is_void_v<Device>, ViewOfExp<View, DType>,
                                    TRValue<View, Device, dim, DType>>;

}  // namespace detail
}  // namespace expr

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_EXP_H_
