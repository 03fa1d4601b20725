// SPDX-License-Identifier: Apache-2.0
// SourceView: views of an operand that can be assigned to: a part of it, or another order.
#ifndef MSHADOW_EXPR_SOURCE_VIEW_H_
#define MSHADOW_EXPR_SOURCE_VIEW_H_

#include <type_traits>
#include <utility>

#include "engine.h"
#include "operand.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

/// A view whose assignments assign the elements. A subclass brings its copy assignment, which does
/// so too, and `using AssignedView::operator=`.
template <typename Self, typename Device, int dim, typename DType>
struct AssignedView : public ViewBase<Self, Device, dim, DType> {
  AssignedView() = default;
  AssignedView(const AssignedView&) = default;
  AssignedView& operator=(const AssignedView&) = delete;
  template <typename E, typename EDType, int etype>
  Self& operator=(const Exp<E, EDType, etype>& exp) {
    return this->__assign(exp);
  }
  Self& operator=(const DType& value) { return this->__assign(value); }
  template <typename S, typename = EnableIfOtherScalar<DType, S>>
  Self& operator=(const S& value) {
    return this->__assign(value);
  }
};

/// A view of src_, of `srcdim` axes; of src_'s shape unless the subclass gives another or changes
/// shape_. It says where it writes: Written().
template <typename Self, typename SrcExp, typename Device, int srcdim, typename DType>
struct SourceView : public AssignedView<Self, Device, srcdim, DType> {
  static constexpr int kRank = srcdim;
  static constexpr int kDevices = ExpInfo<SrcExp>::kDevMask;
  using AssignedView<Self, Device, srcdim, DType>::operator=;
  SrcExp src_;
  Shape<srcdim> shape_;
  explicit SourceView(const SrcExp& src)
      : src_(src), shape_(ShapeCheck<srcdim, SrcExp>::Check(src_)) {}
  SourceView(const SrcExp& src, const Shape<srcdim>& shape) : src_(src), shape_(shape) {}
  template <int dim>
  Shape<dim> GetShape() const {
    static_assert(dim == srcdim, "mshadow: a view has another number of axes than the statement "
                                 "it stands in");
    return shape_;
  }
  template <typename D>
  Stream<D>* GetStream() const {
    return StreamInfo<D, SrcExp>::Get(src_);
  }
  /// Of a source that is several views: all of them.
  template <typename F, typename Src = SrcExp>
  auto AnyWritten(const F& f) const -> decltype(std::declval<const Src&>().AnyWritten(f)) {
    return src_.AnyWritten([&f](WrittenView view) {
      view.same_layout = false;
      return f(view);
    });
  }
  bool Overlaps(const WrittenView& written, bool same_index) const {
    if constexpr (std::is_void_v<Device>) {
      return expr::Overlaps(src_, written, false);
    } else {
      const Self& self = *static_cast<const Self*>(this);
      return expr::AnyWritten(self, [&](const WrittenView& read) {
        return detail::ReadsWritten(written, read, same_index && read.same_layout);
      });
    }
  }
};

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_SOURCE_VIEW_H_
