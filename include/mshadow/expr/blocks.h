// SPDX-License-Identifier: Apache-2.0
// Operands that are computed aside, a block of rows at a time, and then read like memory. So a
// statement compiles one loop for each such operand and one that combines them, where the variants
// of all operands' cursors inside each other would be a product.
#ifndef MSHADOW_EXPR_BLOCKS_H_
#define MSHADOW_EXPR_BLOCKS_H_

#include <cstddef>

#include "../core/fast_divmod.h"
#include "plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// A block of elements in memory, as the plan that they are part of: row y_ + k step_ of that plan
/// is row k of the block, and column x_ its column 0.
template <typename DType>
struct BlockPlan {
  static constexpr PlanFacts kFacts{sizeof(DType) / 2, 1, Access::kSame};
  struct Cursor {
    DType* block_;
    std::ptrdiff_t x_;
    MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const { return block_[x - x_]; }
    MSHADOW_XINLINE DType& REval(std::ptrdiff_t x) { return block_[x - x_]; }
    MSHADOW_XINLINE const DType* Pointer(std::ptrdiff_t x) const { return block_ + (x - x_); }
  };
  DType* block_;
  std::ptrdiff_t stride_, y_, x_;
  FastDivmod step_;
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t y) const {
    return Cursor{block_ + FloorDiv(y - y_, step_) * stride_, x_};
  }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return {stride_ == cols && step_ == 1 ? 0 : 1};
  }
  /// The distance of rows where step_ is 1.
  MSHADOW_XINLINE std::ptrdiff_t RowStride() const { return stride_; }
};

template <typename P, typename = void>
struct IsMap : std::false_type {};
template <typename P>
struct IsMap<P, std::void_t<decltype(P::kIsMap)>> : std::bool_constant<P::kIsMap> {};

/// Which operands of a plan are to be computed aside: as a map says of its own, one where the plan
/// is no map.
template <typename P, bool map = IsMap<P>::value>
struct AsideOf {
  static constexpr int kFills = kFillsOf<P> == Fills::kBlocks;
  static constexpr int kVariants = kFills == 0 && kSpecializesOf<RunCursor<RowCursor<P>>>;
  static constexpr int kParts = kFills + kVariants;
  static constexpr std::size_t kBytes = kParts > 0 ? sizeof(ElementOfPlan<P>) : 0;
};
template <typename P>
struct AsideOf<P, true> : P::Aside {};

/// The operands of a map, taken together. Variants are worth it from the third on: those of one and
/// two are compiled into the loop, which is up to twice as fast for long rows.
template <typename... Srcs>
struct AsideOfAll {
  static constexpr int kFills = (0 + ... + AsideOf<Srcs>::kFills);
  static constexpr int kVariants = (0 + ... + AsideOf<Srcs>::kVariants);
  static constexpr int kParts = kFills + kVariants;
  static constexpr std::size_t kBytes = [] {
    const std::size_t bytes[] = {0, AsideOf<Srcs>::kBytes...};
    std::size_t most = 0;
    for (std::size_t b : bytes) most = b > most ? b : most;
    return most;
  }();
  static constexpr bool kWorth = kFills > 0 || kVariants > 2;
};

/// True if P is a map with operands that are to be computed aside.
template <typename P>
constexpr bool HasAside() {
  if constexpr (IsMap<P>::value) {
    return P::Aside::kWorth;
  } else {
    return false;
  }
}

/// `plan` with f(operand) in the place of each operand that is to be computed aside.
template <typename P, typename F>
inline auto WithAside(const P& plan, const F& f) {
  if constexpr (AsideOf<P>::kParts == 0) {
    return plan;
  } else if constexpr (IsMap<P>::value) {
    return plan.WithAside(f);
  } else {
    return f(plan);
  }
}

/// to[(v - y) * stride + u - x] = element (v, u) of `map`, which HasAside, for v in [y, end_y) and
/// u in [x, end). Defined in backend/cpu/executor.h: it is a statement.
template <typename Map, typename DType>
void FillFromMap(const Map& map, DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end);

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_BLOCKS_H_
