// SPDX-License-Identifier: Apache-2.0
// WindowExp: pool, avg_pool and pool3d, which reduce each window of the last axes to one element.
#ifndef MSHADOW_WINDOW_WINDOW_EXP_H_
#define MSHADOW_WINDOW_WINDOW_EXP_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "pool_cursor.h"
#include "window.h"

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
      ksize_[i] = detail::FitExtent(ksize[i], src_size_[i] + padding);
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
  using Cursor = detail::PoolCursorOf<Window, Src, DType>;

 public:
  static constexpr PlanFacts kFacts =
      FactsOver<Access::kRows, Src>(4 * axes + (1 << axes) * kCostOf<Src>);
  static constexpr Fills kFills = Fills::kBlocks;
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
    const DivModResult plane = DivMod(row, extent_[axes - 2]);
    const detail::WindowAxis& rows = axis_[axes - 2];
    const std::ptrdiff_t first = rows.Begin(plane.rem), last = rows.End(plane.rem);
    if constexpr (axes == 2) {
      return Cursor({src_, plane.quot * rows.size + first, last - first, 1, 0, axis_[1]});
    } else {
      const DivModResult volume = DivMod(plane.quot, extent_[0]);
      const std::ptrdiff_t begin = axis_[0].Begin(volume.rem);
      const std::ptrdiff_t top = (volume.quot * axis_[0].size + begin) * rows.size;
      return Cursor({src_, top + first, last - first, axis_[0].End(volume.rem) - begin, rows.size,
                     axis_[2]});
    }
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    std::ptrdiff_t reads = axis_[0].reads;
    for (int i = 1; i < axes; ++i) reads *= axis_[i].reads;
    return LayoutOf(src_, cols).Joined(1).Reading(reads);
  }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    const detail::WindowAxis& rows = axis_[axes - 2];
    detail::WriteWindowRows(*this, extent_[axes - 2], rows, axes == 2 ? rows.size : 0, to, stride,
                            y, end_y, x, end);
  }

 private:
  Src src_;
  FastDivmod extent_[axes - 1];  // windows of all axes but the last
  detail::WindowAxis axis_[axes];
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_WINDOW_WINDOW_EXP_H_
