// SPDX-License-Identifier: Apache-2.0
// Every factory takes views of const elements, and gives what it gives for tensors.
#include <mshadow/tensor_container.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace expr;

template <typename A, typename B>
void ExpectSameOfConst(const char* what, const A& of_tensors, const B& of_views) {
  const auto expected = eval(of_tensors);
  const auto value = eval(of_views);
  static_assert(std::is_same_v<decltype(value), decltype(expected)>);
  EXPECT_EQ(value.shape_, expected.shape_) << what;
  EXPECT_EQ(ToVector(value), ToVector(expected)) << what;
}

TEST(ConstViews, EveryFactoryTakesThem) {
  const TensorContainer<cpu, 2> matrix({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 1, 2, 3}, {4, 4, 3, 1}});
  const TensorContainer<cpu, 1> vector({1, 0, 2, 1}), index({2, 0, 1, 3});
  TensorContainer<cpu, 4> images(Shape4(2, 3, 4, 4));
  for (float* p = images.begin(); p != images.end(); ++p) {
    *p = static_cast<float>((p - images.begin()) * 7 % 31);
  }
  const Tensor<cpu, 2> m1 = matrix;
  const Tensor<cpu, 1> v1 = vector, i1 = index;
  const Tensor<cpu, 4> t1 = images;
  const Tensor<cpu, 2, const float> m2 = matrix;
  const Tensor<cpu, 1, const float> v2 = vector, i2 = index;
  const Tensor<cpu, 4, const float> t2 = images;
#define MSHADOW_SAME_(...)                                                            \
  {                                                                                   \
    const auto make = [](const auto& m, const auto& v, const auto& t, const auto& i) { \
      (void)m, (void)v, (void)t, (void)i;                                             \
      return __VA_ARGS__;                                                             \
    };                                                                                \
    ExpectSameOfConst(#__VA_ARGS__, make(m1, v1, t1, i1), make(m2, v2, t2, i2));      \
  }                                                                                   \
  static_assert(true)
  MSHADOW_SAME_(broadcast<1>(v, m.shape_));
  MSHADOW_SAME_(repmat(v, 3));
  MSHADOW_SAME_(broadcast_with_axis(v, 0, 3));
  MSHADOW_SAME_(reshape(m, Shape3(2, 2, 4)));
  MSHADOW_SAME_(slice<1>(m, 1, 3));
  MSHADOW_SAME_(slice(m, Shape2(0, 0), Shape2(4, 4), Shape2(2, 3)));
  MSHADOW_SAME_(concat<1>(m, m * 2.0f));
  MSHADOW_SAME_(concat<0>(v, i));
  MSHADOW_SAME_(swapaxis<1, 0>(m));
  MSHADOW_SAME_(swapaxis<3, 1>(t));
  MSHADOW_SAME_(transpose(t, Shape4(3, 1, 0, 2)));
  MSHADOW_SAME_(crop(t, Shape2(2, 2)));
  MSHADOW_SAME_(mirror(m));
  MSHADOW_SAME_(flip(m, 0));
  MSHADOW_SAME_(roll(m, 1, 0));
  MSHADOW_SAME_(tile(m, Shape2(2, 2)));
  MSHADOW_SAME_(upsampling_nearest(t, 2));
  MSHADOW_SAME_(pad(t, 1));
  MSHADOW_SAME_(unpad(t, 1));
  MSHADOW_SAME_(clip(m, 2.0f, 5.0f));
  MSHADOW_SAME_(where(m, m, m * 2.0f));
  MSHADOW_SAME_(mask(v, m));
  MSHADOW_SAME_(resize(t, 8, 7));
  MSHADOW_SAME_(pool<red::maximum>(t, 2, 2, 1, 1));
  MSHADOW_SAME_(avg_pool(t, 2, 2, 1, 1, 0, 0));
  MSHADOW_SAME_(unpack_patch2col(t, 2, 2, 1, 1, 1, 1));
  MSHADOW_SAME_(implicit_dot(m, m));
  MSHADOW_SAME_(take(i, m));
  MSHADOW_SAME_(take_grad(i, m, 4));
  MSHADOW_SAME_(mat_choose_row_element(m, i));
  MSHADOW_SAME_(mat_fill_row_element(m, v, i));
  MSHADOW_SAME_(one_hot_encode(i, 5));
  MSHADOW_SAME_(reduce_with_axis<red::sum, false>(t, 1));
  MSHADOW_SAME_(argmax(m, 1));
  MSHADOW_SAME_(cumsum(m, 1));
  MSHADOW_SAME_(sum_rows(m));
  MSHADOW_SAME_(sumall_except_dim<1>(t));
  MSHADOW_SAME_(chpool<red::sum>(t, 3));
  MSHADOW_SAME_(Column(m, 2));
  MSHADOW_SAME_(m.T());
  MSHADOW_SAME_(tcast<double>(m));
  MSHADOW_SAME_(dot(m, v));
  MSHADOW_SAME_(dot(v, m));
  MSHADOW_SAME_(dot(v.T(), i));
  MSHADOW_SAME_(m - v);
  MSHADOW_SAME_(unpool<red::maximum>(t, pool<red::maximum>(t, 2, 2, 2, 2),
                                     pool<red::maximum>(t, 2, 2, 2, 2) * 2.0f, 2, 2, 2, 2));
  MSHADOW_SAME_(v + v * 1.0f);
  MSHADOW_SAME_(F<op::gt>(m, 2.0f));
  MSHADOW_SAME_(1.0f / m);
#undef MSHADOW_SAME_
}

}  // namespace
}  // namespace mshadow
