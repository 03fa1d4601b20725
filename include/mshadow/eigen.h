// SPDX-License-Identifier: Apache-2.0
// Tensors as Eigen's matrices and back, without a copy.
//
//   AsEigen(x).colwise().normalize();              // x: Tensor<cpu, 2>
//   Eigen::MatrixXf m = ...;
//   y = AsTensor(m).T() * 2.0f;                     // columns of m are rows of the tensor
#ifndef MSHADOW_EIGEN_H_
#define MSHADOW_EIGEN_H_

#include "core/letters_begin.inc"

#if !__has_include(<Eigen/Core>)
#error "mshadow/eigen.h: Eigen is not on the include path (Debian: libeigen3-dev, -I/usr/include/eigen3)"
#endif

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <type_traits>

#include "view.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {
template <typename DType, typename Plain>
using EigenOf = std::conditional_t<std::is_const_v<DType>, const Plain, Plain>;
}  // namespace detail

/// t as a matrix: rows are rows. It is valid as long as t's memory.
template <typename DType>
inline auto AsEigen(const Tensor<cpu, 2, DType>& t) {
  using Matrix = Eigen::Matrix<std::remove_const_t<DType>, Eigen::Dynamic, Eigen::Dynamic,
                               Eigen::RowMajor>;
  return Eigen::Map<detail::EigenOf<DType, Matrix>, Eigen::Unaligned, Eigen::OuterStride<>>(
      t.dptr_, static_cast<Eigen::Index>(t.shape_[0]), static_cast<Eigen::Index>(t.shape_[1]),
      Eigen::OuterStride<>(static_cast<Eigen::Index>(t.stride_)));
}
/// t as a column vector.
template <typename DType>
inline auto AsEigen(const Tensor<cpu, 1, DType>& t) {
  using Vector = Eigen::Matrix<std::remove_const_t<DType>, Eigen::Dynamic, 1>;
  return Eigen::Map<detail::EigenOf<DType, Vector>>(t.dptr_,
                                                    static_cast<Eigen::Index>(t.shape_[0]));
}

/// A matrix, array, map, block or vector of Eigen that lies in memory, as a tensor in this memory:
/// row i is row i of a row-major matrix, and column i of a column-major one. A vector has one axis.
/// Throws Error if the elements of a row do not follow each other.
template <typename Derived>
inline auto AsTensor(Derived&& matrix) -> std::enable_if_t<
    std::is_base_of_v<Eigen::DenseBase<std::decay_t<Derived>>, std::decay_t<Derived>>,
    Tensor<cpu, std::decay_t<Derived>::IsVectorAtCompileTime ? 1 : 2,
           std::remove_pointer_t<decltype(matrix.data())>>> {
  using Matrix = std::decay_t<Derived>;
  using DType = std::remove_pointer_t<decltype(matrix.data())>;
  static_assert(std::is_lvalue_reference_v<Derived> ||
                    !std::is_base_of_v<Eigen::PlainObjectBase<Matrix>, Matrix>,
                "mshadow: AsTensor of a temporary matrix; its memory would be gone");
  constexpr bool kVector = Matrix::IsVectorAtCompileTime;
  const auto index = [](Eigen::Index value, const char* what) {
    if (value < 0 || static_cast<std::uint64_t>(value) > detail::kMaxElements) {
      throw Error("AsTensor: " + std::string(what) + " of " + std::to_string(value) +
                  " is none that index_t holds");
    }
    return static_cast<index_t>(value);
  };
  const Eigen::Index inner = kVector ? matrix.size() : matrix.innerSize();
  if (inner > 1 && matrix.innerStride() != 1) {
    throw Error("AsTensor: elements of Eigen's " + std::string(kVector ? "vector" : "matrix") +
                " have the distance " + std::to_string(matrix.innerStride()) + ", not 1");
  }
  if constexpr (kVector) {
    return Tensor<cpu, 1, DType>(matrix.data(), Shape1(index(inner, "an extent")));
  } else {
    const Shape<2> shape = Shape2(index(matrix.outerSize(), "an extent"), index(inner, "an extent"));
    static_cast<void>(shape.CheckedSize());
    const bool one_row = matrix.outerSize() <= 1;
    return Tensor<cpu, 2, DType>(
        matrix.data(), shape,
        one_row ? shape[1] : index(matrix.outerStride(), "a distance of rows"), nullptr);
  }
}

/// The same with any strides: element (i, j) is element (i, j) of the matrix, whatever its order.
template <typename Derived>
inline auto AsView(Derived&& matrix) -> std::enable_if_t<
    std::is_base_of_v<Eigen::DenseBase<std::decay_t<Derived>>, std::decay_t<Derived>>,
    View<cpu, std::decay_t<Derived>::IsVectorAtCompileTime ? 1 : 2,
         std::remove_pointer_t<decltype(matrix.data())>>> {
  using Matrix = std::decay_t<Derived>;
  static_assert(std::is_lvalue_reference_v<Derived> ||
                    !std::is_base_of_v<Eigen::PlainObjectBase<Matrix>, Matrix>,
                "mshadow: AsView of a temporary matrix; its memory would be gone");
  constexpr int kDim = Matrix::IsVectorAtCompileTime ? 1 : 2;
  std::ptrdiff_t extent[kDim], stride[kDim];
  if constexpr (kDim == 1) {
    extent[0] = matrix.size();
    stride[0] = matrix.innerStride();
  } else {
    extent[0] = matrix.rows();
    extent[1] = matrix.cols();
    stride[0] = matrix.rowStride();
    stride[1] = matrix.colStride();
  }
  return {matrix.data(), expr::detail::AsShape("AsView", "an extent", extent), stride};
}

MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_EIGEN_H_
