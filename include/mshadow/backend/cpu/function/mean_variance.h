// SPDX-License-Identifier: Apache-2.0
// Mean and variance of channels on the host: how the work is cut, and merged again.
//
// The cuts depend on the shape alone, so that results do not depend on the number of threads.
#ifndef MSHADOW_BACKEND_CPU_FUNCTION_MEAN_VARIANCE_H_
#define MSHADOW_BACKEND_CPU_FUNCTION_MEAN_VARIANCE_H_

#include <cmath>

#include "../../../tensor/memory.h"
#include "../reduce/statistic_source.h"
#include "moments_kernel.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// Mean and variance of each of `channels` channels, `count` elements in `images` images.
template <typename DType>
class ChannelMoments {
  using Sink = MomentsSink<DType>;
  using Columns = MomentsOfColumnsKernel<DType>;

 public:
  ChannelMoments(DType* mean, DType* variance, const DType* src, std::ptrdiff_t images,
                 std::ptrdiff_t channels, std::ptrdiff_t count)
      : sink_{mean, variance, channels, 1 / static_cast<double>(count), nullptr, nullptr},
        src_(src),
        images_(images),
        count_(count),
        isa_(IsaForReduction(count * channels, count * channels * sizeof(DType))) {}

  /// Is a channel of so many elements in an image too short for lanes of its own? A single image
  /// has less to gain from lanes across channels.
  static bool IsShort(std::ptrdiff_t inner, std::ptrdiff_t images) {
    return inner <= (images > 1 ? 64 : 16);
  }

  /// Element x of channel c in image n is src[n * stride + c * inner + x], x < inner.
  void OfColumns(std::ptrdiff_t inner, std::ptrdiff_t stride) const {
    const std::ptrdiff_t cols = sink_.channels * inner;
    std::ptrdiff_t joined = 1;
    if (stride == cols && cols <= Columns::kMax / 2) {
      joined = Smaller(Columns::kMax / cols, images_);
    }
    const std::ptrdiff_t group = Smaller(Columns::kMax / inner, sink_.channels);
    const std::ptrdiff_t groups = DivideUp(sink_.channels, group);
    const std::ptrdiff_t worth = Smaller(images_ * group * inner / kPart, images_ / kMinRows);
    const std::ptrdiff_t parts = Larger(1, Smaller(DivideUp(kTasks, groups), worth));
    const std::ptrdiff_t rows = DivideUp(DivideUp(images_, parts), joined) * joined;
    Run(groups, rows, images_, rows * group * inner,
        [this, group, rows, stride, inner, joined](const Sink& sink, std::ptrdiff_t part,
                                                   std::ptrdiff_t g) {
          const std::ptrdiff_t c = g * group, y = part * rows;
          simd::RunOn(isa_, Columns{sink, src_ + c * inner, stride, inner, joined, part, c,
                                    Smaller(group, sink.channels - c), y,
                                    Smaller(y + rows, images_)});
        });
    Repeat(Places{stride, inner, 1, 0, inner});
  }
  /// Element (y, x) of channel c in image n is src[((n * channels + c) * rows + y) * stride + x],
  /// x < cols.
  void OfRows(std::ptrdiff_t rows, std::ptrdiff_t cols, std::ptrdiff_t stride) const {
    const std::ptrdiff_t channels = sink_.channels, image = rows * cols;
    const bool by_image = image >= kLongImage && channels > 1 && images_ > 1 &&
                          count_ * channels >= kManyElements;
    std::ptrdiff_t parts, size, group, run;
    if (by_image) {
      parts = Smaller(Smaller(kTasks, images_), count_ * channels / (kManyElements / 4));
      size = DivideUp(images_, parts) * image;
      group = DivideUp(channels, DivideUp(Smaller(kTasks, count_ * channels / kPart), parts));
      run = image;
    } else {
      parts = Larger(1, Smaller(DivideUp(kTasks, channels), count_ / kPart));
      size = DivideUp(DivideUp(count_, parts), 64) * 64;
      group = Larger(1, kFewElements / count_);
      run = size;
    }
    Run(DivideUp(channels, group), size, count_, group * size,
        [this, group, size, run, rows, cols, stride](const Sink& sink, std::ptrdiff_t part,
                                                     std::ptrdiff_t g) {
          const std::ptrdiff_t c = g * group, begin = part * size;
          simd::RunOn(isa_, MomentsOfRowsKernel<DType>{sink, src_, stride, rows, cols, part, c,
                                                       Smaller(c + group, sink.channels), begin,
                                                       Smaller(begin + size, count_), run});
        });
    Repeat(Places{channels * rows * stride, rows * stride, rows, stride, cols});
  }

 private:
  /// Elements of a part, and rows: far more than what merging the part costs.
  static constexpr std::ptrdiff_t kPart = 65536, kMinRows = 32;
  /// Enough tasks for the threads that one memory feeds.
  static constexpr std::ptrdiff_t kTasks = 64;
  /// Elements of a task of several channels.
  static constexpr std::ptrdiff_t kFewElements = 16384;
  /// Elements that the second-level cache does not hold, and of a channel in an image so many that
  /// to merge its moments takes a tenth of their time.
  static constexpr std::ptrdiff_t kManyElements = 1 << 20, kLongImage = 1024;

  /// Where the elements of a channel are: (y, x) of image n at
  /// n * image_step + c * channel_step + y * row_step + x, y < rows, x < cols.
  struct Places {
    std::ptrdiff_t image_step, channel_step, rows, row_step, cols;
  };
  template <typename F>
  void ForEachElement(const Places& at, std::ptrdiff_t c, const F& f) const {
    for (std::ptrdiff_t n = 0; n < images_; ++n) {
      for (std::ptrdiff_t y = 0; y < at.rows; ++y) {
        const DType* const row =
            src_ + n * at.image_step + c * at.channel_step + y * at.row_step;
        for (std::ptrdiff_t x = 0; x < at.cols; ++x) {
          f(static_cast<double>(static_cast<Accumulator<DType>>(row[x])));
        }
      }
    }
  }
  /// Channels whose sums may have overflowed once more, in two passes in double, of elements that
  /// are scaled to [-1, 1] by a power of 2. Those with an infinite element or a NaN stay as they
  /// are.
  void Repeat(const Places& at) const {
    for (std::ptrdiff_t c = 0; c < sink_.channels; ++c) {
      const double sum = static_cast<double>(static_cast<Accumulator<DType>>(sink_.mean[c])) +
                         static_cast<double>(static_cast<Accumulator<DType>>(sink_.variance[c]));
      if (!MSHADOW_LIKELY(sum - sum == 0)) RepeatChannel(at, c);
    }
  }
  MSHADOW_NOINLINE void RepeatChannel(const Places& at, std::ptrdiff_t c) const {
    double most = 0;
    ForEachElement(at, c, [&most](double element) {
      const double size = element < 0 ? -element : element;
      most = size > most || size != size ? size : most;
    });
    if (!(most - most == 0)) return;
    int exponent;
    std::frexp(most, &exponent);
    const double scale = std::ldexp(1.0, -exponent);
    // Deviations from the first element: those of equal ones are 0.
    const double first =
        static_cast<double>(static_cast<Accumulator<DType>>(src_[c * at.channel_step])) * scale;
    double offset = 0, squares = 0, rest = 0;
    ForEachElement(at, c, [&](double element) { offset += element * scale - first; });
    offset *= sink_.scale;
    ForEachElement(at, c, [&](double element) {
      const double deviation = element * scale - first - offset;
      rest += deviation;
      squares += deviation * deviation;
    });
    rest *= sink_.scale;
    const double variance = squares * sink_.scale - rest * rest;
    using Acc = Accumulator<DType>;
    sink_.mean[c] =
        static_cast<DType>(static_cast<Acc>(std::ldexp(first + offset + rest, exponent)));
    sink_.variance[c] = static_cast<DType>(static_cast<Acc>(std::ldexp(variance, 2 * exponent)));
  }

  /// Calls run(sink, part, group) for all groups of channels and all parts of [0, total), of `size`
  /// each, and merges the parts.
  template <typename F>
  void Run(std::ptrdiff_t groups, std::ptrdiff_t size, std::ptrdiff_t total,
           std::ptrdiff_t elements, const F& run) const {
    const std::ptrdiff_t parts = DivideUp(total, size), channels = sink_.channels;
    if (parts == 1) {
      RunTasks(groups, elements, 1, [&](std::ptrdiff_t g) { run(sink_, 0, g); });
      return;
    }
    Temporary<cpu, 2, double> memory(
        Shape2(static_cast<index_t>(2 * parts), static_cast<index_t>(channels)), nullptr);
    double* const means = memory.tensor().dptr_;
    double* const squares = means + parts * channels;
    Sink sink = sink_;
    sink.means = means;
    sink.squares = squares;
    RunTasks(parts * groups, elements, 1,
             [&](std::ptrdiff_t task) { run(sink, task / groups, task % groups); });
    const double scale = static_cast<double>(count_ / total);  // elements of one of `total`
    for (std::ptrdiff_t part = 1; part < parts; ++part) {
      const std::ptrdiff_t before = part * size;
      const MomentsUpdate update(static_cast<double>(before) * scale,
                                 static_cast<double>(Smaller(size, total - before)) * scale);
      for (std::ptrdiff_t c = 0; c < channels; ++c) {
        update.Add(means + c, squares + c, means[part * channels + c],
                   squares[part * channels + c]);
      }
    }
    for (std::ptrdiff_t c = 0; c < channels; ++c) sink_.Put(0, c, means[c], squares[c]);
  }

  Sink sink_;
  const DType* src_;
  std::ptrdiff_t images_, count_;
  simd::Isa isa_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_FUNCTION_MEAN_VARIANCE_H_
