// SPDX-License-Identifier: Apache-2.0
#include <mshadow/tensor/literal.h>

#include <mshadow/tensor_container.h>

#include <cstdint>
#include <string>
#include <vector>

#include "error_of.h"
#include "tensor/counting_device.h"
#include "testing.h"

using mshadow::cpu;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Shape3;
using mshadow::Shape4;
using mshadow::Shape5;
using mshadow::TensorContainer;
using mshadow::ToVector;
using mshadow::testing::counting;
using mshadow::testing::ErrorOf;

namespace {

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Literal, OfOneToFiveAxes) {
  const TensorContainer<cpu, 1> a({1, 2, 3});
  EXPECT_EQ(a.shape_, Shape1(3));
  EXPECT_EQ(ToVector(a), (std::vector<float>{1, 2, 3}));
  const TensorContainer<cpu, 2> b({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(b.shape_, Shape2(2, 3));
  EXPECT_EQ(ToVector(b), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const TensorContainer<cpu, 3> c({{{1, 2}, {3, 4}, {5, 6}}});
  EXPECT_EQ(c.shape_, Shape3(1, 3, 2));
  EXPECT_EQ(ToVector(c), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const TensorContainer<cpu, 4> d({{{{1}, {2}}}, {{{3}, {4}}}, {{{5}, {6}}}});
  EXPECT_EQ(d.shape_, Shape4(3, 1, 2, 1));
  EXPECT_EQ(ToVector(d), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const TensorContainer<cpu, 5> e({{{{{1, 2, 3}, {4, 5, 6}}}}});
  EXPECT_EQ(e.shape_, Shape5(1, 1, 1, 2, 3));
  EXPECT_EQ(ToVector(e), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Literal, OneElementIsAList) {
  const TensorContainer<cpu, 1> a({5});
  EXPECT_EQ(a.shape_, Shape1(1));
  EXPECT_EQ(a[0], 5.0f);
  const TensorContainer<cpu, 2> b({{5}});
  EXPECT_EQ(b.shape_, Shape2(1, 1));
  const TensorContainer<cpu, 2> row({{2, 3}});
  EXPECT_EQ(row.shape_, Shape2(1, 2));
  EXPECT_EQ((TensorContainer<cpu, 2>({2, 3}).shape_), Shape2(2, 3));  // a shape
  const TensorContainer<cpu, 3> c({{{5}}});
  EXPECT_EQ(c.shape_, Shape3(1, 1, 1));
}

TEST(Literal, InBracesAndAfterEquals) {
  const TensorContainer<cpu, 2> a{{1, 2}, {3, 4}};
  const TensorContainer<cpu, 2> b = {{1, 2}, {3, 4}};
  EXPECT_EQ(ToVector(a), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(ToVector(b), ToVector(a));
}

TEST(Literal, ElementsOfAnyScalarType) {
  const int n = 7;
  const double x = 0.1;
  const TensorContainer<cpu, 1> a({n, 2, 2.5f, x, 1u});
  EXPECT_EQ(ToVector(a), (std::vector<float>{7, 2, 2.5f, 0.1f, 1}));
  const TensorContainer<cpu, 2, mshadow::half::half_t> h({{1, 2.5}, {3u, 4}});
  EXPECT_EQ(static_cast<float>(h[0][1]), 2.5f);
  EXPECT_EQ(static_cast<float>(h[1][1]), 4.0f);
  const TensorContainer<cpu, 1, uint8_t> bytes({0, 255, 7.0});
  EXPECT_EQ(ToVector(bytes), (std::vector<uint8_t>{0, 255, 7}));
  const TensorContainer<cpu, 1, bool> bools({true, false, 1});
  EXPECT_EQ(ToVector(bools), (std::vector<bool>{true, false, true}));
  using Bytes = TensorContainer<cpu, 1, uint8_t>;
  ExpectContains(ErrorOf([] { Bytes({1, 256}); }),
                 "no element of type uint8_t equals the scalar 256");
  ExpectContains(ErrorOf([] { Bytes({1, 2.5}); }),
                 "no element of type uint8_t equals the scalar 2.5");
}

TEST(Literal, EmptyLists) {
  const TensorContainer<cpu, 1> a({});
  EXPECT_EQ(a.shape_, Shape1(0));
  const TensorContainer<cpu, 2> b({});
  EXPECT_EQ(b.shape_, Shape2(0, 0));
  const TensorContainer<cpu, 2> c({{}, {}});
  EXPECT_EQ(c.shape_, Shape2(2, 0));
  const TensorContainer<cpu, 3> d({{{}}, {{}}});
  EXPECT_EQ(d.shape_, Shape3(2, 1, 0));
}

TEST(Literal, RaggedListsNameBothLengths) {
  using Matrix = TensorContainer<cpu, 2>;
  using Cube = TensorContainer<cpu, 3>;
  ExpectContains(ErrorOf([] { Matrix({{1, 2}, {3}}); }),
                 "the lists of axis 1 differ in length: one has 1 entries, the first has 2");
  ExpectContains(ErrorOf([] { Matrix({{1, 2}, {3, 4}, {5, 6, 7}}); }),
                 "one has 3 entries, the first has 2");
  ExpectContains(ErrorOf([] { Matrix({{}, {1}}); }), "one has 1 entries, the first has 0");
  ExpectContains(ErrorOf([] { Cube({{{1}, {2}}, {{3}}}); }),
                 "the lists of axis 1 differ in length: one has 1");
  ExpectContains(ErrorOf([] { Cube({{{1}, {2}}, {{3}, {}}}); }),
                 "the lists of axis 2 differ in length: one has 0");
}

// The constructors that were there mean what they meant.
TEST(Literal, OtherBracesMeanWhatTheyMeant) {
  const TensorContainer<cpu, 1> packed{false}, shaped{Shape1(4)}, filled{Shape1(4), 1.0f};
  EXPECT_EQ(packed.shape_, Shape1(0));
  EXPECT_EQ(shaped.shape_, Shape1(4));
  EXPECT_EQ(filled[3], 1.0f);
  TensorContainer<cpu, 2> padded(true), number(1), matrix{Shape2(2, 3), 2};
  padded.Resize(Shape2(2, 3));
  EXPECT_EQ(padded.stride_, 4u);
  number.Resize(Shape2(2, 3));
  EXPECT_EQ(number.stride_, 4u);
  EXPECT_EQ(ToVector(matrix), std::vector<float>(6, 2.0f));
  const TensorContainer<cpu, 2> by_braces({2, 3}), with_value({2, 3}, 4.0f);
  EXPECT_EQ(by_braces.shape_, Shape2(2, 3));
  EXPECT_EQ(with_value[1][2], 4.0f);
}

TEST(Literal, OnADevice) {
  {
    const int waits = counting::waits;
    const TensorContainer<counting, 2> a({{1, 2}, {3, 4}});
    EXPECT_EQ(counting::waits, waits + 1);
    EXPECT_EQ(a.shape_, Shape2(2, 2));
    EXPECT_EQ(ToVector(a), (std::vector<float>{1, 2, 3, 4}));
    using Matrix = TensorContainer<counting, 2>;
    ExpectContains(ErrorOf([] { Matrix({{1, 2}, {3}}); }), "differ in length");
    counting::copy_fails = true;
    EXPECT_THROW(Matrix({{1, 2}}), mshadow::Error);
    counting::copy_fails = false;
    EXPECT_EQ(counting::live, 1);
  }
  EXPECT_EQ(counting::live, 0);
}

}  // namespace
