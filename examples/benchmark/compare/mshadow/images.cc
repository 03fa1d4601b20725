// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace compare {
namespace {

template <int window>
Body Pool(Job& job) {
  return [o = Out<4>(job), a = In<4>(job, 0)]() mutable {
    o = pool<red::maximum>(a, window, window, 2);
  };
}

template <int window>
Body Unpool(Job& job) {
  const Floats<4> a = In<4>(job, 0), grad = In<4>(job, 1);
  TensorContainer<cpu, 4> most(grad.shape_);
  most = pool<red::maximum>(a, window, window, 2);
  return [=, o = Out<4>(job)]() mutable {
    o = unpool<red::maximum>(a, most, grad, window, window, 2);
  };
}

Body Im2Col(Job& job) {
  return [o = Out<2>(job), a = In<4>(job, 0)]() mutable { o = unpack_patch2col(a, 3, 3, 1); };
}

Body Col2Im(Job& job) {
  return
      [o = Out<4>(job), a = In<2>(job, 0)]() mutable { o = pack_col2patch(a, o.shape_, 3, 3, 1); };
}

Body Resize(Job& job) {
  return [o = Out<4>(job), a = In<4>(job, 0)]() mutable { o = resize(a, o.size(2), o.size(3)); };
}

}  // namespace

std::vector<Entry> Images() {
  return {{"max_pool2", Pool<2>}, {"max_pool3", Pool<3>}, {"unpool2", Unpool<2>},
          {"unpool3", Unpool<3>}, {"im2col", Im2Col},     {"col2im", Col2Im},
          {"resize", Resize}};
}

}  // namespace compare
