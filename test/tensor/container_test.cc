// SPDX-License-Identifier: Apache-2.0
#include <mshadow/tensor_container.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "error_of.h"
#include "tensor/counting_device.h"
#include "testing.h"

using mshadow::cpu;
using mshadow::index_t;
using mshadow::Shape;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Shape3;
using mshadow::Shape5;
using mshadow::Stream;
using mshadow::Tensor;
using mshadow::TensorContainer;
using mshadow::testing::counting;

namespace {

using Container = TensorContainer<cpu, 2>;

/// The elements in row-major order.
template <typename Device, int dim, typename DType>
std::vector<DType> Elements(const Tensor<Device, dim, DType>& t) {
  std::vector<DType> elements;
  const std::size_t cols = t.shape_[dim - 1];
  for (std::size_t i = 0; i < static_cast<std::size_t>(t.shape_.Size()); ++i) {
    elements.push_back(t.dptr_[(dim == 1 ? 0 : i / cols * t.stride_) + i % cols]);
  }
  return elements;
}
template <typename Device, int dim, typename DType>
void FillIota(Tensor<Device, dim, DType> t, DType first = DType(0)) {
  const std::size_t cols = t.shape_[dim - 1];
  for (std::size_t i = 0; i < static_cast<std::size_t>(t.shape_.Size()); ++i) {
    t.dptr_[(dim == 1 ? 0 : i / cols * t.stride_) + i % cols] = static_cast<DType>(first + i);
  }
}
Container Iota(const Shape<2>& shape, float first = 0.0f) {
  Container container(shape);
  FillIota(static_cast<Tensor<cpu, 2>&>(container), first);
  return container;
}

static_assert(std::is_nothrow_destructible_v<Container>);
static_assert(std::is_nothrow_move_constructible_v<Container>);
static_assert(std::is_nothrow_move_assignable_v<Container>);
static_assert(!std::is_convertible_v<bool, Container>);
static_assert(!std::is_convertible_v<Shape<2>, Container>);
static_assert(std::is_base_of_v<Tensor<cpu, 2>, Container>);
static_assert(std::is_same_v<TensorContainer<cpu, 3>, TensorContainer<cpu, 3, float>>);

TEST(TensorContainer, Constructors) {
  const Container empty;
  EXPECT_EQ(empty.dptr_, nullptr);
  EXPECT_EQ(empty.shape_[0], 0u);
  EXPECT_EQ(empty.stride_, 0u);
  EXPECT_EQ(empty.stream_, nullptr);
  const Container shaped(Shape2(2, 3));
  EXPECT_EQ(shaped.shape_, Shape2(2, 3));
  EXPECT_EQ(shaped.stride_, MSHADOW_ALLOC_PAD ? 4u : 3u);
  EXPECT_NE(shaped.dptr_, nullptr);
  const Container filled(Shape2(2, 3), 2.5f);
  EXPECT_EQ(Elements(filled), std::vector<float>(6, 2.5f));
  const TensorContainer<cpu, 1, int32_t> line(Shape1(5), 7);
  EXPECT_EQ(line.stride_, MSHADOW_ALLOC_PAD ? 8u : 5u);
  EXPECT_EQ(line[4], 7);
  Container packed(false);
  packed.Resize(Shape2(2, 3), 1.0f);
  EXPECT_EQ(packed.stride_, 3u);
  Container padded(true);
  padded.Resize(Shape2(2, 3));
  EXPECT_EQ(padded.stride_, 4u);
}

#if !MSHADOW_2X && !MSHADOW_ALLOC_PAD
TEST(TensorContainer, RowsFollowEachOtherUnlessPaddingIsAskedFor) {
  static_assert(!mshadow::detail::kAllocPad<cpu> && mshadow::detail::kAllocPad<mshadow::gpu>);
  const std::vector<float> data = {0, 1, 2, 3, 4, 5};
  Container c(Shape2(2, 3));
  std::copy(data.begin(), data.end(), c.dptr_);
  EXPECT_TRUE(c.CheckContiguous());
  EXPECT_EQ(c[1][0], 3.0f);
  EXPECT_EQ(Elements(c), data);
  EXPECT_EQ(Elements(c.FlatTo1D()), data);
  Container larger;
  larger.Resize(Shape2(3, 5), 1.0f);
  EXPECT_TRUE(larger.CheckContiguous());
  larger = c;
  EXPECT_TRUE(larger.CheckContiguous());
  EXPECT_EQ(std::vector<float>(larger.dptr_, larger.dptr_ + 6), data);
}
#endif

TEST(TensorContainer, OfOneVector) {
  const std::vector<float> elements = {3, -1, 4};
  const TensorContainer<cpu, 1> c(elements), none(std::vector<float>{});
  EXPECT_EQ(Elements(c), elements);
  EXPECT_EQ(none.shape_, Shape1(0));
  const TensorContainer<cpu, 1, bool> flags(std::vector<bool>{true, false, true});
  EXPECT_EQ(Elements(flags), (std::vector<bool>{true, false, true}));
  // What lists mean stays as it is: elements of one axis, a shape of two.
  const TensorContainer<cpu, 1> list({4}), pair({2, 3});
  const Container shape({2, 3});
  EXPECT_EQ(Elements(list), std::vector<float>{4});
  EXPECT_EQ(Elements(pair), (std::vector<float>{2, 3}));
  EXPECT_EQ(shape.shape_, Shape2(2, 3));
}

TEST(TensorContainer, ResizeKeepsMemoryThatIsLargeEnough) {
  Container c(true);
  c.Resize(Shape2(4, 10), 1.0f);
  const float* const memory = c.dptr_;
  EXPECT_EQ(c.stride_, 12u);
  c.Resize(Shape2(2, 5));
  EXPECT_EQ(c.dptr_, memory);
  EXPECT_EQ(c.shape_, Shape2(2, 5));
  EXPECT_EQ(c.stride_, 12u);
  EXPECT_FALSE(c.CheckContiguous());
  c.Resize(Shape2(4, 12));
  EXPECT_EQ(c.dptr_, memory);
  c.Resize(Shape2(5, 2), 3.0f);  // fewer elements, more rows
  EXPECT_EQ(c.stride_, 4u);
  EXPECT_EQ(Elements(c), std::vector<float>(10, 3.0f));
  c.Resize(Shape2(1, 5), 4.0f);  // a longer row
  EXPECT_EQ(c.stride_, 8u);
}

TEST(TensorContainer, OneNumberIsNoExtent) {
  TensorContainer<cpu, 1> padded(1), packed(0);
  const std::string message = mshadow::testing::ErrorOf(
      [] { TensorContainer<cpu, 1> t(5); });
  EXPECT_NE(message.find("5 elements are TensorContainer<cpu, 1> t(Shape1(5))"), std::string::npos)
      << message;
}

TEST(TensorContainer, ResizeWithoutPaddingIsContiguous) {
  Container c(false);
  c.Resize(Shape2(4, 10));
  const float* const memory = c.dptr_;
  c.Resize(Shape2(3, 7), 2.0f);
  EXPECT_EQ(c.dptr_, memory);
  EXPECT_EQ(c.stride_, 7u);
  EXPECT_TRUE(c.CheckContiguous());
  EXPECT_EQ(Elements(c.FlatTo1D()), std::vector<float>(21, 2.0f));
}

TEST(TensorContainer, SetPadTakesEffectWithTheNextResize) {
  Container c(true);
  c.Resize(Shape2(2, 3), 1.0f);
  c.set_pad(false);
  EXPECT_EQ(c.stride_, 4u);
  EXPECT_EQ(c[1][2], 1.0f);
  c.Resize(Shape2(2, 3));
  EXPECT_EQ(c.stride_, 3u);
  c.set_pad(true);
  c.Resize(Shape2(3, 3));
  EXPECT_EQ(c.stride_, 4u);
}

TEST(TensorContainer, ReleaseEmptiesAndTheContainerLivesOn) {
  Container c(Shape2(2, 3), 1.0f);
  c.Release();
  EXPECT_EQ(c.dptr_, nullptr);
  EXPECT_EQ(c.shape_[0], 0u);
  EXPECT_EQ(c.stride_, 0u);
  c.Release();
  c.Resize(Shape2(2, 2), 5.0f);
  EXPECT_EQ(Elements(c), std::vector<float>(4, 5.0f));
}

TEST(TensorContainer, EmptyShapes) {
  Container c;
  for (const Shape<2>& shape : {Shape2(0, 5), Shape2(5, 0), Shape2(0, 0), Shape2(2, 2)}) {
    c.Resize(shape, 1.0f);
    EXPECT_EQ(c.shape_, shape);
    const Container copy(c);
    EXPECT_EQ(copy.shape_, shape);
  }
}

TEST(TensorContainer, CopiesAreDeep) {
  Stream<cpu> stream;
  Container a(false);
  a.set_stream(&stream);
  a.Resize(Shape2(2, 3));
  FillIota(static_cast<Tensor<cpu, 2>&>(a));
  Container b(a);
  EXPECT_NE(b.dptr_, a.dptr_);
  EXPECT_EQ(b.stream_, &stream);
  EXPECT_EQ(b.stride_, 3u);
  EXPECT_EQ(Elements(b), Elements(a));
  b += 1.0f;
  EXPECT_EQ(a[1][2], 5.0f);

  Container c(Shape2(7, 7), 9.0f);
  const float* const memory = c.dptr_;
  Container& self = (c = a);
  EXPECT_EQ(&self, &c);
  EXPECT_EQ(c.dptr_, memory) << "the memory was large enough";
  EXPECT_EQ(c.stride_, 3u) << "the padding is that of the source";
  EXPECT_EQ(c.stream_, &stream);
  EXPECT_EQ(c.shape_, Shape2(2, 3));
  EXPECT_EQ(Elements(c), Elements(a));
}

TEST(TensorContainer, IsAValue) {
  Container c(Shape2(2, 3), 1.0f);
  const auto by_value = [](auto w) { w += 1.0f; };
  const auto by_reference = [](auto& w) { w += 1.0f; };
  const auto by_view = [](Tensor<cpu, 2> w) { w += 1.0f; };
  by_value(c);
  EXPECT_EQ(c[1][2], 1.0f);
  by_reference(c);
  EXPECT_EQ(c[1][2], 2.0f);
  by_view(c);
  EXPECT_EQ(c[1][2], 3.0f);
}

TEST(TensorContainer, RowsAndSlicesTakeElements) {
  Container a = Iota(Shape2(4, 5)), b(Shape2(4, 5), 9.0f);
  const float* const memory = a.dptr_;
  a[0] = b[1];
  a.Slice(1, 2) = b.Slice(3, 4);
  EXPECT_EQ(a[0][4], 9.0f);
  EXPECT_EQ(a[1][0], 9.0f);
  EXPECT_EQ(a[2][0], 10.0f);
  a.Slice(0, 2) = a.Slice(2, 4);
  EXPECT_EQ(a[0][0], 10.0f);
  EXPECT_EQ(a[1][4], 19.0f);
  a.FlatTo2D() = b;
  EXPECT_EQ(a[3][4], 9.0f);
  EXPECT_EQ(a.dptr_, memory);
  const TensorContainer<cpu, 1> line(Shape1(4), 0.0f);
  EXPECT_THROW(a[0] = line, mshadow::Error);
  EXPECT_THROW(a.Slice(0, 1) = b, mshadow::Error);
  EXPECT_EQ(Elements(a), std::vector<float>(20, 9.0f));
}

TEST(TensorContainer, TakesTheShapeOfViewsWithoutMemory) {
  const std::vector<float> nothing;
  float* const memory = const_cast<float*>(nothing.data());
  for (const Shape<2>& shape : {Shape2(0, 4), Shape2(3, 0)}) {
    const Tensor<cpu, 2> view(memory, shape, shape[1], nullptr);
    const Tensor<cpu, 2, const float> read_only(memory, shape, shape[1], nullptr);
    EXPECT_EQ(eval(view).shape_, shape);
    EXPECT_EQ(Container(read_only).shape_, shape);
    EXPECT_EQ(Container(view + eval(view)).shape_, shape);
    Container c = Iota(Shape2(2, 3));
    c = view;
    EXPECT_EQ(c.shape_, shape);
    c = Iota(Shape2(2, 3));
    c = read_only;
    EXPECT_EQ(c.shape_, shape);
  }
  TensorContainer<cpu, 1> v({1, 2, 3});
  v = v.Slice(0, 0);
  EXPECT_EQ(v.shape_, Shape1(0));
}

TEST(TensorContainer, CopyingAnEmptyOneChangesNoElement) {
  Stream<cpu> stream;
  Container empty(false);
  empty.set_stream(&stream);
  const Container copy(empty);
  EXPECT_EQ(copy.dptr_, nullptr);
  EXPECT_EQ(copy.shape_[0], 0u);
  Container c = Iota(Shape2(2, 3));
  c = empty;
  EXPECT_EQ(c.shape_, Shape2(2, 3));
  EXPECT_EQ(c[1][2], 5.0f);
  EXPECT_EQ(c.stream_, &stream);
}

TEST(TensorContainer, SelfAssignment) {
  Container c = Iota(Shape2(2, 3));
  const std::vector<float> before = Elements(c);
  const Container& same = c;
  c = same;
  EXPECT_EQ(Elements(c), before);
  Container& alias = c;
  c = std::move(alias);
  EXPECT_EQ(Elements(c), before);
  const Tensor<cpu, 2> view = c;
  c = view;
  EXPECT_EQ(Elements(c), before);
}

TEST(TensorContainer, MovesTakeTheMemory) {
  Container a = Iota(Shape2(2, 3));
  a.set_stream(nullptr);
  const float* const memory = a.dptr_;
  Container b(std::move(a));
  EXPECT_EQ(b.dptr_, memory);
  EXPECT_EQ(b.shape_, Shape2(2, 3));
  EXPECT_EQ(a.dptr_, nullptr);  // NOLINT: what a moved-from container is, is defined
  EXPECT_EQ(a.shape_[0], 0u);
  a.Resize(Shape2(1, 1), 4.0f);
  EXPECT_EQ(a[0][0], 4.0f);
  Container c(Shape2(9, 9), 1.0f);
  c = std::move(b);
  EXPECT_EQ(c.dptr_, memory);
  EXPECT_EQ(c[1][2], 5.0f);
  EXPECT_EQ(b.dptr_, nullptr);  // NOLINT
  c = Container();
  EXPECT_EQ(c.dptr_, nullptr);

  std::vector<Container> many;
  for (int i = 0; i < 5; ++i) many.push_back(Iota(Shape2(2, 2), static_cast<float>(i)));
  many.erase(many.begin());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(many[i][0][0], i + 1.0f);
  std::swap(many[0], many[3]);
  EXPECT_EQ(many[0][1][1], 7.0f);
  EXPECT_EQ(many[3][1][1], 4.0f);
}

TEST(TensorContainer, TakesScalarsAndExpressionsWithoutResizing) {
  Container a = Iota(Shape2(2, 3)), b(Shape2(2, 3));
  static_assert(std::is_same_v<decltype(b = a + 1.0f), Tensor<cpu, 2>&>);
  static_assert(std::is_same_v<decltype(b = 1.0f), Tensor<cpu, 2>&>);
  b = 3;
  EXPECT_EQ(Elements(b), std::vector<float>(6, 3.0f));
  b = a * 2 + b;
  EXPECT_EQ(b[1][2], 13.0f);
  b = a.T().T() * 1.0f;
  EXPECT_EQ(b[1][2], 5.0f);
  Container t(Shape2(3, 2));
  t = a.T();
  EXPECT_EQ(Elements(t), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  b += a;
  b -= 1.0f;
  b *= a;
  b /= 2.0;
  EXPECT_EQ(b[1][2], 22.5f);
  const float* const memory = t.dptr_;
  EXPECT_THROW(t = a + 1.0f, mshadow::Error);
  EXPECT_EQ(t.shape_, Shape2(3, 2));
  EXPECT_EQ(t.dptr_, memory);
  TensorContainer<cpu, 2, double> wide(Shape2(2, 3));
  wide = mshadow::expr::tcast<double>(a);
  EXPECT_EQ(wide[1][2], 5.0);
  TensorContainer<cpu, 2, mshadow::half::half_t> half(Shape2(2, 3));
  half = 1.5f;
  EXPECT_EQ(static_cast<float>(half[1][2]), 1.5f);
}

TEST(TensorContainer, TakesATensorAsItTakesAContainer) {
  Container a = Iota(Shape2(4, 5));
  Container b(Shape2(1, 1), 0.0f);
  const Tensor<cpu, 2> view = a.Slice(1, 3);
  static_assert(std::is_same_v<decltype(b = view), Tensor<cpu, 2>&>);
  b = view;
  EXPECT_EQ(b.shape_, Shape2(2, 5));
  EXPECT_NE(b.dptr_, view.dptr_);
  EXPECT_EQ(Elements(b), Elements(view));
  b = Tensor<cpu, 2>();
  EXPECT_EQ(b.shape_, Shape2(2, 5));
  // Of its own memory, whatever the view.
  a = a.Slice(2, 4);
  EXPECT_EQ(a.shape_, Shape2(2, 5));
  EXPECT_EQ(a[0][0], 10.0f);
  EXPECT_EQ(a[1][4], 19.0f);
  Container packed(false);
  packed.Resize(Shape2(2, 6));
  FillIota(static_cast<Tensor<cpu, 2>&>(packed));
  packed = Tensor<cpu, 2>(packed.dptr_, Shape2(6, 2));
  EXPECT_EQ(packed.shape_, Shape2(6, 2));
  EXPECT_EQ(packed[5][1], 11.0f);
  packed = Tensor<cpu, 2>(packed.dptr_ + 1, Shape2(3, 2), 4, nullptr);
  EXPECT_EQ(Elements(packed), (std::vector<float>{1, 2, 5, 6, 9, 10}));
}

TEST(TensorContainer, StandsForItsView) {
  Container c = Iota(Shape2(2, 3));
  Tensor<cpu, 2> view = c;
  view = view + 1.0f;
  EXPECT_EQ(c[1][2], 6.0f);
  const auto sum = [](const Tensor<cpu, 2>& t) { return t[0][0] + t[1][2]; };
  EXPECT_EQ(sum(c), 7.0f);
  const auto fill = [](Tensor<cpu, 2>* t) { *t = 4.0f; };
  fill(&c);
  EXPECT_EQ(c[0][1], 4.0f);
  c[1] = 8.0f;
  EXPECT_EQ(c[1][1], 8.0f);
  mshadow::Copy(view, c);
  mshadow::Copy(c, view);
  const auto expression = c * 2.0f + c;
  static_assert(std::is_same_v<std::decay_t<decltype(expression.rhs_)>, Tensor<cpu, 2>>);
  view = expression;
  EXPECT_EQ(c[1][1], 24.0f);
}

// ---- From expressions, vectors ---------------------------------------------------------------

TEST(TensorContainer, IsMadeOfAnExpression) {
  const Container a = Iota(Shape2(3, 5));
  const Container doubled = a * 2.0f + 1.0f;
  EXPECT_EQ(doubled.shape_, a.shape_);
  const Container transposed(a.T());
  EXPECT_EQ(transposed.shape_, Shape2(5, 3));
  for (index_t y = 0; y < 3; ++y) {
    for (index_t x = 0; x < 5; ++x) {
      EXPECT_EQ(doubled[y][x], 2.0 * (5.0 * y + x) + 1.0);
      EXPECT_EQ(transposed[x][y], 5.0 * y + x);
    }
  }
  // Of a view, a copy.
  const Tensor<cpu, 2> part = a.Slice(1, 3);
  const Container copy = part;
  EXPECT_NE(copy.dptr_, part.dptr_);
  EXPECT_EQ(Elements(copy), Elements(part));
  EXPECT_EQ(Container(Tensor<cpu, 2>()).dptr_, nullptr);
  EXPECT_EQ(Container(a * 2.0f).shape_, a.shape_);
  const Container padded = [&] {
    Container c(true);
    c.Resize(Shape2(3, 5), 4.0f);
    return c;
  }();
  EXPECT_EQ(Elements(Container(padded + a))[14], 18.0f);
  const TensorContainer<cpu, 2, double> wide = mshadow::expr::tcast<double>(a);
  EXPECT_EQ(wide[2][4], 14.0);
  const TensorContainer<cpu, 3> cube = mshadow::expr::reshape(a, Shape3(5, 1, 3));
  EXPECT_EQ(cube.shape_, Shape3(5, 1, 3));
  EXPECT_EQ(cube[4][0][2], 14.0f);
  const Container empty = Container(Shape2(0, 4)) * 2.0f;
  EXPECT_EQ(empty.shape_, Shape2(0, 4));
  EXPECT_THROW(Container(a + transposed), mshadow::Error);
}

TEST(TensorContainer, AnEmptyOneTakesTheShapeOfAnExpression) {
  const Container a = Iota(Shape2(3, 5));
  Container c;
  static_assert(std::is_same_v<decltype(c = a * 2.0f), Tensor<cpu, 2>&>);
  c = a * 2.0f;
  EXPECT_EQ(c.shape_, a.shape_);
  EXPECT_EQ(c[2][4], 28.0f);
  EXPECT_THROW(c = a.T(), mshadow::Error);
  c.Release();
  c = a.T();
  EXPECT_EQ(c.shape_, Shape2(5, 3));
  EXPECT_EQ(c[4][2], 14.0f);
  // One that has a shape keeps it, be it without elements; a padded one stays so.
  Container none(Shape2(0, 5)), padded(true);
  EXPECT_THROW(none = a + 1.0f, mshadow::Error);
  padded = a + 1.0f;
  EXPECT_EQ(padded.stride_, 8u);
  EXPECT_EQ(padded[2][4], 15.0f);
  // So does one whose view was bound to other memory.
  Container bound;
  static_cast<Tensor<cpu, 2>&>(bound) = none.Slice(0, 0);
  EXPECT_THROW(bound = a + 1.0f, mshadow::Error);
  Container unsized;
  unsized = 1.0f;
  EXPECT_EQ(unsized.dptr_, nullptr);
  EXPECT_THROW(unsized += a, mshadow::Error);
}

TEST(TensorContainer, EvalOwnsItsResult) {
  const Container a = Iota(Shape2(3, 5));
  auto z = eval(a * 2.0f - 1.0f);
  static_assert(std::is_same_v<decltype(z), Container>);
  EXPECT_EQ(z.shape_, a.shape_);
  EXPECT_EQ(z[2][4], 27.0f);
  auto copy = eval(a);
  EXPECT_NE(copy.dptr_, a.dptr_);
  EXPECT_EQ(Elements(copy), Elements(a));
  auto part = eval(a.Slice(1, 2));
  EXPECT_EQ(part.shape_, Shape2(1, 5));
  auto wide = eval(mshadow::expr::tcast<double>(a[1]));
  static_assert(std::is_same_v<decltype(wide), TensorContainer<cpu, 1, double>>);
  EXPECT_EQ(wide[4], 9.0);
  auto line = eval(mshadow::expr::range<int>(0, 4));
  static_assert(std::is_same_v<decltype(line), TensorContainer<cpu, 1, int>>);
  EXPECT_EQ(line[3], 3);
  // An expression that is stored, and one of what eval gives.
  const auto e = a + 1.0f;
  EXPECT_EQ(eval(eval(e) + e)[0][1], 4.0f);
}

TEST(TensorContainer, TakesProductsAndReductions) {
  using namespace mshadow::expr;
  const Container a({{1, 2, 3}, {4, 5, 6}}), b({{1, 0}, {2, 1}, {0, 3}});
  const TensorContainer<cpu, 1> bias({10, 20});
  const Container product = dot(a, b);
  EXPECT_EQ(Elements(product), (std::vector<float>{5, 11, 14, 23}));
  const Container layer = F<mshadow::op::relu>(dot(a, b) - 12.0f);
  EXPECT_EQ(Elements(layer), (std::vector<float>{0, 0, 2, 11}));
  EXPECT_EQ(Elements(eval(dot(a, b) * 2.0f + swapaxis<1, 0>(dot(b.T(), a.T())))),
            (std::vector<float>{15, 33, 42, 69}));
  auto sums = eval(sum_rows(a) + 1.0f);
  static_assert(std::is_same_v<decltype(sums), TensorContainer<cpu, 1>>);
  EXPECT_EQ(Elements(sums), (std::vector<float>{6, 8, 10}));
  TensorContainer<cpu, 1> means;
  means = sumall_except_dim<0>(a) / 3.0f;
  EXPECT_EQ(Elements(means), (std::vector<float>{2, 5}));
  Container x({{1, 1}, {0, 1}});
  x = dot(x, x);
  EXPECT_EQ(Elements(x), (std::vector<float>{1, 2, 0, 1}));
  EXPECT_THROW(eval(dot(a, a)), mshadow::Error);
}

TEST(TensorContainer, EvalOnADevice) {
  {
    TensorContainer<counting, 2> a({{1, 2}, {3, 4}});
    Stream<counting> stream;
    a.set_stream(&stream);
    const TensorContainer<counting, 2> b = a * 2.0f;
    EXPECT_EQ(b.stream_, &stream);
    EXPECT_EQ(ToVector(b), (std::vector<float>{2, 4, 6, 8}));
    EXPECT_EQ(counting::live, 2);
    auto c = eval(b + 1.0f);
    static_assert(std::is_same_v<decltype(c), TensorContainer<counting, 2>>);
    EXPECT_EQ(c.stream_, &stream);
    EXPECT_EQ(counting::live, 3) << "nothing was copied";
    EXPECT_EQ(ToVector(c), (std::vector<float>{3, 5, 7, 9}));
  }
  EXPECT_EQ(counting::live, 0);
}

TEST(TensorContainer, OfAVector) {
  const std::vector<float> data = {0, 1, 2, 3, 4, 5};
  const Container c(data, Shape2(3, 2));
  EXPECT_EQ(c.shape_, Shape2(3, 2));
  EXPECT_EQ(Elements(c), data);
  EXPECT_EQ(Elements(Container({0, 1, 2, 3, 4, 5}, Shape2(2, 3))), data);
  const TensorContainer<cpu, 1, bool> bools(std::vector<bool>{true, false}, Shape1(2));
  EXPECT_TRUE(bools[0]);
  EXPECT_FALSE(bools[1]);
  EXPECT_EQ(Container(std::vector<float>(), Shape2(0, 3)).shape_, Shape2(0, 3));
  try {
    const Container wrong(data, Shape2(2, 2));
    ADD_FAILURE() << "no error";
  } catch (const mshadow::Error& error) {
    EXPECT_NE(std::string(error.what()).find("a vector of 6 elements does not fill shape (2,2)"),
              std::string::npos)
        << error.what();
  }
}

TEST(TensorContainer, ToVectorHasNoPadding) {
  Container c(true);
  c.Resize(Shape2(2, 3));
  FillIota(static_cast<Tensor<cpu, 2>&>(c));
  EXPECT_EQ(c.stride_, 4u);
  EXPECT_EQ(ToVector(c), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  float memory[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const Tensor<cpu, 2> left(memory, Shape2(3, 2), 4, nullptr);
  EXPECT_EQ(ToVector(left), (std::vector<float>{0, 1, 4, 5, 8, 9}));
  EXPECT_TRUE(ToVector(Tensor<cpu, 3>()).empty());
}

TEST(TensorContainer, IteratesOverContiguousElements) {
  Container c = Iota(Shape2(2, 3));
  float sum = 0.0f;
  for (float& element : c) {
    element += 1.0f;
    sum += element;
  }
  EXPECT_EQ(sum, 21.0f);
  const Container& constant = c;
  static_assert(std::is_same_v<decltype(constant.begin()), const float*>);
  EXPECT_EQ(std::vector<float>(constant.begin(), constant.end()), Elements(c));
  EXPECT_EQ(*std::max_element(c.begin(), c.end()), 6.0f);
  Container padded(true);
  EXPECT_EQ(padded.begin(), padded.end());
  padded.Resize(Shape2(1, 3), 1.0f);
  EXPECT_EQ(padded.end() - padded.begin(), 3) << "one row has no padding between elements";
  padded.Resize(Shape2(2, 3), 1.0f);
  EXPECT_THROW(padded.begin(), mshadow::Error);
  EXPECT_THROW(padded.end(), mshadow::Error);
}

class Layer {
 public:
  virtual ~Layer() {}
};
class WithContainer : public Layer {
  Container weight_;
};

TEST(TensorContainer, CanBeAMemberOfAPolymorphicClass) {
  static_assert(std::is_nothrow_destructible_v<WithContainer>);
  WithContainer layer;
  static_cast<void>(layer);
}

// ---- Memory that runs out --------------------------------------------------------------------

using Limited = TensorContainer<counting, 2>;

TEST(TensorContainer, WithoutMemoryNothingChanges) {
  {
    Limited c(Shape2(2, 3), 1.0f);
    Stream<counting> stream;
    Limited large(false);
    large.set_stream(&stream);
    large.Resize(Shape2(9, 9), 2.0f);
    const float* const memory = c.dptr_;
    counting::left = 0;
    EXPECT_THROW(c.Resize(Shape2(5, 5)), mshadow::Error);
    EXPECT_THROW(c.Resize(Shape2(5, 5), 3.0f), mshadow::Error);
    EXPECT_THROW(c = large, mshadow::Error);
    const Tensor<counting, 2> view = large;
    EXPECT_THROW(c = view, mshadow::Error);
    EXPECT_THROW(Limited copy(large), mshadow::Error);
    EXPECT_THROW(Limited(Shape2(2, 2)), mshadow::Error);
    EXPECT_THROW(Limited(Shape2(2, 2), 1.0f), mshadow::Error);
    counting::left = -1;
    EXPECT_EQ(c.dptr_, memory);
    EXPECT_EQ(c.shape_, Shape2(2, 3));
    EXPECT_EQ(c.stream_, nullptr);
    EXPECT_EQ(Elements(c), std::vector<float>(6, 1.0f));
    c.Resize(Shape2(2, 2), 1.0f);
    EXPECT_EQ(c.stride_, 4u) << "still padded";
    c.Resize(Shape2(2, 3), 1.0f);
    EXPECT_THROW(c.Resize(Shape2(static_cast<index_t>(1) << 30, 1 << 30)), mshadow::Error);
    EXPECT_EQ(Elements(c), std::vector<float>(6, 1.0f));
    // A copy that fails behind the allocation gives the memory back.
    counting::copy_fails = true;
    EXPECT_THROW(Limited copy(large), mshadow::Error);
    counting::copy_fails = false;
    EXPECT_EQ(counting::live, 2);
  }
  EXPECT_EQ(counting::live, 0);
}

TEST(TensorContainer, GivesBackAllItTook) {
  {
    Limited a(Shape2(2, 3), 1.0f), b(Shape2(8, 8), 2.0f), c(a), d(std::move(b));
    EXPECT_EQ(counting::live, 3);
    a = c;
    EXPECT_EQ(counting::live, 3);
    a = std::move(c);
    EXPECT_EQ(counting::live, 2);
    a.Resize(Shape2(20, 20));
    EXPECT_EQ(counting::live, 2);
    a = a.Slice(1, 3);
    EXPECT_EQ(counting::live, 2);
    a.Release();
    EXPECT_EQ(counting::live, 1);
    d = std::move(a);
    EXPECT_EQ(counting::live, 0);
    Tensor<counting, 2>& base = d;
    d.Resize(Shape2(2, 2));
    base = Tensor<counting, 2>();  // rebinds the view; the container still owns its memory
  }
  EXPECT_EQ(counting::live, 0);
}

// A product of extents that wraps to a small number must not pass for a small tensor.
TEST(TensorContainer, CountsThatWrapAreRefused) {
  TensorContainer<cpu, 5> c(Shape5(2, 2, 2, 2, 2), 1.5f);
  const float* const memory = c.dptr_;
  EXPECT_THROW(c.Resize(Shape5(65536, 65536, 65536, 65536, 2)), mshadow::Error);
  EXPECT_THROW(c.Resize(Shape5(65536, 65536, 65536, 65536, 1), 0.0f), mshadow::Error);
  EXPECT_EQ(c.shape_, Shape5(2, 2, 2, 2, 2));
  EXPECT_EQ(c.dptr_, memory);
  EXPECT_EQ(Elements(c), std::vector<float>(32, 1.5f));
  // Statements walk all rows of a view, however it was made.
  float none = 0.0f;
  Tensor<cpu, 5> view(&none, Shape5(65536, 65536, 65536, 65536, 1));
  EXPECT_THROW(view = 1.0f, mshadow::Error);
  EXPECT_THROW(Copy(view, view), mshadow::Error);
  EXPECT_EQ(none, 0.0f);
  mshadow::Random<cpu> random(1);
  EXPECT_THROW(random.uniform(Shape5(65536, 65536, 65536, 65536, 1)), mshadow::Error);
}

/// The value that fills a container may be a number of any type.
TEST(TensorContainer, FilledByAnyNumber) {
  const TensorContainer<cpu, 2> a(Shape2(2, 3), 7), b(Shape2(2, 3), 1.5);
  const TensorContainer<cpu, 1, int64_t> c(Shape1(3), 2u);
  ASSERT_EQ(a.shape_, Shape2(2, 3));
  EXPECT_EQ(a[1][2], 7.0f);
  EXPECT_EQ(b[0][0], 1.5f);
  EXPECT_EQ(c[2], 2);
}

}  // namespace
