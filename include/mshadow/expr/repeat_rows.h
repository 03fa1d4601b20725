// SPDX-License-Identifier: Apache-2.0
// Plans all of whose rows are the same, as a bias that is added to each row, with several of these
// rows in one: to begin a short row takes longer than to compute its elements.
//
// A plan whose facts say `repeats` has
//
//   bool RepeatRows(std::ptrdiff_t n, std::ptrdiff_t cols, detail::RowStore* store)
//       makes row y of the plan its rows [n y, n y + n), of `cols` elements each; what has to be
//       written for it is in *store. false where it cannot: the plan is of no more use then
#ifndef MSHADOW_EXPR_REPEAT_ROWS_H_
#define MSHADOW_EXPR_REPEAT_ROWS_H_

#include <cstddef>
#include <cstring>

#include "plan.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

namespace detail {

template <typename P, typename = void>
struct HasMoveTo : std::false_type {};
template <typename P>
struct HasMoveTo<P, std::void_t<decltype(std::declval<P&>().MoveTo(nullptr))>> : std::true_type {};

/// Rows that are repeated, of at most four operands.
class RowStore {
 public:
  static constexpr std::ptrdiff_t kRowBytes = 4096;
  /// The `cols` elements from `row` on, n times; null where there is no room.
  template <typename DType>
  DType* Repeat(const DType* row, std::ptrdiff_t n, std::ptrdiff_t cols) {
    const std::size_t once = static_cast<std::size_t>(cols) * sizeof(DType);
    const std::size_t bytes = static_cast<std::size_t>(n) * once;
    if (bytes > sizeof(room_) - used_) return nullptr;
    unsigned char* const to = room_ + used_;
    used_ += (bytes + 63) & ~std::size_t{63};
    std::memcpy(to, row, once);
    for (std::size_t done = once; done < bytes; done *= 2) {
      std::memcpy(to + done, to, done < bytes - done ? done : bytes - done);
    }
    return reinterpret_cast<DType*>(to);
  }

 private:
  alignas(64) unsigned char room_[4 * kRowBytes];
  std::size_t used_ = 0;
};

}  // namespace detail

/// Does a plan have parts all of whose rows are the same, and can make several of these one?
template <typename P>
inline constexpr bool kRepeatsOf = kFactsOf<P>.repeats;
/// Is a plan one of rows in memory, which may be elsewhere?
template <typename P>
inline constexpr bool kHasMoveTo = detail::HasMoveTo<P>::value;

/// The facts of a plan of few elements of `Src`, again and again.
template <typename Src>
constexpr PlanFacts BroadcastFacts(int cost) {
  PlanFacts facts = FactsOver<Access::kRows, Src>(cost);
  facts.operands = 0;
  facts.repeats = kHasMoveTo<Src>;
  return facts;
}

/// Makes n rows of a plan one: its RepeatRows, or nothing where its rows can be joined as they are.
template <typename P>
inline bool RepeatRows(P* plan, [[maybe_unused]] std::ptrdiff_t n, std::ptrdiff_t cols,
                       [[maybe_unused]] detail::RowStore* store) {
  if constexpr (kRepeatsOf<P>) {
    return plan->RepeatRows(n, cols, store);
  } else {
    return IsFlat(*plan, cols);
  }
}
/// The same of a plan over memory whose row 0 is each of its user's rows.
template <typename P>
inline bool RepeatRowZero(P* plan, std::ptrdiff_t n, std::ptrdiff_t cols, detail::RowStore* store) {
  auto* const row = store->Repeat(RowOf(*plan, 0).Pointer(0), n, cols);
  if (row != nullptr) plan->MoveTo(row);
  return row != nullptr;
}

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_REPEAT_ROWS_H_
