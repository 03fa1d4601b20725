// SPDX-License-Identifier: Apache-2.0
// Functions inside type switches, which compile them for every element type: what integers have no
// result of throws when it runs.
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <string>

#include "compat/values.h"

namespace old_type_switch {

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using mshadow::testing::Iota;
using mshadow::testing::V;
using mshadow::testing::Values;

template <typename F>
std::string ErrorOf(const F &f) {
  try {
    f();
  } catch (const mshadow::Error &error) {
    return error.what();
  }
  return "";
}

/// As an operator of 2019 calls softmax; the first element of the result.
template <typename xpu>
double SoftmaxOf(int type) {
  double first = -1;
  MSHADOW_TYPE_SWITCH(type, DType, {
    TensorContainer<xpu, 1, DType> v(Shape1(4), DType(1.0f));
    TensorContainer<xpu, 2, DType> m(Shape2(2, 4), DType(1.0f));
    TensorContainer<xpu, 3, DType> t(Shape3(2, 4, 3), DType(1.0f));
    Softmax(v, v);
    Softmax(m, m);
    Softmax<DType>(t, t);
    first = static_cast<double>(v[0]) + static_cast<double>(m[1][3]) +
            static_cast<double>(t[1][3][2]);
  });
  return first;
}

TEST(OldTypeSwitch, Softmax) {
  EXPECT_EQ(SoftmaxOf<cpu>(kFloat32), 0.75);
  EXPECT_EQ(SoftmaxOf<cpu>(kFloat64), 0.75);
  EXPECT_EQ(SoftmaxOf<cpu>(kFloat16), 0.75);
  for (const int type : {kUint8, kInt8, kInt32, kInt64}) {
    const std::string error = ErrorOf([&] { SoftmaxOf<cpu>(type); });
    EXPECT_NE(error.find("Softmax gives fractions"), std::string::npos) << type << error;
  }
}

double GradientOf(int type, bool smooth) {
  double sum = 0;
  MSHADOW_TYPE_SWITCH(type, DType, {
    TensorContainer<cpu, 2, DType> g(Shape2(2, 3)), p(Shape2(2, 3), DType(3.0f));
    TensorContainer<cpu, 1, DType> label(Shape1(2), DType(1.0f));
    TensorContainer<cpu, 3, DType> g3(Shape3(2, 3, 1)), p3(Shape3(2, 3, 1), DType(3.0f));
    TensorContainer<cpu, 2, DType> label2(Shape2(2, 1), DType(1.0f));
    if (smooth) {
      SmoothSoftmaxGrad(g, p, label, 0.5f);
      SmoothSoftmaxGrad(g, p, label, DType(0.0f), 0.5f);
      SmoothSoftmaxGrad(g3, p3, label2, 0.5f);
    } else {
      SoftmaxGrad(g, p, label);
      SoftmaxGrad(g, p, label, DType(0.0f));
      SoftmaxGrad(g3, p3, label2);
    }
    for (const double value : Values(g)) sum += value;
    for (const double value : Values(g3)) sum += value;
  });
  return sum;
}

TEST(OldTypeSwitch, GradientsOfSoftmax) {
  for (const int type : {kFloat32, kFloat64, kFloat16}) {
    EXPECT_EQ(GradientOf(type, false), 32);
    EXPECT_EQ(GradientOf(type, true), 32);
  }
  for (const int type : {kUint8, kInt8, kInt32, kInt64}) {
    EXPECT_EQ(GradientOf(type, false), 32) << "differences of integers are integers";
    const std::string error = ErrorOf([&] { GradientOf(type, true); });
    EXPECT_NE(error.find("SmoothSoftmaxGrad gives fractions"), std::string::npos) << error;
  }
}

/// The functions and extensions of the contract that operators of 2019 call inside switches.
double OthersOf(int type) {
  double sum = 0;
  MSHADOW_TYPE_SWITCH(type, DType, {
    TensorContainer<cpu, 2, DType> a(Shape2(2, 3)), b(Shape2(2, 3)), c(Shape2(2, 2));
    TensorContainer<cpu, 1, DType> v(Shape1(3)), w(Shape1(2), DType(1.0f)), one(Shape1(1));
    TensorContainer<cpu, 4, DType> image(Shape4(1, 2, 4, 4), DType(1.0f));
    TensorContainer<cpu, 4, DType> half(Shape4(1, 2, 2, 2)), product(half.shape_);
    Iota(static_cast<Tensor<cpu, 2, DType> &>(a));
    c = dot(a, a.T());
    c += implicit_dot(a, a.T());
    v = sum_rows(a);
    w += sumall_except_dim<0>(a);
    VectorDot(one, v, v);
    b = repmat(v, 2) + broadcast<0>(w, b.shape_);
    b += transpose(a.T(), Shape2(1, 0)) * a;
    half = pool<red::maximum>(image, 2, 2, 2, 2);
    half += pool<red::sum>(image, 2, 2, 2, 2);
    image = unpool<red::maximum>(image, half, half, 2, 2, 2, 2);
    image = upsampling_nearest(half, 2);
    image += pad(crop(image, Shape2(2, 2)), 1);
    w = reduce_with_axis<red::maximum, true>(a, 1);
    AddTakeGrad(b, w, a);
    w = DType(1.0f);
    IndexFill(b, w.Slice(0, 1), a.Slice(0, 1));
    SortByKey(v, v, false);
    v = range<DType>(0, 3);
    Random<cpu, DType> random(1);
    random.SampleUniform(&a, 0, 1);
    BatchGEMM<false, false>(product[0], half[0], half[0], DType(1.0f), DType(0.0f),
                            Tensor<cpu, 1, DType *>(nullptr, Shape1(0)));
    for (const double value : Values(c)) sum += value;
    sum += static_cast<double>(one[0]);
  });
  return sum;
}

TEST(OldTypeSwitch, OtherFunctions) {
  // twice (5 + 14 + 14 + 50), and 3 * 3 + 5 * 5 + 7 * 7
  for (const int type : {kFloat32, kFloat64, kFloat16, kUint8, kInt8, kInt32, kInt64}) {
    EXPECT_EQ(OthersOf(type), 249) << type;
  }
}

}  // namespace old_type_switch
