// SPDX-License-Identifier: Apache-2.0
#include <mshadow/extension/reshape.h>

#include "reference.h"

namespace mshadow {
namespace {

using namespace expr;
using namespace testing;

// Every pair of shapes of 120 elements below, from padded and from flat memory.
template <int dimsrc, int dimdst>
void CheckReshape(const Shape<dimsrc>& from, const Shape<dimdst>& to) {
  for (index_t pad : {0, 3}) {
    Guarded<dimsrc> a(from, pad, 1);
    Guarded<dimdst> b(to, 2), out(to, pad == 0 ? 5 : 0, 1);
    FillWhole(a, 1000);
    FillWhole(b, 1000, 2);
    *out = reshape(*a, to);
    ExpectValues(out, Values(a));

    std::vector<double> expected = Values(a);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += 2 * a.At(i) + b.At(i);
    *out += reshape(*a * 2.0f, to) + *b;
    ExpectValues(out, expected);

    *out = reshape(reshape(*a, Shape2(24, 5)), to);
    ExpectValues(out, Values(a));
    *out = reshape(reshape(*a, Shape3(2, 4, 15)) + 1.0f, to) - 1.0f;
    ExpectValues(out, Values(a));
  }
}

TEST(Reshape, EveryRank) {
  ForEachIsa([] {
    CheckReshape(Shape1(120), Shape1(120));
    CheckReshape(Shape1(120), Shape2(8, 15));
    CheckReshape(Shape2(8, 15), Shape1(120));
    CheckReshape(Shape2(8, 15), Shape2(15, 8));
    CheckReshape(Shape2(40, 3), Shape3(2, 4, 15));
    CheckReshape(Shape3(2, 4, 15), Shape2(40, 3));
    CheckReshape(Shape4(2, 3, 4, 5), Shape3(6, 1, 20));
    CheckReshape(Shape3(6, 1, 20), Shape4(2, 3, 5, 4));
    CheckReshape(Shape5(2, 3, 2, 2, 5), Shape5(5, 2, 2, 2, 3));
  });
}

TEST(Reshape, EveryDType) {
  ForEachDType([](auto zero) {
    using DType = decltype(zero);
    Guarded<2, DType> a(Shape2(7, 9), 2), out(Shape2(21, 3), 1);
    FillWhole(a, 100);
    *out = reshape(*a, Shape2(21, 3));
    ExpectValues(out, Values(a));
  });
}

TEST(Reshape, LargeIsSplitAmongThreads) {
  Guarded<2> a(Shape2(1000, 1031), 1);
  Guarded<1> out(Shape1(1000 * 1031));
  FillWhole(a, 1000);
  *out = reshape(*a, Shape1(1000 * 1031));
  ExpectValues(out, Values(a));
}

// The flat order of other expressions: rows that are one value, and a matrix transposed.
TEST(Reshape, OfOtherExpressions) {
  Guarded<1> bias(Shape1(3));
  FillWhole(bias, 9);
  Guarded<2> out(Shape2(8, 15), 1);
  std::vector<double> expected;
  for (int i = 0; i < 120; ++i) expected.push_back(bias.At(i / 20 % 3));
  *out = reshape(broadcast<1>(*bias, Shape4(2, 3, 4, 5)), Shape2(8, 15));
  ExpectValues(out, expected);

  Guarded<2> a(Shape2(15, 8), 3);
  FillWhole(a, 1000);
  expected.clear();
  for (int i = 0; i < 120; ++i) expected.push_back(a.At(i % 15 * 8 + i / 15));
  Guarded<1> flat(Shape1(120));
  *flat = reshape(a->T(), Shape1(120));
  ExpectValues(flat, expected);
}

TEST(Reshape, Empty) {
  Guarded<2> a(Shape2(0, 5)), b(Shape2(5, 0));
  *b = reshape(*a, Shape2(5, 0));
  *a = reshape(*b, Shape2(0, 5)) + 1.0f;
  EXPECT_TRUE(a.Intact() && b.Intact());
}

TEST(Reshape, OverItself) {
  Guarded<2> a(Shape2(4, 6), 2);
  a.FillIota();
  const std::vector<double> before = Values(a);
  Tensor<TestDevice, 2> same = *a;
  *a = reshape(reshape(same, Shape2(6, 4)) * 1.0f, Shape2(4, 6));
  ExpectValues(a, before);
}

TEST(Reshape, Errors) {
  Guarded<2> a(Shape2(4, 6));
  const std::string error = ErrorOf([&] { reshape(*a, Shape2(5, 5)); });
  EXPECT_NE(error.find("reshape size must match"), std::string::npos) << error;
  EXPECT_NE(error.find("(4,6)"), std::string::npos) << error;
  EXPECT_NE(error.find("(5,5)"), std::string::npos) << error;
  const index_t large = index_t(1) << (4 * sizeof(index_t));
  Guarded<2> none(Shape2(0, 5));
  EXPECT_EQ(ErrorOf([&] { reshape(*none, Shape2(large, large)); }),
            "Shape (" + std::to_string(large) + ", " + std::to_string(large) +
                ") has more elements than index_t can count; define MSHADOW_INT64_TENSOR_SIZE=1");
  EXPECT_EQ(ErrorOf([&] { reshape(*none, Shape3(large, large, 0)); }), "no error");
}

// 2^32 or 2^64 elements wrap to none: they are not those of an empty tensor.
TEST(Reshape, CountsThatWrapAreRefused) {
  Guarded<2> empty(Shape2(0, 4));
  const std::string error =
      ErrorOf([&] { reshape(*empty, Shape4(65536, 65536, 65536, 65536)); });
  EXPECT_NE(error.find("more elements than index_t can count"), std::string::npos) << error;
}

}  // namespace
}  // namespace mshadow
