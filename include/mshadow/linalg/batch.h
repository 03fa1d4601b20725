// SPDX-License-Identifier: Apache-2.0
// Batch: the matrices of an operand, (.., m, n), one after another.
#ifndef MSHADOW_LINALG_BATCH_H_
#define MSHADOW_LINALG_BATCH_H_

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "../backend/cpu/threads.h"
#include "../complex.h"
#include "../core/error_text.h"
#include "../tensor.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {

using Index = std::ptrdiff_t;

/// Matrices of at most this many rows and columns never go to LAPACK: its calls cost more.
constexpr Index kSmall = 8;
/// Threads inside an algorithm are worth their start from so many multiply-adds on.
constexpr double kLarge = 2e7;

/// The type of |x|.
template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T>
using Real = typename RealOf<T>::Type;

/// Of real elements the number itself.
template <typename T>
MSHADOW_FORCE_INLINE T Conj(T x) {
  return x;
}
template <typename T>
MSHADOW_FORCE_INLINE std::complex<T> Conj(const std::complex<T>& x) {
  return {x.real(), -x.imag()};
}
template <typename T>
MSHADOW_FORCE_INLINE T RealPart(T x) {
  return x;
}
template <typename T>
MSHADOW_FORCE_INLINE T RealPart(const std::complex<T>& x) {
  return x.real();
}
template <typename T>
MSHADOW_FORCE_INLINE bool IsReal(const T& x) {
  return !kIsComplex<T> || Conj(x) == x;
}
/// |x|, of complex numbers |re| + |im|, as LAPACK compares pivots.
template <typename T>
MSHADOW_FORCE_INLINE Real<T> Abs1(const T& x) {
  if constexpr (kIsComplex<T>) {
    return std::abs(x.real()) + std::abs(x.imag());
  } else {
    return std::abs(x);
  }
}

/// |x|^2
template <typename T>
MSHADOW_FORCE_INLINE Real<T> Square(const T& x) {
  if constexpr (kIsComplex<T>) {
    return x.real() * x.real() + x.imag() * x.imag();
  } else {
    return x * x;
  }
}

/// Element (i, j) of matrix b lies at (*this)[b][i * stride + j].
template <typename T>
struct Batch {
  const T* data;
  Index count, rows, cols, stride;
  const T* operator[](Index b) const { return data + b * rows * stride; }
};

template <int dim, typename T>
inline Batch<std::remove_const_t<T>> BatchOf(const Tensor<cpu, dim, T>& t) {
  static_assert(dim >= 2);
  return {t.dptr_, static_cast<Index>(t.shape_.ProdShape(0, dim - 2)),
          static_cast<Index>(t.shape_[dim - 2]), static_cast<Index>(t.shape_[dim - 1]),
          static_cast<Index>(t.stride_)};
}

template <int dim>
inline void CheckSquare(const char* who, const Shape<dim>& shape) {
  if (shape[dim - 2] == shape[dim - 1]) return;
  ErrorText text;
  text.Add("%s: the matrices of shape ", who);
  text.AddExtents(shape.shape_, dim);
  text.Add(" are not square");
  text.Throw();
}

/// The value of an expression in elements of T: a tensor itself, or memory of its own.
template <typename E, typename T>
class Operand {
 public:
  static constexpr int kDim = expr::ExpInfo<E>::kDim;
  using Element = expr::detail::ElementOfExp<E>;
  static_assert(std::is_same_v<T, Element> || kIsPartOf<T, Element>,
                "mshadow: the operands have different element types; tcast<T>(x) converts one. "
                "Only real ones beside complex ones of their precision are converted");
  static_assert(std::is_same_v<Real<T>, float> || std::is_same_v<Real<T>, double>,
                "mshadow: linear algebra computes in float, double and std::complex of them; "
                "tcast<float>(x) converts other ones");
  static_assert(
      (expr::ExpInfo<E>::kDevMask & cpu::kDevMask) != 0,
      "mshadow: linear algebra of a gpu needs nvcc and -DMSHADOW_USE_CUSOLVER=1, and takes "
      "tensors, no expressions, by the functions that guide/linalg.md lists; or copy the "
      "matrices to the host");
  static_assert(kDim >= 1, "mshadow: linear algebra needs a tensor, not a scalar");
  static constexpr bool kVariable = expr::detail::NamesVariable<E>();
  static_assert(!kVariable,
                "mshadow: linear algebra of a Variable would leave the tape: its result is a "
                "constant. Of x.value it is meant to be one");

  explicit Operand(const E& e) : own_(false) {
    if constexpr (std::is_same_v<E, Tensor<cpu, kDim, T>> ||
                  std::is_same_v<E, Tensor<cpu, kDim, const T>>) {
      view_ = Tensor<cpu, kDim, const T>(e);
    } else {
      own_ = e;
      view_ = Tensor<cpu, kDim, const T>(own_);
    }
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;
  const Tensor<cpu, kDim, const T>& operator*() const { return view_; }
  const Shape<kDim>& shape() const { return view_.shape_; }
  Batch<T> batch() const {
    static_assert(kDim >= 2,
                  "mshadow: linear algebra needs matrices: an operand of 2 axes or more");
    return BatchOf(view_);
  }
  /// The same, of square matrices. Throws Error if they are not.
  Batch<T> square(const char* who) const {
    const Batch<T> b = batch();
    CheckSquare(who, view_.shape_);
    return b;
  }

 private:
  TensorContainer<cpu, kDim, T> own_;
  Tensor<cpu, kDim, const T> view_;
};

/// Where an algorithm stopped in each matrix of a batch: 0 for one that went through, else 1 + the
/// pivot. Matrices are computed by several threads; the first one that failed is reported.
class Failures {
 public:
  explicit Failures(Index count) : at_(static_cast<std::size_t>(count), 0) {}
  int* data() { return at_.data(); }
  int& operator[](Index b) { return at_[static_cast<std::size_t>(b)]; }
  int operator[](Index b) const { return at_[static_cast<std::size_t>(b)]; }
  /// Throws Error "who: matrix 3 <what> 2" where matrix 3 failed at pivot 2.
  void Throw(const char* who, const char* what) const {
    for (std::size_t b = 0; b < at_.size(); ++b) {
      if (at_[b] == 0) continue;
      ErrorText text;
      text.Add("%s: matrix ", who);
      if (at_.size() > 1)
        text.Add("%lld of %lld ", static_cast<long long>(b), static_cast<long long>(at_.size()));
      text.Add("%s %d", what, at_[b] - 1);
      text.Throw();
    }
  }

 private:
  std::vector<int> at_;
};

inline double Volume(Index a, Index b, Index c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

/// Memory for n elements, uninitialised.
template <typename T>
class Work {
 public:
  explicit Work(Index n) : memory_(false) {
    if (n > 0) memory_.Resize(Shape1(n));
  }
  T* data() const { return memory_.dptr_; }
  T& operator[](Index i) { return memory_.dptr_[i]; }

 private:
  TensorContainer<cpu, 1, T> memory_;
};

inline namespace MSHADOW_THREADS_NAMESPACE {

/// f(begin, end) for parts of the matrices [0, count), on threads where each costs `flops`. Where f
/// gives a matrix `inner` threads, and half of them or more would be left without one, the matrices
/// come one after another.
template <typename F>
inline void ForMatrices(Index count, double flops, int inner, const F& f) {
  if (count > 0 && 2 * count <= inner) return f(Index{0}, count);
  const double grain = 1e5 / (flops + 1);
  ParallelRanges(count, grain < 1 ? 1 : static_cast<Index>(grain), f);
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// to[j * rows + i] = a[i * stride + j]: row-major to column-major. (rows, cols) are those of a.
template <typename T>
inline void CopyTransposed(const T* a, Index rows, Index cols, Index stride, T* to,
                           Index to_stride) {
  if (rows * cols <= 256) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) to[j * to_stride + i] = a[i * stride + j];
    }
    return;
  }
  Tensor<cpu, 2, T>(to, Shape2(cols, rows), static_cast<index_t>(to_stride), nullptr) =
      Tensor<cpu, 2, const T>(a, Shape2(rows, cols), static_cast<index_t>(stride), nullptr).T();
}
template <typename T>
inline void CopyRows(const T* a, Index rows, Index cols, Index stride, T* to, Index to_stride) {
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) to[i * to_stride + j] = a[i * stride + j];
  }
}

/// to[j * rows + i] = conj(a[i * stride + j])
template <typename T>
inline void CopyAdjoint(const T* a, Index rows, Index cols, Index stride, T* to, Index to_stride) {
  CopyTransposed(a, rows, cols, stride, to, to_stride);
  if constexpr (kIsComplex<T>) {
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) to[j * to_stride + i] = Conj(to[j * to_stride + i]);
    }
  }
}

/// True if no element is infinite or NaN.
template <typename T>
inline bool AllFinite(const T* a, Index n) {
  T sum[8] = {};
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int k = 0; k < 8; ++k) sum[k] += a[i + k] * T(0);
  }
  for (; i < n; ++i) sum[0] += a[i] * T(0);
  T all = 0;
  for (int k = 0; k < 8; ++k) all += sum[k];
  return all == T(0);
}
template <typename T>
inline bool AllFinite(const std::complex<T>* a, Index n) {
  return AllFinite(reinterpret_cast<const T*>(a), 2 * n);  // as the standard allows
}

/// NaN, and NaN + NaN i.
template <typename T>
inline void FillNaN(T* to, Index n) {
  const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
  for (Index i = 0; i < n; ++i) {
    if constexpr (kIsComplex<T>) {
      to[i] = {nan, nan};
    } else {
      to[i] = nan;
    }
  }
}

/// The shape of one number for each matrix, (..); of one matrix alone it is a number.
template <int dim, typename T, typename Device = cpu>
using PerMatrix =
    std::conditional_t<dim <= 2, T, TensorContainer<Device, (dim > 2 ? dim - 2 : 1), T>>;

/// What fill(out) writes, a number for each matrix of a shape (.., m, n), as a number or a tensor.
template <typename R, int dim, typename F>
inline PerMatrix<dim, R> FillPerMatrix(const Shape<dim>& shape, const F& fill) {
  if constexpr (dim <= 2) {  // vectors are refused by Operand::batch
    static_cast<void>(shape);
    R out = R();
    fill(&out);
    return out;
  } else {
    TensorContainer<cpu, dim - 2, R> out(false);
    out.Resize(shape.template Slice<0, dim - 2>());
    fill(out.dptr_);
    return out;
  }
}

/// `shape` with other last two axes.
template <int dim>
inline Shape<dim> WithLast(Shape<dim> shape, Index rows, Index cols) {
  shape[dim - 2] = static_cast<index_t>(rows);
  shape[dim - 1] = static_cast<index_t>(cols);
  return shape;
}
/// (.., m, n) -> (.., last)
template <int dim>
inline Shape<dim - 1> WithVector(const Shape<dim>& shape, Index last) {
  Shape<dim - 1> result;
  for (int i = 0; i < dim - 2; ++i) result[i] = shape[i];
  result[dim - 2] = static_cast<index_t>(last);
  return result;
}
template <int dim, typename T>
inline TensorContainer<cpu, dim, T> Packed(const Shape<dim>& shape) {
  TensorContainer<cpu, dim, T> t(false);
  t.Resize(shape);
  return t;
}

}  // namespace detail::linalg
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_BATCH_H_
