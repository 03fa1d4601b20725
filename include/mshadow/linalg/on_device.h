// SPDX-License-Identifier: Apache-2.0
// Linear algebra of tensors that are not on the host: statements on their device bring matrices
// into the form of LAPACK, calls of the device compute, and the words that say where one failed are
// read on the host. Results lie on the device. Each function waits for its stream once or twice.
#ifndef MSHADOW_LINALG_ON_DEVICE_H_
#define MSHADOW_LINALG_ON_DEVICE_H_

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "functions.h"
#include "shapes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {

/// SolverOf<Device>::Type has the calls of backend/gpu/solver.h, which says what each does.
template <typename Device>
struct SolverOf {};
template <typename Device>
using Solver = typename SolverOf<Device>::Type;

/// The matrices of t, (count, m, n).
template <typename Device, int dim, typename T>
inline auto MatricesOf(const Tensor<Device, dim, T>& t) {
  using Element = std::remove_const_t<T>;
  static_assert(dim >= 2, "mshadow: linear algebra needs matrices: an operand of 2 axes or more");
  static_assert(std::is_same_v<Element, float> || std::is_same_v<Element, double>,
                "mshadow: linear algebra on a device computes in float and double");
  return Tensor<Device, 3, Element>(
      const_cast<Element*>(t.dptr_),
      Shape3(t.shape_.CheckedProdShape(0, dim - 2), t.shape_[dim - 2], t.shape_[dim - 1]),
      t.stride_, t.stream_);
}
/// Vectors (.., n) as matrices of one row, (count, 1, n).
template <typename Device, int dim, typename T>
inline auto RowsOf(const Tensor<Device, dim, T>& t) {
  using Element = std::remove_const_t<T>;
  return Tensor<Device, 3, Element>(
      const_cast<Element*>(t.dptr_),
      Shape3(dim == 1 ? 1 : t.shape_.CheckedProdShape(0, dim - 1), 1, t.shape_[dim - 1]),
      dim == 1 ? t.shape_[dim - 1] : t.stride_, t.stream_);
}
/// A container without padding, on the stream.
template <typename Device, int dim, typename T>
inline TensorContainer<Device, dim, T> PackedOn(const Shape<dim>& shape, Stream<Device>* stream) {
  TensorContainer<Device, dim, T> t(false);
  t.stream_ = stream;
  t.Resize(shape);
  return t;
}
template <typename Device>
using Ints = mshadow::detail::Temporary<Device, 1, int>;

template <typename Device, typename T>
inline std::vector<T> OnHost(const T* from, Index n, Stream<Device>* stream) {
  const Shape<1> shape = Shape1(static_cast<index_t>(n));
  return ToVector(Tensor<Device, 1, T>(const_cast<T*>(from), shape, stream));
}

/// Waits for the calls that wrote info, and throws Error "who: matrix 3 <what> 2" where one failed.
/// The words of matrices in `skipped` say nothing.
template <typename Device>
inline void CheckInfo(const char* who, const char* what, const Ints<Device>& info,
                      const std::vector<bool>& skipped = {}) {
  const auto& words = info.tensor();
  const Index count = static_cast<Index>(words.shape_[0]);
  const std::vector<int> host = OnHost(words.dptr_, count, words.stream_);
  Failures failures(count);
  for (Index b = 0; b < count; ++b) {
    const std::size_t at = static_cast<std::size_t>(b);
    if (at < skipped.size() && skipped[at]) continue;
    if (host[at] < 0) throw Error("linalg: a call of the device refused its arguments");
    failures[b] = host[at];
  }
  failures.Throw(who, what);
}

/// Which matrices have an element that is infinite or NaN. Those become 0: an algorithm may not end
/// on them.
template <typename Device, typename T>
inline std::vector<bool> ClearInfinite(const Tensor<Device, 3, T>& a) {
  using ::mshadow_functions::sum;
  const index_t count = a.shape_[0], size = a.shape_[1] * a.shape_[2];
  const Tensor<Device, 2, T> rows(a.dptr_, Shape2(count, size), a.stream_);
  mshadow::detail::Temporary<Device, 1, T> sums(Shape1(count), a.stream_);
  sums.tensor() = sum<1>(rows * T(0));
  const std::vector<T> host = OnHost(sums.tensor().dptr_, static_cast<Index>(count), a.stream_);
  std::vector<bool> found(host.size());
  for (index_t b = 0; b < count; ++b) {
    found[b] = !(host[b] == T(0));
    if (!found[b]) continue;
    Tensor<Device, 2, T> matrix = a[b];
    matrix = T(0);
  }
  return found;
}
/// NaN in the rows [b * rows, (b + 1) * rows) of all that `found` names.
template <typename Device, typename T>
inline void SpoilFound(const std::vector<bool>& found, const Tensor<Device, 2, T>& a) {
  const index_t rows = found.empty() ? 0 : a.shape_[0] / static_cast<index_t>(found.size());
  for (std::size_t b = 0; b < found.size(); ++b) {
    if (!found[b]) continue;
    const index_t begin = static_cast<index_t>(b) * rows;
    Tensor<Device, 2, T> matrix = a.Slice(begin, begin + rows);
    matrix = std::numeric_limits<T>::quiet_NaN();
  }
}

/// The elements (i, i) of each matrix, a.shape_[1] numbers with 0 behind those that there are.
template <typename Device, typename T>
inline std::vector<T> DiagonalsOnHost(const Tensor<Device, 3, T>& a) {
  using ::mshadow_functions::sum;
  if (a.shape_.Size() == 0) return {};
  mshadow::detail::Temporary<Device, 2, T> diagonals(Shape2(a.shape_[0], a.shape_[1]), a.stream_);
  diagonals.tensor() = sum<2>(expr::triu(expr::tril(a)));
  return ToVector(diagonals.tensor());
}
/// The first 0 on the diagonal of each of the square matrices.
template <typename Device, typename T>
inline Failures ZerosOnDiagonals(const Tensor<Device, 3, T>& a) {
  const std::vector<T> host = DiagonalsOnHost(a);
  const Index n = static_cast<Index>(a.shape_[1]);
  Failures failures(static_cast<Index>(a.shape_[0]));
  for (Index i = static_cast<Index>(host.size()) - 1; i >= 0; --i) {
    if (host[static_cast<std::size_t>(i)] == T(0)) failures[i / n] = static_cast<int>(i % n) + 1;
  }
  return failures;
}

/// What f(out) writes on the host, a number for each matrix of a shape (.., m, n), as a number or a
/// tensor on the device.
template <typename R, typename Device, int dim, typename F>
inline PerMatrix<dim, R, Device> UploadPerMatrix(const Shape<dim>& shape, Stream<Device>* stream,
                                                 const F& f) {
  std::vector<R> host(static_cast<std::size_t>(shape.CheckedProdShape(0, dim - 2)));
  f(host.data());
  if constexpr (dim == 2) {
    static_cast<void>(stream);
    return host[0];
  } else {
    auto out = PackedOn<Device, dim - 2, R>(shape.template Slice<0, dim - 2>(), stream);
    mshadow::detail::CopyAndWait(static_cast<Tensor<Device, dim - 2, R>&>(out),
                                 Tensor<cpu, dim - 2, R>(host.data(), out.shape_), stream);
    return out;
  }
}

/// The right-hand sides of a batch, column-major, (count, k, rows), which a call overwrites.
template <typename Device, int bdim, typename T, bool kVectors>
class SidesOnDevice {
 public:
  SidesOnDevice(const Tensor<Device, 3, T>& b, Index rows, Index k)
      : rows_(rows),
        k_(k),
        memory_(Shape3(b.shape_[0], static_cast<index_t>(k), static_cast<index_t>(rows)),
                b.stream_) {
    if (b.shape_[0] == 0 || rows == 0 || k == 0) return;
    Tensor<Device, 3, T>& to = memory_.tensor();
    if constexpr (kVectors) {
      to = expr::F<op::identity>(b);
    } else {
      to = expr::swapaxis<2, 1>(b);
    }
  }
  T* data() { return memory_.tensor().dptr_; }
  /// The first n of the rows, as a container of that shape.
  TensorContainer<Device, bdim, T> Take(const Shape<bdim>& shape, Index n) {
    auto out = PackedOn<Device, bdim, T>(shape, memory_.tensor().stream_);
    if (shape.Size() == 0) return out;
    const Tensor<Device, 3, T>& from = memory_.tensor();
    const Tensor<Device, 3, T> head(
        from.dptr_, Shape3(from.shape_[0], static_cast<index_t>(k_), static_cast<index_t>(n)),
        static_cast<index_t>(rows_), from.stream_);
    if constexpr (kVectors) {
      RowsOf(out) = expr::F<op::identity>(head);
    } else {
      MatricesOf(out) = expr::swapaxis<2, 1>(head);
    }
    return out;
  }

 private:
  Index rows_, k_;
  mshadow::detail::Temporary<Device, 3, T> memory_;
};
/// Those of b, (.., rows, k) or (.., rows) for matrices of `dim` axes.
template <int dim, typename Element, typename Device, int bdim, typename T>
inline auto SidesOf(const Tensor<Device, bdim, T>& b) {
  static_assert(std::is_same_v<std::remove_const_t<T>, Element>,
                "mshadow: the matrices and the right-hand side have different element types");
  constexpr bool kVectors = bdim == dim - 1;
  if constexpr (kVectors) {
    return SidesOnDevice<Device, bdim, Element, true>(
        RowsOf(b), static_cast<Index>(b.shape_[bdim - 1]), Index{1});
  } else {
    return SidesOnDevice<Device, bdim, Element, false>(MatricesOf(b),
                                                       static_cast<Index>(b.shape_[bdim - 2]),
                                                       static_cast<Index>(b.shape_[bdim - 1]));
  }
}
/// The columns of b.
template <int dim, int bdim>
inline Index ColumnsOf(const Shape<bdim>& b) {
  return bdim == dim ? static_cast<Index>(b[bdim - 1]) : Index{1};
}

/// A = P L U on a device. As LU.
template <typename Device, int dim, typename T>
class DeviceLU {
 public:
  DeviceLU(const char* who, const Tensor<Device, dim, T>& a)
      : shape_(a.shape_),
        n_(static_cast<Index>(a.shape_[dim - 1])),
        count_(static_cast<Index>(a.shape_.CheckedProdShape(0, dim - 2))),
        factors_(PackedOn<Device, 3, T>(MatricesOf(a).shape_, a.stream_)),
        pivots_(
            PackedOn<Device, 1, int>(Shape1(factors_.shape_[0] * factors_.shape_[1]), a.stream_)),
        failures_(count_) {
    CheckSquare(who, a.shape_);
    if (n_ == 0 || count_ == 0) return;
    factors_ = expr::swapaxis<2, 1>(MatricesOf(a));
    Ints<Device> info(Shape1(factors_.shape_[0]), a.stream_);
    Call().getrf(n_, count_, factors_.dptr_, pivots_.dptr_, info.tensor().dptr_);
    const std::vector<int> host = OnHost(info.tensor().dptr_, count_, a.stream_);
    for (Index b = 0; b < count_; ++b) failures_[b] = host[static_cast<std::size_t>(b)];
  }

  template <int bdim, typename U>
  auto solve(const Tensor<Device, bdim, U>& b, const char* who = "LU.solve") const {
    CheckRightSides(who, shape_, b.shape_);
    CheckPivots(who);
    auto x = SidesOf<dim, T>(b);
    const Index k = ColumnsOf<dim>(b.shape_);
    if (n_ > 0 && count_ > 0 && k > 0) {
      Call().getrs(n_, k, count_, static_cast<const T*>(factors_.dptr_),
                   static_cast<const int*>(pivots_.dptr_), x.data());
    }
    return x.Take(b.shape_, n_);
  }
  TensorContainer<Device, dim, T> inv(const char* who = "LU.inv") const {
    CheckPivots(who);
    auto out = PackedOn<Device, dim, T>(shape_, factors_.stream_);
    if (n_ == 0 || count_ == 0) return out;
    auto x = PackedOn<Device, 3, T>(factors_.shape_, factors_.stream_);
    x = T(1);
    x = expr::triu(expr::tril(x));
    Call().getrs(n_, n_, count_, static_cast<const T*>(factors_.dptr_),
                 static_cast<const int*>(pivots_.dptr_), x.dptr_);
    MatricesOf(out) = expr::swapaxis<2, 1>(x);
    return out;
  }
  PerMatrix<dim, T, Device> det() const {
    return UploadPerMatrix<T>(shape_, factors_.stream_, [&](T* out) {
      const std::vector<T> pivots = Pivots();
      for (Index b = 0; b < count_; ++b) {
        out[b] = 1;
        for (Index i = 0; i < n_; ++i) out[b] *= pivots[static_cast<std::size_t>(b * n_ + i)];
      }
    });
  }
  SignAndLog<dim, T, Device> slogdet() const {
    const std::vector<T> pivots = Pivots();
    const auto map = [&](T first, auto add) {
      return UploadPerMatrix<T>(shape_, factors_.stream_, [&](T* out) {
        for (Index b = 0; b < count_; ++b) {
          out[b] = first;
          for (Index i = 0; i < n_; ++i) {
            out[b] = add(out[b], pivots[static_cast<std::size_t>(b * n_ + i)]);
          }
        }
      });
    };
    return {map(T(1), [](T sign, T p) { return sign * (p > T(0)   ? T(1)
                                                       : p < T(0) ? T(-1)
                                                                  : p); }),
            map(T(0), [](T sum, T p) { return sum + std::log(std::abs(p)); })};
  }
  TensorContainer<Device, dim, T> L() const {
    return Formed([&](Tensor<Device, 3, T> to) {
      to = T(1);
      to = expr::triu(expr::tril(to)) + expr::tril(expr::swapaxis<2, 1>(factors_), -1);
    });
  }
  TensorContainer<Device, dim, T> U() const {
    return Formed(
        [&](Tensor<Device, 3, T> to) { to = expr::triu(expr::swapaxis<2, 1>(factors_)); });
  }
  /// The order of the rows, as a matrix of 0 and 1.
  TensorContainer<Device, dim, T> P() const {
    return Formed([&](Tensor<Device, 3, T> to) {
      const std::vector<int> pivots = OnHost(pivots_.dptr_, count_ * n_, factors_.stream_);
      const std::size_t n = static_cast<std::size_t>(n_);
      std::vector<T> host(static_cast<std::size_t>(count_) * n * n, T(0));
      std::vector<std::size_t> order(n);
      for (std::size_t b = 0; b < static_cast<std::size_t>(count_); ++b) {
        for (std::size_t i = 0; i < n; ++i) order[i] = i;
        for (std::size_t i = 0; i < n; ++i) {
          std::swap(order[i], order[static_cast<std::size_t>(pivots[b * n + i] - 1)]);
        }
        for (std::size_t i = 0; i < n; ++i) host[(b * n + order[i]) * n + i] = 1;
      }
      mshadow::detail::CopyAndWait(to, Tensor<cpu, 3, T>(host.data(), to.shape_), to.stream_);
    });
  }
  bool is_singular(std::ptrdiff_t b = 0) const { return failures_[b] != 0; }

 private:
  Solver<Device> Call() const { return Solver<Device>(factors_.stream_); }
  void CheckPivots(const char* who) const {
    failures_.Throw(who, "is singular: there is nothing but 0 for pivot");
  }
  template <typename F>
  TensorContainer<Device, dim, T> Formed(const F& f) const {
    auto out = PackedOn<Device, dim, T>(shape_, factors_.stream_);
    if (n_ > 0 && count_ > 0) f(MatricesOf(out));
    return out;
  }
  /// The pivots on the host, with the signs of the exchanges of rows.
  std::vector<T> Pivots() const {
    std::vector<T> host = DiagonalsOnHost(static_cast<const Tensor<Device, 3, T>&>(factors_));
    const std::vector<int> rows = OnHost(pivots_.dptr_, count_ * n_, factors_.stream_);
    for (std::size_t i = 0; i < host.size(); ++i) {
      if (rows[i] - 1 != static_cast<int>(i % static_cast<std::size_t>(n_))) host[i] = -host[i];
    }
    return host;
  }

  Shape<dim> shape_;
  Index n_, count_;
  TensorContainer<Device, 3, T> factors_;  // column-major
  TensorContainer<Device, 1, int> pivots_;
  Failures failures_;
};

/// A = L L^T on a device. As Cholesky.
template <typename Device, int dim, typename T>
class DeviceCholesky {
 public:
  DeviceCholesky(const char* who, const Tensor<Device, dim, T>& a)
      : n_(static_cast<Index>(a.shape_[dim - 1])),
        count_(static_cast<Index>(a.shape_.CheckedProdShape(0, dim - 2))),
        lower_(PackedOn<Device, dim, T>(a.shape_, a.stream_)) {
    CheckSquare(who, a.shape_);
    if (n_ == 0 || count_ == 0) return;
    // The lower triangle is the upper one of the column-major matrix.
    Tensor<Device, 3, T> to = MatricesOf(lower_);
    to = expr::tril(MatricesOf(a));
    const std::vector<bool> infinite = ClearInfinite(to);
    Ints<Device> info(Shape1(to.shape_[0]), a.stream_);
    Solver<Device>(a.stream_).potrf(n_, count_, lower_.dptr_, info.tensor().dptr_);
    CheckInfo(who, "is not positive definite at pivot", info, infinite);
    SpoilFound(infinite, lower_.FlatTo2D());
    to = expr::tril(to);
  }

  const TensorContainer<Device, dim, T>& L() const& { return lower_; }
  TensorContainer<Device, dim, T> L() && {
    return static_cast<TensorContainer<Device, dim, T>&&>(lower_);
  }
  template <int bdim, typename U>
  auto solve(const Tensor<Device, bdim, U>& b) const {
    CheckRightSides("Cholesky.solve", lower_.shape_, b.shape_);
    auto x = SidesOf<dim, T>(b);
    const Index k = ColumnsOf<dim>(b.shape_);
    if (n_ > 0 && count_ > 0 && k > 0) {
      const Solver<Device> call(lower_.stream_);
      const T* const upper = lower_.dptr_;  // column-major: L^T
      call.trsm(false, true, false, n_, k, count_, upper, n_, x.data(), n_);
      call.trsm(false, false, false, n_, k, count_, upper, n_, x.data(), n_);
    }
    return x.Take(b.shape_, n_);
  }
  PerMatrix<dim, T, Device> det() const {
    return UploadPerMatrix<T>(lower_.shape_, lower_.stream_, [&](T* out) {
      const std::vector<T> host = DiagonalsOnHost(MatricesOf(lower_));
      for (Index b = 0; b < count_; ++b) {
        T product = 1;
        for (Index i = 0; i < n_; ++i) product *= host[static_cast<std::size_t>(b * n_ + i)];
        out[b] = product * product;
      }
    });
  }

 private:
  Index n_, count_;
  TensorContainer<Device, dim, T> lower_;
};

/// A = Q R on a device. As QR.
template <typename Device, int dim, typename T>
class DeviceQR {
 public:
  explicit DeviceQR(const Tensor<Device, dim, T>& a)
      : shape_(a.shape_),
        m_(static_cast<Index>(a.shape_[dim - 2])),
        n_(static_cast<Index>(a.shape_[dim - 1])),
        k_(m_ < n_ ? m_ : n_),
        count_(static_cast<Index>(a.shape_.CheckedProdShape(0, dim - 2))),
        factors_(PackedOn<Device, 3, T>(
            Shape3(MatricesOf(a).shape_[0], a.shape_[dim - 1], a.shape_[dim - 2]), a.stream_)),
        tau_(PackedOn<Device, 1, T>(Shape1(static_cast<index_t>(count_ * k_)), a.stream_)) {
    if (IsEmpty()) return;
    factors_ = expr::swapaxis<2, 1>(MatricesOf(a));
    Solver<Device>(a.stream_).geqrf(m_, n_, count_, factors_.dptr_, tau_.dptr_);
  }
  TensorContainer<Device, dim, T> Q() const {
    auto out = PackedOn<Device, dim, T>(WithLast(shape_, m_, k_), factors_.stream_);
    if (IsEmpty()) return out;
    const auto q = Reflectors();
    Solver<Device>(factors_.stream_)
        .orgqr(m_, k_, count_, q.dptr_, static_cast<const T*>(tau_.dptr_));
    MatricesOf(out) = expr::swapaxis<2, 1>(q);
    return out;
  }
  TensorContainer<Device, dim, T> R() const {
    auto out = PackedOn<Device, dim, T>(WithLast(shape_, k_, n_), factors_.stream_);
    if (!IsEmpty()) MatricesOf(out) = expr::triu(expr::swapaxis<2, 1>(Head()));
    return out;
  }
  template <int bdim, typename U>
  auto solve(const Tensor<Device, bdim, U>& b, const char* who = "QR.solve") const {
    CheckRightSides(who, shape_, b.shape_);
    if (m_ < n_) {
      ErrorText text;
      text.Add("%s: there are fewer equations than unknowns; on the host lstsq solves them", who);
      text.Throw();
    }
    auto x = SidesOf<dim, T>(b);
    const Index k = ColumnsOf<dim>(b.shape_);
    if (!IsEmpty()) ZerosOnDiagonals(Head()).Throw(who, "has dependent columns: R is 0 at");
    if (!IsEmpty() && k > 0) {
      const Solver<Device> call(factors_.stream_);
      call.ormqr(m_, k, k_, count_, static_cast<const T*>(factors_.dptr_),
                 static_cast<const T*>(tau_.dptr_), x.data());
      call.trsm(false, false, false, n_, k, count_, static_cast<const T*>(factors_.dptr_), m_,
                x.data(), m_);
    }
    return x.Take(SolutionShape<dim>(b.shape_, n_), n_);
  }

 private:
  bool IsEmpty() const { return m_ == 0 || n_ == 0 || count_ == 0; }
  /// The first k elements of the columns: R^T and what lies beside it.
  Tensor<Device, 3, T> Head() const {
    return Tensor<Device, 3, T>(
        factors_.dptr_, Shape3(factors_.shape_[0], factors_.shape_[1], static_cast<index_t>(k_)),
        static_cast<index_t>(m_), factors_.stream_);
  }
  /// The first k columns, (count, k, m).
  TensorContainer<Device, 3, T> Reflectors() const {
    auto q = PackedOn<Device, 3, T>(
        Shape3(factors_.shape_[0], static_cast<index_t>(k_), static_cast<index_t>(m_)),
        factors_.stream_);
    q = expr::slice<1>(factors_, 0, static_cast<index_t>(k_));
    return q;
  }

  Shape<dim> shape_;
  Index m_, n_, k_, count_;
  TensorContainer<Device, 3, T> factors_;  // column-major
  TensorContainer<Device, 1, T> tau_;
};

/// Eigenvalues, and vectors unless they are null, of the lower triangles of a.
template <typename Device, typename T>
inline void DeviceSymmetric(const char* who, const Tensor<Device, 3, T>& a, T* values,
                            const Tensor<Device, 3, T>* vectors) {
  const Index n = static_cast<Index>(a.shape_[1]), count = static_cast<Index>(a.shape_[0]);
  if (n == 0 || count == 0) return;
  mshadow::detail::Temporary<Device, 3, T> copy(a.shape_, a.stream_);
  copy.tensor() = expr::tril(a);
  const std::vector<bool> infinite = ClearInfinite(copy.tensor());
  Ints<Device> info(Shape1(a.shape_[0]), a.stream_);
  Solver<Device>(a.stream_).syevd(vectors != nullptr, n, count, copy.tensor().dptr_, values,
                                  info.tensor().dptr_);
  CheckInfo(who, "did not converge at eigenvalue", info, infinite);
  SpoilFound(infinite, Tensor<Device, 2, T>(values, Shape2(a.shape_[0], a.shape_[1]), a.stream_));
  if (vectors == nullptr) return;
  Tensor<Device, 3, T> to = *vectors;
  to = expr::swapaxis<2, 1>(copy.tensor());
  SpoilFound(infinite, to.FlatTo2D());
}

/// Singular values, and u (m, k) and vt (k, n) unless they are null.
template <typename Device, typename T>
inline void DeviceSvd(const char* who, const Tensor<Device, 3, T>& a, T* values, T* u, T* vt) {
  const index_t m = a.shape_[1], n = a.shape_[2], least = m < n ? m : n;
  const Index count = static_cast<Index>(a.shape_[0]), k = static_cast<Index>(least);
  if (count == 0 || k == 0) return;
  const bool tall = m >= n;
  const index_t most = tall ? m : n;
  // Column-major, and not wide. A wide matrix is that of its transpose as it lies there.
  mshadow::detail::Temporary<Device, 3, T> copy(Shape3(a.shape_[0], least, most), a.stream_);
  if (tall) {
    copy.tensor() = expr::swapaxis<2, 1>(a);
  } else {
    copy.tensor() = expr::F<op::identity>(a);
  }
  const std::vector<bool> infinite = ClearInfinite(copy.tensor());
  Ints<Device> info(Shape1(a.shape_[0]), a.stream_);
  const Solver<Device> call(a.stream_);
  const Index rows = static_cast<Index>(most);
  const auto view = [&](T* p, index_t r, index_t c) {
    return Tensor<Device, 3, T>(p, Shape3(a.shape_[0], r, c), a.stream_);
  };
  if (u == nullptr || !tall) {
    // Column-major U of the transpose is row-major V^T.
    call.gesvd(u != nullptr, rows, k, count, copy.tensor().dptr_, values, vt, u,
               info.tensor().dptr_);
  } else {
    mshadow::detail::Temporary<Device, 3, T> left(Shape3(a.shape_[0], n, m), a.stream_);
    mshadow::detail::Temporary<Device, 3, T> right(Shape3(a.shape_[0], n, n), a.stream_);
    call.gesvd(true, rows, k, count, copy.tensor().dptr_, values, left.tensor().dptr_,
               right.tensor().dptr_, info.tensor().dptr_);
    Tensor<Device, 3, T> to_u = view(u, m, n), to_vt = view(vt, n, n);
    to_u = expr::swapaxis<2, 1>(left.tensor());
    to_vt = expr::swapaxis<2, 1>(right.tensor());
  }
  CheckInfo(who, "did not converge at value", info, infinite);
  SpoilFound(infinite, Tensor<Device, 2, T>(values, Shape2(a.shape_[0], least), a.stream_));
  if (u == nullptr) return;
  SpoilFound(infinite, view(u, m, least).FlatTo2D());
  SpoilFound(infinite, view(vt, least, n).FlatTo2D());
}

/// The elements of t.
template <typename T>
using ElementOf = std::remove_const_t<T>;
/// t without const, as the classes above take it.
template <typename Device, int dim, typename T>
inline Tensor<Device, dim, ElementOf<T>> Plain(const Tensor<Device, dim, T>& t) {
  return Tensor<Device, dim, ElementOf<T>>(const_cast<ElementOf<T>*>(t.dptr_), t.shape_, t.stride_,
                                           t.stream_);
}

}  // namespace detail::linalg

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_ON_DEVICE_H_
