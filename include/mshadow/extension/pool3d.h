// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXTENSION_POOL3D_H_
#define MSHADOW_EXTENSION_POOL3D_H_

#include "../core/fast_divmod.h"
#include "../expr/argument.h"
#include "../expr/make_tensor.h"
#include "../window/pool_cursor.h"
#include "../window/window.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
struct Pooling3dExp
    : public MakeTensorExp<Pooling3dExp<Reducer, SrcExp, DType, srcdim>, SrcExp, srcdim, DType> {
  static_assert(srcdim >= 3, "mshadow: pool3d needs an expression of three axes or more");
  SrcExp src_;
  Shape<3> ksize_, kstride_, src_size_;
  Pooling3dExp(const SrcExp& src, const Shape<3>& ksize, const Shape<3>& kstride)
      : Pooling3dExp(src, Shape3(0, 0, 0), ksize, kstride) {
    const char* const names[] = {"ksize[0]", "ksize[1]", "ksize[2]"};
    for (int i = 0; i < 3; ++i) {
      detail::CheckArgument("pool3d", names[i], ksize[i], 1, src_size_[i],
                            ", the volume's extent (kernel must be smaller than volume)");
      this->shape_[srcdim - 3 + i] = (src_size_[i] - ksize[i]) / kstride[i] + 1;
      kstride_[i] = detail::FitExtent(kstride[i], src_size_[i]);
    }
  }
  Pooling3dExp(const SrcExp& src, const Shape<3>& pshape, const Shape<3>& ksize,
               const Shape<3>& kstride)
      : src_(src), ksize_(ksize), kstride_(kstride) {
    detail::CheckWindow3("pool3d", ksize, kstride);
    this->shape_ = ShapeCheck<srcdim, SrcExp>::Check(src_);
    for (int i = 0; i < 3; ++i) {
      src_size_[i] = this->shape_[srcdim - 3 + i];
      this->shape_[srcdim - 3 + i] = pshape[i];
    }
    detail::FitWindows("pool3d", src_size_, &ksize_, &kstride_, Shape3(0, 0, 0), pshape);
  }
};

/// out[..][z][y][x] = reduction of src[..][z s0 + h][y s1 + i][x s2 + j] over h < k0, i < k1,
/// j < k2, where (k0, k1, k2) = ksize and (s0, s1, s2) = kstride;
/// src (.., D, H, W) -> (.., (D - k0) / s0 + 1, (H - k1) / s1 + 1, (W - k2) / s2 + 1), rounded
/// down: what is left of the volume behind the last whole window is not read. Sums are not divided.
/// Throws Error where the window exceeds the volume or a stride is not positive.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline Pooling3dExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool3d(
    const Exp<SrcExp, DType, etype>& src, Shape<3> ksize, Shape<3> kstride) {
  return Pooling3dExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), ksize, kstride);
}
/// The same with the result's last three axes given: src (.., D, H, W) -> (.., pshape). The volume's
/// end clips the windows that cross it. Throws Error where a window holds no element, or where a
/// size or stride is not positive.
template <typename Reducer, typename SrcExp, typename DType, int etype>
inline Pooling3dExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim> pool3d(
    const Exp<SrcExp, DType, etype>& src, Shape<3> pshape, Shape<3> ksize, Shape<3> kstride) {
  return Pooling3dExp<Reducer, SrcExp, DType, ExpInfo<SrcExp>::kDim>(src.self(), pshape, ksize,
                                                                     kstride);
}

template <typename Reducer, typename SrcExp, typename DType, int srcdim>
class Plan<Pooling3dExp<Reducer, SrcExp, DType, srcdim>, DType> {
  using Src = RereadPlan<SrcExp, DType>;
  using Cursor = detail::PoolCursorOf<detail::WindowReduction<Reducer, DType>, Src, DType>;

 public:
  static constexpr PlanFacts kFacts = FactsOver<Access::kRows, Src>(12 + 8 * kCostOf<Src>);
  static constexpr Fills kFills = Fills::kBlocks;
  explicit Plan(const Pooling3dExp<Reducer, SrcExp, DType, srcdim>& e)
      : src_(MakePlanOf<Src>(e.src_)),
        depth_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 3])),
        height_(static_cast<std::ptrdiff_t>(e.shape_[srcdim - 2])),
        z_(detail::MakeWindowAxis(e.src_size_[0], e.ksize_[0], e.kstride_[0], 0,
                                  e.shape_[srcdim - 3])),
        y_(detail::MakeWindowAxis(e.src_size_[1], e.ksize_[1], e.kstride_[1], 0,
                                  e.shape_[srcdim - 2])),
        x_(detail::MakeWindowAxis(e.src_size_[2], e.ksize_[2], e.kstride_[2], 0,
                                  e.shape_[srcdim - 1])) {}

  MSHADOW_XINLINE Cursor Row(std::ptrdiff_t row) const {
    const std::ptrdiff_t plane = FloorDiv(row, height_);
    const std::ptrdiff_t volume = FloorDiv(plane, depth_);
    const std::ptrdiff_t y = row - plane * height_, z = plane - volume * depth_;
    const std::ptrdiff_t first = (volume * z_.size + z_.Begin(z)) * y_.size + y_.Begin(y);
    return Cursor({src_, first, y_.End(y) - y_.Begin(y), z_.End(z) - z_.Begin(z), y_.size, x_});
  }
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return Row(y).Eval(x); }
  MSHADOW_XINLINE PlanLayout Layout(std::ptrdiff_t cols) const {
    return LayoutOf(src_, cols).Joined(1).Reading(z_.reads * y_.reads * x_.reads);
  }
  MSHADOW_FORCE_INLINE void Fill(DType* to, std::ptrdiff_t stride, std::ptrdiff_t y,
                                 std::ptrdiff_t end_y, std::ptrdiff_t x, std::ptrdiff_t end) const {
    detail::WriteWindowRows(*this, height_, y_, 0, to, stride, y, end_y, x, end);
  }

 private:
  Src src_;
  FastDivmod depth_, height_;
  detail::WindowAxis z_, y_, x_;
};

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_POOL3D_H_
