// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_TENSOR_LET_H_
#define MSHADOW_TENSOR_LET_H_

#include "memory.h"
#include "view.h"

MSHADOW_NAMESPACE_BEGIN

/// A value that statements of one Fuse share, see there:
///
///     Let<cpu, 2> t(a.shape_);
///     Fuse(let(t) = tanh(a * b + c), lazy(y) = t * d, lazy(z) = 1 - t * t);
///
/// Its memory comes from the thread's temporaries, of a GPU from the stream's. Where the statements
/// become one loop of the CPU, none of it is touched: the value lives in a first-level cache. What
/// the memory holds after the Fuse is not specified.
template <typename Device, int dim, typename DType>
class Let : public Tensor<Device, dim, DType> {
 public:
  explicit Let(const Shape<dim>& shape, Stream<Device>* stream = nullptr)
      : memory_(shape, stream) {
    static_cast<Tensor<Device, dim, DType>&>(*this) = memory_.tensor();
  }
  Let(const Let&) = delete;
  Let& operator=(const Let&) = delete;

 private:
  mshadow::detail::Temporary<Device, dim, DType> memory_;
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_LET_H_
