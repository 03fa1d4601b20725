// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/broadcast.h>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

template <int dimcast, int dim>
void CheckBroadcast(const Shape<dim>& shape) {
  std::size_t inner = 1;
  for (int i = dimcast + 1; i < dim; ++i) inner *= shape[i];
  const std::size_t n = shape[dimcast];
  for (index_t pad : {0, 3}) {
    Guarded<1> a(Shape1(n), 0, 1);
    Guarded<dim> b(shape, pad, 1), out(shape, pad);
    FillWhole(a, 1000);
    FillWhole(b, 1000, 2);
    std::vector<double> expected(out.Size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = a.At(i / inner % n);
    *out = broadcast<dimcast>(*a, shape);
    ExpectValues(out, expected);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] += (2 * static_cast<double>(a.At(i / inner % n)) + 1) * b.At(i);
    }
    *out += broadcast<dimcast>(*a * 2.0f + 1.0f, shape) * *b;
    ExpectValues(out, expected);
  }
}

TEST(Broadcast, EveryAxisOfEveryRank) {
  ForEachIsa([] {
    CheckBroadcast<0>(Shape1(37));
    CheckBroadcast<0>(Shape2(13, 37));
    CheckBroadcast<1>(Shape2(13, 37));
    CheckBroadcast<0>(Shape3(3, 5, 19));
    CheckBroadcast<1>(Shape3(3, 5, 19));
    CheckBroadcast<2>(Shape3(3, 5, 19));
    CheckBroadcast<1>(Shape4(2, 3, 5, 7));
    CheckBroadcast<3>(Shape4(2, 3, 5, 7));
    CheckBroadcast<0>(Shape5(2, 3, 1, 4, 5));
    CheckBroadcast<2>(Shape5(2, 3, 4, 1, 5));
    CheckBroadcast<1>(Shape4(2, 1, 5, 7));
  });
}

TEST(Broadcast, GoldenValues) {
  Guarded<1> a(Shape1(3));
  a.FillIota();
  Guarded<2> wide(Shape2(2, 3)), high(Shape2(3, 2));
  *wide = broadcast<1>(*a, Shape2(2, 3));
  ExpectValues(wide, {0, 1, 2, 0, 1, 2});
  *high = broadcast<0>(*a, Shape2(3, 2));
  ExpectValues(high, {0, 0, 1, 1, 2, 2});
  *wide = repmat(*a, 2);
  ExpectValues(wide, {0, 1, 2, 0, 1, 2});
  *wide = repmat(*a + 1.0f, 2) * repmat(*a, 2);
  ExpectValues(wide, {0, 2, 6, 0, 2, 6});
}

TEST(Broadcast, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<1, DType> a(Shape1(5));
    Guarded<3, DType> out(Shape3(2, 5, 7), 3);
    FillWhole(a, 50);
    std::vector<double> expected(out.Size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = static_cast<float>(a.At(i / 7 % 5));
    }
    *out = broadcast<1>(*a, out->shape_);
    ExpectValues(out, expected);
  });
}

// One operand's rows join by image planes, the other's are padded or all flat.
TEST(Broadcast, LargeIsSplitAmongThreads) {
  Guarded<4> a(Shape4(8, 33, 31, 30)), out(a->shape_);
  Guarded<1> bias(Shape1(33));
  FillWhole(a, 100);
  FillWhole(bias, 100, 2);
  std::vector<double> expected = Values(a);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += bias.At(i / 930 % 33);
  *out = *a + broadcast<1>(*bias, a->shape_);
  ExpectValues(out, expected);
}

TEST(Broadcast, OfItself) {
  Guarded<2> a(Shape2(4, 5));
  a.FillIota();
  Tensor<TestDevice, 1> last = (*a)[3];
  *a += broadcast<1>(last, a->shape_);
  std::vector<double> expected;
  for (int i = 0; i < 20; ++i) expected.push_back(i + 15 + i % 5);
  ExpectValues(a, expected);
}

TEST(Broadcast, Errors) {
  Guarded<1> a(Shape1(3));
  const std::string error = ErrorOf([&] { broadcast<1>(*a, Shape2(3, 4)); });
  EXPECT_NE(error.find("broadcast, shape mismatch"), std::string::npos) << error;
  EXPECT_NE(error.find("(3,4)"), std::string::npos) << error;
}

TEST(Broadcast, Empty) {
  Guarded<1> a(Shape1(0));
  Guarded<3> out(Shape3(2, 0, 3));
  *out = broadcast<1>(*a, out->shape_);
  EXPECT_TRUE(out.Intact());
}

}  // namespace
}  // namespace mshadow
