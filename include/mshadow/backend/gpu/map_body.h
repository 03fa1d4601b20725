// SPDX-License-Identifier: Apache-2.0
// What one thread of a statement does, as functions of its index and the number of threads.
//
// They are host functions too, so that tests run every thread of a launch on the host.
#ifndef MSHADOW_BACKEND_GPU_MAP_BODY_H_
#define MSHADOW_BACKEND_GPU_MAP_BODY_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../core/fast_divmod.h"
#include "../../expr/plan/pack.h"
#include "../../expr/plan/plan.h"
#include "../../op/saver.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// OP in `dst = OP(dst, value)`; void of a saver that does not say.
template <typename Saver, typename = void>
struct SaverOp {
  using Type = void;
};
template <typename Saver>
struct SaverOp<Saver, std::void_t<typename Saver::OPType>> {
  using Type = typename Saver::OPType;
};

/// Counts rows and columns where none are more than kMaxNarrow: in 32 bits there is room for what
/// is counted beyond the last.
using NarrowIndex = std::int32_t;
constexpr std::ptrdiff_t kMaxNarrow = std::ptrdiff_t{1} << 28;

/// A row or a column as plans count them. Where 32 bits count it, the compiler sees so.
template <typename Index>
MSHADOW_XINLINE std::ptrdiff_t WideIndex(Index i) {
  if constexpr (sizeof(Index) == 4) {
#ifdef __CUDA_ARCH__
    __builtin_assume(i >= 0);
#endif
    return static_cast<std::ptrdiff_t>(static_cast<std::uint32_t>(i));
  } else {
    return i;
  }
}

/// Can several rows of the plans make one?
template <typename Dst, typename Src>
inline constexpr bool kMayJoinRows = expr::kMayJoin<Dst> && expr::kMayJoin<Src>;

/// Rows of less elements are taken together, where what is done with an element costs no more.
constexpr std::ptrdiff_t kMinWideRow = 16;
constexpr int kMaxNarrowRowsCost = 64;

/// dst(y, x) Saver= src(y, x) for all y < rows, x < cols, where `join` rows of the plans make one
/// row of this grid.
///
/// A row is cut at the 16-byte boundaries of the destination: packs, of which each thread loads
/// kUnroll of every operand before it stores the first, and single elements in front of and behind
/// them. So a thread has many bytes in flight, which is what fills the memory of new cards, and no
/// odd column turns the statement to single elements; only operands that are shifted against the
/// destination do, in rows where they are.
///
/// IndexType counts rows and columns, in 32 bits where they suffice: a GPU has no registers of 64.
template <typename Saver, typename DType, typename Dst, typename Src,
          typename IndexType = std::ptrdiff_t>
struct MapBody {
  using Index = IndexType;
  Dst dst;
  Src src;
  Index rows, cols;
  std::ptrdiff_t join;

  using To = std::decay_t<expr::RowCursor<Dst>>;
  using From = std::decay_t<expr::RowCursor<Src>>;
  static constexpr bool kPacked = sizeof(DType) < 16 && expr::detail::HasPointer<To>::value &&
                                  expr::kPacksOf<From>;
  /// Elements of a pack.
  static constexpr int kWidth = kPacked ? 16 / static_cast<int>(sizeof(DType)) : 1;
  /// Packs that a thread loads before it stores.
  static constexpr int kUnroll = 4;
  /// What one row gives the threads along x to do, and how much of it a thread takes: single
  /// elements are those of plans whose rows cost divisions, which many share where there are many.
  MSHADOW_XINLINE std::ptrdiff_t PacksOfRow() const { return (cols + kWidth - 1) / kWidth; }
  MSHADOW_XINLINE int UnitsOfThread() const {
    constexpr std::ptrdiff_t kManyElements = std::ptrdiff_t{1} << 22;
    return kWidth == 1 && cols >= kManyElements / rows ? 4 * kUnroll : kUnroll;
  }

  /// Thread (tx, ty) of nx x ny.
  MSHADOW_XINLINE void operator()(Index tx, Index nx, Index ty, Index ny) const {
    for (Index y = ty; y < rows; y += ny) {
      To to = expr::RowOf(dst, RowAt(y));
      const From from = expr::RowOf(src, RowAt(y));
      if constexpr (kWidth > 1) {
        // All threads of a row take the same way.
        const Index head = PackedFrom<kWidth>(to, from);
        if (head < cols) {
          PackedRow<kWidth>(&to, from, head, tx, nx);
          continue;
        }
      }
      Packs<1>(&to, from, 0, cols, tx, nx);
    }
  }

  /// Where the packs of W of row y begin; `cols` where there are none.
  template <int W>
  MSHADOW_XINLINE Index PackedFrom(Index y) const {
    return PackedFrom<W>(expr::RowOf(dst, RowAt(y)), expr::RowOf(src, RowAt(y)));
  }
  /// Row y, in packs of W from `head` on, or in single elements: the part of thread tx of nx, which
  /// depends on nothing else.
  template <int W>
  MSHADOW_XINLINE void Row(Index y, Index head, Index tx, Index nx) const {
    To to = expr::RowOf(dst, RowAt(y));
    const From from = expr::RowOf(src, RowAt(y));
    if constexpr (W > 1) {
      PackedRow<W>(&to, from, head, tx, nx);
    } else {
      Packs<1>(&to, from, 0, cols, tx, nx);
    }
  }

 private:
  static constexpr bool kReadsDst = !std::is_same_v<Saver, sv::saveto>;

  MSHADOW_XINLINE std::ptrdiff_t RowAt(Index y) const {
    return kMayJoinRows<Dst, Src> ? WideIndex(y) * join : WideIndex(y);
  }

  template <int W>
  MSHADOW_XINLINE Index PackedFrom(const To& to, const From& from) const {
    const Index head = Head<W>(to);
    return head < cols && expr::PacksAligned<W>(from, head) ? head : cols;
  }
  /// Elements in front of the first whole pack.
  template <int W>
  MSHADOW_XINLINE Index Head(const To& to) const {
    constexpr Index kBytes = W * sizeof(DType);
    const Index past = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to.Pointer(0)) % kBytes);
    const Index head = (kBytes - past) % kBytes / static_cast<Index>(sizeof(DType));
    return head < cols ? head : cols;
  }

  /// This thread's part of a row, in packs of W from `head` on.
  template <int W>
  MSHADOW_XINLINE void PackedRow(To* to, const From& from, Index head, Index tx, Index nx) const {
    const Index packs = (cols - head) / W;
    Packs<W>(to, from, head, packs, tx, nx);
    const Index end = head + packs * W;
    for (Index i = tx; i < head + cols - end; i += nx) {
      const Index x = i < head ? i : end + i - head;
      Saver::template Save<DType>(to->REval(WideIndex(x)), from.Eval(WideIndex(x)));
    }
  }

  /// This thread's part of `count` packs of W from element `first` on.
  template <int W>
  MSHADOW_XINLINE static void Packs(To* to, const From& from, Index first, Index count, Index tx,
                                    Index nx) {
    if (count <= nx) {
      if (tx < count) Unrolled<W, 1>(to, from, first, tx, 0, count);
      return;
    }
    for (Index p = tx; p < count; p += kUnroll * nx) {
      Unrolled<W, kUnroll>(to, from, first, p, nx, count);
    }
  }

  /// The packs p, p + step, .. that are less than `count`: U at a time without a branch, so that
  /// all loads come before all that waits. Beyond the last one it is loaded again, and not stored.
  template <int W, int U>
  MSHADOW_XINLINE static void Unrolled(To* to, const From& from, Index first, Index p, Index step,
                                       Index count) {
    std::ptrdiff_t x[U];
    for (int u = 0; u < U; ++u) {
      const Index pack = p + u * step, last = count - 1;
      x[u] = WideIndex(first + (u == 0 || pack < last ? pack : last) * W);
    }
    if constexpr (W == 1) {
      DType value[U];
      expr::EvalEach(from, x, value);
      for (int u = 0; u < U; ++u) {
        if (u > 0 && p + u * step >= count) return;
        Saver::template Save<DType>(to->REval(x[u]), value[u]);
      }
    } else {
      expr::Pack<DType, W> value[U];
      for (int u = 0; u < U; ++u) value[u] = expr::EvalPack<W>(from, x[u]);
      expr::Pack<DType, W>* at[U];
      for (int u = 0; u < U; ++u) {
        at[u] = reinterpret_cast<expr::Pack<DType, W>*>(&to->REval(x[u]));
      }
      if constexpr (kReadsDst) {
        expr::Pack<DType, W> old[U];
        for (int u = 0; u < U; ++u) old[u] = expr::LoadPack(at[u]);
        for (int u = 0; u < U; ++u) value[u] = Saved(old[u], value[u]);
      }
      for (int u = 0; u < U; ++u) {
        if (u > 0 && p + u * step >= count) return;
        expr::StorePack(at[u], value[u]);
      }
    }
  }

  /// What is stored where `old` was and `value` comes.
  template <int W>
  MSHADOW_XINLINE static expr::Pack<DType, W> Saved(expr::Pack<DType, W> old,
                                                    const expr::Pack<DType, W>& value) {
    using OP = typename SaverOp<Saver>::Type;
    if constexpr (op::kMapsPairs<OP>) {
      return expr::MapPack<OP, DType, W>(old, value);
    } else {
      for (int i = 0; i < W; ++i) Saver::template Save<DType>(old.item[i], value.item[i]);
      return old;
    }
  }
};

/// The same where rows are of few elements: threads take elements in row-major order, whatever row
/// they are of, so that none idles at the end of a row.
template <typename Saver, typename DType, typename Dst, typename Src>
struct NarrowRowsBody {
  using Index = NarrowIndex;
  /// Elements that a thread loads before it stores, each of another row.
  static constexpr int kUnroll = 4;
  /// The threads of a launch are one row of threads.
  static constexpr Index rows = 1;
  Dst dst;
  Src src;
  FastDivmod width;
  std::ptrdiff_t join;
  Index count;  // elements

  MSHADOW_XINLINE std::ptrdiff_t PacksOfRow() const { return count; }
  MSHADOW_XINLINE int UnitsOfThread() const { return kUnroll; }

  /// Thread (tx, ty) of nx columns of threads: the first row of them does it all.
  MSHADOW_XINLINE void operator()(Index tx, Index nx, Index ty, Index) const {
    if (ty > 0) return;
    for (Index i = tx; i < count; i += kUnroll * nx) {
      DivModResult at[kUnroll];
      DType value[kUnroll];
      for (int u = 0; u < kUnroll; ++u) {
        const Index last = count - 1, next = i + u * nx;
        at[u] = DivMod(WideIndex(next < last ? next : last), width);
        if (kMayJoinRows<Dst, Src>) at[u].quot *= join;
        value[u] = expr::RowOf(src, at[u].quot).Eval(at[u].rem);
      }
      for (int u = 0; u < kUnroll && i + u * nx < count; ++u) {
        auto to = expr::RowOf(dst, at[u].quot);
        Saver::template Save<DType>(to.REval(at[u].rem), value[u]);
      }
    }
  }
};

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_MAP_BODY_H_
