// SPDX-License-Identifier: Apache-2.0
// ToString: tensors, expressions and blobs as text, in NumPy's layout.
#ifndef MSHADOW_TENSOR_PRINT_H_
#define MSHADOW_TENSOR_PRINT_H_

#include "container.h"
#include "print_layout.h"
#include "../core/type_switch.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The text of memory on the host, rows `stride` elements apart.
template <typename DType>
std::string HostText(const DType* data, const index_t* extents, int ndim, std::ptrdiff_t stride,
                     const PrintOptions& options) {
  const PrintLayout layout(extents, ndim, options);
  return layout.Text(WordsOf(data, layout.Offsets(stride), options));
}

/// The text of `t` as if its extents were `extents`, which have the same last one.
template <typename Device, int dim, typename DType>
std::string TensorText(const Tensor<Device, dim, DType>& t, const index_t* extents, int ndim,
                       const PrintOptions& options) {
  MSHADOW_CHECK(t.dptr_ != nullptr || t.shape_.Size() == 0)
      << "ToString: a tensor of shape " << LogText(t.shape_) << " has no memory";
  if constexpr (Device::kDevCPU) {
    return HostText(t.dptr_, extents, ndim, static_cast<std::ptrdiff_t>(t.stride_), options);
  } else {
    Temporary<cpu, dim, std::remove_const_t<DType>> host(t.shape_, nullptr);
    CopyAndWait(host.tensor(), Unconst(t), t.stream_);
    return TensorText(host.tensor(), extents, ndim, options);
  }
}

template <typename Device, typename DType>
std::string ScalarText(const Tensor<Device, 1, DType>& t, const PrintOptions& options);

template <typename Device, int dim, typename DType>
std::string TextOf(const Tensor<Device, dim, DType>& t, const PrintOptions& options) {
  if constexpr (dim == 0) {
    return ScalarText(t.FlatTo1D(), options);
  } else {
    return TensorText(t, t.shape_.shape_, dim, options);
  }
}

/// The text of an expression of one element, of no axis.
template <typename Device, typename DType>
std::string ScalarText(const Tensor<Device, 1, DType>& t, const PrintOptions& options) {
  PrintOptions narrow = options;
  narrow.width = 0;
  std::string text = TextOf(t, narrow);
  text = text.substr(1, text.size() - 2);
  text.erase(0, text.find_first_not_of(' '));
  const std::size_t point = text.find(".e");
  if (point != std::string::npos) text.erase(point, 1);
  if (text.back() == '.') text += '0';
  if (text.size() < options.width) text.insert(0, options.width - text.size(), ' ');
  return text;
}

/// The text of any other expression: its value is computed first.
template <typename E, typename DType, int etype>
std::string TextOf(const expr::Exp<E, DType, etype>& exp, const PrintOptions& options) {
  if constexpr (expr::ExpInfo<E>::kDim == 0) {
    TensorContainer<expr::detail::DeviceOf<E>, 1, DType> value(Shape1(1));
    value = exp;
    return ScalarText(value, options);
  } else {
    return TextOf(eval(exp), options);
  }
}

}  // namespace detail

namespace expr::adl {

/// A tensor or the value of an expression as NumPy prints it: "[[1.  2.5]\n [0.  3. ]]". `[]` where
/// there is no element.
template <typename E, typename DType, int etype>
std::string ToString(const Exp<E, DType, etype>& exp, const PrintOptions& options = {}) {
  return mshadow::detail::TextOf(exp.self(), options);
}

}  // namespace expr::adl

class TBlob;
/// The elements of a TBlob, on any device; `[]` where it has no memory. Throws Error for an unknown
/// element type.
template <typename Blob, std::enable_if_t<std::is_same_v<Blob, TBlob>, int> = 0>
std::string ToString(const Blob& blob, const PrintOptions& options = {}) {
  std::string text = "[]";
  if (blob.dptr_ == nullptr) return text;
  const int ndim = static_cast<int>(blob.ndim());
  const index_t* const extents = blob.shape_.data();
  const Shape<2> shape = ndim == 0 ? Shape2(1, 1) : blob.shape_.FlatTo2D();
  MSHADOW_TYPE_SWITCH_EXT_WITH_BOOL(blob.type_flag_, DType, {
    const auto text_of = [&](const auto& matrix) {
      return ndim == 0 ? detail::ScalarText(matrix[0], options)
                       : detail::TensorText(matrix, extents, ndim, options);
    };
    DType* const data = static_cast<DType*>(blob.dptr_);
    if (blob.dev_mask_ == cpu::kDevMask) {
      text = text_of(Tensor<cpu, 2, DType>(data, shape, blob.stride_, nullptr));
    } else {
      text = text_of(Tensor<gpu, 2, DType>(data, shape, blob.stride_, nullptr));
    }
  });
  return text;
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_PRINT_H_
