// SPDX-License-Identifier: Apache-2.0
// Matrices by their form: triangles, diagonals, Kronecker products.
#ifndef MSHADOW_LINALG_SHAPES_H_
#define MSHADOW_LINALG_SHAPES_H_

#include "batch.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// Elements on one side of diagonal k, and 0.
template <typename SrcExp, typename DType, int dim, bool lower>
struct TriangleExp
    : public MakeTensorExp<TriangleExp<SrcExp, DType, dim, lower>, SrcExp, dim, DType> {
  static_assert(dim >= 2, "mshadow: tril and triu need matrices: an operand of 2 axes or more");
  SrcExp src_;
  std::ptrdiff_t k_;
  TriangleExp(const SrcExp& src, std::ptrdiff_t k) : src_(src), k_(k) {
    this->shape_ = ShapeCheck<dim, SrcExp>::Check(src_);
  }
};

namespace adl {

/// out[..][i][j] = j <= i + k ? src[..][i][j] : 0; (.., m, n) -> (.., m, n).
template <typename SrcExp, typename DType, int etype>
inline TriangleExp<SrcExp, DType, ExpInfo<SrcExp>::kDim, true> tril(
    const Exp<SrcExp, DType, etype>& src, std::ptrdiff_t k = 0) {
  return {src.self(), k};
}
MSHADOW_OWNS_TEMPORARIES_(tril)
/// out[..][i][j] = j >= i + k ? src[..][i][j] : 0; (.., m, n) -> (.., m, n).
template <typename SrcExp, typename DType, int etype>
inline TriangleExp<SrcExp, DType, ExpInfo<SrcExp>::kDim, false> triu(
    const Exp<SrcExp, DType, etype>& src, std::ptrdiff_t k = 0) {
  return {src.self(), k};
}
MSHADOW_OWNS_TEMPORARIES_(triu)

}  // namespace adl
using adl::tril;
using adl::triu;

template <typename SrcExp, typename DType, int dim, bool lower>
class Plan<TriangleExp<SrcExp, DType, dim, lower>, DType> {
  using Src = PlanOf<SrcExp>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(1 + kCostOf<Src>);
  MSHADOW_XINLINE const Src& source() const { return src_; }
  explicit Plan(const TriangleExp<SrcExp, DType, dim, lower>& e)
      : src_(MakePlan(e.src_)), rows_(e.shape_[dim - 2]), k_(e.k_) {}

  struct Cursor {
    RowCursor<Src> src_;
    std::ptrdiff_t diagonal_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const DType value = src_.Eval(x);
      return (lower ? x <= diagonal_ : x >= diagonal_) ? value : DType(0);
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(src_, y), DivMod(y, rows_).rem + k_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const {
    return Row(static_cast<std::ptrdiff_t>(y)).Eval(static_cast<std::ptrdiff_t>(x));
  }

 private:
  Src src_;
  FastDivmod rows_;
  std::ptrdiff_t k_;
};

}  // namespace expr

using expr::tril;
using expr::triu;

/// The sums of the diagonals, A (.., m, n): a number, or a tensor (..).
template <typename E, typename T, int etype>
inline auto trace(const expr::Exp<E, T, etype>& a) {
  using namespace detail::linalg;  // NOLINT
  const Operand<E, T> matrices(a.self());
  const Batch<T> batch = matrices.batch();
  return FillPerMatrix<T>(matrices.shape(), [&](T* out) {
    for (Index b = 0; b < batch.count; ++b) {
      out[b] = 0;
      for (Index i = 0; i < batch.rows && i < batch.cols; ++i) {
        out[b] += batch[b][i * batch.stride + i];
      }
    }
  });
}

/// Of a vector (n): the matrix (n + |k|, n + |k|) with it on diagonal k, and 0. Of matrices (.., m,
/// n): their diagonals k, (.., length); element i is a[..][i][i + k], or a[..][i - k][i] for k < 0.
template <typename E, typename T, int etype>
inline auto diag(const expr::Exp<E, T, etype>& a, std::ptrdiff_t k = 0) {
  using namespace detail::linalg;  // NOLINT
  constexpr int kDim = Operand<E, T>::kDim;
  const Operand<E, T> operand(a.self());
  const Index down = k < 0 ? -k : 0, right = k > 0 ? k : 0;
  if constexpr (kDim == 1) {
    const Index length = static_cast<Index>(operand.shape()[0]), n = length + down + right;
    auto out = Packed<2, T>(Shape2(n, n));
    if (n > 0) out = T(0);
    for (Index i = 0; i < length; ++i) out.dptr_[(i + down) * n + i + right] = (*operand).dptr_[i];
    return out;
  } else {
    const Batch<T> batch = operand.batch();
    Index length = batch.rows - down < batch.cols - right ? batch.rows - down : batch.cols - right;
    if (length < 0) length = 0;
    auto out = Packed<kDim - 1, T>(WithVector(operand.shape(), length));
    for (Index b = 0; b < batch.count; ++b) {
      for (Index i = 0; i < length; ++i) {
        out.dptr_[b * length + i] = batch[b][(i + down) * batch.stride + i + right];
      }
    }
    return out;
  }
}

/// eye(m, n, k): 1 on diagonal k, and 0, (m, n).
template <typename T = default_real_t>
inline TensorContainer<cpu, 2, T> eye(std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t k = 0) {
  auto out = detail::linalg::Packed<2, T>(Shape2(m, n));
  if (m > 0 && n > 0) out = T(0);
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    if (i + k >= 0 && i + k < n) out.dptr_[i * n + i + k] = T(1);
  }
  return out;
}

/// eye<double>(n): 1 on the diagonal, and 0, (n, n). T is float by default.
template <typename T = default_real_t>
inline TensorContainer<cpu, 2, T> eye(std::ptrdiff_t n) {
  return eye<T>(n, n);
}
/// out[i p + r][j q + s] = a[i][j] * b[r][s]; a (m, n), b (p, q) -> (m p, n q).
template <typename E, typename F, typename A, typename B, int etype, int ftype>
inline auto kron(const expr::Exp<E, A, etype>& a, const expr::Exp<F, B, ftype>& b) {
  using namespace detail::linalg;  // NOLINT
  using T = expr::detail::DotElement<A, B>;
  static_assert(expr::ExpInfo<E>::kDim == 2 && expr::ExpInfo<F>::kDim == 2,
                "mshadow: kron(a, b) is defined for two matrices");
  const Operand<E, T> left(a.self());
  const Operand<F, T> right(b.self());
  const Batch<T> x = left.batch(), y = right.batch();
  auto out = Packed<2, T>(Shape2(x.rows * y.rows, x.cols * y.cols));
  T* to = out.dptr_;
  for (Index i = 0; i < x.rows; ++i) {
    for (Index r = 0; r < y.rows; ++r) {
      for (Index j = 0; j < x.cols; ++j) {
        const T f = x.data[i * x.stride + j];
        for (Index s = 0; s < y.cols; ++s) *to++ = f * y.data[r * y.stride + s];
      }
    }
  }
  return out;
}

/// out[i][j] = x[i]^(columns - 1 - j), or x[i]^j where `increasing`; x (m) -> (m, columns).
template <typename E, typename T, int etype>
inline TensorContainer<cpu, 2, T> vander(const expr::Exp<E, T, etype>& x, std::ptrdiff_t columns,
                                         bool increasing = false) {
  using namespace detail::linalg;  // NOLINT
  static_assert(expr::ExpInfo<E>::kDim == 1, "mshadow: vander(x) is defined for a vector x");
  const Operand<E, T> operand(x.self());
  const Index m = static_cast<Index>(operand.shape()[0]);
  auto out = Packed<2, T>(Shape2(m, columns));
  for (Index i = 0; i < m; ++i) {
    T power = 1;
    for (Index j = 0; j < columns; ++j, power *= (*operand).dptr_[i]) {
      out.dptr_[i * columns + (increasing ? j : columns - 1 - j)] = power;
    }
  }
  return out;
}
/// The same, as many columns as rows.
template <typename E, typename T, int etype>
inline TensorContainer<cpu, 2, T> vander(const expr::Exp<E, T, etype>& x) {
  const std::ptrdiff_t columns =
      static_cast<std::ptrdiff_t>(expr::ShapeCheck<1, E>::Check(x.self())[0]);
  return vander(x, columns);
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_SHAPES_H_
