// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

namespace compare {
namespace {

template <int window, int step>
void Pool(Job& j) {
  Out<4>(j) = pool<red::maximum>(In<4>(j), window, window, step);
}

/// `unpool(o, a, most, grad)`, where `pool(most, a)` makes the maxima.
template <typename Pool, typename Unpool>
Body WithMaxima(Job& job, Pool pool, Unpool unpool) {
  const Tensor<cpu, 4> a = In<4>(job), grad = In<4>(job, 1), o = Out<4>(job);
  TensorContainer<cpu, 4> most(grad.shape_);
  pool(most, a);
  return [=] { unpool(o, a, most, grad); };
}
using Images = Tensor<cpu, 4>;

template <int window>
Body Unpool(Job& job) {
  return WithMaxima(
      job, [](Images m, Images a) { m = pool<red::maximum>(a, window, window, 2); },
      [](Images o, const Images& a, const Images& m, const Images& g) {
        o = unpool<red::maximum>(a, m, g, window, window, 2);
      });
}
Body Unpool3d(Job& job) {
  const Shape<3> two = Shape3(2, 2, 2);
  return WithMaxima(
      job, [=](Images m, Images a) { m = pool3d<red::maximum>(a, two, two); },
      [=](Images o, const Images& a, const Images& m, const Images& g) {
        o = unpool3d<red::maximum>(a, m, g, two, two);
      });
}
Body ChUnpool(Job& job) {
  return WithMaxima(
      job, [](Images m, Images a) { m = chpool<red::maximum>(a, 3); },
      [](Images o, const Images& a, const Images& m, const Images& g) {
        o = ch_unpool<red::maximum>(a, m, g, 3);
      });
}
template <typename Kernel>
void Resize(Job& j) {
  Images o = Out<4>(j);
  o = resize(In<4>(j), o.size(2), o.size(3), Kernel());
}

const Entries entries{
    {"max_pool2", Pool<2, 2>},
    {"max_pool3", Pool<3, 2>},
    {"max_pool2_by_1", Pool<2, 1>},
    {"avg_pool", [](Job& j) { Out<4>(j) = avg_pool(In<4>(j), 3, 3, 2, 2, 1, 1); }},
    {"avg_pool_global", [](Job& j) { Out<4>(j) = avg_pool(In<4>(j), 7, 7, 1, 1, 0, 0); }},
    {"unpool2", Unpool<2>},
    {"unpool3", Unpool<3>},
    {"avg_unpool",
     [](Job& j) {
       const Shape<4> shape = Out<4>(j).shape_;
       Out<4>(j) = avg_unpool(In<4>(j), Shape2(shape[2], shape[3]), 2, 2, 2, 2);
     }},
    {"pool3d",
     [](Job& j) { Out<4>(j) = pool3d<red::maximum>(In<4>(j), Shape3(2, 2, 2), Shape3(2, 2, 2)); }},
    {"unpool3d", Unpool3d},
    {"chpool", [](Job& j) { Out<4>(j) = chpool<red::sum>(In<4>(j), 3); }},
    {"ch_unpool", ChUnpool},
    {"im2col", [](Job& j) { Out<2>(j) = unpack_patch2col(In<4>(j), 3, 3, 1); }},
    {"col2im", [](Job& j) { Out<4>(j) = pack_col2patch(In<2>(j), Out<4>(j).shape_, 3, 3, 1); }},
    {"resize", Resize<resize_kernel::Bilinear>},
    {"resize_cubic", Resize<resize_kernel::Bicubic>},
};

}  // namespace
}  // namespace compare
