// SPDX-License-Identifier: Apache-2.0
// UnpoolCursor: rows of what unpool and unpool3d make.
#ifndef MSHADOW_EXTENSION_UNPOOL_CURSOR_H_
#define MSHADOW_EXTENSION_UNPOOL_CURSOR_H_

#include <type_traits>

#include "../expr/buffer_cursor.h"
#include "../expr/quotient.h"
#include "../expr/short_row.h"
#include "window.h"
#include "window_axis.h"

namespace mshadow {
namespace expr {
namespace detail {

/// A row of gradients. The windows that cover it are `rows` rows from `first` on in each of
/// `planes` planes of windows, `plane_step` rows apart.
template <typename Reducer, typename SrcRow, typename Pooled, typename Grad, typename DType>
struct UnpoolCursor {
  static constexpr bool kRuns = true;
  using Value = Accumulator<DType>;
  using Buffer = BufferCursor<DType, DType>;

  SrcRow src_;
  const Pooled& pooled_;
  const Grad& grad_;
  std::ptrdiff_t first_, rows_, planes_, plane_step_;
  CoverAxis x_;

  MSHADOW_XINLINE DType Eval(std::ptrdiff_t x) const {
    DType value[1];
    EvalEach({x}, value);
    return value[0];
  }
  template <int U>
  MSHADOW_XINLINE void EvalEach(const std::ptrdiff_t (&x)[U], DType (&value)[U]) const {
    if (x_.ksize == x_.stride && x_.pad == 0 && rows_ == 1 && planes_ == 1 && x_.windows > 0) {
      // The commonest, windows side by side: a cell is in one of them, or behind the last.
      const auto pooled = RowOf(pooled_, first_);
      const auto grad = RowOf(grad_, first_);
      for (int u = 0; u < U; ++u) {
        const std::ptrdiff_t window = Quotient(x[u], x_.stride);
        const bool covered = window < x_.windows;
        const std::ptrdiff_t at = covered ? window : 0;
        const Value sum = Add(Value(0), src_.Eval(x[u]), pooled.Eval(at), grad.Eval(at));
        value[u] = covered ? static_cast<DType>(sum) : DType(0);
      }
      return;
    }
    for (int u = 0; u < U; ++u) {
      const CoverAxis::Windows windows = x_.Of(x[u]);
      value[u] = Gather(x[u], windows.begin, windows.end);
    }
  }
  MSHADOW_FORCE_INLINE Buffer Run(std::ptrdiff_t x, std::ptrdiff_t* end) const {
    Buffer run;
    run.begin_ = x;
    if (*end - x > Buffer::kMost) *end = x + Buffer::kMost;
    Write(run.value_, x, *end);
    return run;
  }
  MSHADOW_FORCE_INLINE void Write(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (kPointers || (kLinear && HasPointer<RowCursor<Grad>>::value)) {
      // Windows of 3 by 3 and steps of 2, over a whole row.
      if (x_.ksize == 3 && x_.stride == 2 && x_.pad == 0 && planes_ == 1 && rows_ > 0 &&
          rows_ <= 2 && x_.windows > kLeast && x == 0 && end > 2 * x_.windows) {
        return rows_ == 1 ? WriteThrees<1>(to, end) : WriteThrees<2>(to, end);
      }
    }
    if (x_.windows == 1 || (x_.ksize <= x_.stride && x_.stride > 2)) return WriteApart(to, x, end);
    // Element x = q stride + r - pad is covered by windows q, q - 1, ...; those of one r vectorise.
    const std::ptrdiff_t stride = x_.stride, back = Quotient(x_.ksize - 1, stride);
    std::ptrdiff_t q = Quotient(x + x_.pad, stride), r = x + x_.pad - q * stride;
    while (x < end) {
      std::ptrdiff_t n = stride == 1 ? end - x : (end - x) / 2;
      if (stride <= 2 && r == 0 && n >= kLeastSteps && back <= kMost - 16) {
        if (n > kMost - back) n = kMost - back;
        Spread(x, q, n, back, to);
        q += n;
        x += n * stride;
        to += n * stride;
        continue;
      }
      const std::ptrdiff_t first = q - back + (r + back * stride < x_.ksize ? 0 : 1);
      *to++ = Gather(x++, first > 0 ? first : 0, q < x_.windows ? q + 1 : x_.windows);
      if (++r == stride) {
        r = 0;
        ++q;
      }
    }
  }
  /// This row and the next one, `stride` behind it, of the cells `next`, where both are in the same
  /// windows of 2 by 2 cells side by side; false where they are others.
  MSHADOW_FORCE_INLINE bool WritePair(const SrcRow& next, DType* to, std::ptrdiff_t stride,
                                      std::ptrdiff_t x, std::ptrdiff_t end) const {
    if constexpr (kPointers) {
      std::ptrdiff_t q = x / 2;
      const std::ptrdiff_t behind = end / 2;
      if (!SideBySide() || (x | end) % 2 != 0) return false;
      if (behind > x_.windows || behind - q < kLeast) return false;
      const SrcRow src[] = {src_, next};
      for (std::ptrdiff_t n; q < behind; q += n, to += 2 * n) {
        n = PartInVectors(behind - q, kMost);
        WriteTwos(src, to, stride, q, n);
      }
      return true;
    } else {
      return false;
    }
  }

 private:
  static constexpr std::ptrdiff_t kLeast = 4, kMost = 128;  // windows at a time
  /// The gradient of a sum does not depend on the source.
  static constexpr bool kLinear = std::is_same_v<Reducer, red::sum>;
  /// Fewer steps than these are faster cell by cell than Spread.
  static constexpr std::ptrdiff_t kLeastSteps = kLinear ? 1 : 8;
  /// Can windows be read side by side where they are?
  static constexpr bool kPointers = !kLinear && HasPointer<RowCursor<Pooled>>::value &&
                                    HasPointer<RowCursor<Grad>>::value;

  /// What the window of value `pooled` and gradient `grad` adds to `sum`.
  MSHADOW_XINLINE static Value Add(Value sum, DType src, DType pooled, DType grad) {
    return static_cast<Value>(
        sum + static_cast<Value>(Reducer::template PartialGrad<DType>(src, pooled)) *
                  static_cast<Value>(grad));
  }
  /// What the windows [begin, end) of each row add up to.
  MSHADOW_XINLINE DType Gather(std::ptrdiff_t x, std::ptrdiff_t begin, std::ptrdiff_t end) const {
    const DType src = src_.Eval(x);
    Value sum = Value(0);
    MSHADOW_FEW_ROUNDS
    for (std::ptrdiff_t plane = 0; plane < planes_; ++plane) {
      MSHADOW_FEW_ROUNDS
      for (std::ptrdiff_t i = 0; i < rows_; ++i) {
        const std::ptrdiff_t row = first_ + plane * plane_step_ + i;
        const auto pooled = RowOf(pooled_, row);
        const auto grad = RowOf(grad_, row);
        MSHADOW_FEW_ROUNDS
        for (std::ptrdiff_t u = begin; u < end; ++u) {
          sum = Add(sum, src, pooled.Eval(u), grad.Eval(u));
        }
      }
    }
    return static_cast<DType>(sum);
  }
  /// Elements [begin, begin + n) of a row, if need be in `memory`: where they would be overwritten,
  /// or where some are not in [0, size); these are 0.
  template <typename Row>
  MSHADOW_FORCE_INLINE static const DType* Part(const Row& row, std::ptrdiff_t begin,
                                                std::ptrdiff_t n, std::ptrdiff_t size,
                                                const DType* written, DType* memory) {
    if constexpr (HasPointer<Row>::value) {
      if (begin >= 0 && begin + n <= size && row.Pointer(begin) != written) {
        return row.Pointer(begin);
      }
    }
    const std::ptrdiff_t first = begin < 0 ? 0 : begin;
    const std::ptrdiff_t end = begin + n < size ? begin + n : size;
    for (std::ptrdiff_t i = begin; i < first; ++i) memory[i - begin] = DType(0);
    for (std::ptrdiff_t i = end < begin ? begin : end; i < begin + n; ++i) {
      memory[i - begin] = DType(0);
    }
    ForEachRun(row, first, end,
               [&](const auto& run, std::ptrdiff_t x, std::ptrdiff_t stop) MSHADOW_INLINE_LAMBDA {
                 MSHADOW_IVDEP
                 for (; x < stop; ++x) memory[x - begin] = run.Eval(x);
               });
    return memory;
  }
  /// Elements [begin, begin + n) of a row; in `memory` where they would be overwritten.
  MSHADOW_FORCE_INLINE static const DType* Unwritten(const SrcRow& row, std::ptrdiff_t begin,
                                                     std::ptrdiff_t n, const DType* written,
                                                     DType* memory) {
    if constexpr (HasPointer<SrcRow>::value) {
      if (row.Pointer(begin) != written) return row.Pointer(begin);
      CopyRow(written, n, memory);
    } else {
      ForEachRun(row, begin, begin + n,
                 [&](const auto& run, std::ptrdiff_t x, std::ptrdiff_t stop) MSHADOW_INLINE_LAMBDA {
                   MSHADOW_IVDEP
                   for (; x < stop; ++x) memory[x - begin] = run.Eval(x);
                 });
    }
    return memory;
  }
  /// Two elements each of the gradients [q, q + n).
  MSHADOW_FORCE_INLINE void Repeat(std::ptrdiff_t q, std::ptrdiff_t n, DType* to) const {
    ForEachRun(RowOf(grad_, first_), q, q + n,
               [&](const auto& run, std::ptrdiff_t u, std::ptrdiff_t stop) MSHADOW_INLINE_LAMBDA {
                 DType* const part = to + 2 * (u - q);
                 const std::ptrdiff_t count = stop - u;
                 MSHADOW_IVDEP
                 for (std::ptrdiff_t i = 0; i < count; ++i) {
                   part[2 * i] = part[2 * i + 1] = run.Eval(u + i);
                 }
               });
  }
  /// A row of which each element is in at most one column of windows.
  MSHADOW_FORCE_INLINE void WriteApart(DType* to, std::ptrdiff_t x, std::ptrdiff_t end) const {
    while (x < end) {
      // The last window that begins at x or before.
      const std::ptrdiff_t u = x_.windows == 1 ? 0 : Quotient(x + x_.pad, x_.stride);
      const std::ptrdiff_t begin = u * x_.stride - x_.pad;
      const bool covered = u < x_.windows && x < begin + x_.ksize && rows_ > 0;
      std::ptrdiff_t stop = covered             ? begin + x_.ksize
                            : u + 1 < x_.windows ? begin + x_.stride
                                                 : end;
      if (stop > end) stop = end;
      const std::ptrdiff_t n = stop - x;
      if (!covered || kLinear) {
        const DType value = covered ? Gather(x, u, u + 1) : DType(0);
        for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = value;
      } else if (rows_ == 1 && planes_ == 1) {
        const DType pooled = RowOf(pooled_, first_).Eval(u), grad = RowOf(grad_, first_).Eval(u);
        MSHADOW_IVDEP
        for (std::ptrdiff_t i = 0; i < n; ++i) {
          to[i] = static_cast<DType>(Add(Value(0), src_.Eval(x + i), pooled, grad));
        }
      } else {
        for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = Gather(x + i, u, u + 1);
      }
      x = stop;
      to += n;
    }
  }
  /// Do windows of 2 by 2 cells lie side by side? Then, the commonest, each cell is in one of them.
  MSHADOW_XINLINE bool SideBySide() const {
    return x_.ksize == 2 && x_.stride == 2 && x_.pad == 0 && rows_ == 1 && planes_ == 1;
  }
  /// The cells of so many rows in the windows [q, q + n) of these, kLeast <= n <= kMost.
  template <std::size_t rows>
  MSHADOW_FORCE_INLINE void WriteTwos(const SrcRow (&src)[rows], DType* to, std::ptrdiff_t stride,
                                      std::ptrdiff_t q, std::ptrdiff_t n) const {
    DType memory[rows][2 * kMost];
    const DType* from[rows];
    for (std::size_t i = 0; i < rows; ++i) {
      from[i] = Unwritten(src[i], 2 * q, 2 * n, to + i * stride, memory[i]);
    }
    const DType* const pooled = RowOf(pooled_, first_).Pointer(q);
    const DType* const grad = RowOf(grad_, first_).Pointer(q);
    const auto write = [&](std::size_t i, std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
      const DType even = from[i][2 * k], odd = from[i][2 * k + 1];
      DType* const out = to + static_cast<std::ptrdiff_t>(i) * stride + 2 * k;
      out[0] = static_cast<DType>(Add(Value(0), even, pooled[k], grad[k]));
      out[1] = static_cast<DType>(Add(Value(0), odd, pooled[k], grad[k]));
    };
    // A loop over rows would stay one, of a dear type as half_t, and hinder vectors.
    ForEachInVectors<kLeast>(n, [&](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
      write(0, k);
      if constexpr (rows == 2) write(1, k);
    });
  }
  /// A row that the windows of `rows` rows cover: element 2 k is in the windows k - 1 and k,
  /// element 2 k + 1 in k.
  template <int rows>
  MSHADOW_FORCE_INLINE void WriteThrees(DType* to, std::ptrdiff_t end) const {
    const DType *pooled[rows], *grad[rows];
    for (int i = 0; i < rows; ++i) {
      grad[i] = RowOf(grad_, first_ + i).Pointer(0);
      if constexpr (kLinear) {
        pooled[i] = grad[i];
      } else {
        pooled[i] = RowOf(pooled_, first_ + i).Pointer(0);
      }
    }
    // What window u of each row, or both u and u + 1, add up to in a cell. (No loop: see WriteTwos.)
    const auto sum_of = [&](DType src, std::ptrdiff_t u, auto both) MSHADOW_INLINE_LAMBDA {
      Value sum = Add(Value(0), src, pooled[0][u], grad[0][u]);
      if constexpr (both) sum = Add(sum, src, pooled[0][u + 1], grad[0][u + 1]);
      if constexpr (rows == 2) {
        sum = Add(sum, src, pooled[1][u], grad[1][u]);
        if constexpr (both) sum = Add(sum, src, pooled[1][u + 1], grad[1][u + 1]);
      }
      return static_cast<DType>(sum);
    };
    const auto one = [&](std::ptrdiff_t x, std::ptrdiff_t u) MSHADOW_INLINE_LAMBDA {
      return sum_of(kLinear ? DType(0) : src_.Eval(x), u, std::false_type());
    };
    const std::ptrdiff_t last = x_.windows - 1;
    to[0] = one(0, 0);
    to[1] = one(1, 0);
    for (std::ptrdiff_t u = 0; u < last;) {
      const std::ptrdiff_t n = PartInVectors(last - u, kMost);
      DType memory[2 * kMost];
      DType* const out = to + 2 * u + 2;
      const DType* from = nullptr;
      if constexpr (!kLinear) from = Unwritten(src_, 2 * u + 2, 2 * n, out, memory);
      const std::ptrdiff_t begin = u;
      ForEachInVectors<kLeast>(n, [&](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
        const DType even = kLinear ? DType(0) : from[2 * k];
        const DType odd = kLinear ? DType(0) : from[2 * k + 1];
        out[2 * k] = sum_of(even, begin + k, std::true_type());
        out[2 * k + 1] = sum_of(odd, begin + k + 1, std::false_type());
      });
      u += n;
    }
    to[2 * last + 2] = one(2 * last + 2, last);
    for (std::ptrdiff_t x = 2 * last + 3; x < end; ++x) to[x] = DType(0);
  }
  /// The n steps of one or two elements from x = q stride - pad on; 16 are computed where n is
  /// less.
  MSHADOW_FORCE_INLINE void Spread(std::ptrdiff_t x, std::ptrdiff_t q, std::ptrdiff_t n,
                              std::ptrdiff_t back, DType* to) const {
    const std::ptrdiff_t stride = x_.stride, length = n * stride;
    const std::ptrdiff_t steps = n < 16 ? 16 : n;
    if constexpr (kLinear) {
      if (x_.ksize == 2 && stride == 2 && rows_ == 1 && planes_ == 1 && q + n <= x_.windows) {
        return Repeat(q, n, to);
      }
    }
    if constexpr (kPointers) {
      if (SideBySide() && n >= kLeast && q + n <= x_.windows) {
        const SrcRow src[] = {src_};
        return WriteTwos(src, to, 0, q, n);
      }
    }
    DType src_memory[2 * kMost], grad_memory[kMost];
    [[maybe_unused]] DType pooled_memory[kMost];
    Value buffer[2][2 * kMost];
    // The destination may be the source: some elements are computed twice.
    const DType* src = src_memory;
    if constexpr (!kLinear) src = Part(src_, x, steps * stride, x + length, to, src_memory);
    const Value* sum = buffer[0];
    for (std::ptrdiff_t i = 0; i < steps * stride; ++i) buffer[0][i] = Value(0);
    const std::ptrdiff_t passes = rows_ * planes_ * (back + 1);
    std::ptrdiff_t pass = 0;
    for (std::ptrdiff_t plane = 0; plane < planes_; ++plane) {
      for (std::ptrdiff_t i = 0; i < rows_; ++i) {
        const std::ptrdiff_t row = first_ + plane * plane_step_ + i;
        const DType* grad = Part(RowOf(grad_, row), q - back, steps + back, x_.windows, nullptr,
                                 grad_memory);
        const DType* pooled = grad;
        if constexpr (!kLinear) {
          pooled = Part(RowOf(pooled_, row), q - back, steps + back, x_.windows, nullptr,
                        pooled_memory);
        }
        pooled += back;
        grad += back;
        for (std::ptrdiff_t t = 0; t <= back; ++t, --pooled, --grad) {
          Value* out = buffer[++pass % 2];
          if constexpr (std::is_same_v<Value, DType>) {
            if (pass == passes && n == steps) out = to;
          }
          if (stride == 1) {
            ForEachInVectors(steps, [&](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
              out[k] = Add(sum[k], src[k], pooled[k], grad[k]);
            });
          } else {
            // The second element of a step has no window here where their size is odd.
            const bool both = 2 * t + 1 < x_.ksize;
            ForEachInVectors(steps, [&](std::ptrdiff_t k) MSHADOW_INLINE_LAMBDA {
              const Value second = Add(sum[2 * k + 1], src[2 * k + 1], pooled[k], grad[k]);
              out[2 * k] = Add(sum[2 * k], src[2 * k], pooled[k], grad[k]);
              out[2 * k + 1] = both ? second : sum[2 * k + 1];
            });
          }
          sum = out;
        }
      }
    }
    if constexpr (std::is_same_v<Value, DType>) {
      if (sum == to) return;
    }
    for (std::ptrdiff_t i = 0; i < length; ++i) to[i] = static_cast<DType>(sum[i]);
  }
};

/// Rows [y, end_y) of a plan of gradients, of which `height` make an image that the windows `rows`
/// cover.
template <typename P, typename DType>
MSHADOW_FORCE_INLINE void WriteUnpoolRows(const P& plan, const Divisor& height,
                                          const CoverAxis& rows, DType* to, std::ptrdiff_t stride,
                                          std::ptrdiff_t y, std::ptrdiff_t end_y, std::ptrdiff_t x,
                                          std::ptrdiff_t end) {
  const bool pairs = rows.ksize == 2 && rows.stride == 2 && rows.pad == 0;
  while (y < end_y) {
    const auto row = plan.Row(y);
    const std::ptrdiff_t v = y - Quotient(y, height) * height;
    if (pairs && v % 2 == 0 && v + 1 < height && y + 1 < end_y &&
        row.WritePair(plan.SrcRow(y + 1), to, stride, x, end)) {
      y += 2;
      to += 2 * stride;
    } else {
      row.Write(to, x, end);
      ++y;
      to += stride;
    }
  }
}

}  // namespace detail
}  // namespace expr
}  // namespace mshadow
#endif  // MSHADOW_EXTENSION_UNPOOL_CURSOR_H_
