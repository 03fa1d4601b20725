// SPDX-License-Identifier: Apache-2.0
// Shape<k>: the extents of k axes, axis 0 the outermost.
//
// Size() and its like are plain products, as cheap in a loop's condition as a number. What takes
// memory for a shape, or walks all of it, asks the Checked members once.
#ifndef MSHADOW_CORE_SHAPE_H_
#define MSHADOW_CORE_SHAPE_H_

#include <iosfwd>
#include <string>
#include <type_traits>

#include "bounds.h"
#include "config.h"
#include "error_text.h"
#include "logging.h"

MSHADOW_NAMESPACE_BEGIN

namespace detail {

/// Extents as a Python tuple: "(3,)", "(2,3)", "()".
MSHADOW_COLD inline std::string ExtentsText(const index_t* shape, int n) {
  std::string text = "(";
  for (int i = 0; i < n; ++i) text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  return text + (n == 1 ? ",)" : ")");
}

/// prod shape[begin..end), 1 for an empty range; wraps where it does not fit index_t.
MSHADOW_XINLINE index_t Product(const index_t* shape, int begin, int end) {
  std::make_unsigned_t<index_t> product = 1;
  for (int i = begin; i < end; ++i) product *= static_cast<std::make_unsigned_t<index_t>>(shape[i]);
  return static_cast<index_t>(product);
}

/// As Product; throws Error where the product does not fit index_t. Computed in 64 bits.
MSHADOW_XINLINE index_t CheckedProduct(const index_t* shape, int begin, int end) {
  uint64_t product = 1;
  bool fits = true;
  bool empty = false;
  for (int i = begin; i < end; ++i) {
    const uint64_t extent = static_cast<uint64_t>(shape[i]);
    if constexpr (sizeof(index_t) < 8) {
      // Two factors below 2^32 each: the product cannot wrap before it is looked at.
      product = fits ? product * extent : product;
    } else {
      const bool wraps = extent != 0 && product > kMaxElements / extent;
      product = wraps ? kMaxElements : product * extent;
      fits = fits && !wraps;
    }
    fits = fits && product <= kMaxElements;
    empty = empty || extent == 0;
  }
  if (empty) return 0;
#ifndef __CUDA_ARCH__
  if (!MSHADOW_LIKELY(fits)) ThrowTooManyElements(shape + begin, end - begin);
#endif
  return static_cast<index_t>(product);
}

}  // namespace detail

/// The extents of `dimension` axes. A default-constructed shape is uninitialised.
template <int dimension>
struct Shape {
  static_assert(dimension > 0, "a Shape has at least one axis; <mshadow/rank0.h> has Shape<0>");
  static constexpr int kDimension = dimension;
  static constexpr int kSubdim = dimension - 1;

  /// shape_[0] is the outermost axis, shape_[dimension-1] the contiguous one.
  index_t shape_[kDimension];

  // The axis is checked with MSHADOW_BOUNDS_CHECK.
  MSHADOW_XINLINE index_t& operator[](int axis) {
    MSHADOW_CHECK_INDEX_("Shape: axis", axis, kDimension);
    return shape_[axis];
  }
  MSHADOW_XINLINE const index_t& operator[](int axis) const {
    MSHADOW_CHECK_INDEX_("Shape: axis", axis, kDimension);
    return shape_[axis];
  }

  MSHADOW_XINLINE bool operator==(const Shape<kDimension>& other) const {
    bool same = true;
    for (int i = 0; i < kDimension; ++i) same = same && shape_[i] == other.shape_[i];
    return same;
  }
  MSHADOW_XINLINE bool operator!=(const Shape<kDimension>& other) const {
    return !(*this == other);
  }

  /// The number of elements; wraps where it does not fit index_t, as no shape with memory does.
  MSHADOW_XINLINE index_t Size() const { return detail::Product(shape_, 0, kDimension); }
  /// prod shape[dimstart..dimend), 1 for an empty range.
  MSHADOW_XINLINE index_t ProdShape(int dimstart, int dimend) const {
    return detail::Product(shape_, dimstart, dimend);
  }
  /// {Size()}
  MSHADOW_XINLINE Shape<1> FlatTo1D() const;
  /// {product of all axes but the last, last axis}; a 1-D shape gives {1, n}.
  MSHADOW_XINLINE Shape<2> FlatTo2D() const;
  /// Size(), ProdShape and FlatTo2D; they throw Error where a product does not fit index_t.
  MSHADOW_XINLINE index_t CheckedSize() const {
    return detail::CheckedProduct(shape_, 0, kDimension);
  }
  MSHADOW_XINLINE index_t CheckedProdShape(int dimstart, int dimend) const {
    return detail::CheckedProduct(shape_, dimstart, dimend);
  }
  MSHADOW_XINLINE Shape<2> CheckedFlatTo2D() const;
  /// The shape without axis 0.
  MSHADOW_XINLINE Shape<(kSubdim > 0 ? kSubdim : 1)> SubShape() const {
    static_assert(kSubdim > 0, "SubShape needs two axes or more");
    return this->template Slice<1, kDimension>();
  }
  /// Axes [dimstart, dimend).
  template <int dimstart, int dimend>
  MSHADOW_XINLINE Shape<dimend - dimstart> Slice() const {
    static_assert(0 <= dimstart && dimstart < dimend && dimend <= dimension,
                  "Shape::Slice: the axes must lie inside the shape");
    Shape<dimend - dimstart> result;
    for (int i = dimstart; i < dimend; ++i) result.shape_[i - dimstart] = shape_[i];
    return result;
  }
};

template <int dimension>
MSHADOW_XINLINE Shape<1> Shape<dimension>::FlatTo1D() const {
  return {{Size()}};
}

template <int dimension>
MSHADOW_XINLINE Shape<2> Shape<dimension>::FlatTo2D() const {
  return {{detail::Product(shape_, 0, kDimension - 1), shape_[kDimension - 1]}};
}

template <int dimension>
MSHADOW_XINLINE Shape<2> Shape<dimension>::CheckedFlatTo2D() const {
  return {{detail::CheckedProduct(shape_, 0, kDimension - 1), shape_[kDimension - 1]}};
}

/// Shapes of one to five axes. An extent may be of any type that converts to index_t. Throws Error
/// "Shape2: s1 = -1 is out of range: .." where index_t does not hold it.
template <typename A = index_t>
MSHADOW_XINLINE Shape<1> Shape1(A s0) {
  return Shape<1>{{detail::ToExtent("Shape1: s0", s0)}};
}
template <typename A = index_t, typename B = index_t>
MSHADOW_XINLINE Shape<2> Shape2(A s0, B s1) {
  return Shape<2>{{detail::ToExtent("Shape2: s0", s0), detail::ToExtent("Shape2: s1", s1)}};
}
template <typename A = index_t, typename B = index_t, typename C = index_t>
MSHADOW_XINLINE Shape<3> Shape3(A s0, B s1, C s2) {
  return Shape<3>{{detail::ToExtent("Shape3: s0", s0), detail::ToExtent("Shape3: s1", s1),
                   detail::ToExtent("Shape3: s2", s2)}};
}
template <typename A = index_t, typename B = index_t, typename C = index_t, typename D = index_t>
MSHADOW_XINLINE Shape<4> Shape4(A s0, B s1, C s2, D s3) {
  return Shape<4>{{detail::ToExtent("Shape4: s0", s0), detail::ToExtent("Shape4: s1", s1),
                   detail::ToExtent("Shape4: s2", s2), detail::ToExtent("Shape4: s3", s3)}};
}
template <typename A = index_t, typename B = index_t, typename C = index_t, typename D = index_t,
          typename E = index_t>
MSHADOW_XINLINE Shape<5> Shape5(A s0, B s1, C s2, D s3, E s4) {
  return Shape<5>{{detail::ToExtent("Shape5: s0", s0), detail::ToExtent("Shape5: s1", s1),
                   detail::ToExtent("Shape5: s2", s2), detail::ToExtent("Shape5: s3", s3),
                   detail::ToExtent("Shape5: s4", s4)}};
}

/// The shape as a Python tuple: "(3,)", "(2,3)". CHECK and LOG print shapes with it.
template <int dimension>
MSHADOW_COLD inline std::string LogText(const Shape<dimension>& shape) {
  return detail::ExtentsText(shape.shape_, dimension);
}

template <typename Char, typename Traits, int dimension>
inline std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                                    const Shape<dimension>& shape) {
  return stream << LogText(shape);
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_SHAPE_H_
