// SPDX-License-Identifier: Apache-2.0
// Runs statements of maps and views. One engine for all of them: of each, only the loop over rows
// of contiguous elements is compiled.
#ifndef MSHADOW_BACKEND_CPU_RUN_H_
#define MSHADOW_BACKEND_CPU_RUN_H_

#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "../../expr/engine.h"
#include "../../expr/statement.h"
#include "../../simd/copy_rows.h"
#include "device.h"
#include "fetch.h"
#include "map_kernel.h"
#include "share_map.h"
#include "threads.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

// ---- What is compiled for each statement --------------------------------------------------------

/// The loop of all statements whose rows have the cursor C: one row. `whole`: of a vector or more.
template <typename Saver, typename DType, typename C, bool whole>
struct LeafKernel {
  static constexpr bool kInFloat = kSavesLanes<Saver, DType, C>;
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(char* to, const char* const* in, std::ptrdiff_t n) {
    DType* const row = reinterpret_cast<DType*>(to);
    const C from = expr::detail::CursorOfRows<C>::template Row<0>(in);
    if constexpr (kInFloat && Isa::kIsa != simd::Isa::kBaseline) {
      WithOverlappingTail<Saver, true>(row, from, 0, n);
    } else if constexpr (whole) {
      WithOverlappingTail<Saver, false>(row, from, 0, n);
    } else {
      MSHADOW_IVDEP
      for (std::ptrdiff_t x = 0; x < n; ++x) Saver::template Save<DType>(row[x], from.Eval(x));
    }
  }
};

template <typename Saver, typename DType, typename E, int dim>
struct TableOf {
  using D = expr::detail::Described<E>;
  using Cursor = typename D::Cursor;
  struct Sizes {
    int size[D::kCount];
  };
  static constexpr Sizes SizesOf() {
    Sizes sizes{};
    D::Sizes(sizes.size);
    return sizes;
  }
  static constexpr Sizes kSizes = SizesOf();
  struct Codes {
    signed char code[2 * kMaxOperands];  // operands, less maps, and the end
  };
  static constexpr Codes CodesOf() {
    Codes codes{};
    if constexpr (D::kPlain) {
      signed char* end = codes.code;
      D::Codes(&end);
      *end = expr::detail::kEndCode;
    }
    return codes;
  }
  static constexpr Codes kCodes = CodesOf();
  static constexpr bool kSaves = std::is_same_v<Saver, sv::saveto>;
  static constexpr bool kExpensive = D::kCost >= kExpensiveCost;
  /// + - * of rows of a vector takes no longer row by row than the copies of rows.
  static constexpr int kNarrow = kExpensive || kSavesLanes<Saver, DType, Cursor> ? 40
                                 : D::kArithmetic && sizeof(DType) >= 4           ? 7
                                                                                  : 16;
  static constexpr std::ptrdiff_t kGrain =
      kGrainCost / GrainCostOf(1 + static_cast<int>(sizeof(DType)) / 2 + D::kCost);
  static constexpr std::ptrdiff_t kLeast =
      kExpensive || kSavesLanes<Saver, DType, Cursor> ? kNarrowColumns + 1 : 1;
  static constexpr bool kCopies =
      kSaves && std::is_same_v<Cursor, expr::detail::VectorCursor<DType>>;
  static constexpr const LeafLoop* FormsOf() {
    if constexpr (kCopies) {
      return nullptr;
    } else {
      return simd::kForms<LeafKernel<Saver, DType, Cursor, kExpensive>, LeafLoop>;
    }
  }
  static constexpr StatementTable kTable{
      FormsOf(), kSizes.size, kCodes.code, D::kCount, dim, int{sizeof(DType)}, D::kTensors, kNarrow,
      kGrain, kLeast, kCopies ? 0 : 2 * kGrain, !kSaves, !kExpensive};
};

/// to[i] = from[i], `bytes` of them, whole lines by non-temporal stores. `from` lies as far from
/// the beginning of a line as `to` does.
struct StreamKernel {
  template <typename Isa>
  MSHADOW_FORCE_INLINE static void Run(const char* from, char* to, std::ptrdiff_t bytes) {
    const std::ptrdiff_t head = -simd::LineOffset(to) & (simd::kLineBytes - 1);
    std::ptrdiff_t i = head < bytes ? head : bytes;
    std::memcpy(to, from, static_cast<std::size_t>(i));
    for (; i + simd::kLineBytes <= bytes; i += simd::kLineBytes) {
      simd::StreamLine<Isa>(from + i, to + i);
    }
    std::memcpy(to + i, from + i, static_cast<std::size_t>(bytes - i));
  }
};

// ---- What all statements share ------------------------------------------------------------------

/// A statement, `operands[0]` the result.
struct ListedStatement {
  const StatementTable* table;
  const index_t* shape;
  OperandView* operands;
};
/// A statement of tensors and values alone: with all checks.
void RunTensors(const ThreadTeam& team, const StatementTable& t, const LeafRef& dst,
                const LeafRef* leaves);
/// Any other, no extent of which is 0, together with the stages of `memory`, if there are any.
void RunOperands(const ThreadTeam& team, const ListedStatement& statement,
                 expr::detail::OperandMemory<cpu>* memory);
/// Several of one shape in turn, a few elements at a time: what one writes is in a cache when the
/// next one reads it. False: not done.
bool RunInTurns(const ThreadTeam& team, std::initializer_list<ListedStatement> statements);

constexpr std::ptrdiff_t kVector = kNarrowColumns + 1;

/// How many of `left` elements are computed at a time: n, or all that are left and fewer than a
/// vector more, so that none has less than one.
inline std::ptrdiff_t PartOf(std::ptrdiff_t left, std::ptrdiff_t n) {
  return left < n + kVector ? left : n;
}
/// The same for a row that reads a repeated value, which has to be repeated so often.
constexpr std::ptrdiff_t kPiece = 256;
inline std::ptrdiff_t RepeatsOf(std::ptrdiff_t cols) {
  return cols < kPiece + kVector ? cols : kPiece + kVector;
}
/// The same for non-temporal stores from `to` on, which end where a line does.
inline std::ptrdiff_t StreamPartOf(std::ptrdiff_t left, const char* to, std::ptrdiff_t size) {
  const std::ptrdiff_t bytes = size == 1 ? kPiece : 512;
  return PartOf(left, (bytes - simd::LineOffset(to)) / size);
}

/// True if a statement is faster with non-temporal stores where no cache holds its result: one that
/// computes little from tensors and saves it elsewhere, in long rows that begin where lines do, or
/// where the one before ends.
inline bool StreamsRows(const StatementTable& t, const char* to, std::ptrdiff_t to_stride,
                        std::ptrdiff_t rows, std::ptrdiff_t cols) {
  constexpr std::ptrdiff_t kMinBytes = 2048;
  constexpr int kMostTensors = 6;
  return !t.loads && t.light && t.tensors > 0 &&
         (rows == 1 || (t.tensors <= kMostTensors && cols * t.size >= kMinBytes &&
                        (to_stride == cols * t.size ||
                         (to_stride % simd::kLineBytes == 0 && simd::LineOffset(to) == 0))));
}

/// So few take less time, one by one, than what is around copies of them.
constexpr std::ptrdiff_t kFewRows = 16;
/// A loop over rows. `in` moves.
MSHADOW_FORCE_INLINE void RunRows(const StatementTable& t, LeafLoop loop, char* to,
                                  std::ptrdiff_t to_stride, const char** in,
                                  const std::ptrdiff_t* stride, std::ptrdiff_t rows,
                                  std::ptrdiff_t cols) {
  const std::ptrdiff_t first = stride[0], second = t.count > 1 ? stride[1] : 0;
  for (; loop(to, in, cols), --rows > 0; to += to_stride) {
    in[0] += first;
    if (t.count > 1) in[1] += second;
    for (int k = 2; k < t.count; ++k) in[k] += stride[k];
  }
}

/// A statement of strided operands, [0] the result: a box of the grid at a time, whose operands are
/// copied into buffers that a first-level cache holds where their rows are not contiguous.
class BoxedStatement {
 public:
  /// is_source: the result is not in memory, but Compute is called for parts of it.
  template <typename Extent>
  BoxedStatement(const ThreadTeam& team, const StatementTable& table, const Extent* shape, int dim,
                 OperandView* operands, bool is_source = false)
      : team_(team), t_(table), o_(operands), axes_(dim), is_source_(is_source) {
    for (int i = 0; i < axes_; ++i) extent_[i] = static_cast<std::ptrdiff_t>(shape[i]);
    Normalise();
    ChooseBox();
  }
  /// The copy of an operand's box, from or to a buffer of rows of `pitch` bytes.
  static void Copy(CopyFunction copy, const BoxCopy& box, int size) {
    if (copy != nullptr) return copy(box);
    simd::CopyRows({box.to, box.to_row, box.from, box.from_row, box.rows, box.cols * size});
  }
  void Run() const {
    const std::ptrdiff_t size = outer_ * rows_ * cols_;
    if (size < 2 * grain_) {
      return RunElements(0, size, o_[0].base);
    }
    // Whole rows for each thread, if there are many.
    const std::ptrdiff_t unit = outer_ * rows_ >= 64 ? cols_ : 64;
    team_.ParallelRanges((size + unit - 1) / unit, (grain_ + unit - 1) / unit,
                         [&](std::ptrdiff_t first, std::ptrdiff_t last) {
                           RunElements(first * unit, last * unit < size ? last * unit : size,
                                       o_[0].base);
                         });
  }
  /// to[r * cols + i] = element first + r * step + i, in the order of the result.
  void Compute(std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t rows, std::ptrdiff_t cols,
               char* to) const {
    if (step == cols) {
      cols *= rows;
      rows = 1;
    }
    const bool even = first % cols_ + cols <= cols_ && (rows == 1 || step % cols_ == 0);
    const std::ptrdiff_t steps = step / cols_, pitch = cols * t_.size;
    if (even && in_rows_ && cols >= t_.least && t_.forms != nullptr) {
      const char* in[kMaxOperands];
      std::ptrdiff_t strides[kMaxOperands] = {};
      for (int k = 0; k < t_.count; ++k) {
        const std::ptrdiff_t stride = Stride(k + 1, axes_ - 2);
        in[k] = o_[k + 1].base + first / cols_ * stride + first % cols_ * t_.sizes[k];
        strides[k] = steps * stride;
      }
      const LeafLoop loop = t_.forms[static_cast<int>(isa_)];
      return RunRows(t_, loop, to, pitch, in, strides, rows, cols);
    }
    Buffers buffers(t_.count);
    for (std::ptrdiff_t n; rows > 0; rows -= n, first += n * step, to += n * pitch) {
      const std::ptrdiff_t row = first / cols_, x = first % cols_, y = row % rows_;
      // Several rows at a time, unless each has fewer elements than the loop takes.
      const bool is_one = !even || steps != 1 || (!narrow_ && cols < t_.least);
      n = is_one ? 1 : rows < rows_ - y ? rows : rows_ - y;
      if (even) {
        const std::ptrdiff_t plane = row / rows_;
        RunPlane(plane, y, n, x, cols,
                 to - plane * rows_ * cols_ * t_.size - y * pitch - x * t_.size, pitch, &buffers);
      } else {
        RunElements(first, first + cols, to - first * t_.size);
      }
    }
  }
  /// True if the operands lie in rows() contiguous rows of cols() elements, those of the first so
  /// many bytes apart.
  bool IsOfRows(std::ptrdiff_t* stride) const {
    *stride = Stride(1, axes_ - 2);
    return in_rows_;
  }
  std::ptrdiff_t rows() const { return rows_; }
  std::ptrdiff_t cols() const { return cols_; }
  /// Together with the stages of `memory`, a few parts of its rows at a time. False: not done.
  bool RunInStages(const expr::detail::OperandMemory<cpu>& memory) const {
    const std::ptrdiff_t count = memory.parts().count, outer = memory.parts().outer;
    const std::ptrdiff_t size = outer_ * rows_ * cols_;
    if (!in_order_ || count < 1 || size % (count * outer) != 0) return false;
    const std::ptrdiff_t piece = size / (count * outer), part = size / count;
    // As much as a second-level cache holds: a stage costs a hundred instructions each time, and
    // long ones leave what is read and what is written to the processor's prefetchers by turns.
    const std::ptrdiff_t most = (outer > 1 ? 262144 : 65536) / t_.size;
    const std::ptrdiff_t block = part < most ? most / part : 1;
    team_.ParallelRanges(count, grain_ / part + 1, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t stop; begin < end; begin = stop) {
        stop = begin + block < end ? begin + block : end;
        memory.ComputeStages(begin, stop);
        for (std::ptrdiff_t i = 0; i < outer; ++i) {
          RunElements((i * count + begin) * piece, (i * count + stop) * piece, o_[0].base);
        }
      }
    });
    return true;
  }

  /// RunInTurns; false: not done.
  static bool RunInTurns(const ThreadTeam& team, std::vector<BoxedStatement>* statements) {
    std::ptrdiff_t grain = kGrainCost / kMinCost, size = 0, turn = 1024;
    for (BoxedStatement& s : *statements) {
      if (!s.in_order_) return false;
      s.stream_ = false;
      size = s.outer_ * s.rows_ * s.cols_;
      if (s.grain_ < grain) grain = s.grain_;
      if (!s.is_row_) turn = 4096;  // a box costs more than a call of the loop
    }
    team.ParallelRanges((size + turn - 1) / turn, grain / turn + 1,
                        [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                          for (std::ptrdiff_t i = begin * turn; begin < end; ++begin, i += turn) {
                            const std::ptrdiff_t stop = i + turn < size ? i + turn : size;
                            for (const BoxedStatement& s : *statements) {
                              s.RunElements(i, stop, s.o_[0].base);
                            }
                          }
                        });
    return true;
  }

 private:
  static constexpr std::ptrdiff_t kBytes = 28672, kSlack = 128;
  /// Rows of a transposed copy. With few the machine does not see what will be read next; with many
  /// the lines that were written in part leave the cache before they are whole.
  static constexpr std::ptrdiff_t kTransposedRows = 1024;

  std::ptrdiff_t Stride(int k, int axis) const { return o_[k].stride[axis]; }
  void Exchange(int a, int b) {
    in_order_ = in_order_ && (extent_[a] == 1 || extent_[b] == 1);
    std::swap(extent_[a], extent_[b]);
    for (int k = 0; k <= t_.count; ++k) std::swap(o_[k].stride[a], o_[k].stride[b]);
  }
  void CopyAxis(int from, int to) {
    extent_[to] = extent_[from];
    for (int k = 0; k <= t_.count; ++k) o_[k].stride[to] = o_[k].stride[from];
  }

  /// Axes in the order in which the result lies in memory, upwards, joined where they lie as one in
  /// all operands; two at least.
  MSHADOW_COLD MSHADOW_NOINLINE void Normalise() {
    for (int k = 1; k <= t_.count; ++k) fills_ = fills_ || o_[k].fill != nullptr;
    for (int i = 0; i < axes_ && !fills_; ++i) {
      if (Stride(0, i) < 0) {
        expr::detail::OperandViews(o_, t_.count + 1).Slice(i, extent_[i] - 1, -1);
        in_order_ = false;
      }
      for (int j = i; j > 0 && Stride(0, j - 1) < Stride(0, j); --j) Exchange(j - 1, j);
    }
    int n = 0;
    for (int i = 0; i < axes_; ++i) {
      const bool is_last = i == axes_ - 1;
      if (extent_[i] == 1) {
        if (!is_last) continue;
        for (int k = 0; k <= t_.count; ++k) o_[k].stride[i] = o_[k].size;
      }
      bool joins = n > 0 && !(is_last && fills_);
      for (int k = 0; joins && k <= t_.count; ++k) {
        joins = Stride(k, n - 1) == Stride(k, i) * extent_[i];
      }
      if (joins) {
        const std::ptrdiff_t extent = extent_[n - 1] * extent_[i];
        CopyAxis(i, n - 1);
        extent_[n - 1] = extent;
      } else {
        CopyAxis(i, n++);
      }
    }
    if (n == 1) {
      CopyAxis(0, 1);
      extent_[0] = 1;
      for (int k = 0; k <= t_.count; ++k) o_[k].stride[0] = 0;
      n = 2;
    }
    axes_ = n;
  }

  MSHADOW_COLD MSHADOW_NOINLINE void ChooseBox() {
    const int x = axes_ - 1;
    bool transposes = false, fetches = fills_, only_repeats = !fills_;
    grain_ = t_.grain;
    for (int k = 1; k <= t_.count; ++k) {
      const std::ptrdiff_t size = o_[k].size;
      if (o_[k].reads > 1) {  // what is read counts as an element that is written does
        const std::ptrdiff_t grain = kGrainCost / kMinCost / o_[k].reads;
        if (grain < grain_) grain_ = grain < 1 ? 1 : grain;
      }
      if (size == 0 || Stride(k, x) == size) continue;
      fetches = true;
      only_repeats = only_repeats && Stride(k, x) == 0;
      for (int i = 0; i < x && !transposes && !is_source_ && Stride(k, x) != 0; ++i) {
        if (Stride(k, i) != size) continue;
        transposes = true;  // rows of a box along its neighbours in memory
        for (int j = i; j + 1 < x; ++j) Exchange(j, j + 1);
      }
    }
    only_repeats = only_repeats && Stride(0, x) == t_.size;
    fetches |= Stride(0, x) != t_.size;
    in_rows_ = !fetches && axes_ == 2;
    const int y = x - 1;
    is_row_ = !fetches && y == 0 && extent_[0] == 1 && t_.forms != nullptr;
    rows_ = extent_[y];
    cols_ = extent_[x];
    outer_ = 1;
    for (int i = 0; i < y; ++i) outer_ *= extent_[i];
    // Narrow rows are computed as one, of a block of them. So are longer ones where an operand has
    // rows that are all the same, and the others' follow each other in memory.
    narrow_ = cols_ <= t_.narrow;
    if (!narrow_ && cols_ <= 256) {
      narrow_ = true;
      for (int k = 0; k <= t_.count; ++k) {
        narrow_ = narrow_ && (o_[k].size == 0 || o_[k].fill != nullptr ||
                              (k > 0 && (Stride(k, y) == 0 || Stride(k, x) == 0)) ||
                              (Stride(k, x) == o_[k].size &&
                               Stride(k, y) == cols_ * o_[k].size));
      }
    }
    const std::ptrdiff_t size = outer_ * rows_ * cols_;
    const int threads = team_.ThreadsFor(size, grain_);
    isa_ = simd::ActiveIsa();
    if (t_.light && size >= 2 * grain_) {  // what is read is as much as what is written, or more
      isa_ = simd::IsaForMemory(2 * static_cast<std::size_t>(size * t_.size), threads);
    }
    stream_ = !is_source_ && size >= 2 * grain_ &&
              simd::ExceedsCache(2 * static_cast<std::size_t>(size * t_.size), threads);
    region_ = (kBytes / (t_.count + 1)) & ~std::ptrdiff_t{63};
    if (t_.forms == nullptr) {
      wide_ = cols_;
      high_ = rows_;
      if (fetches && high_ > kTransposedRows) high_ = kTransposedRows;
    } else {
      const bool large = region_ < 4096 || ((transposes || fills_) && !narrow_);
      const std::ptrdiff_t most = large ? region_ : 4096;
      int largest = t_.size;
      for (int k = 0; k < t_.count; ++k) largest = largest < t_.sizes[k] ? t_.sizes[k] : largest;
      if (!fetches && !narrow_) {  // nothing is moved: as they are
        wide_ = cols_;
        high_ = rows_;
      } else {
        wide_ = narrow_ || only_repeats ? cols_ : transposes ? 64 : most / largest;
        if (wide_ > cols_) wide_ = cols_;
        high_ = most / largest / (only_repeats && !narrow_ ? RepeatsOf(wide_) : wide_);
        if (high_ > rows_) high_ = rows_;
        if (high_ < 1) high_ = 1;
      }
      stream_ = stream_ && !narrow_ &&
                StreamsRows(t_, o_[0].base, Stride(0, y), outer_ * rows_, cols_);
      for (int k = 1; k <= t_.count; ++k) stream_ = stream_ && o_[k].base != o_[0].base;
    }
  }

  /// Buffers, and what is in them, so that it is not fetched again.
  struct Buffers {
    struct Held {
      const char* plane;
      std::ptrdiff_t y, x, rows, cols;
    } held[kMaxOperands + 1];
    alignas(64) char memory[kBytes + kBytes / 8 + (kMaxOperands + 1) * kSlack];
    explicit Buffers(int count) {
      for (int k = 0; k <= count; ++k) held[k].plane = nullptr;
    }
  };

  /// The elements [first, last), in the order of the result: parts of rows, and rows.
  void RunElements(std::ptrdiff_t first, std::ptrdiff_t last, const char* to) const {
    if (is_row_ && !stream_ && last - first >= t_.least) {
      const char* in[kMaxOperands];
      for (int k = 1; k <= t_.count; ++k) in[k - 1] = o_[k].base + first * o_[k].size;
      t_.forms[static_cast<int>(isa_)](const_cast<char*>(to) + first * t_.size, in, last - first);
      return;
    }
    Buffers buffers(t_.count);
    while (first < last) {
      const std::ptrdiff_t row = first / cols_, x = first % cols_, y = row % rows_;
      std::ptrdiff_t h = 1, w = last - first < cols_ - x ? last - first : cols_ - x;
      if (w == cols_) {
        h = (last - first) / cols_;
        if (h > rows_ - y) h = rows_ - y;
      }
      RunPlane(row / rows_, y, h, x, w, to, Stride(0, axes_ - 2), &buffers);
      first += h * w;
    }
  }
  /// The rows [y, y + h) and columns [x, x + w) of a plane; rows of the result, which begins at
  /// `to`, are to_y bytes apart.
  void RunPlane(std::ptrdiff_t index, std::ptrdiff_t y, std::ptrdiff_t h, std::ptrdiff_t x,
                std::ptrdiff_t w, const char* to, std::ptrdiff_t to_y, Buffers* buffers) const {
    char* at[kMaxOperands + 1];
    at[0] = const_cast<char*>(to);
    for (int k = 1; k <= t_.count; ++k) at[k] = const_cast<char*>(o_[k].base);
    for (int i = axes_ - 3; i >= 0; --i) {
      const std::ptrdiff_t n = index % extent_[i];
      index /= extent_[i];
      for (int k = 0; k <= t_.count; ++k) at[k] += n * Stride(k, i);
    }
    const std::ptrdiff_t end = y + h, right = x + w;
    for (std::ptrdiff_t rows; y < end; y += rows) {
      rows = end - y < high_ ? end - y : high_;
      for (std::ptrdiff_t left = x, cols; left < right; left += cols) {
        cols = right - left < wide_ + kVector ? right - left : wide_;
        RunBox(at, to_y, y, rows, left, cols, buffers);
      }
    }
  }

  /// Computes a box whose rows are `step` rows of a plan apart.
  MSHADOW_NOINLINE static void Fill(const OperandView& o, std::ptrdiff_t row, std::ptrdiff_t step,
                                    char* block, std::ptrdiff_t h, std::ptrdiff_t x,
                                    std::ptrdiff_t w) {
    const std::ptrdiff_t pitch = w * o.size;
    if (step == 1) return o.fill(o.base, block, pitch, row, h, x, w);
    for (; h > 0; --h, row += step, block += pitch) o.fill(o.base, block, pitch, row, 1, x, w);
  }

  /// The elements [y, y + h) x [x, x + w) of the plane whose first elements are at[k].
  void RunBox(char* const* at, std::ptrdiff_t to_y, std::ptrdiff_t y, std::ptrdiff_t h,
              std::ptrdiff_t x, std::ptrdiff_t w, Buffers* buffers) const {
    const int ay = axes_ - 2, ax = axes_ - 1;
    char* const memory = buffers->memory;
    const std::ptrdiff_t to_x = Stride(0, ax), size = t_.size;
    char* const to = at[0] + y * to_y + x * to_x;
    if (t_.forms == nullptr) {
      const char* const from = at[1] + y * Stride(1, ay) + x * Stride(1, ax);
      return Copy(o_[1].copy != nullptr ? o_[1].copy : o_[0].copy,
                  {to, to_y, to_x, from, Stride(1, ay), Stride(1, ax), h, w, stream_}, t_.size);
    }
    const bool few = h * w < t_.least;
    const auto fill = [h, w](char* block, std::ptrdiff_t bytes) {  // up to a vector
      for (std::ptrdiff_t i = h * w; i < kVector; ++i) {
        std::memcpy(block + i * bytes, block, static_cast<std::size_t>(bytes));
      }
    };
    const char* part[kMaxOperands];
    std::ptrdiff_t pitch[kMaxOperands];  // bytes from one row to the next
    std::ptrdiff_t step[kMaxOperands];   // from one element to the next, or 0
    bool in_pieces = false;
    for (int k = 1; k <= t_.count; ++k) {
      const std::ptrdiff_t bytes = t_.sizes[k - 1], sy = Stride(k, ay), sx = Stride(k, ax);
      const char* const from = at[k] + y * sy + x * sx;
      part[k - 1] = from;
      pitch[k - 1] = sy;
      step[k - 1] = bytes;
      const bool fills = o_[k].fill != nullptr;
      const bool as_it_is = sx == bytes && !few && (!narrow_ || h == 1 || sy == w * bytes);
      if (bytes == 0 || (as_it_is && !fills)) continue;
      char* const block = memory + k * Region();
      // Of a value for a whole row, as many copies as the loop reads at a time.
      const bool repeats = sx == 0 && !fills && !narrow_;
      const std::ptrdiff_t cols = repeats ? RepeatsOf(w) : w;
      if (cols < w) {
        in_pieces = true;
        step[k - 1] = 0;
      }
      part[k - 1] = block;
      pitch[k - 1] = cols * bytes;
      auto& now = buffers->held[k];
      if (now.plane == at[k] && now.cols == cols && (repeats || now.x == x) &&
          (now.y == y ? now.rows == h : sy == 0 && now.rows >= h)) {
        continue;
      }
      now = {at[k], y, x, h, cols};
      if (fills) {
        Fill(o_[k], at[k] - o_[k].base + y * sy, sy, block, h, x, w);
      } else {
        Copy(o_[k].copy, {block, cols * bytes, bytes, from, sy, sx, h, cols}, t_.sizes[k - 1]);
      }
      if (few) fill(block, bytes);
    }
    const LeafLoop loop = t_.forms[static_cast<int>(isa_)];
    const bool direct = to_x == size && !few && (!narrow_ || h == 1 || to_y == w * size);
    if (direct && stream_) return Stream(loop, to, part, pitch, step, h, w, memory);
    char* const block = direct ? to : memory;
    if (!direct && t_.loads) {
      Copy(o_[0].copy, {block, w * size, size, to, to_y, to_x, h, w}, t_.size);
      if (few) fill(block, size);
    }
    if (narrow_ || few) {
      loop(block, part, few ? kVector : h * w);
    } else if (in_pieces) {
      RunPieces(loop, block, direct ? to_y : w * size, part, pitch, step, h, w);
    } else {
      RunRows(t_, loop, block, direct ? to_y : w * size, part, pitch, h, w);
    }
    if (!direct) Copy(o_[0].copy, {to, to_y, to_x, block, w * size, size, h, w}, t_.size);
  }
  /// Rows of a box whose operands' elements are `step` bytes apart, a piece at a time.
  MSHADOW_NOINLINE void RunPieces(LeafLoop loop, char* to, std::ptrdiff_t to_y,
                                  const char* const* part, const std::ptrdiff_t* pitch,
                                  const std::ptrdiff_t* step, std::ptrdiff_t h,
                                  std::ptrdiff_t w) const {
    for (std::ptrdiff_t y = 0; y < h; ++y, to += to_y) {
      const char* row[kMaxOperands];
      for (int k = 0; k < t_.count; ++k) row[k] = part[k] + y * pitch[k];
      for (std::ptrdiff_t x = 0, n; x < w; x += n) {
        n = PartOf(w - x, kPiece);
        loop(to + x * t_.size, row, n);
        for (int k = 0; k < t_.count; ++k) row[k] += n * step[k];
      }
    }
  }
  /// The same by non-temporal stores: in parts, which end where a line or a row does.
  MSHADOW_NOINLINE void Stream(LeafLoop loop, char* to, const char* const* part,
                               const std::ptrdiff_t* pitch, const std::ptrdiff_t* step,
                               std::ptrdiff_t h, std::ptrdiff_t w, char* buffer) const {
    for (std::ptrdiff_t y = 0; y < h; ++y, to += Stride(0, axes_ - 2)) {
      const char* row[kMaxOperands];
      for (int k = 0; k < t_.count; ++k) row[k] = part[k] + y * pitch[k];
      for (std::ptrdiff_t x = 0, n; x < w; x += n) {
        char* const out = to + x * t_.size;
        char* const at = buffer + simd::LineOffset(out);
        n = StreamPartOf(w - x, out, t_.size);
        loop(at, row, n);
        simd::Call<StreamKernel, const char*, char*, std::ptrdiff_t>(at, out, n * t_.size);
        for (int k = 0; k < t_.count; ++k) row[k] += n * step[k];
      }
    }
    simd::StreamFence();
  }
  /// Bytes of a buffer. The last box of a row may be wider by less than a vector.
  std::ptrdiff_t Region() const { return region_ + region_ / 8 + kSlack; }

  const ThreadTeam& team_;
  const StatementTable& t_;
  OperandView* o_;
  int axes_;
  std::ptrdiff_t extent_[kMaxAxes];
  std::ptrdiff_t grain_, outer_, rows_, cols_, high_, wide_, region_;
  simd::Isa isa_;
  bool fills_ = false, in_order_ = true;
  bool narrow_, stream_, is_row_, in_rows_;
  bool is_source_;
};

#if MSHADOW_SHARED_BODIES
/// Throws Error for the first map whose operands differ in shape, or for the assignment.
[[noreturn]] MSHADOW_COLD inline void ThrowPlainMismatch(const StatementTable& t,
                                                         const index_t* dshape,
                                                         const LeafRef* leaves) {
  const index_t* shapes[kMaxOperands];
  int n = 0;
  for (const signed char* code = t.codes; *code != expr::detail::kEndCode; ++code) {
    if (*code == expr::detail::kFunctionCode) {
      ++leaves;
    } else if (*code == expr::detail::kLeafCode) {
      shapes[n++] = (leaves++)->shape;
    } else {
      const index_t*& common = shapes[n -= *code];
      for (int i = 1; i < *code; ++i) {
        const index_t* const other = shapes[n + i];
        if (common == nullptr) common = other;
        for (int axis = 0; other != nullptr && axis < t.dim; ++axis) {
          if (common[axis] == other[axis]) continue;
          ThrowShapeMismatch(*code == 2 ? "BinaryMapExp" : "TernaryMapExp", common, other, t.dim);
        }
      }
      ++n;
    }
  }
  ThrowAssignMismatch(shapes[0], dshape, t.dim);
}

/// A statement of tensors and values alone, whose operands fit and may be overwritten. Where it has
/// one row, that of every leaf is contiguous.
MSHADOW_NOINLINE inline void RunLeaves(const ThreadTeam& team, const StatementTable& t, char* to,
                                       std::ptrdiff_t pitch, const LeafRef* leaves,
                                       std::ptrdiff_t rows, std::ptrdiff_t cols) {
  const char* in[kMaxOperands];
  std::ptrdiff_t stride[kMaxOperands];
  for (int k = 0; k < t.count; ++k) {
    in[k] = leaves[k].at;
    stride[k] = leaves[k].stride * t.sizes[k];
  }
  if (rows * cols < 2 * t.grain) {
    if (t.forms != nullptr && cols >= t.least &&
        (rows <= kFewRows || cols > t.narrow)) {
      const LeafLoop loop = t.forms[static_cast<int>(simd::ActiveIsa())];
      return RunRows(t, loop, to, pitch, in, stride, rows, cols);
    }
  }
  OperandView operands[kMaxOperands + 1];
  operands[0] = {to, {pitch, t.size}, nullptr, t.size};
  for (int k = 0; k < t.count; ++k) {
    operands[k + 1] = {in[k], {stride[k], t.sizes[k]}, nullptr, t.sizes[k]};
  }
  const std::ptrdiff_t extents[] = {rows, cols};
  BoxedStatement(team, t, extents, 2, operands).Run();
}
/// The same into a copy, which takes the place of the result.
MSHADOW_COLD MSHADOW_NOINLINE inline void RunLeavesThroughCopy(
    const ThreadTeam& team, const StatementTable& t, char* to, std::ptrdiff_t pitch,
    const LeafRef* leaves, std::ptrdiff_t rows, std::ptrdiff_t cols) {
  const std::ptrdiff_t bytes = cols * t.size;
  struct Copy {
    char* at;
    ~Copy() { DeviceApi<cpu>::FreeTemporary(at, nullptr); }
  } const copy{static_cast<char*>(
      DeviceApi<cpu>::AllocTemporary(static_cast<std::size_t>(rows * bytes), nullptr))};
  if (t.loads) simd::CopyRows({copy.at, bytes, to, pitch, rows, bytes});
  RunLeaves(team, t, copy.at, bytes, leaves, rows, cols);
  simd::CopyRows({to, pitch, copy.at, bytes, rows, bytes});
}
/// The checks of such a statement, and what is to be done.
MSHADOW_NOINLINE inline void CheckAndRunTensors(const ThreadTeam& team, const StatementTable& t,
                                                const LeafRef& dst, const LeafRef* leaves) {
  const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(dst.shape[t.dim - 1]);
  const std::ptrdiff_t rows =
      static_cast<std::ptrdiff_t>(CheckedProduct(dst.shape, 0, t.dim - 1));
  bool joins = rows == 1 || dst.stride == cols;
  [[maybe_unused]] bool overlaps = false;
  [[maybe_unused]] const auto view = [&](const LeafRef& leaf, int size) {
    return expr::WrittenView{leaf.at, leaf.stride * size, cols * size, rows, true};
  };
  for (int k = 0; k < t.count; ++k) {
    const LeafRef& leaf = leaves[k];
    if (leaf.shape == nullptr) continue;
    for (int i = 0; i < t.dim; ++i) {
      if (!MSHADOW_LIKELY(leaf.shape[i] == dst.shape[i])) ThrowPlainMismatch(t, dst.shape, leaves);
    }
    joins &= rows == 1 || leaf.stride == cols;
#if MSHADOW_ALIAS_CHECK
    overlaps |= expr::detail::ReadsWritten(view(dst, t.size), view(leaf, t.sizes[k]), true);
#endif
  }
  if (rows == 0 || cols == 0) return;
  char* const to = const_cast<char*>(dst.at);
  const std::ptrdiff_t pitch = dst.stride * t.size;
  if (overlaps) return RunLeavesThroughCopy(team, t, to, pitch, leaves, rows, cols);
  RunLeaves(team, t, to, pitch, leaves, joins ? 1 : rows, joins ? rows * cols : cols);
}
/// The same, in few instructions where it is small, all rows are one, and no operand shares memory
/// with the result that is not the result itself.
MSHADOW_NOINLINE MSHADOW_SHARED void RunTensors(const ThreadTeam& team, const StatementTable& t,
                                                const LeafRef& dst, const LeafRef* leaves) {
  const int last = t.dim - 1;
  const std::ptrdiff_t cols = static_cast<std::ptrdiff_t>(dst.shape[last]);
  std::ptrdiff_t n = cols;
  for (int i = 0; i < last; ++i) {  // no further than it is small: it does not wrap
    const std::ptrdiff_t extent = static_cast<std::ptrdiff_t>(dst.shape[i]);
    n = n < t.most && extent < t.most ? n * extent : t.most;
  }
  const bool is_row = n == cols;
  char* const to = const_cast<char*>(dst.at);
  const char* const end = dst.at + n * t.size;
  const char* in[kMaxOperands];
  bool is_plain = (is_row || dst.stride == cols) && n >= t.least && n < t.most;
  const LeafRef* leaf = leaves;
  for (int k = 0; is_plain && k < t.count; ++k, ++leaf) {
    in[k] = leaf->at;
    if (leaf->shape == nullptr) continue;
    is_plain = static_cast<std::ptrdiff_t>(leaf->shape[last]) == cols &&
               (is_row || leaf->stride == cols) &&
               (leaf->at >= end || (leaf->at == dst.at && t.sizes[k] == t.size) ||
                leaf->at + n * t.sizes[k] <= dst.at);
    for (int i = 0; i < last; ++i) is_plain &= leaf->shape[i] == dst.shape[i];
  }
  if (!MSHADOW_LIKELY(is_plain)) return CheckAndRunTensors(team, t, dst, leaves);
  t.forms[static_cast<int>(simd::ActiveIsa())](to, in, n);
}
/// A statement of few rows, which are contiguous in all operands, or a copy between two axes; true
/// if it was one. What a box costs takes longer than they do.
MSHADOW_NOINLINE inline bool RunFewRows(const StatementTable& t, const std::ptrdiff_t* extents,
                                        const OperandView* o) {
  const int x = t.dim - 1;
  if (o[0].stride[x] != t.size) return false;
  if (t.forms == nullptr) {
    const std::ptrdiff_t rows = t.dim == 2 ? extents[0] : 1;
    if (t.dim > 2 || o[1].fill != nullptr || rows * extents[x] >= 2 * t.grain) return false;
    const int y = t.dim == 2 ? 0 : x;
    BoxedStatement::Copy(o[1].copy != nullptr ? o[1].copy : o[0].copy,
                         {const_cast<char*>(o[0].base), o[0].stride[y], t.size, o[1].base,
                          o[1].stride[y], o[1].stride[x], rows, extents[x]},
                         t.size);
    return true;
  }
  for (int k = 1; k <= t.count; ++k) {
    if (o[k].stride[x] != o[k].size || o[k].fill != nullptr) return false;
  }
  int axes = x;  // of rows, without those that join
  std::ptrdiff_t cols = extents[x], rows = 1;
  for (; axes > 0; cols *= extents[--axes]) {
    bool joins = true;
    for (int k = 0; k <= t.count; ++k) {
      joins &= o[k].stride[axes - 1] == o[k].stride[axes] * extents[axes];
    }
    if (!joins) break;
  }
  for (int i = 0; i < axes; ++i) rows *= extents[i];
  if (rows > kFewRows || cols < t.least || rows * cols >= 2 * t.grain) return false;
  const LeafLoop loop = t.forms[static_cast<int>(simd::ActiveIsa())];
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    const char* at[kMaxOperands + 1];
    for (int k = 0; k <= t.count; ++k) at[k] = o[k].base;
    std::ptrdiff_t rest = row;
    for (int i = axes - 1; i >= 0; --i) {
      const std::ptrdiff_t n = i == 0 ? rest : rest % extents[i];
      for (int k = 0; k <= t.count; ++k) at[k] += n * o[k].stride[i];
      if (i > 0) rest /= extents[i];
    }
    loop(const_cast<char*>(at[0]), at + 1, cols);
  }
  return true;
}
MSHADOW_NOINLINE MSHADOW_SHARED void RunOperands(const ThreadTeam& team,
                                                 const ListedStatement& statement,
                                                 expr::detail::OperandMemory<cpu>* memory) {
  const StatementTable& t = *statement.table;
  std::ptrdiff_t extents[kMaxAxes];
  for (int i = 0; i < t.dim; ++i) extents[i] = static_cast<std::ptrdiff_t>(statement.shape[i]);
  static_cast<void>(CheckedProduct(statement.shape, 0, t.dim - 1));
  const bool has_stages = memory != nullptr && memory->HasStages();
  if (!has_stages && RunFewRows(t, extents, statement.operands)) return;
  const BoxedStatement boxed(team, t, extents, t.dim, statement.operands);
  if (has_stages) {
    if (boxed.RunInStages(*memory)) return;
    memory->FinishStages();
  }
  boxed.Run();
}
MSHADOW_NOINLINE MSHADOW_SHARED bool RunInTurns(const ThreadTeam& team,
                                                std::initializer_list<ListedStatement> statements) {
  std::vector<BoxedStatement> boxed;
  boxed.reserve(statements.size());
  for (const ListedStatement& s : statements) {
    boxed.emplace_back(team, *s.table, s.shape, s.table->dim, s.operands);
  }
  return BoxedStatement::RunInTurns(team, &boxed);
}
#endif  // MSHADOW_SHARED_BODIES

// ---- From a statement to those functions --------------------------------------------------------

template <typename Saver, int dim, typename DType, typename E>
void RunPlain(const Tensor<cpu, dim, DType>& dst, const E& e) {
  LeafRef to, leaves[expr::detail::Described<E>::kCount];
  expr::detail::Described<Tensor<cpu, dim, DType>>::Put(dst, &to);
  expr::detail::Described<E>::Put(e, leaves);
  RunTensors(kThreadTeam, TableOf<Saver, DType, E, dim>::kTable, to, leaves);
}

/// The operands of a statement, [0] the result.
template <typename R, typename E>
struct StatementOperands {
  using To = expr::detail::Described<R>;
  using From = expr::detail::Described<E>;
  OperandView operands[From::kCount + 1];
  StatementOperands(const R& dst, const E& e) {
    To::template Describe<From::kView>(dst, operands);
    From::template Describe<To::kView>(e, operands + 1);
  }
};

/// *dst Saver= e.
template <typename Saver, int dim, typename DType, typename R, typename E>
void RunDescribed(const R& dst, const E& e, expr::detail::OperandMemory<cpu>* memory) {
  const Shape<dim> shape = expr::ShapeCheck<dim, R>::Check(dst);
  bool is_empty = false;
  for (int i = 0; i < dim; ++i) is_empty = is_empty || shape[i] == 0;
  if (is_empty && !expr::detail::Described<E>::kFirst) return;
  StatementOperands<R, E> of(dst, e);
  if (is_empty) {  // what is computed first may be wrong of nothing, as max is
    if (memory != nullptr) memory->FinishStages();
    return;
  }
  RunOperands(kThreadTeam, {&TableOf<Saver, DType, E, dim>::kTable, shape.shape_, of.operands},
              memory);
}

/// An expr::LazyAssignment, which is not of size 0.
template <typename S>
struct LazyOperands : StatementOperands<typename S::Target, typename S::Source> {
  const Shape<S::kDim> shape;
  explicit LazyOperands(const S& s)
      : LazyOperands::StatementOperands(s.dst(), s.exp()), shape(s.DstShape()) {}
  ListedStatement Listed() {
    using Table = TableOf<typename S::Saver, typename S::DType, typename S::Source, S::kDim>;
    return {&Table::kTable, shape.shape_, this->operands};
  }
};
template <typename... S>
bool RunTogether(const S&... statements) {
  return RunInTurns(kThreadTeam, {LazyOperands<S>(statements).Listed()...});
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_RUN_H_
