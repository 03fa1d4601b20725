// SPDX-License-Identifier: Apache-2.0
// Mean and squared deviations of parts of channels on the host, in one pass over memory.
//
// A channel is read in blocks of n elements, and deviations are taken from a shift near the mean of
// the block: with d = sum(x - shift) and q = sum((x - shift)^2),
//   mean = shift + d / n,   squares = sum((x - mean)^2) = q - d^2 / n
// where d and q are taken in float or double, and the rest in double. The shift is the mean of the
// block's first m elements. Its distance to the mean squared is at most squares / m, so
// q <= (1 + n / m) squares: with n / m <= 16, few digits cancel, whatever the data are.
// What blocks give is merged by the update of T. Chan, G. Golub, R. LeVeque, "Updating formulae and
// a pairwise algorithm for computing sample variances", 1979.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_MOMENTS_KERNEL_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_MOMENTS_KERNEL_H_

#include "../../../op/reducer.h"
#include "../reduce/lanes.h"
#include "../reduce/tasks.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Merges the moments of `added` elements into those of `before` elements, 0 at first.
struct MomentsUpdate {
  double weight, between, one_of_added;

  MSHADOW_FORCE_INLINE MomentsUpdate(double before, double added)
      : weight(added / (before + added)), between(before * weight), one_of_added(1 / added) {}
  MSHADOW_FORCE_INLINE void Add(double* mean, double* squares, double added_mean,
                                double added_squares) const {
    const double delta = added_mean - *mean;
    *mean = (1 - weight) * *mean + weight * added_mean;
    *squares += added_squares + delta * (delta * between);
  }
  /// Those of a block, from its sums.
  MSHADOW_FORCE_INLINE void AddBlock(double* mean, double* squares, double shift, double d,
                                     double q) const {
    const double offset = d * one_of_added;
    const double block = q - d * offset;
    Add(mean, squares, shift + offset, block < 0 ? 0 : block);
  }
};

/// `mean` as the shift of a block; from a shift that is not finite, every deviation is NaN.
template <typename Acc>
MSHADOW_FORCE_INLINE Acc ShiftOf(Acc mean) {
  return mean - mean == 0 ? mean : Acc(0);
}

/// Adds to each lane the deviation of one element from its shift, and the square of that.
template <typename Acc, typename DType>
MSHADOW_FORCE_INLINE void AddDeviations(const DType* row, std::ptrdiff_t lanes, const Acc* shift,
                                        Acc* dev, Acc* square) {
  MSHADOW_SIMD_LOOP
  for (std::ptrdiff_t l = 0; l < lanes; ++l) {
    const Acc v = static_cast<Acc>(row[l]) - shift[l];
    dev[l] += v;
    square[l] += v * v;
  }
}
/// The same of four rows, `step` apart: the lanes are loaded and stored once.
template <typename Acc, typename DType>
MSHADOW_FORCE_INLINE void AddDeviations(const DType* row, std::ptrdiff_t step, std::ptrdiff_t lanes,
                                        const Acc* shift, Acc* dev, Acc* square) {
  const DType* const r1 = row + step;
  const DType* const r2 = r1 + step;
  const DType* const r3 = r2 + step;
  MSHADOW_SIMD_LOOP
  for (std::ptrdiff_t l = 0; l < lanes; ++l) {
    const Acc s = shift[l];
    const Acc a = static_cast<Acc>(row[l]) - s, b = static_cast<Acc>(r1[l]) - s;
    const Acc c = static_cast<Acc>(r2[l]) - s, d = static_cast<Acc>(r3[l]) - s;
    dev[l] += (a + b) + (c + d);
    square[l] += (a * a + b * b) + (c * c + d * d);
  }
}

/// Where moments go: to `means` and `squares` if there are any, one of each part and channel, else
/// to the results.
template <typename DType>
struct MomentsSink {
  DType* mean;
  DType* variance;
  std::ptrdiff_t channels;
  double scale;  // 1 / elements of a channel
  double* means;
  double* squares;

  MSHADOW_FORCE_INLINE void Put(std::ptrdiff_t part, std::ptrdiff_t c, double m, double s) const {
    if (means != nullptr) {
      means[part * channels + c] = m;
      squares[part * channels + c] = s;
    } else {
      using Acc = Accumulator<DType>;
      mean[c] = static_cast<DType>(static_cast<Acc>(m));
      variance[c] = static_cast<DType>(static_cast<Acc>(s * scale));
    }
  }
};

/// Channels whose elements lie in long rows: channel c of image n has the elements
///   src[((n * channels + c) * rows + y) * stride + x],   y < rows, x < cols
/// of which, over all images, the elements [begin, end) of channels [c0, c1) are taken: `run` of
/// them of each channel before the next ones, those of an image where they are many, since memory
/// is then read from end to end.
template <typename DType>
struct MomentsOfRowsKernel {
  using Acc = Accumulator<DType>;

  MomentsSink<DType> sink;
  const DType* src;
  std::ptrdiff_t stride, rows, cols;
  std::ptrdiff_t part, c0, c1, begin, end, run;

  /// Elements of a block, and rows of it where they are short; the mean of a sixteenth of its
  /// elements, and of kFirst at least, is the shift.
  static constexpr std::ptrdiff_t kBlock = 16384, kRows = 256, kFirst = 64;
  /// Channels whose moments are at hand.
  static constexpr std::ptrdiff_t kGroup = 64;

  struct Place {
    std::ptrdiff_t image, y, x;
  };

  /// Sums of deviations from `shift` and of their squares over n elements from `place` on.
  template <int lanes>
  MSHADOW_FORCE_INLINE Place Sums(std::ptrdiff_t c, Place place, std::ptrdiff_t n, Acc shift,
                                  Acc* d, Acc* q) const {
    using L = Lanes<red::sum, Acc>;
    // As many as live in registers; memory is read in the order of its addresses.
    Acc dev[lanes], square[lanes];
    for (int l = 0; l < lanes; ++l) dev[l] = square[l] = 0;
    const auto add = [&](const DType* row, std::ptrdiff_t l) MSHADOW_INLINE_LAMBDA {
      const Acc v = static_cast<Acc>(row[l]) - shift;
      dev[l] += v;
      square[l] += v * v;
    };
    while (n > 0) {
      const std::ptrdiff_t size = cols - place.x < n ? cols - place.x : n;
      const std::ptrdiff_t row = (place.image * sink.channels + c) * rows + place.y;
      const DType* from = src + row * stride + place.x;
      std::ptrdiff_t left = size;
      for (; left >= lanes; left -= lanes, from += lanes) {
        MSHADOW_SIMD_LOOP_LONG
        for (int l = 0; l < lanes; ++l) add(from, l);
      }
      MSHADOW_SIMD_LOOP
      for (std::ptrdiff_t l = 0; l < left; ++l) add(from, l);
      n -= size;
      place.x += size;
      if (place.x == cols) {
        place.x = 0;
        if (++place.y == rows) {
          place.y = 0;
          ++place.image;
        }
      }
    }
    L::Fold(dev, 16, lanes / 16);
    L::Fold(square, 16, lanes / 16);
    *d = L::FoldAll(dev, 16);
    *q = L::FoldAll(square, 16);
    return place;
  }
  /// Adds the elements [first, last) of a channel to its moments.
  template <int lanes>
  MSHADOW_FORCE_INLINE void AddTo(double* mean, double* squares, std::ptrdiff_t c,
                                  std::ptrdiff_t first, std::ptrdiff_t last) const {
    const std::ptrdiff_t row = first / cols, block = Smaller(kBlock, kRows * cols);
    Place place{row / rows, row % rows, first % cols};
    for (std::ptrdiff_t i = first; i < last; i += block) {
      const std::ptrdiff_t n = Smaller(block, last - i);
      const std::ptrdiff_t m = Smaller(n, Larger(kFirst, n / 16));
      Acc d, q;
      Sums<lanes>(c, place, m, Acc(0), &d, &q);
      const Acc shift = ShiftOf<Acc>(d / static_cast<Acc>(m));
      place = Sums<lanes>(c, place, n, shift, &d, &q);
      MomentsUpdate(static_cast<double>(i - begin), static_cast<double>(n))
          .AddBlock(mean, squares, static_cast<double>(shift), static_cast<double>(d),
                    static_cast<double>(q));
    }
  }
  template <int lanes>
  MSHADOW_FORCE_INLINE void Channels() const {
    for (std::ptrdiff_t c = c0; c < c1; c += kGroup) {
      double mean[kGroup], squares[kGroup];
      const std::ptrdiff_t n = Smaller(kGroup, c1 - c);
      for (std::ptrdiff_t k = 0; k < n; ++k) mean[k] = squares[k] = 0;
      for (std::ptrdiff_t i = begin; i < end; i += run) {
        for (std::ptrdiff_t k = 0; k < n; ++k) {
          AddTo<lanes>(mean + k, squares + k, c + k, i, Smaller(i + run, end));
        }
      }
      for (std::ptrdiff_t k = 0; k < n; ++k) sink.Put(part, c + k, mean[k], squares[k]);
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    if (end - begin < 256) {
      Channels<16>();
    } else {
      Channels<32>();
    }
  }
};

/// Channels that lie side by side: those from c0 on, n of them, have in every row the elements
///   src[y * stride + (c - c0) * inner + x],   x < inner
/// of which the rows [begin, end) are taken. `joined` rows, contiguous where they are several, are
/// read as one. Each element of such a row has a lane; lanes of one channel share the shift.
template <typename DType>
struct MomentsOfColumnsKernel {
  using Acc = Accumulator<DType>;

  MomentsSink<DType> sink;
  const DType* src;
  std::ptrdiff_t stride, inner, joined;
  std::ptrdiff_t part, c0, n, begin, end;

  /// Lanes: with their shifts and sums they leave most of the first-level cache for the source.
  static constexpr std::ptrdiff_t kMax = 2048 / static_cast<std::ptrdiff_t>(sizeof(Acc));
  /// Rows of a block, and of those that the shift is from at least, in units of `joined`.
  static constexpr std::ptrdiff_t kBlock = 256, kFirst = 4;

  /// d[c], q[c]: sums of deviations from the shift and of their squares over `rows` rows.
  MSHADOW_FORCE_INLINE void Sums(const DType* from, std::ptrdiff_t rows, const Acc* shift, Acc* d,
                                 Acc* q) const {
    Acc dev[kMax], square[kMax];
    const std::ptrdiff_t cols = n * inner, lanes = joined * cols, step = joined * stride;
    for (std::ptrdiff_t l = 0; l < lanes; ++l) dev[l] = square[l] = 0;
    for (; rows >= 4 * joined; rows -= 4 * joined, from += 4 * step) {
      AddDeviations(from, step, lanes, shift, dev, square);
    }
    for (; rows > 0; rows -= joined, from += step) {
      AddDeviations(from, rows < joined ? rows * cols : lanes, shift, dev, square);
    }
    for (std::ptrdiff_t c = 0; c < n; ++c) d[c] = q[c] = 0;
    for (std::ptrdiff_t row = 0; row < lanes; row += cols) {
      for (std::ptrdiff_t x = 0; x < inner; ++x) {
        MSHADOW_IVDEP
        for (std::ptrdiff_t c = 0; c < n; ++c) {
          d[c] += dev[row + c * inner + x];
          q[c] += square[row + c * inner + x];
        }
      }
    }
  }
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    Acc shift[kMax], d[kMax], q[kMax];
    double mean[kMax], squares[kMax];
    const std::ptrdiff_t lanes = joined * n * inner;
    for (std::ptrdiff_t c = 0; c < n; ++c) mean[c] = squares[c] = 0;
    for (std::ptrdiff_t y = begin; y < end; y += kBlock * joined) {
      const std::ptrdiff_t rows = Smaller(kBlock * joined, end - y);
      const std::ptrdiff_t first = Smaller(rows, Larger(kFirst * joined, rows / 16));
      const DType* const from = src + y * stride;
      for (std::ptrdiff_t l = 0; l < lanes; ++l) shift[l] = 0;
      Sums(from, first, shift, d, q);
      const Acc scale = Acc(1) / static_cast<Acc>(first * inner);
      for (std::ptrdiff_t l = 0; l < lanes;) {
        for (std::ptrdiff_t c = 0; c < n; ++c) {
          const Acc value = ShiftOf<Acc>(d[c] * scale);
          for (std::ptrdiff_t x = 0; x < inner; ++x) shift[l++] = value;
        }
      }
      Sums(from, rows, shift, d, q);
      const MomentsUpdate update(static_cast<double>((y - begin) * inner),
                                 static_cast<double>(rows * inner));
      MSHADOW_IVDEP
      for (std::ptrdiff_t c = 0; c < n; ++c) {
        update.AddBlock(&mean[c], &squares[c], static_cast<double>(shift[c * inner]),
                        static_cast<double>(d[c]), static_cast<double>(q[c]));
      }
    }
    for (std::ptrdiff_t c = 0; c < n; ++c) sink.Put(part, c0 + c, mean[c], squares[c]);
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_MOMENTS_KERNEL_H_
