// SPDX-License-Identifier: Apache-2.0
// OperandView: memory with a stride for each axis, and what views of expressions do to it.
#ifndef MSHADOW_EXPR_OPERAND_H_
#define MSHADOW_EXPR_OPERAND_H_

#include <cstddef>

#include "../core/config.h"
#include "../core/has_member.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

constexpr int kMaxAxes = 8, kMaxOperands = 12;

/// to(y, x) = from(y, x): a box is fetched into a buffer, or stored. Strides in bytes.
struct BoxCopy {
  char* to;
  std::ptrdiff_t to_row, to_column;
  const char* from;
  std::ptrdiff_t from_row, from_column, rows, cols;
  bool stream = false;  ///< by non-temporal stores
};
/// Copies boxes of elements of one size.
using CopyFunction = void (*)(const BoxCopy& copy);

/// Writes the rows [y, y + rows), `pitch` bytes apart, and columns [x, x + cols) of a plan.
using FillFunction = void (*)(const void* plan, char* to, std::ptrdiff_t pitch, std::ptrdiff_t y,
                              std::ptrdiff_t rows, std::ptrdiff_t x, std::ptrdiff_t cols);

/// Where the elements of an operand lie. Strides are in bytes, by axis of the statement.
struct OperandView {
  const char* base;
  std::ptrdiff_t stride[kMaxAxes];
  CopyFunction copy;  ///< null: neighbours along the last axis are neighbours in memory
  int size;           ///< of an element; 0: a value that is the same for all of them
  FillFunction fill = nullptr;  ///< if there is one, base is the plan, and strides count its rows
  std::ptrdiff_t reads = 1;     ///< elements that it takes for each of its own
};

}  // namespace detail

namespace expr {
namespace detail {

using mshadow::detail::CopyFunction;
using mshadow::detail::kMaxAxes;
using mshadow::detail::kMaxOperands;
using mshadow::detail::OperandView;

/// What a view needs to move elements into rows that are contiguous.
enum class View {
  kNone,
  kRows,     ///< copies of rows
  kRepeats,  ///< a row may be one element, repeated
  kAny
};

/// to(y, x) = from(y, x), where a row may be one element; any box. See backend/cpu/fetch.h.
template <int size>
MSHADOW_NOINLINE void CopyRepeated(const mshadow::detail::BoxCopy& copy);
template <int size>
MSHADOW_NOINLINE void CopyAny(const mshadow::detail::BoxCopy& copy);
template <View view, int size>
constexpr CopyFunction CopyOf() {
  if constexpr (view == View::kAny) {
    return CopyAny<size>;
  } else if constexpr (view == View::kRepeats) {
    return CopyRepeated<size>;
  } else {
    return nullptr;
  }
}

/// The operands below a view, whose member `void Move(OperandViews) const` changes their strides.
class OperandViews {
 public:
  OperandViews(OperandView* first, int count) : first_(first), last_(first + count) {}
  /// Index i of `axis` becomes index begin + i * step.
  MSHADOW_NOINLINE void Slice(int axis, std::ptrdiff_t begin, std::ptrdiff_t step = 1) const {
    for (OperandView* o = first_; o != last_; ++o) {
      o->base += begin * o->stride[axis];
      o->stride[axis] *= step;
    }
  }
  void Reverse(int axis, index_t extent) const {
    Slice(axis, static_cast<std::ptrdiff_t>(extent) - 1, -1);
  }
  /// Axis i becomes axis axes[i]; -1: a new one, along which elements are repeated.
  template <typename Axes>
  void Permute(const Axes& axes, int dim) const {
    for (OperandView* o = first_; o != last_; ++o) {
      std::ptrdiff_t old[kMaxAxes];
      for (int i = 0; i < kMaxAxes; ++i) old[i] = o->stride[i];
      for (int i = 0; i < dim; ++i) {
        const int axis = static_cast<int>(axes[i]);
        o->stride[i] = axis < 0 ? 0 : old[axis];
      }
    }
  }
  MSHADOW_NOINLINE void Swap(int a, int b) const {
    for (OperandView* o = first_; o != last_; ++o) {
      const std::ptrdiff_t stride = o->stride[a];
      o->stride[a] = o->stride[b];
      o->stride[b] = stride;
    }
  }
  /// `mask`: the axes of `dim` that are new.
  MSHADOW_NOINLINE void Repeat(int dim, int mask) const {
    int axes[kMaxAxes];
    for (int i = 0, k = 0; i < dim; ++i) axes[i] = (mask >> i & 1) != 0 ? -1 : k++;
    Permute(axes, dim);
  }
  /// From the shape `own` to one of `dim` axes: those of extent 1 in `aligned` are repeated.
  MSHADOW_NOINLINE void Broadcast(const index_t* own, const index_t* aligned, int dim) const {
    int axes[kMaxAxes];
    for (int i = 0, k = 0; i < dim; ++i) {
      axes[i] = -1;
      if (aligned[i] == 1) continue;
      while (own[k] == 1) ++k;
      axes[i] = k++;
    }
    Permute(axes, dim);
  }

 private:
  OperandView* first_;
  OperandView* last_;
};

MSHADOW_MEMBER_OR_(kViewOf, kView, View::kNone)

}  // namespace detail
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_OPERAND_H_
