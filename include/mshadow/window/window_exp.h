// SPDX-License-Identifier: Apache-2.0
// WindowExp: pool, avg_pool and pool3d, which reduce each window of the last axes to one element.
#ifndef MSHADOW_WINDOW_WINDOW_EXP_H_
#define MSHADOW_WINDOW_WINDOW_EXP_H_

#include "../core/argument.h"
#include "../core/fast_divmod.h"
#include "../expr/make_tensor.h"
#include "pool_kernel.h"
#include "window.h"
#include "window_cursor.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

/// Window i of each of the last `axes` axes, 2 or 3, holds the elements
/// [i kstride - pad, i kstride - pad + ksize), as far as there are any. Window makes one of them.
template <typename Window, typename SrcExp, typename DType, int srcdim, int axes>
struct WindowExp
    : public MakeTensorExp<WindowExp<Window, SrcExp, DType, srcdim, axes>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= axes, "mshadow: the pooled expression lacks axes of its windows");
  SrcExp src_;
  Shape<axes> src_size_, ksize_, kstride_, pad_;
  /// So many windows as are whole within the padded source. Throws Error, in the name of
  /// `function`, where there is none, a size or stride is not positive, or a padding exceeds half
  /// the window.
  WindowExp(const char* function, const SrcExp& src, const Shape<axes>& ksize,
            const Shape<axes>& kstride, const Shape<axes>& pad)
      : src_(src), pad_(pad) {
    detail::CheckWindow<Window::kPads>(function, ksize, kstride, pad);
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    detail::ForEachAxis<axes>([&](int i) MSHADOW_INLINE_LAMBDA {
      index_t& extent = this->shape_[srcdim - axes + i];
      src_size_[i] = extent;
      const index_t padding = Window::kPads ? pad[i] : 0;
      const long long room = static_cast<long long>(extent) + 2 * static_cast<long long>(padding);
      detail::CheckArgument(function, detail::WindowArguments<axes>::kNames[i], ksize[i], 1, room,
                            ", the extent with its padding (kernel must be smaller than image)");
      extent = static_cast<index_t>(room - ksize[i]) / kstride[i] + 1;
      ksize_[i] = detail::FitSize(ksize[i], src_size_[i], padding);
      kstride_[i] = detail::FitExtent(kstride[i], src_size_[i] + padding);
    });
  }
  /// So many as `pshape` says. Throws Error where one holds no element, and as above.
  WindowExp(const char* function, const SrcExp& src, const Shape<axes>& pshape,
            const Shape<axes>& ksize, const Shape<axes>& kstride, const Shape<axes>& pad)
      : src_(src), ksize_(ksize), kstride_(kstride), pad_(pad) {
    detail::CheckWindow<Window::kPads>(function, ksize, kstride, pad);
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    src_size_ = detail::LastAxes<axes>(this->shape_);
    for (int i = 0; i < axes; ++i) this->shape_[srcdim - axes + i] = pshape[i];
    detail::FitWindows(function, src_size_, &ksize_, &kstride_, pad, pshape);
  }
};

template <typename Window, typename SrcExp, typename DType, int srcdim, int axes>
class Plan<WindowExp<Window, SrcExp, DType, srcdim, axes>, DType> {
  using Src = RereadPlan<SrcExp, DType>;
  using Cursor = detail::WindowCursor<Window, Src, DType>;

 public:
  static constexpr PlanFacts kFacts =
      FactsOver<Access::kRows, Src>(4 * axes + (1 << axes) * kCostOf<Src>);
  explicit Plan(const WindowExp<Window, SrcExp, DType, srcdim, axes>& e)
      : src_(MakePlanOf<Src>(e.src_)) {
    detail::ForEachAxis<axes>([&](int i) MSHADOW_INLINE_LAMBDA {
      const index_t windows = e.shape_[srcdim - axes + i];
      axis_[i] = detail::MakeWindowAxis(e.src_size_[i], e.ksize_[i], e.kstride_[i],
                                        Window::kPads ? e.pad_[i] : 0, windows);
      if (i < axes - 1) extent_[i] = FastDivmod(static_cast<std::ptrdiff_t>(windows));
    });
  }
  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t row) const {
    const Windows at = WindowsAt(row);
    return Cursor{src_, at.first, at.rows, at.planes, PlaneStep(), axis_[axes - 1]};
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    std::ptrdiff_t reads = axis_[0].reads;
    for (int i = 1; i < axes; ++i) reads *= axis_[i].reads;
    return LayoutOf(src_, cols).Joined(1).Reading(reads);
  }
  MSHADOW_NOINLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                             std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    // Whole windows of an image follow each other at even distances, and so do those of several
    // images if they come without gaps, or one makes an image.
    const detail::WindowAxis& rows = axis_[axes - 2];
    const FastDivmod& height = extent_[axes - 2];
    const bool one = height == 1;
    const std::ptrdiff_t step = one && axes == 2 ? rows.size : rows.stride;
    const bool even = axes == 2 && rows.all_whole && (one || step * height == rows.size);
    for (std::ptrdiff_t n; y < end_y; y += n, to += n * stride) {
      const std::ptrdiff_t v = y - FloorDiv(y, height) * height;
      n = end_y - y;
      if (!even) {
        if (height - v < n) n = height - v;
        const std::ptrdiff_t whole = rows.Whole(v, v + n);
        n = whole > 0 ? whole : 1;
      }
      const Windows at = WindowsAt(y);
      [[maybe_unused]] const bool done = detail::WritePooledRows<Window, DType>(
          detail::SourceRowsOf<DType>(src_), {{},
                                              at.first,
                                              at.rows,
                                              at.planes,
                                              PlaneStep(),
                                              axis_[axes - 1],
                                              to,
                                              stride,
                                              n,
                                              step,
                                              x,
                                              end});
      if constexpr (!detail::kInMemory<Src>) {
        for (std::ptrdiff_t k = 0; !done && k < n; ++k) {
          for (std::ptrdiff_t i = x; i < end; ++i) to[k * stride + i - x] = Row(y + k).Eval(i);
        }
      }
    }
  }

 private:
  /// The windows of a row: `rows` rows of the source from `first` on, in so many planes.
  struct Windows {
    std::ptrdiff_t first, rows, planes;
  };
  MSHADOW_XINLINE std::ptrdiff_t PlaneStep() const { return axes == 2 ? 0 : axis_[axes - 2].size; }
  MSHADOW_XINLINE Windows WindowsAt(std::ptrdiff_t row) const {
    const DivModResult plane = DivMod(row, extent_[axes - 2]);
    const detail::WindowAxis& rows = axis_[axes - 2];
    const std::ptrdiff_t first = rows.Begin(plane.rem), last = rows.End(plane.rem);
    if constexpr (axes == 2) {
      return Windows{plane.quot * rows.size + first, last - first, 1};
    } else {
      const DivModResult volume = DivMod(plane.quot, extent_[0]);
      const std::ptrdiff_t begin = axis_[0].Begin(volume.rem);
      const std::ptrdiff_t top = (volume.quot * axis_[0].size + begin) * rows.size;
      return Windows{top + first, last - first, axis_[0].End(volume.rem) - begin};
    }
  }

  Src src_;
  FastDivmod extent_[axes - 1];  // windows of all axes but the last
  detail::WindowAxis axis_[axes];
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_WINDOW_EXP_H_
