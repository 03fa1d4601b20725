// SPDX-License-Identifier: Apache-2.0
// Reductions over axes known at run time, with corrections, without NaN; differences, running
// products; covariances.
#ifndef MSHADOW_NUMPY_STATISTICS_H_
#define MSHADOW_NUMPY_STATISTICS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "../tensor.h"
#include "../tensor_container.h"
#include "../view.h"
#include "creation.h"
#include "shapes.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// e with the axes of `reduced` behind the others. Throws Error where one is none of e, or is named
/// twice.
template <int n, typename E>
inline auto AxesLast(const char* function, const E& e, const int (&reduced)[n]) {
  constexpr int kDim = ExpInfo<E>::kDim;
  static_assert(n <= kDim, "mshadow: a reduction over more axes than there are");
  Shape<kDim> axes;
  unsigned mask = 0;
  for (int i = 0; i < n; ++i) {
    const int axis = CheckAxis(function, reduced[i], kDim);
    MSHADOW_CHECK((mask >> axis & 1u) == 0) << function << ": axis " << axis << " is named twice";
    mask |= 1u << axis;
    axes[kDim - n + i] = static_cast<index_t>(axis);
  }
  for (int axis = 0, i = 0; axis < kDim; ++axis) {
    if ((mask >> axis & 1u) == 0) axes[i++] = static_cast<index_t>(axis);
  }
  return transpose(e, axes);
}
template <template <typename> class Kind, typename E, int... i>
inline auto ReducedLast(const E& e, std::integer_sequence<int, i...>) {
  return Reduced<Kind, (i - static_cast<int>(sizeof...(i)))...>(e);
}
template <template <typename> class Kind, int n, typename E>
inline auto ReducedOver(const char* function, const E& e, const int (&axes)[n]) {
  return ReducedLast<Kind>(AxesLast(function, e, axes), std::make_integer_sequence<int, n>());
}

/// An axis by itself is an integer of any type; {0} is a list of one.
template <typename Axis>
using EnableIfAxis = std::enable_if_t<std::is_integral_v<Axis>>;

/// The number of elements over axes <axes...>, all of them without one.
template <int... axes, typename E>
inline double CountOver(const E& e) {
  constexpr int kDim = ExpInfo<E>::kDim;
  constexpr unsigned kMask = sizeof...(axes) == 0 ? (1u << kDim) - 1 : MaskOf<kDim, axes...>();
  const Shape<kDim> shape = ShapeOfExp(e);
  double count = 1;
  for (int i = 0; i < kDim; ++i) {
    if ((kMask >> i & 1u) != 0) count *= static_cast<double>(shape[i]);
  }
  return count;
}

}  // namespace detail

namespace adl {

// sum(x, axis), mean(x, {0, 2}): the reductions of tensor.h over axes known at run time, which are
// left out; a negative axis counts from the end. Throws Error where an axis is none, or is named
// twice. expand_dims(sum(x, axis), axis) keeps the axis.
#define MSHADOW_RUN_TIME_AXES_(name, Kind)                                                   \
  template <int... none, typename E, typename Axis, typename = detail::EnableIfAxis<Axis>>   \
  inline auto(name)(const AdlTag<E>& x, Axis axis) {                                         \
    static_assert(sizeof...(none) == 0, "mshadow: axes are given once: " #name "<axis>(x)"); \
    return detail::ReducedOver<statistic::Kind, 1>(#name, static_cast<const E&>(x),          \
                                                   {static_cast<int>(axis)});                \
  }                                                                                          \
  template <int... none, int n, typename E>                                                  \
  inline auto(name)(const AdlTag<E>& x, const int(&axes)[n]) {                               \
    static_assert(sizeof...(none) == 0, "mshadow: axes are given once: " #name "<axis>(x)"); \
    return detail::ReducedOver<statistic::Kind>(#name, static_cast<const E&>(x), axes);      \
  }                                                                                          \
  template <int... none, typename D, int dim, typename T, typename Axis,                     \
            typename = detail::EnableIfAxis<Axis>>                                           \
  inline auto(name)(TensorContainer<D, dim, T> && x, Axis axis) {                            \
    return name<none...>(static_cast<TensorContainer<D, dim, T>&&>(x).Owned(), axis);        \
  }                                                                                          \
  template <int... none, int n, typename D, int dim, typename T>                             \
  inline auto(name)(TensorContainer<D, dim, T> && x, const int(&axes)[n]) {                  \
    return name<none...>(static_cast<TensorContainer<D, dim, T>&&>(x).Owned(), axes);        \
  }
MSHADOW_RUN_TIME_AXES_(sum, Sum)
MSHADOW_RUN_TIME_AXES_(prod, Prod)
MSHADOW_RUN_TIME_AXES_(mean, Mean)
MSHADOW_RUN_TIME_AXES_(var, Var)
MSHADOW_RUN_TIME_AXES_(stddev, Stddev)
MSHADOW_RUN_TIME_AXES_(norm, Norm)
MSHADOW_RUN_TIME_AXES_(max, Max)
MSHADOW_RUN_TIME_AXES_(min, Min)
MSHADOW_RUN_TIME_AXES_(any, Any)
MSHADOW_RUN_TIME_AXES_(all, All)
MSHADOW_RUN_TIME_AXES_(logsumexp, Logsumexp)
#undef MSHADOW_RUN_TIME_AXES_

}  // namespace adl

namespace detail {
/// n - ddof, and 0 where there are not so many: a variance is infinite or NaN then, not negative.
inline double Freedom(double n, int ddof) { return n > ddof ? n - ddof : 0; }
}  // namespace detail

/// What is taken from the number n of elements before a sum of squares is divided by it: 1 makes
/// var<0>(x, Ddof{1}) the unbiased estimate of a population's variance.
struct Ddof {
  int value;
};
namespace adl {
template <int... axes, typename E>
inline auto var(const AdlTag<E>& x, Ddof ddof) {
  const E& e = static_cast<const E&>(x);
  using T = detail::ElementOfExp<E>;
  static_assert(float16::kIsFloat<T> || kIsComplex<T>,
                "mshadow: var with Ddof takes floating-point numbers; tcast<float>(x) converts");
  const double n = detail::CountOver<axes...>(e);
  return detail::Reduced<statistic::Var, axes...>(e) *
         static_cast<typename PartOf<T>::Type>(n / detail::Freedom(n, ddof.value));
}
template <int... axes, typename E>
inline auto stddev(const AdlTag<E>& x, Ddof ddof) {
  using std::sqrt;
  return sqrt(var<axes...>(x, ddof));
}
MSHADOW_OWNS_TEMPORARIES_OF_(int, var)
MSHADOW_OWNS_TEMPORARIES_OF_(int, stddev)
}  // namespace adl

/// max - min over axes <axes...>, of all elements without one.
template <int... axes, typename E, typename DType, int etype>
inline auto ptp(const Exp<E, DType, etype>& x) {
  return detail::Reduced<statistic::Max, axes...>(x) - detail::Reduced<statistic::Min, axes...>(x);
}
/// sum(x w) / sum(w) over axes <axes...>; w has the shape of x.
template <int... axes, typename E, typename W, typename DType, int e1, int e2>
inline auto average(const Exp<E, DType, e1>& x, const Exp<W, DType, e2>& w) {
  static_assert(ExpInfo<E>::kDim == ExpInfo<W>::kDim,
                "mshadow: average takes weights of the shape of x; broadcast_to(w, shape) repeats");
  return detail::Reduced<statistic::Sum, axes...>(x * w) /
         detail::Reduced<statistic::Sum, axes...>(w);
}

/// Reductions that pass over NaN. Of NaN alone nansum is 0, nanprod 1, the others are NaN.
template <int... axes, typename E, typename DType, int etype>
inline auto nansum(const Exp<E, DType, etype>& x) {
  return detail::Reduced<statistic::Sum, axes...>(where(isnan(x), DType(0), x));
}
template <int... axes, typename E, typename DType, int etype>
inline auto nanprod(const Exp<E, DType, etype>& x) {
  return detail::Reduced<statistic::Prod, axes...>(where(isnan(x), DType(1), x));
}
template <int... axes, typename E, typename DType, int etype>
inline auto nanmean(const Exp<E, DType, etype>& x) {
  if constexpr (float16::kIsFloat16<DType>) {  // which do not count far
    return tcast<DType>(nanmean<axes...>(tcast<float>(x.self())));
  } else {
    return nansum<axes...>(x) /
           detail::Reduced<statistic::Sum, axes...>(where(isnan(x), DType(0), DType(1)));
  }
}
namespace detail {
/// `value` where there is some number, else NaN.
template <typename DType, typename Some, typename V>
inline auto OrNaN(const Some& some, const V& value) {
  constexpr DType kNaN = std::numeric_limits<DType>::quiet_NaN();
  if constexpr (IsScalar<V>::value) {
    return some ? value : kNaN;
  } else {
    return where(some, value, kNaN);
  }
}
}  // namespace detail
template <int... axes, typename E, typename DType, int etype>
inline auto nanmax(const Exp<E, DType, etype>& x) {
  return detail::OrNaN<DType>(adl::any<axes...>(x.self() == x.self()),
                              detail::Reduced<statistic::Max, axes...>(
                                  where(isnan(x), -std::numeric_limits<DType>::infinity(), x)));
}
template <int... axes, typename E, typename DType, int etype>
inline auto nanmin(const Exp<E, DType, etype>& x) {
  return detail::OrNaN<DType>(adl::any<axes...>(x.self() == x.self()),
                              detail::Reduced<statistic::Min, axes...>(
                                  where(isnan(x), std::numeric_limits<DType>::infinity(), x)));
}

MSHADOW_OWNS_TEMPORARIES_OF_(int, ptp)
MSHADOW_OWNS_TEMPORARIES_OF_(int, average)
MSHADOW_OWNS_TEMPORARIES_OF_(int, nansum)
MSHADOW_OWNS_TEMPORARIES_OF_(int, nanprod)
MSHADOW_OWNS_TEMPORARIES_OF_(int, nanmean)
MSHADOW_OWNS_TEMPORARIES_OF_(int, nanmax)
MSHADOW_OWNS_TEMPORARIES_OF_(int, nanmin)

namespace adl {

/// e[1..] - e[..n-1] along `axis`, one element less; of nothing, nothing.
template <typename E, typename DType, int etype>
inline auto diff(const Exp<E, DType, etype>& e, int axis = -1) {
  const int at = detail::CheckAxis("diff", axis, ExpInfo<E>::kDim);
  const index_t n = detail::ShapeOfExp(e.self())[at];
  return detail::PartOf(e.self(), at, n > 0 ? 1 : 0, n) -
         detail::PartOf(e.self(), at, 0, n > 0 ? n - 1 : 0);
}
/// The slope of e along `axis`, of elements h apart: central differences, and one-sided ones at
/// both ends. Throws Error where there are less than 2 elements.
template <typename E, typename DType, int etype>
inline auto gradient(const Exp<E, DType, etype>& e, double h = 1, int axis = -1) {
  static_assert(float16::kIsFloat<DType> || kIsComplex<DType>,
                "mshadow: gradient takes floating-point numbers; tcast<float>(x) converts");
  using Real = typename PartOf<DType>::Type;
  const E& x = e.self();
  const int at = detail::CheckAxis("gradient", axis, ExpInfo<E>::kDim);
  const auto shape = detail::ShapeOfExp(x);
  const index_t n = shape[at];
  MSHADOW_CHECK(n > 1) << "gradient: axis " << at << " of " << shape << " has less than 2 elements";
  const auto i = indices<std::int64_t>(shape, at);
  const auto first = i == 0, last = i == static_cast<std::int64_t>(n - 1);
  return (where(last, x, roll(x, -1, at)) - where(first, x, roll(x, 1, at))) *
         where(first || last, static_cast<Real>(1 / h), static_cast<Real>(0.5 / h));
}
/// The integral over `axis` by the trapezoidal rule, of elements dx apart:
/// dx (y[0] / 2 + y[1] + .. + y[n - 1] / 2).
template <typename E, typename DType, int etype>
inline auto trapezoid(const Exp<E, DType, etype>& y, double dx = 1, int axis = -1) {
  static_assert(float16::kIsFloat<DType> || kIsComplex<DType>,
                "mshadow: trapezoid takes floating-point numbers; tcast<float>(x) converts");
  const int at = detail::CheckAxis("trapezoid", axis, ExpInfo<E>::kDim);
  const index_t n = detail::ShapeOfExp(y.self())[at];
  return sum(detail::PartOf(y.self(), at, n > 0 ? 1 : 0, n) +
                 detail::PartOf(y.self(), at, 0, n > 0 ? n - 1 : 0),
             at) *
         static_cast<typename PartOf<DType>::Type>(dx / 2);
}
/// The vector product of the last axes, of extent 3: out_i = a_{i+1} b_{i+2} - a_{i+2} b_{i+1},
/// i modulo 3. Throws Error where the extent is another one.
template <typename A, typename B, typename DType, int e1, int e2>
inline auto cross(const Exp<A, DType, e1>& a, const Exp<B, DType, e2>& b) {
  constexpr int kLast = ExpInfo<A>::kDim - 1;
  const index_t n = detail::ShapeOfExp(a.self())[kLast];
  MSHADOW_CHECK_EQ(n, index_t{3}) << "cross: the extent of the last axis";
  return roll(a, -1, kLast) * roll(b, -2, kLast) - roll(a, -2, kLast) * roll(b, -1, kLast);
}
/// out[i][j] = u[i] v[j], of vectors.
template <typename U, typename V, typename DU, typename DV, int e1, int e2>
inline auto outer(const Exp<U, DU, e1>& u, const Exp<V, DV, e2>& v) {
  static_assert(ExpInfo<U>::kDim == 1 && ExpInfo<V>::kDim == 1, "mshadow: outer takes vectors");
  const Shape<2> shape = Shape2(detail::ShapeOfExp(u.self())[0], detail::ShapeOfExp(v.self())[0]);
  return broadcast<0>(u.self(), shape) * broadcast<1>(v.self(), shape);
}
/// sum(u * v), a number, of tensors of one shape; of complex numbers sum(conj(u) * v).
template <typename U, typename V, typename DU, typename DV, int e1, int e2>
inline auto vdot(const Exp<U, DU, e1>& u, const Exp<V, DV, e2>& v) {
  if constexpr (kIsComplex<DU>) {
    return detail::Reduced<statistic::Sum>(conj(u.self()) * v);
  } else {
    return detail::Reduced<statistic::Sum>(u * v);
  }
}
MSHADOW_OWNS_TEMPORARIES_(diff)
MSHADOW_OWNS_TEMPORARIES_(gradient)
MSHADOW_OWNS_TEMPORARIES_(trapezoid)
MSHADOW_OWNS_TEMPORARIES_(cross)
MSHADOW_OWNS_TEMPORARIES_(outer)

}  // namespace adl

namespace detail {
/// out[..][i][..] = f(out[..][i - 1][..], x[..][i][..]) along `axis`.
template <typename E, typename Function>
inline auto Accumulated(const char* function, const E& x, int axis, const Function& f) {
  constexpr int kDim = ExpInfo<E>::kDim;
  using DType = ElementOfExp<E>;
  static_assert((ExpInfo<E>::kDevMask & cpu::kDevMask) != 0,
                "mshadow: cumprod, cummax and cummin run on the CPU");
  const int at = CheckAxis(function, axis, kDim);
  const Shape<kDim> shape = ShapeOfExp(x);
  TensorContainer<cpu, kDim, DType> result(false);
  result.Resize(shape);
  result.Slice(0, shape[0]).__assign(x);
  std::ptrdiff_t step = 1;
  for (int i = at + 1; i < kDim; ++i) step *= static_cast<std::ptrdiff_t>(shape[i]);
  const std::ptrdiff_t lines = step * static_cast<std::ptrdiff_t>(shape[at]);
  const std::ptrdiff_t all = static_cast<std::ptrdiff_t>(shape.Size());
  for (std::ptrdiff_t begin = 0; begin < all; begin += lines) {
    for (std::ptrdiff_t i = begin + step; i < begin + lines; ++i) {
      result.dptr_[i] = f(result.dptr_[i - step], result.dptr_[i]);
    }
  }
  return result;
}
/// The same of an f that compares.
template <typename E, typename Function>
inline auto AccumulatedOrder(const char* function, const E& x, int axis, const Function& f) {
  using DType = ElementOfExp<E>;
  static_assert(!kIsComplex<DType>,
                "mshadow: complex numbers have no order: cummax and cummin take abs(z), real(z) or "
                "imag(z)");
  if constexpr (kIsComplex<DType>) {
    return eval(x);
  } else {
    return Accumulated(function, x, axis, f);
  }
}
}  // namespace detail

namespace adl {
/// The products, the largest and the smallest of the elements up to each one along `axis`, as a
/// container. A NaN stays to the end.
template <typename E, typename DType, int etype>
inline auto cumprod(const Exp<E, DType, etype>& x, int axis) {
  return detail::Accumulated("cumprod", x.self(), axis, [](DType a, DType b) {
    if constexpr (std::is_integral_v<DType>) {  // as unsigned numbers, which may wrap
      return static_cast<DType>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
      return static_cast<DType>(a * b);
    }
  });
}
template <typename E, typename DType, int etype>
inline auto cummax(const Exp<E, DType, etype>& x, int axis) {
  return detail::AccumulatedOrder("cummax", x.self(), axis,
                                  [](auto a, auto b) { return a >= b || a != a ? a : b; });
}
template <typename E, typename DType, int etype>
inline auto cummin(const Exp<E, DType, etype>& x, int axis) {
  return detail::AccumulatedOrder("cummin", x.self(), axis,
                                  [](auto a, auto b) { return a <= b || a != a ? a : b; });
}

/// The covariances of variables, the rows of x, over its columns: a container (m, m) of
/// sum_k (x_ik - mean_i) (x_jk - mean_j) / (n - ddof); of complex numbers, the second factor
/// conjugated.
template <typename E, typename DType, int etype>
inline auto cov(const Exp<E, DType, etype>& x, int ddof = 1) {
  static_assert(ExpInfo<E>::kDim == 2, "mshadow: cov takes a matrix, a row for each variable");
  static_assert(float16::kIsFloat<DType> || kIsComplex<DType>,
                "mshadow: cov takes floating-point numbers; tcast<float>(x) converts");
  const Shape<2> shape = detail::ShapeOfExp(x.self());
  TensorContainer<detail::DeviceOf<E>, 2, DType> d(shape), c(Shape2(shape[0], shape[0]));
  d = x.self() - detail::Reduced<statistic::Mean, 1>(x);
  if constexpr (kIsComplex<DType>) {
    c = dot(d, conj(d).T());
  } else {
    c = dot(d, d.T());
  }
  const double freedom = detail::Freedom(static_cast<double>(shape[1]), ddof);
  c *= static_cast<typename PartOf<DType>::Type>(1 / freedom);
  return c;
}
/// The correlations: cov_ij / sqrt(cov_ii cov_jj), from -1 to 1; of complex numbers each part.
template <typename E, typename DType, int etype>
inline auto corrcoef(const Exp<E, DType, etype>& x) {
  auto c = cov(x);
  using Device = detail::DeviceOf<E>;
  const View<Device, 1, DType> diagonal(c.dptr_, Shape1(c.shape_[0]),
                                        {static_cast<std::ptrdiff_t>(c.stride_) + 1});
  TensorContainer<Device, 1, DType> scale(Shape1(c.shape_[0]));
  scale = rsqrt(diagonal);
  c *= outer(scale, scale);
  if constexpr (kIsComplex<DType>) {
    c = MakeComplex(clip(real(c), -1, 1), clip(imag(c), -1, 1));
  } else {
    c = clip(c, DType(-1), DType(1));
  }
  return c;
}
}  // namespace adl

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_NUMPY_STATISTICS_H_
