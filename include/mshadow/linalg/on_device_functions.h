// SPDX-License-Identifier: Apache-2.0
// The functions of linear algebra for tensors and containers of a device that has a Solver: the
// better match there. What they do, functions.h says.
#ifndef MSHADOW_LINALG_ON_DEVICE_FUNCTIONS_H_
#define MSHADOW_LINALG_ON_DEVICE_FUNCTIONS_H_

#include <limits>
#include <vector>

#include "on_device.h"

MSHADOW_NAMESPACE_BEGIN

#define MSHADOW_ON_DEVICE_ \
  template <typename Device, int dim, typename T, typename = detail::linalg::Solver<Device>>
#define MSHADOW_ON_DEVICE_2_                                            \
  template <typename Device, int dim, int bdim, typename T, typename U, \
            typename = detail::linalg::Solver<Device>>

MSHADOW_ON_DEVICE_2_
inline auto solve(const Tensor<Device, dim, T>& a, const Tensor<Device, bdim, U>& b) {
  using namespace detail::linalg;  // NOLINT
  CheckSquare("solve", a.shape_);
  CheckRightSides("solve", a.shape_, b.shape_);
  return DeviceLU<Device, dim, ElementOf<T>>("solve", Plain(a)).solve(b, "solve");
}
MSHADOW_ON_DEVICE_
inline auto inv(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  return DeviceLU<Device, dim, ElementOf<T>>("inv", Plain(a)).inv("inv");
}
MSHADOW_ON_DEVICE_
inline auto lu(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  return DeviceLU<Device, dim, ElementOf<T>>("lu", Plain(a));
}
MSHADOW_ON_DEVICE_
inline auto det(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  return DeviceLU<Device, dim, ElementOf<T>>("det", Plain(a)).det();
}
MSHADOW_ON_DEVICE_
inline auto slogdet(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  return DeviceLU<Device, dim, ElementOf<T>>("slogdet", Plain(a)).slogdet();
}
MSHADOW_ON_DEVICE_
inline auto cho_factor(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  return DeviceCholesky<Device, dim, ElementOf<T>>("cho_factor", Plain(a));
}
MSHADOW_ON_DEVICE_
inline auto cholesky(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  return DeviceCholesky<Device, dim, ElementOf<T>>("cholesky", Plain(a)).L();
}
MSHADOW_ON_DEVICE_
inline auto qr(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  return DeviceQR<Device, dim, ElementOf<T>>(Plain(a));
}
/// On a device by qr: the columns of A must be independent, and m >= n. Throws Error where a column
/// is exactly so, or there are fewer equations.
MSHADOW_ON_DEVICE_2_
inline auto lstsq(const Tensor<Device, dim, T>& a, const Tensor<Device, bdim, U>& b) {
  using namespace detail::linalg;  // NOLINT
  CheckRightSides("lstsq", a.shape_, b.shape_);
  return DeviceQR<Device, dim, ElementOf<T>>(Plain(a)).solve(b, "lstsq");
}
MSHADOW_ON_DEVICE_2_
inline auto triangular_solve(const Tensor<Device, dim, T>& a, const Tensor<Device, bdim, U>& b,
                             Triangle triangle = Triangle::kLower, bool unit = false) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  const char* const who = "triangular_solve";
  CheckSquare(who, a.shape_);
  CheckRightSides(who, a.shape_, b.shape_);
  const Tensor<Device, 3, Element> matrices = MatricesOf(a);
  const Index n = static_cast<Index>(a.shape_[dim - 1]), k = ColumnsOf<dim>(b.shape_);
  const Index count = static_cast<Index>(matrices.shape_[0]);
  auto x = SidesOf<dim, Element>(b);
  if (!unit) ZerosOnDiagonals(matrices).Throw(who, "is singular: the diagonal is 0 in row");
  if (n > 0 && count > 0 && k > 0) {
    detail::Temporary<Device, 3, Element> packed(matrices.shape_, a.stream_);
    packed.tensor() = expr::F<op::identity>(matrices);
    // Column-major, the matrix is transposed, and its triangle is the other one.
    Solver<Device>(a.stream_).trsm(triangle == Triangle::kUpper, true, unit, n, k, count,
                                   static_cast<const Element*>(packed.tensor().dptr_), n, x.data(),
                                   n);
  }
  return x.Take(b.shape_, n);
}
MSHADOW_ON_DEVICE_
inline auto eigh(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  CheckSquare("eigh", a.shape_);
  const Index n = static_cast<Index>(a.shape_[dim - 1]);
  Eigenpairs<dim, Element, Element, Device> out{
      PackedOn<Device, dim - 1, Element>(WithVector(a.shape_, n), a.stream_),
      PackedOn<Device, dim, Element>(a.shape_, a.stream_)};
  const Tensor<Device, 3, Element> vectors = MatricesOf(out.vectors);
  DeviceSymmetric("eigh", MatricesOf(a), out.values.dptr_, &vectors);
  return out;
}
MSHADOW_ON_DEVICE_
inline auto eigvalsh(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  CheckSquare("eigvalsh", a.shape_);
  const Index n = static_cast<Index>(a.shape_[dim - 1]);
  auto out = PackedOn<Device, dim - 1, Element>(WithVector(a.shape_, n), a.stream_);
  DeviceSymmetric("eigvalsh", MatricesOf(a), out.dptr_,
                  static_cast<const Tensor<Device, 3, Element>*>(nullptr));
  return out;
}
MSHADOW_ON_DEVICE_
inline auto svd(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  const Index m = static_cast<Index>(a.shape_[dim - 2]), n = static_cast<Index>(a.shape_[dim - 1]);
  const Index k = m < n ? m : n;
  SingularValues<dim, Element, Device> out{
      PackedOn<Device, dim, Element>(WithLast(a.shape_, m, k), a.stream_),
      PackedOn<Device, dim - 1, Element>(WithVector(a.shape_, k), a.stream_),
      PackedOn<Device, dim, Element>(WithLast(a.shape_, k, n), a.stream_)};
  DeviceSvd("svd", MatricesOf(a), out.s.dptr_, out.u.dptr_, out.vt.dptr_);
  return out;
}
MSHADOW_ON_DEVICE_
inline auto svdvals(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  const Index m = static_cast<Index>(a.shape_[dim - 2]), n = static_cast<Index>(a.shape_[dim - 1]);
  auto out = PackedOn<Device, dim - 1, Element>(WithVector(a.shape_, m < n ? m : n), a.stream_);
  DeviceSvd("svdvals", MatricesOf(a), out.dptr_, static_cast<Element*>(nullptr),
            static_cast<Element*>(nullptr));
  return out;
}
MSHADOW_ON_DEVICE_
inline auto matrix_rank(const Tensor<Device, dim, T>& a, double rcond = -1) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  const Index m = static_cast<Index>(a.shape_[dim - 2]), n = static_cast<Index>(a.shape_[dim - 1]);
  const Index k = m < n ? m : n;
  const Element cutoff = Cutoff<Element>(m, n, rcond);
  const std::vector<Element> s = ToVector(svdvals(a));
  return UploadPerMatrix<int>(a.shape_, a.stream_, [&](int* out) {
    for (std::size_t i = 0; i < s.size(); ++i) {
      const std::size_t of = i - i % static_cast<std::size_t>(k);
      out[of / static_cast<std::size_t>(k)] += s[i] > cutoff * s[of] ? 1 : 0;
    }
  });
}
MSHADOW_ON_DEVICE_
inline auto pinv(const Tensor<Device, dim, T>& a, double rcond = -1) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  const index_t m = a.shape_[dim - 2], n = a.shape_[dim - 1], k = m < n ? m : n;
  auto f = svd(a);
  auto out = PackedOn<Device, dim, Element>(
      WithLast(a.shape_, static_cast<Index>(n), static_cast<Index>(m)), a.stream_);
  if (out.shape_.Size() == 0) return out;
  const Element cutoff = Cutoff<Element>(static_cast<Index>(m), static_cast<Index>(n), rcond);
  std::vector<Element> s = ToVector(f.s);
  for (std::size_t i = 0; i < s.size(); i += k) {
    const Element largest = s[i];
    for (std::size_t j = i; j < i + k; ++j) {
      s[j] = s[j] <= cutoff * largest ? Element(0) : Element(1) / s[j];
    }
  }
  detail::CopyAndWait(static_cast<Tensor<Device, dim - 1, Element>&>(f.s),
                      Tensor<cpu, dim - 1, Element>(s.data(), f.s.shape_), a.stream_);
  const auto vt = MatricesOf(f.vt), u = MatricesOf(f.u);
  Tensor<Device, 2, Element> rows = f.vt.FlatTo2D();
  rows *= expr::broadcast<0>(
      Tensor<Device, 1, Element>(f.s.dptr_, Shape1(rows.shape_[0]), a.stream_), rows.shape_);
  MatricesOf(out) = expr::batch_dot<true, true>(vt, u);
  return out;
}
MSHADOW_ON_DEVICE_
inline auto matrix_norm(const Tensor<Device, dim, T>& a, MatrixNorm kind = MatrixNorm::kFro) {
  using namespace detail::linalg;  // NOLINT
  using ::mshadow_functions::max, ::mshadow_functions::norm, ::mshadow_functions::sum;
  using Element = ElementOf<T>;
  const auto all = MatricesOf(a);
  const index_t count = all.shape_[0],
                least = all.shape_[1] < all.shape_[2] ? all.shape_[1] : all.shape_[2];
  std::vector<Element> host(count, Element(0));
  if (count > 0 && least > 0) {
    detail::Temporary<Device, 1, Element> norms(Shape1(count), a.stream_);
    if (kind == MatrixNorm::kFro) {
      norms.tensor() = norm<1, 2>(all);
    } else if (kind == MatrixNorm::k1) {
      norms.tensor() = max<1>(sum<1>(expr::F<op::abs>(all)));
    } else if (kind == MatrixNorm::kInf) {
      norms.tensor() = max<1>(sum<2>(expr::F<op::abs>(all)));
    } else {
      const auto s = svdvals(a);
      const Tensor<Device, 2, Element> rows(s.dptr_, Shape2(count, least), a.stream_);
      if (kind == MatrixNorm::kNuc) {
        norms.tensor() = sum<1>(rows);
      } else {
        norms.tensor() = max<1>(rows);
      }
    }
    host = OnHost(norms.tensor().dptr_, static_cast<Index>(count), a.stream_);
  }
  return UploadPerMatrix<Element>(a.shape_, a.stream_, [&](Element* out) {
    for (std::size_t b = 0; b < host.size(); ++b) out[b] = host[b];
  });
}
MSHADOW_ON_DEVICE_
inline auto cond(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  const std::vector<Element> s = ToVector(svdvals(a));
  return UploadPerMatrix<Element>(a.shape_, a.stream_, [&](Element* out) {
    const std::size_t count = static_cast<std::size_t>(a.shape_.CheckedProdShape(0, dim - 2));
    const std::size_t k = count == 0 ? 0 : s.size() / count;
    for (std::size_t b = 0; b < count && k > 0; ++b) {
      const Element least = s[b * k + k - 1];
      out[b] = least == Element(0) ? std::numeric_limits<Element>::infinity() : s[b * k] / least;
    }
  });
}
MSHADOW_ON_DEVICE_
inline auto matrix_power(const Tensor<Device, dim, T>& a, int power) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  CheckSquare("matrix_power", a.shape_);
  auto out = PackedOn<Device, dim, Element>(a.shape_, a.stream_);
  if (out.shape_.Size() == 0) return out;
  Tensor<Device, 3, Element> to = MatricesOf(out);
  to = Element(1);
  to = expr::triu(expr::tril(to));
  auto square = PackedOn<Device, 3, Element>(to.shape_, a.stream_);
  auto next = PackedOn<Device, 3, Element>(to.shape_, a.stream_);
  square = expr::F<op::identity>(MatricesOf(a));
  if (power < 0) square = inv(square);
  unsigned left = power < 0 ? 0u - static_cast<unsigned>(power) : static_cast<unsigned>(power);
  while (left > 0) {
    if ((left & 1u) != 0) {
      next = expr::batch_dot<false, false>(to, square);
      to = expr::F<op::identity>(next);
    }
    left >>= 1;
    if (left == 0) break;
    next = expr::batch_dot<false, false>(square, square);
    square = expr::F<op::identity>(next);
  }
  return out;
}
MSHADOW_ON_DEVICE_
inline auto trace(const Tensor<Device, dim, T>& a) {
  using namespace detail::linalg;  // NOLINT
  using Element = ElementOf<T>;
  const std::vector<Element> host = DiagonalsOnHost(MatricesOf(a));
  return UploadPerMatrix<Element>(a.shape_, a.stream_, [&](Element* out) {
    const std::size_t rows = a.shape_[dim - 2];
    for (std::size_t i = 0; i < host.size(); ++i) out[i / rows] += host[i];
  });
}
#undef MSHADOW_ON_DEVICE_
#undef MSHADOW_ON_DEVICE_2_

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_ON_DEVICE_FUNCTIONS_H_
