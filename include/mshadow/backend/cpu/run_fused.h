// SPDX-License-Identifier: Apache-2.0
// Statements of one Fuse as one loop. Where they run in turn on parts, each loads what others have
// loaded or stored; in one loop the processor does that while it computes a function of another
// statement.
#ifndef MSHADOW_BACKEND_CPU_RUN_FUSED_H_
#define MSHADOW_BACKEND_CPU_RUN_FUSED_H_

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../../expr/fuse.h"
#include "run.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Elements of one statement between those of the others: so few that the processor looks ahead
/// beyond them, so many that what is around them takes less time than they do. (16: 1.6 of the
/// hand-written loop, for want of registers that hold all pointers; 64: 1.2; 128: 1.3. Zen 4.)
constexpr std::ptrdiff_t kFusedLanes = 64;

template <typename S>
struct FusedRow {
  using DType = typename S::DType;
  using Cursor = typename expr::detail::Described<typename S::Source>::Cursor;
  DType* to_;
  Cursor from_;
  MSHADOW_FORCE_INLINE void Lanes(std::ptrdiff_t x) const {
    MSHADOW_SIMD_LOOP
    for (std::ptrdiff_t k = 0; k < kFusedLanes; ++k) {
      S::Saver::template Save<DType>(to_[x + k], from_.Eval(x + k));
    }
  }
};

/// The loop of statements over a row. `in`: the operands of all of them.
template <typename... S>
struct FusedKernel {
  template <int statement>
  static constexpr int Before() {
    constexpr int kCounts[] = {expr::detail::Described<typename S::Source>::kCount...};
    int count = 0;
    for (int i = 0; i < statement; ++i) count += kCounts[i];
    return count;
  }
  template <typename... Rows>
  MSHADOW_FORCE_INLINE static void Loop(std::ptrdiff_t n, const Rows... row) {
    for (std::ptrdiff_t x = 0; x < n; x += kFusedLanes) (row.Lanes(x), ...);
  }
  template <std::size_t... i>
  MSHADOW_FORCE_INLINE static void RunOf(char* const* to, const char* const* in, std::ptrdiff_t n,
                                         std::index_sequence<i...>) {
    Loop(n, FusedRow<S>{reinterpret_cast<typename S::DType*>(to[i]),
                        expr::detail::CursorOfRows<typename FusedRow<S>::Cursor>::template Row<
                            Before<static_cast<int>(i)>()>(in)}...);
  }
  /// n is a multiple of kFusedLanes.
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(char* const* to, const char* const* in, std::ptrdiff_t n) {
    RunOf(to, in, n, std::index_sequence_for<S...>());
  }
};
using FusedLoop = void (*)(char* const* to, const char* const* in, std::ptrdiff_t n);

/// A statement of tensors and values alone.
struct FusedStatement {
  const StatementTable* table;
  LeafRef to;
  const LeafRef* leaves;
  bool is_let;  ///< its result lives in a buffer
};
/// Runs them as one loop if all rows are equally far apart and no statement reads another element
/// than its own of what one writes. False: not done.
bool RunFused(const ThreadTeam& team, const FusedLoop* forms, const FusedStatement* statements,
              int count);

#if MSHADOW_SHARED_BODIES
constexpr int kMostFused = 16, kMostFusedOperands = 64;

/// Where the results and operands of all statements lie: in memory, as the same value for all
/// elements, or in the buffer of a Let.
struct FusedMemory {
  struct Place {
    char* at;
    int size;  ///< of an element; 0: of a value
    int let;   ///< the number of the buffer, or -1
  };
  Place to[kMostFused], in[kMostFusedOperands];
  int operands = 0, lets = 0;
  std::ptrdiff_t stride = -1;  ///< from row to row

  /// False: too many, or elements of several sizes or rows of several strides, or a statement reads
  /// another element than its own of what one writes.
  bool Take(const FusedStatement* s, int count, std::ptrdiff_t rows, std::ptrdiff_t cols) {
    if (count > kMostFused) return false;
    std::uintptr_t written[kMostFused], read[kMostFusedOperands];
    const char* let_at[kMostFused];
    int writes = 0, reads = 0;
    const int size = s->table->size;
    bool fits = true;
    const auto has_stride = [&](const LeafRef& leaf) {
      if (stride < 0) stride = rows == 1 ? cols : leaf.stride;
      return rows == 1 || leaf.stride == stride;
    };
    for (int i = 0; i < count; ++i, ++s) {
      const StatementTable& t = *s->table;
      if (operands + t.count > kMostFusedOperands) return false;
      for (int k = 0; k < t.count; ++k) {
        const LeafRef& leaf = s->leaves[k];
        Place& place = in[operands++];
        place = {const_cast<char*>(leaf.at), 0, -1};
        if (leaf.shape == nullptr) continue;
        place.size = t.sizes[k];
        for (int j = 0; j < lets; ++j) place.let = let_at[j] == leaf.at ? j : place.let;
        if (place.let >= 0) continue;
        fits &= has_stride(leaf) && place.size == size;
        read[reads++] = reinterpret_cast<std::uintptr_t>(leaf.at);
      }
      to[i] = {const_cast<char*>(s->to.at), t.size, s->is_let ? lets : -1};
      if (s->is_let) {
        let_at[lets++] = s->to.at;
        continue;
      }
      for (int j = 0; j < lets; ++j) fits &= let_at[j] != s->to.at;
      fits &= has_stride(s->to) && t.size == size;
      written[writes++] = reinterpret_cast<std::uintptr_t>(s->to.at);
    }
    // Without branches: it takes as long as a hundred elements. True if |a - b| is 1 to bytes - 1.
    const auto bytes = static_cast<std::uintptr_t>(((rows - 1) * stride + cols) * size);
    const auto meets = [bytes](std::uintptr_t a, std::uintptr_t b) {
      return (a - b + bytes - 1 < 2 * bytes - 1) & (a != b);
    };
    for (int i = 0; i < writes; ++i) {
      bool meet = false;
      for (int k = 0; k < i; ++k) meet |= meets(written[i], written[k]);
      for (int k = 0; k < reads; ++k) meet |= meets(written[i], read[k]);
      fits &= !meet;
    }
    return fits;
  }
};

MSHADOW_NOINLINE MSHADOW_SHARED bool RunFused(const ThreadTeam& team, const FusedLoop* forms,
                                              const FusedStatement* s, int count) {
  const int last = s->table->dim - 1;
  std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(s->to.shape[last]);
  std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(CheckedProduct(s->to.shape, 0, last));
  FusedMemory memory;
  if (rows * cols < kFusedLanes || !memory.Take(s, count, rows, cols)) return false;
  if (memory.stride == cols) {
    cols *= rows;
    rows = 1;
  }
  if (cols < kFusedLanes) return false;
  constexpr std::ptrdiff_t kBuffered = 2048, kMostBytes = 8;  // elements of all buffers
  int shift = 10;
  while ((memory.lets << shift) > kBuffered) --shift;
  const std::ptrdiff_t part = std::ptrdiff_t{1} << shift, pitch = (part + kFusedLanes) * kMostBytes;
  std::ptrdiff_t grain = kGrainCost / kMinCost;
  for (int i = 0; i < count; ++i) {
    if (s[i].table->grain < grain) grain = s[i].table->grain;
  }
  // The last part of a row is longer where the rest is short.
  const std::ptrdiff_t parts = (cols + part - kFusedLanes) >> shift;
  const simd::Isa isa = simd::ActiveIsa();
  const auto run = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    alignas(simd::kLineBytes) char buffers[(kBuffered + kMostFused * kFusedLanes) * kMostBytes];
    char* to[kMostFused];
    const char* in[kMostFusedOperands];
    for (; begin < end; ++begin) {
      const std::ptrdiff_t row = rows == 1 ? 0 : begin / parts, i = begin - row * parts;
      const std::ptrdiff_t m = i + 1 == parts ? cols - (i << shift) : part;
      const std::ptrdiff_t first = row * memory.stride + (i << shift);
      const auto at = [&](const FusedMemory::Place& place) {
        return place.let < 0 ? place.at + first * place.size : buffers + place.let * pitch;
      };
      for (int k = 0; k < count; ++k) to[k] = at(memory.to[k]);
      for (int k = 0; k < memory.operands; ++k) in[k] = at(memory.in[k]);
      // The rest by the loops of single statements, which take a vector or more.
      std::ptrdiff_t rest = m % kFusedLanes;
      if (rest != 0 && rest < kVector) rest += kFusedLanes;
      const std::ptrdiff_t whole = m - rest;
      if (whole != 0) forms[static_cast<int>(isa)](to, in, whole);
      if (rest == 0) continue;
      for (int k = 0; k < memory.operands; ++k) in[k] += whole * memory.in[k].size;
      const char* const* operands = in;
      for (int k = 0; k < count; operands += s[k++].table->count) {
        const StatementTable& t = *s[k].table;
        char* const out = to[k] + whole * t.size;
        if (t.forms == nullptr) {
          std::memcpy(out, operands[0], static_cast<std::size_t>(rest * t.size));
        } else {
          t.forms[static_cast<int>(isa)](out, operands, rest);
        }
      }
    }
  };
  team.ParallelRanges(rows * parts, grain / (cols / parts) + 1, run);
  return true;
}
#endif  // MSHADOW_SHARED_BODIES

/// The operands of a statement, in memory while it runs.
template <typename S>
struct FusedLeaves {
  LeafRef to, leaves[expr::detail::Described<typename S::Source>::kCount];
  MSHADOW_FORCE_INLINE explicit FusedLeaves(const S& s) {
    expr::detail::Described<typename S::Target>::Put(s.dst(), &to);
    expr::detail::Described<typename S::Source>::Put(s.exp(), leaves);
  }
  MSHADOW_FORCE_INLINE FusedStatement Statement() const {
    using Table = TableOf<typename S::Saver, typename S::DType, typename S::Source, S::kDim>;
    return {&Table::kTable, to, leaves, S::kIsLet};
  }
};
/// True if S is a statement of tensors and values alone. (16-bit floats are computed in float, by
/// loops of their own.)
template <typename S>
constexpr bool MayFuse() {
  using R = typename S::Target;
  using E = typename S::Source;
  if constexpr (expr::detail::IsPlainStatement<cpu, R, E>()) {
    return !kSavesLanes<typename S::Saver, typename S::DType,
                        typename expr::detail::Described<E>::Cursor>;
  } else {
    return false;
  }
}
template <typename... S>
bool RunAsOne(const S&... statements) {
  if constexpr ((MayFuse<S>() && ...)) {
    const auto run = [](const auto&... leaves) {
      const FusedStatement list[] = {leaves.Statement()...};
      return RunFused(kThreadTeam, simd::kForms<FusedKernel<S...>, FusedLoop>, list, sizeof...(S));
    };
    return run(FusedLeaves<S>(statements)...);
  } else {
    return false;
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_RUN_FUSED_H_
