// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_TAKE_GRAD_H_
#define MSHADOW_EXTENSION_TAKE_GRAD_H_

#include <type_traits>

#include "../core/dtype.h"
#include "../core/element_index.h"
#include "../core/fast_divmod.h"
#include "../expr/materialised.h"
#include "../expr/plan/blocks.h"
#include "../expr/plan/plan.h"
#include "../expr/traits.h"
#include "../op/long_sum.h"
#include "../simd/isa.h"
#include "row_sums.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename IndexExp, typename SrcExp, typename DType>
struct TakeGradExp : public Exp<TakeGradExp<IndexExp, SrcExp, DType>, DType, type::kChainer> {
  static_assert(ExpInfo<IndexExp>::kDim == 1 && ExpInfo<SrcExp>::kDim == 2,
                "mshadow: take_grad(index, src, input_dim) needs an index of one axis and a "
                "matrix");
  static constexpr int kRank = 2;
  static constexpr int kDevices = ExpInfo<IndexExp>::kDevMask & ExpInfo<SrcExp>::kDevMask;
  IndexExp index_;
  SrcExp src_;
  Shape<2> src_shape_;
  index_t input_dim_;
  TakeGradExp(const IndexExp& index, const SrcExp& src, index_t input_dim)
      : index_(index),
        src_(src),
        src_shape_(ShapeCheck<2, SrcExp>::Check(src_)),
        input_dim_(input_dim) {
    const Shape<1> index_shape = ShapeCheck<1, IndexExp>::Check(index_);
    MSHADOW_CHECK_EQ(src_shape_[0], index_shape[0])
        << "take_grad: one index for each row is needed, source " << src_shape_ << ", index "
        << index_shape;
  }
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == 2, "mshadow: take_grad gives a matrix");
    return Shape2(input_dim_, src_shape_[1]);
  }
  bool Overlaps(const WrittenView& written, bool) const {
    return expr::Overlaps(index_, written, false) || expr::Overlaps(src_, written, false);
  }
};

/// out[r][j] = sum of src[i][j] over all i with index[i] == r: the gradient of take for indices in
/// range, others add nothing; index (n) of any element type, truncated, src (n, cols) ->
/// (input_dim, cols). 16-bit floats are summed up in float. Sums of
/// many rows are off by 1e-5 of the sum of absolute values at most. Throws Error where src has not
/// n rows.
template <typename IndexExp, typename IDType, typename SrcExp, typename DType, int e1, int e2>
inline TakeGradExp<IndexExp, SrcExp, DType> take_grad(const Exp<IndexExp, IDType, e1>& index,
                                                      const Exp<SrcExp, DType, e2>& src,
                                                      const index_t input_dim) {
  return TakeGradExp<IndexExp, SrcExp, DType>(index.self(), src.self(), input_dim);
}
MSHADOW_OWNS_TEMPORARIES_(take_grad)

namespace detail {

// To look for the rows of one result row takes the whole index. So as many rows as follow each
// other are computed at once, the index read once, and whole rows added: directly into the
// destination where that is memory, else into a buffer.
template <typename IndexExp, typename SrcExp, typename DType>
class TakeGradPlan {
  using Src = PlanOf<SrcExp>;
  using Index = PlanOf<IndexExp>;
  using Value = std::conditional_t<float16::kIsFloat16<DType>, float, DType>;

 public:
  static constexpr int kCost = 4 + kCostOf<Src>;
  explicit TakeGradPlan(const TakeGradExp<IndexExp, SrcExp, DType>& e)
      : index_(MakePlan(e.index_)),
        src_(MakePlan(e.src_)),
        src_rows_(static_cast<std::ptrdiff_t>(e.src_shape_[0])),
        cols_(static_cast<std::ptrdiff_t>(e.src_shape_[1])) {}

  struct Cursor {
    RowCursor<Index> index_;
    const Src& src_;
    std::ptrdiff_t first_;  // of this row, in the flat order
    std::ptrdiff_t src_rows_;
    FastDivmod cols_;

    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
      const std::ptrdiff_t row = FloorDiv(first_ + x, cols_);
      const std::ptrdiff_t column = first_ + x - row * cols_;
      return static_cast<DType>(red::ReduceInBlocks<red::sum, Value>(
          src_rows_, [&](std::ptrdiff_t i) MSHADOW_INLINE_LAMBDA {
            return detail::ToIndex(index_.Eval(i)) == row
                       ? static_cast<Value>(RowOf(src_, i).Eval(column))
                       : Value(0);
          }));
    }
    /// to[i] = element x + i for x + i < end.
    MSHADOW_FORCE_INLINE void Write(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
      if constexpr (std::is_same_v<DType, Value>) {
        AddUp(to, x, end);
      } else {
        constexpr std::ptrdiff_t kMax = 4096;
        Value sums[kMax];
        for (std::ptrdiff_t n; x < end; x += n, to += n) {
          n = end - x < kMax ? end - x : kMax;
          AddUp(sums, x, x + n);
          MSHADOW_IVDEP
          for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = static_cast<DType>(sums[i]);
        }
      }
    }

   private:
    /// to[i] = element x + i, for x + i < end.
    MSHADOW_FORCE_INLINE void AddUp(Value* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
      const std::ptrdiff_t first = first_ + x;
      const std::ptrdiff_t last = first_ + end;
      const std::ptrdiff_t first_row = FloorDiv(first, cols_);
      const std::ptrdiff_t last_row = FloorDiv(last - 1, cols_);
      for (std::ptrdiff_t i = 0; i < end - x; ++i) to[i] = 0;
      const auto columns = [&](std::ptrdiff_t row) MSHADOW_INLINE_LAMBDA {
        const std::ptrdiff_t begin = row * cols_ - first;
        return Columns{begin, begin < 0 ? -begin : 0,
                       begin + cols_ < end - x ? std::ptrdiff_t(cols_) : end - x - begin};
      };
      // Rows that are named often have sums of their own. Whether there are any is not asked before
      // so many rows were added.
      constexpr std::ptrdiff_t kMax = detail::kMaxInRow<Value>;
      std::ptrdiff_t added = 0;
      const std::ptrdiff_t next = ForEachNamed(
          0, first_row, last_row,
          [&](std::ptrdiff_t i, std::ptrdiff_t row) MSHADOW_INLINE_LAMBDA {
            const Columns part = columns(row);
            AddRow(to + part.begin, i, part);
            return ++added <= kMax;
          });
      if (added <= kMax) return;
      const detail::NamedRows named(
          last_row - first_row + 1, kMax, [&](const auto& name) MSHADOW_INLINE_LAMBDA {
            ForEachNamed(0, first_row, last_row,
                         [&](std::ptrdiff_t, std::ptrdiff_t row) MSHADOW_INLINE_LAMBDA {
                           name(row - first_row);
                           return true;
                         });
          });
      const bool any = !named.rows().empty();
      ForEachNamed(next, first_row, last_row,
                   [&](std::ptrdiff_t i, std::ptrdiff_t row) MSHADOW_INLINE_LAMBDA {
                     if (any && named.SlotOf(row - first_row) != 0) return true;
                     const Columns part = columns(row);
                     AddRow(to + part.begin, i, part);
                     return true;
                   });
      if (!any) return;
      detail::RowSums<Value> sums(&named, cols_);
      ForEachNamed(0, first_row, last_row,
                   [&](std::ptrdiff_t i, std::ptrdiff_t row) MSHADOW_INLINE_LAMBDA {
                     Value* const often = sums.Next(row - first_row);
                     if (often != nullptr) AddRow(often, i, columns(row));
                     return true;
                   });
      sums.ForEach([&](std::ptrdiff_t r, const auto* total) MSHADOW_INLINE_LAMBDA {
        const Columns part = columns(first_row + r);
        for (std::ptrdiff_t j = part.low; j < part.high; ++j) {
          to[part.begin + j] = static_cast<Value>(total[j]);
        }
      });
    }
    /// The columns [low, high) of a row that begins so many elements behind `to`.
    struct Columns {
      std::ptrdiff_t begin, low, high;
    };
    /// Calls f(i, row) for each row of the source from `begin` on whose index is in
    /// [first_row, last_row], until it returns false; returns the next i.
    template <typename F>
    MSHADOW_FORCE_INLINE std::ptrdiff_t ForEachNamed(std::ptrdiff_t begin, std::ptrdiff_t first_row,
                                                     std::ptrdiff_t last_row, const F& f) const {
      // Most of a long index names other rows: vectors tell whether any of a block does not.
      constexpr std::ptrdiff_t kBlock = 64;
      for (std::ptrdiff_t block = begin; block < src_rows_; block += kBlock) {
        const std::ptrdiff_t stop = block + kBlock < src_rows_ ? block + kBlock : src_rows_;
        std::ptrdiff_t named = 0;
        MSHADOW_IVDEP
        for (std::ptrdiff_t i = block; i < stop; ++i) {
          const std::ptrdiff_t row = detail::ToIndex(index_.Eval(i));
          named |= static_cast<std::ptrdiff_t>(row >= first_row) &
                   static_cast<std::ptrdiff_t>(row <= last_row);
        }
        for (std::ptrdiff_t i = block; named != 0 && i < stop; ++i) {
          const std::ptrdiff_t row = detail::ToIndex(index_.Eval(i));
          if (row >= first_row && row <= last_row && !f(i, row)) return i + 1;
        }
      }
      return src_rows_;
    }
    /// Adds these columns of row i of the source to `sums`.
    MSHADOW_FORCE_INLINE void AddRow(Value* sums, std::ptrdiff_t i, const Columns& part) const {
      InPieces(src_, i, part.low, part.high,
               [&](const auto& row, std::ptrdiff_t from, std::ptrdiff_t stop)
                   MSHADOW_INLINE_LAMBDA {
                     MSHADOW_IVDEP
                     for (std::ptrdiff_t j = from; j < stop; ++j) {
                       sums[j] = red::sum::Combine(sums[j], static_cast<Value>(row.Eval(j)));
                     }
                   });
    }
  };
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{RowOf(index_, 0), src_, y * cols_, src_rows_, cols_};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    for (; y < end_y; ++y, to += stride) Row(y).Write(to, x, end);
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t) const { return {0, 0, ReadsOf(src_)}; }

 private:
  Index index_;
  Src src_;
  std::ptrdiff_t src_rows_;
  FastDivmod cols_;
};

}  // namespace detail

/// As an operand it is computed before: in parts, each would read the whole index.
template <typename IndexExp, typename SrcExp, typename DType>
class Plan<TakeGradExp<IndexExp, SrcExp, DType>, DType>
    : public OperandPlan<detail::TakeGradPlan<IndexExp, SrcExp, DType>,
                         TakeGradExp<IndexExp, SrcExp, DType>, DType> {
 public:
  explicit Plan(const TakeGradExp<IndexExp, SrcExp, DType>& e) : Plan::OperandPlan(e) {}
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_TAKE_GRAD_H_
