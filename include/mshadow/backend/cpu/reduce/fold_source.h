// SPDX-License-Identifier: Apache-2.0
// What a reduction reads, without its type: memory, a described statement, or a plan, of which
// blocks are computed.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_FOLD_SOURCE_H_
#define MSHADOW_BACKEND_CPU_REDUCE_FOLD_SOURCE_H_

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "../../../core/axis_groups.h"
#include "../../../expr/fold_operand.h"
#include "../../../expr/plan/plan.h"
#include "../../../simd/cache.h"
#include "../executor.h"
#include "../run.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Element (r, i) is element (y + r * step, x + r * step_x + i); r < rows, i < cols.
struct SourceBlock {
  std::ptrdiff_t y, step, x, step_x, rows, cols;
};

struct FoldSource {
  expr::AxisGroups groups;
  std::ptrdiff_t join;  ///< expr::FlatRows
  int cost;
  simd::Isa isa;
  /// Where element (0, 0) is, and the bytes between rows; null: not in memory.
  const char* memory;
  std::ptrdiff_t stride;
  /// Otherwise what is computed: a plan, by `fill`; or a statement, all of whose elements are in
  /// row 0, by `compute`.
  const void* plan = nullptr;
  FillFunction fill = nullptr;
  void (*compute)(const void* statement, const SourceBlock& block, char* to) = nullptr;

  /// Computes a block of elements of `size` bytes, row after row.
  MSHADOW_COLD void Fill(const SourceBlock& b, int size, char* to) const {
    if (compute != nullptr) return compute(plan, b, to);
    const bool is_one = b.step == 1 && b.step_x == 0;
    const std::ptrdiff_t n = is_one ? b.rows : 1, pitch = b.cols * size;
    for (std::ptrdiff_t r = 0; r < b.rows; r += n) {
      fill(plan, to + r * pitch, pitch, b.y + r * b.step, n, b.x + r * b.step_x, b.cols);
    }
  }
  /// to[i] = element (y, x + i), or with a step element (y + i * step, x); i < n.
  void Read(std::ptrdiff_t y, std::ptrdiff_t step, std::ptrdiff_t x, std::ptrdiff_t n, int size,
            char* to) const {
    const std::ptrdiff_t row = join == 0 ? groups.cols : 0;  // all in row 0
    const std::ptrdiff_t rows = step == 0 ? 1 : n, cols = step == 0 ? n : 1;
    if (memory == nullptr) {
      return Fill(row == 0 ? SourceBlock{y, step, x, 0, rows, cols}
                           : SourceBlock{0, 0, y * row + x, step * row, rows, cols},
                  size, to);
    }
    const std::ptrdiff_t pitch = row == 0 ? stride : row * size;
    for (std::ptrdiff_t r = 0; r < rows; ++r, to += cols * size) {
      std::memcpy(to, memory + (y + r * step) * pitch + x * size, std::size_t(cols * size));
    }
  }
  /// In memory, rows that follow each other are one.
  MSHADOW_NOINLINE void JoinRows(bool turns, int size) {
    if (stride == groups.cols * size || groups.Elements() == groups.cols) {
      join = 0;
      groups.cols = groups.inner;
      if (turns) groups.DropInner();
    }
    ChooseIsa(1, size);
  }
  /// For sources of which an element costs little: what is read comes from memory.
  void ChooseIsa(std::ptrdiff_t reads, int size) {
    const std::ptrdiff_t elements = groups.Elements();
    isa = simd::IsaForMemory(std::size_t(elements * reads * size),
                             ThreadsFor(elements, kGrainCost / kMinCost));
  }
};

/// The most bytes of a block that is computed.
constexpr std::ptrdiff_t kFoldBuffer = 8192;

/// FoldSourceOf<In, Src>: the source of a reduction of elements of type In. This one is a plan.
/// turns: the groups may become others, of axes in another order; numbers: Kind::kNumbers.
template <typename In, typename Src, typename = void>
class FoldSourceOf {
 public:
  FoldSourceOf(const Src& src, const expr::AxisGroups& groups, bool, bool)
      : source_{groups, expr::FlatRows(src, groups.cols), 1 + expr::kCostOf<Src>,
                simd::ActiveIsa(), nullptr, 0, &src, expr::detail::FillBox<Src, In>} {
    if constexpr (expr::kCostOf<Src> < kExpensiveCost && !expr::kTransposedOf<Src>) {
      source_.ChooseIsa(expr::ReadsOf(src), sizeof(In));
    }
  }
  const FoldSource& source() const { return source_; }

 private:
  FoldSource source_;
};

inline namespace MSHADOW_THREADS_NAMESPACE {

/// The axes of a described statement, in the order in which a reduction reads them.
struct FoldAxes {
  std::ptrdiff_t extent[kMaxAxes];
  int dim;
  unsigned reduced = 0;  // bit i: axis i

  /// operands: [0] a result whose elements follow each other, which has no memory.
  FoldAxes(const StatementTable& t, const index_t* shape, const expr::AxisGroups& groups,
           OperandView* operands, bool turns, bool numbers)
      : dim(t.dim) {
    const bool empty = groups.Elements() == 0;
    for (int i = 0; i < dim; ++i) extent[i] = empty ? 1 : static_cast<std::ptrdiff_t>(shape[i]);
    if (turns) {
      FindReduced(groups);
      Turn(t, operands, numbers);
    }
    operands[0] = {nullptr, {}, nullptr, t.size};
    std::ptrdiff_t stride = t.size;
    for (int i = dim - 1; i >= 0; --i) {
      operands[0].stride[i] = stride;
      stride *= extent[i];
    }
  }

 private:
  void FindReduced(const expr::AxisGroups& groups) {
    bool kind = groups.rows;
    std::ptrdiff_t left = groups.inner;
    for (int i = dim - 1, g = -1; i >= 0; --i) {
      if (extent[i] == 1) continue;
      for (; left == 1; ++g, kind = !kind) left = g < 0 ? groups.middle : groups.extent[g];
      reduced |= unsigned{kind} << i;
      left /= extent[i];
    }
  }
  /// Moves the axes to where the first tensor has them in memory, if all tensors have the last axis
  /// there then. Kept axes stay in their order; so do reduced ones, if their elements have numbers.
  void Turn(const StatementTable& t, OperandView* operands, bool numbers) {
    int first = 1;
    while (first < t.count && operands[first].size == 0) ++first;
    const OperandView& tensor = operands[first];
    int axis[kMaxAxes];
    bool turned = false;
    for (int i = 0; i < dim; ++i) {
      axis[i] = i;
      for (int j = i; j > 0 && MayTurn(axis[j - 1], axis[j], tensor, numbers); --j) {
        std::swap(axis[j - 1], axis[j]);
        turned = true;
      }
    }
    for (int k = 1; turned && k <= t.count; ++k) {
      turned = operands[k].size == 0 || operands[k].stride[axis[dim - 1]] == operands[k].size;
    }
    if (!turned) return;
    expr::detail::OperandViews(operands + 1, t.count).Permute(axis, dim);
    const FoldAxes old = *this;
    reduced = 0;
    for (int i = 0; i < dim; ++i) {
      extent[i] = old.extent[axis[i]];
      reduced |= (old.reduced >> axis[i] & 1) << i;
    }
  }
  bool MayTurn(int a, int b, const OperandView& tensor, bool numbers) const {
    if (extent[a] == 1 || extent[b] == 1) return extent[b] == 1 && extent[a] != 1;
    const bool is_reduced = (reduced >> a & 1) != 0, both = is_reduced == ((reduced >> b & 1) != 0);
    return tensor.stride[b] > tensor.stride[a] && (!both || (is_reduced && !numbers));
  }
};

/// A described statement as a source.
class FoldStatement {
 public:
  /// moved: there are views.
  FoldStatement(const StatementTable& t, const index_t* shape, const expr::AxisGroups& groups,
                OperandView* operands, int cost, bool moved, bool turns, bool numbers)
      : axes_(t, shape, groups, operands, moved && turns, numbers),
        statement_(kThreadTeam, t, axes_.extent, axes_.dim, operands, true),
        source_{groups, 0, cost, simd::ActiveIsa(), nullptr, 0, &statement_, nullptr, Compute} {
    expr::AxisGroups& own = source_.groups;
    const bool empty = own.Elements() == 0;
    if (moved && turns && !empty) {
      own = expr::AxisGroupsOf(axes_.extent, axes_.dim, axes_.reduced);
    } else if (turns) {
      own.DropInner();
    }
    own.cols = own.inner;
    if (t.light) source_.ChooseIsa(t.tensors, t.size);
    if (t.forms != nullptr || empty || !statement_.IsOfRows(&source_.stride)) return;
    const std::ptrdiff_t cols = statement_.cols();
    if (statement_.rows() == 1) {
      source_.memory = operands[1].base;
    } else if (own.inner % cols == 0) {
      source_.memory = operands[1].base;
      source_.join = 1;
      own.cols = cols;
    }
  }
  FoldStatement(const FoldStatement&) = delete;
  const FoldSource& source() const { return source_; }

 private:
  static void Compute(const void* statement, const SourceBlock& b, char* to) {
    static_cast<const BoxedStatement*>(statement)->Compute(b.x, b.step_x, b.rows, b.cols, to);
  }
  const FoldAxes axes_;
  const BoxedStatement statement_;
  FoldSource source_;
};

}  // namespace MSHADOW_THREADS_NAMESPACE

/// True if E is a tensor, or computed into one first.
template <typename In, typename E>
inline constexpr bool kIsTensor =
    expr::detail::Described<E>::kPlain && expr::detail::Described<E>::kTensors == 1 &&
    std::is_same_v<typename expr::detail::Described<E>::Cursor, expr::detail::VectorCursor<In>>;

template <typename In, typename E, bool owns>
class FoldSourceOf<In, expr::detail::FoldOperand<E, owns>, std::enable_if_t<kIsTensor<In, E>>> {
 public:
  FoldSourceOf(const expr::detail::FoldOperand<E, owns>& src, const expr::AxisGroups& groups,
               bool turns, bool) {
    LeafRef tensor;
    expr::detail::Described<E>::Put(src.exp, &tensor);
    source_ = {groups, 1, 1 + expr::detail::Described<E>::kCost, simd::ActiveIsa(), tensor.at,
               tensor.stride * std::ptrdiff_t{sizeof(In)}};
    source_.JoinRows(turns, sizeof(In));
  }
  const FoldSource& source() const { return source_; }

 private:
  FoldSource source_;
};

template <typename In, typename E, bool owns>
class FoldSourceOf<In, expr::detail::FoldOperand<E, owns>, std::enable_if_t<!kIsTensor<In, E>>> {
  using D = expr::detail::Described<E>;
  static constexpr int kDim = expr::ExpInfo<E>::kDim;

 public:
  FoldSourceOf(const expr::detail::FoldOperand<E, owns>& src, const expr::AxisGroups& groups,
               bool turns, bool numbers)
      : statement_(TableOf<sv::saveto, In, E, kDim>::kTable,
                   expr::ShapeCheck<kDim, E>::Check(src.exp).shape_, groups, Describe(src.exp),
                   1 + D::kCost, !D::kPlain, turns, numbers) {}
  const FoldSource& source() const { return statement_.source(); }

 private:
  OperandView* Describe(const E& e) {
    D::template Describe<expr::detail::View::kNone>(e, operands_ + 1);
    return operands_;
  }
  OperandView operands_[D::kCount + 1];
  const FoldStatement statement_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_FOLD_SOURCE_H_
