// SPDX-License-Identifier: Apache-2.0
// Template arguments that programs for mshadow 2.x spell out, in its order: the functions had one
// overload for each device, and no parameter for it. Null pointers in place of streams.
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <cstddef>

#include "compat/values.h"

namespace old_template_arguments {

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using mshadow::testing::Iota;
using mshadow::testing::V;
using mshadow::testing::Values;

TEST(OldTemplateArguments, Memory) {
  Tensor<cpu, 2, float> t(Shape2(2, 3)), u(Shape2(2, 3));
  AllocSpace<2, float>(&t);
  AllocSpace<2>(&u, false);
  t = 1.5f;
  Copy<2, float>(u, t);
  EXPECT_EQ(Values(u), V(6, 1.5));
  t = 2.5f;
  Copy(u, t, nullptr);
  EXPECT_EQ(Values(u), V(6, 2.5));
  t = 3.5f;
  Copy(u, t, NULL);
  EXPECT_EQ(Values(u), V(6, 3.5));
  t = 4.5f;
  Copy<2, float>(u, t, static_cast<Stream<cpu>*>(NULL));
  EXPECT_EQ(Values(u), V(6, 4.5));
  TensorContainer<cpu, 2> c(Shape2(2, 3));
  Copy<2>(c, u, c.stream_);
  EXPECT_EQ(Values(c), V(6, 4.5));
  FreeSpace<2, float>(&t);
  FreeSpace<2>(&u);
  EXPECT_EQ(t.dptr_, nullptr);
  Tensor<cpu, 1, double> host(Shape1(4));
  AllocHost<cpu, 1, double>(&host);
  host = 2.0;
  EXPECT_EQ(Values(host), V(4, 2));
  FreeHost<cpu, 1, double>(&host);
  Tensor<cpu, 2, double> made = NewTensor<cpu, double, 2>(Shape2(2, 2), 7.0);
  EXPECT_EQ(Values(made), V(4, 7));
  FreeSpace<2, double>(&made);
}

TEST(OldTemplateArguments, SoftmaxAndGradients) {
  TensorContainer<cpu, 2, double> a(Shape2(2, 4), 0.25), b(Shape2(2, 4));
  TensorContainer<cpu, 1, double> l(Shape1(2));
  l[0] = 1;
  l[1] = 3;
  Softmax<double>(b, a);
  EXPECT_EQ(Values(b), V(8, 0.25));
  SoftmaxGrad<double>(a, b, l);
  EXPECT_EQ(Values(a), (V{0.25, -0.75, 0.25, 0.25, 0.25, 0.25, 0.25, -0.75}));
  SoftmaxGrad<double>(a, b, l, 3.0);
  EXPECT_EQ(Values(a), (V{0.25, -0.75, 0.25, 0.25, 0, 0, 0, 0}));
  SmoothSoftmaxGrad<double>(a, b, l, 0.75f);
  EXPECT_EQ(Values(a), (V{0, 0, 0, 0, 0, 0, 0, 0}));
  SmoothSoftmaxGrad<double>(a, b, l, 1.0, 0.75f);
  EXPECT_EQ(Values(a), V(8, 0));
  TensorContainer<cpu, 1, float> v(Shape1(5), 2.0f), w(Shape1(5));
  Softmax<float>(w, v);
  EXPECT_NEAR(w[4], 0.2f, 1e-7f);
  TensorContainer<cpu, 3, float> x(Shape3(1, 2, 3), 1.0f), y(Shape3(1, 2, 3));
  Softmax<float>(y, x);
  EXPECT_EQ(Values(y), V(6, 0.5));
  TensorContainer<cpu, 2, float> z(Shape2(1, 3), 1.0f);
  SoftmaxGrad<float>(x, y, z);
  EXPECT_EQ(Values(x), (V{0.5, 0.5, 0.5, -0.5, -0.5, -0.5}));
}

TEST(OldTemplateArguments, RowsByIndex) {
  TensorContainer<cpu, 2, float> d(Shape2(3, 2), 0.0f), s(Shape2(4, 2));
  Iota(static_cast<Tensor<cpu, 2, float>&>(s));
  TensorContainer<cpu, 1, int> i(Shape1(4));
  for (index_t k = 0; k < 4; ++k) i[k] = static_cast<int>(k) - 1;  // -1 0 1 2
  const V clipped = {2, 4, 4, 5, 6, 7};
  AddTakeGrad(d, i, s);
  EXPECT_EQ(Values(d), clipped);
  d = 0.0f;
  AddTakeGrad<int, float>(d, i, s);  // 2.x of 2019
  EXPECT_EQ(Values(d), clipped);
  d = 0.0f;
  AddTakeGrad<true, int, float>(d, i, s);  // and its fork
  EXPECT_EQ(Values(d), clipped);
  d = 0.0f;
  AddTakeGrad<false, int>(d, i, s);
  EXPECT_EQ(Values(d), (V{2, 3, 4, 5, 6, 8}));
  TensorContainer<cpu, 2, double> temp(Shape2(3, 2));
  d = 0.0f;
  AddTakeGrad(d, temp, i, s);
  EXPECT_EQ(Values(d), clipped);
  d = 0.0f;
  AddTakeGrad<true, int, float, double>(d, temp, i, s);
  EXPECT_EQ(Values(d), clipped);
  for (index_t k = 0; k < 4; ++k) i[k] = static_cast<int>(k) / 2;  // 0 0 1 1
  TensorContainer<cpu, 1, int> order(Shape1(4));
  for (index_t k = 0; k < 4; ++k) order[k] = static_cast<int>(k);
  d = 0.0f;
  AddTakeGradLargeBatch<int, float>(d, i, order, s);
  EXPECT_EQ(Values(d), (V{2, 4, 10, 12, 0, 0}));
  TensorContainer<cpu, 1, int> some(Shape1(2), 1);
  some[1] = 2;
  IndexFill<int, float>(d, some, s.Slice(2, 4));
  EXPECT_EQ(Values(d), (V{2, 4, 4, 5, 6, 7}));
}

TEST(OldTemplateArguments, Sorting) {
  TensorContainer<cpu, 1, float> k(Shape1(3));
  TensorContainer<cpu, 1, int> v(Shape1(3)), segments(Shape1(3));
  for (index_t i = 0; i < 3; ++i) {
    k[i] = static_cast<float>((i + 1) % 3);  // 1 2 0
    v[i] = static_cast<int>(i);
    segments[i] = static_cast<int>(i % 2);
  }
  SortByKey<float, int>(k, v);
  EXPECT_EQ(Values(k), (V{0, 1, 2}));
  EXPECT_EQ(Values(v), (V{2, 0, 1}));
  SortByKey<float, int>(k, v, false);
  EXPECT_EQ(Values(v), (V{1, 0, 2}));
  VectorizedSort<cpu, int, int>(v, segments);
  EXPECT_EQ(Values(v), (V{1, 2, 0}));
  EXPECT_EQ(Values(segments), (V{0, 0, 1}));
}

TEST(OldTemplateArguments, Products) {
  TensorContainer<cpu, 1, float> a(Shape1(3), 2.0f), r(Shape1(1));
  VectorDot<cpu, float>(r, a, a);
  EXPECT_EQ(r[0], 12.0f);
  TensorContainer<cpu, 3, float> b(Shape3(2, 2, 2), 1.0f), c(Shape3(2, 2, 2), 0.0f);
  TensorContainer<cpu, 1, float*> workspace(Shape1(6));
  BatchGEMM<false, true, cpu, float>(c, b, b, 1.0f, 0.0f, workspace);
  EXPECT_EQ(Values(c), V(8, 2));
  float* at[2];
  GetBatchedView<float>(at, b.dptr_, 2, 4, static_cast<Stream<cpu>*>(NULL));
  EXPECT_EQ(at[1], b.dptr_ + 4);
}

TEST(OldTemplateArguments, MappingAndReductions) {
  typedef Tensor<cpu, 2, float> M;
  TensorContainer<cpu, 2, float> a(Shape2(2, 3), 1.0f), b(Shape2(2, 3), 2.0f);
  M dst = a;
  const M src = b;
  MapExp<sv::plusto, M, 2, float, M, type::kRValue>(&dst, src);
  EXPECT_EQ(Values(a), V(6, 3));
  MapPlan<sv::saveto, M, 2, float>(&dst, MakePlan(src));
  EXPECT_EQ(Values(a), V(6, 2));
  typedef Tensor<cpu, 1, float> L;
  TensorContainer<cpu, 1, float> columns(Shape1(3)), rows(Shape1(2));
  L low = columns, high = rows;
  MapReduceKeepLowest<sv::saveto, red::sum, L, float, M, type::kRValue>(&low, src);
  EXPECT_EQ(Values(columns), V(3, 4));
  MapReduceKeepHighDim<sv::saveto, red::sum, 0, L, float, M, type::kRValue>(&high, src, 0.5f);
  EXPECT_EQ(Values(rows), V(2, 3));
}

struct Bytes {
  std::string text;
  size_t at = 0;
  void Write(const void* data, size_t size) { text.append(static_cast<const char*>(data), size); }
  size_t Read(void* data, size_t size) {
    size = text.copy(static_cast<char*>(data), size, at);
    at += size;
    return size;
  }
};

TEST(OldTemplateArguments, FilesAndRandomNumbers) {
  TensorContainer<cpu, 2, float> a(Shape2(2, 3), 2.5f);
  Bytes bytes;
  SaveBinary<2, float>(bytes, a);
  EXPECT_EQ(bytes.text.size(), 2 * sizeof(index_t) + 24);
  Tensor<cpu, 2, float> t;
  LoadBinary<2, float>(bytes, &t, false);
  EXPECT_EQ(Values(t), V(6, 2.5));
  FreeSpace(&t);
  bytes.at = 0;
  a = 0.0f;
  LoadBinary<2, float, Bytes>(bytes, &a, true);
  EXPECT_EQ(Values(a), V(6, 2.5));
  Random<cpu, float> random(0);
  random.SampleGaussian<2, float>(&a, 1.0f, 0.0f);
  EXPECT_EQ(Values(a), V(6, 1));
  random.SampleUniform<2>(&a, 3.0f, 3.0f);
  EXPECT_EQ(Values(a), V(6, 3));
  a = random.uniform<2>(a.shape_);
  a = random.gaussian<2>(a.shape_);
}

}  // namespace old_template_arguments
