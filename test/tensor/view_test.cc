// SPDX-License-Identifier: Apache-2.0
// Tensor as a view: fields, constructors, accessors, and what copies a handle or elements.
#include <mshadow/tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "error_of.h"
#include "testing.h"

using mshadow::cpu;
using mshadow::gpu;
using mshadow::index_t;
using mshadow::Shape;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Shape3;
using mshadow::Stream;
using mshadow::Tensor;
using mshadow::testing::ErrorOf;
using mshadow::testing::Guarded;

namespace {

TEST(Tensor, IsTheSameFewBytesAsIn2x) {
  if constexpr (sizeof(index_t) == 4 && sizeof(void*) == 8) {
    EXPECT_EQ(sizeof(Tensor<cpu, 2>), 32u);
    EXPECT_EQ(sizeof(Tensor<cpu, 1>), 24u);
    EXPECT_EQ(sizeof(Tensor<gpu, 2, double>), 32u);
  }
  static_assert(std::is_trivially_copyable_v<Tensor<cpu, 1>>);
  static_assert(std::is_trivially_copyable_v<Tensor<cpu, 3, double>>);
  static_assert(std::is_trivially_copyable_v<Tensor<gpu, 4>>);
  static_assert(std::is_trivially_destructible_v<Tensor<cpu, 2>>);
  static_assert(Tensor<cpu, 2>::kDevCPU && !Tensor<gpu, 2>::kDevCPU);
  static_assert(Tensor<cpu, 3>::kSubdim == 2 && Tensor<cpu, 1>::kSubdim == 0);
  static_assert(std::is_same_v<Tensor<cpu, 2>, Tensor<cpu, 2, mshadow::default_real_t>>);
  static_assert(std::is_base_of_v<mshadow::TRValue<Tensor<cpu, 2>, cpu, 2, float>, Tensor<cpu, 2>>);
}

TEST(Tensor, ConstructorsSetTheFields) {
  Stream<cpu> stream;
  float memory[24] = {};
  Tensor<cpu, 2> nothing;
  EXPECT_EQ(nothing.dptr_, nullptr);
  EXPECT_EQ(nothing.stream_, nullptr);
  Tensor<cpu, 2> shaped(Shape2(2, 3));
  EXPECT_EQ(shaped.dptr_, nullptr);
  EXPECT_EQ(shaped.shape_, Shape2(2, 3));
  EXPECT_EQ(shaped.stream_, nullptr);
  Tensor<cpu, 3> packed(memory, Shape3(2, 3, 4));
  EXPECT_EQ(packed.dptr_, memory);
  EXPECT_EQ(packed.stride_, 4u);
  EXPECT_EQ(packed.stream_, nullptr);
  Tensor<cpu, 2> streamed(memory, Shape2(4, 6), &stream);
  EXPECT_EQ(streamed.stride_, 6u);
  EXPECT_EQ(streamed.stream_, &stream);
  Tensor<cpu, 2> padded(memory, Shape2(4, 5), 6, &stream);
  EXPECT_EQ(padded.stride_, 6u);
  EXPECT_EQ(padded.stream_, &stream);

  Tensor<cpu, 1> line;
  EXPECT_EQ(line.dptr_, nullptr);
  Tensor<cpu, 1> line_shaped = Shape1(7);
  EXPECT_EQ(line_shaped.dptr_, nullptr);
  EXPECT_EQ(line_shaped.shape_, Shape1(7));
  Tensor<cpu, 1> line_packed(memory, Shape1(7));
  EXPECT_EQ(line_packed.stride_, 7u);
  Tensor<cpu, 1> line_streamed(memory, Shape1(7), &stream);
  EXPECT_EQ(line_streamed.stream_, &stream);
  Tensor<cpu, 1> line_padded(memory, Shape1(7), 8, &stream);
  EXPECT_EQ(line_padded.stride_, 8u);
}

TEST(Tensor, FieldsMayBeFilledByHand) {
  float memory[12] = {};
  Tensor<cpu, 2> t;
  t.dptr_ = memory;
  t.shape_ = Shape2(3, 3);
  t.stride_ = 4;
  t = 1.0f;
  for (int i = 0; i < 12; ++i) EXPECT_EQ(memory[i], i % 4 < 3 ? 1.0f : 0.0f) << i;
  Tensor<cpu, 1> line;
  line.dptr_ = memory;
  line.shape_[0] = 4;
  line.stride_ = 4;
  line.set_stream(nullptr);
  line += 2.0f;
  EXPECT_EQ(memory[3], 2.0f);
  EXPECT_EQ(memory[4], 1.0f);
}

TEST(Tensor, OnlyTheLastAxisIsPadded) {
  Guarded<4, double> guarded(mshadow::Shape4(2, 3, 4, 5), 3, 1);
  guarded.FillIota();
  Tensor<cpu, 4, double>& t = *guarded;
  const double* const base = t.dptr_;
  for (index_t i = 0; i < 2; ++i) {
    for (index_t j = 0; j < 3; ++j) {
      for (index_t k = 0; k < 4; ++k) {
        for (index_t l = 0; l < 5; ++l) {
          EXPECT_EQ(&t[i][j][k][l], base + ((i * 3 + j) * 4 + k) * 8 + l);
          EXPECT_EQ(t[i][j][k][l], ((i * 3.0 + j) * 4 + k) * 5 + l);
        }
      }
    }
  }
  EXPECT_EQ(t.size(0), 2u);
  EXPECT_EQ(t.size(3), 5u);
  EXPECT_EQ(t.MemSize<0>(), 192u);
  EXPECT_EQ(t.MemSize<1>(), 96u);
  EXPECT_EQ(t.MemSize<3>(), 8u);
  EXPECT_EQ(t.MSize(), 192u);
  EXPECT_FALSE(t.CheckContiguous());
  const Tensor<cpu, 2, double> flat = t.FlatTo2D();
  EXPECT_EQ(flat.shape_, Shape2(24, 5));
  EXPECT_EQ(flat.stride_, 8u);
  EXPECT_EQ(flat.dptr_, base);
}

TEST(Tensor, SubTensorsKeepStrideAndStream) {
  Stream<cpu> stream;
  std::vector<float> memory(2 * 3 * 6);
  Tensor<cpu, 3> t(memory.data(), Shape3(2, 3, 5), 6, &stream);
  const Tensor<cpu, 2> sub = t[1];
  EXPECT_EQ(sub.dptr_, memory.data() + 18);
  EXPECT_EQ(sub.shape_, Shape2(3, 5));
  EXPECT_EQ(sub.stride_, 6u);
  EXPECT_EQ(sub.stream_, &stream);
  const Tensor<cpu, 1> row = sub[2];
  EXPECT_EQ(row.dptr_, memory.data() + 30);
  EXPECT_EQ(row.shape_, Shape1(5));
  EXPECT_EQ(row.stride_, 6u);
  EXPECT_EQ(row.stream_, &stream);
  const Tensor<cpu, 2> rows = sub.Slice(1, 3);
  EXPECT_EQ(rows.dptr_, memory.data() + 24);
  EXPECT_EQ(rows.shape_, Shape2(2, 5));
  EXPECT_EQ(rows.stride_, 6u);
  EXPECT_EQ(rows.stream_, &stream);
  EXPECT_EQ(t.Slice(1, 1).shape_, Shape3(0, 3, 5));
  EXPECT_EQ(t.FlatTo2D().stream_, &stream);
}

#if MSHADOW_BOUNDS_CHECK
TEST(Tensor, IndicesAreChecked) {
  float memory[24] = {};
  Tensor<cpu, 3> cube(memory, Shape3(2, 3, 4));
  const Tensor<cpu, 2> m = cube[0];
  Tensor<cpu, 1> row = m[0];
  const Tensor<cpu, 1> fixed = row;
  const std::string index = "Tensor[]: index = ", range = " is out of range: ";
  EXPECT_EQ(ErrorOf([&] { cube[7]; }), index + "7" + range + "0 to 1");
  EXPECT_EQ(ErrorOf([&] { m[-1] = 0.0f; }), index + "-1" + range + "0 to 2");
  EXPECT_EQ(ErrorOf([&] { m[0][99] = 1.0f; }), index + "99" + range + "0 to 3");
  EXPECT_EQ(ErrorOf([&] { row[4u] = 1.0f; }), index + "4" + range + "0 to 3");
  EXPECT_EQ(ErrorOf([&] { static_cast<void>(fixed[-4L]); }), index + "-4" + range + "0 to 3");
  EXPECT_EQ(ErrorOf([&] { row[std::size_t(1) << 32] = 1.0f; }),
            index + "4294967296" + range + "0 to 3");
  EXPECT_EQ(ErrorOf([&] { row.Slice(2, 2)[0] = 1.0f; }), index + "0" + range + "there is none");
  EXPECT_EQ(ErrorOf([&] { Tensor<cpu, 2>()[0]; }), index + "0" + range + "there is none");
  EXPECT_EQ(ErrorOf([&] { cube.size(5); }), "Tensor.size: axis = 5" + range + "0 to 2");
  EXPECT_EQ(ErrorOf([&] { m.size(-1); }), "Tensor.size: axis = -1" + range + "0 to 1");
  mshadow::TensorContainer<cpu, 2> container(Shape2(3, 4), 0.0f);
  EXPECT_EQ(ErrorOf([&] { container[3] = 1.0f; }), index + "3" + range + "0 to 2");
  for (const float value : memory) EXPECT_EQ(value, 0.0f);
  enum { kOne = 1 };
  EXPECT_EQ(cube[kOne][char{2}][3.0], 0.0f) << "of any type";
}
#endif

TEST(Tensor, ADefaultTensorIsNothing) {
  // In memory that is not zero.
  alignas(8) unsigned char bytes[2][64];
  std::memset(bytes, 0xAB, sizeof(bytes));
  const auto* m = new (bytes[0]) Tensor<cpu, 2>;
  const auto* t = new (bytes[1]) Tensor<cpu, 1, double>;
  EXPECT_EQ(m->dptr_, nullptr);
  EXPECT_EQ(m->shape_, Shape2(0, 0));
  EXPECT_EQ(m->stride_, 0u);
  EXPECT_EQ(m->stream_, nullptr);
  EXPECT_EQ(t->dptr_, nullptr);
  EXPECT_EQ(t->shape_, Shape1(0));
  EXPECT_EQ(t->stride_, 0u);
  EXPECT_EQ(t->stream_, nullptr);
  Tensor<cpu, 2> nothing;
  nothing = 1.0f;
  nothing += nothing * 2.0f;
  EXPECT_EQ(nothing.MSize(), 0u);
  float memory[4] = {1, 1, 1, 1};
  const Tensor<cpu, 2> some(memory, Shape2(2, 2));
  EXPECT_EQ(ErrorOf([&] { nothing = some * 2.0f; }),
            "Assignment: Shape of Tensors are not consistent with target, eshape: (2,2) "
            "dshape:(0,0); the target has no elements: Resize(shape) gives a container some");
}

#ifndef NDEBUG
TEST(Tensor, FlatTo1DOfPaddedRowsIsAnError) {
  float memory[6] = {};
  const Tensor<cpu, 2> padded(memory, Shape2(2, 2), 3, nullptr);
  const std::string message = ErrorOf([&] { padded.FlatTo1D(); });
  EXPECT_NE(message.find("FlatTo1D: rows of 2 elements are padded to 3; reshape(t, "),
            std::string::npos)
      << message;
}
#endif

TEST(Tensor, SlicesLieInTheTensor) {
  float memory[20] = {};
  const Tensor<cpu, 2> m(memory, Shape2(5, 4));
  const Tensor<cpu, 1> t(memory, Shape1(5));
  const std::string axis = ", the extent of axis 0";
  const auto check = [&](const auto& x) {
    EXPECT_EQ(ErrorOf([&] { x.Slice(0, -1); }),
              "Slice: end = -1 is out of range: 0 to 5" + axis + " (begin = 0)");
    EXPECT_EQ(ErrorOf([&] { x.Slice(2, 9); }),
              "Slice: end = 9 is out of range: 2 to 5" + axis + " (begin = 2)");
    EXPECT_EQ(ErrorOf([&] { x.Slice(3, 2u); }),
              "Slice: end = 2 is out of range: 3 to 5" + axis + " (begin = 3)");
    const std::string begin = "Slice: begin = ", range = " is out of range: 0 to 5" + axis;
    EXPECT_EQ(ErrorOf([&] { x.Slice(-2L, 3); }), begin + "-2" + range);
    EXPECT_EQ(ErrorOf([&] { x.Slice(6, 7.0); }), begin + "6" + range);
    EXPECT_THROW(x.Slice(0, std::size_t(1) << 32), mshadow::Error);
    EXPECT_THROW(x.Slice(uint64_t(0) - 1, 2), mshadow::Error);
    enum { kTwo = 2 };
    EXPECT_EQ(x.Slice(kTwo, std::size_t{5}).size(0), 3u);
    EXPECT_EQ(x.Slice({}, 2.0).size(0), 2u);
    EXPECT_EQ(x.Slice(index_t{1}, int16_t{1}).size(0), 0u);
    EXPECT_EQ(x.Slice(5, 5).size(0), 0u);
    EXPECT_EQ(x.Slice(0, 5).dptr_, memory);
  };
  check(m);
  check(t);
}

TEST(Tensor, OneAxis) {
  Stream<cpu> stream;
  float memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  Tensor<cpu, 1> t(memory, Shape1(6), 8, &stream);
  EXPECT_EQ(t[3], 3.0f);
  t[3] = 30.0f;
  EXPECT_EQ(memory[3], 30.0f);
  const Tensor<cpu, 1> fixed = t;
  static_assert(std::is_same_v<decltype(fixed[0]), const float&>);
  static_assert(std::is_same_v<decltype(t[0]), float&>);
  EXPECT_EQ(fixed[3], 30.0f);
  EXPECT_TRUE(t.CheckContiguous());
  EXPECT_EQ(t.MSize(), 6u);
  EXPECT_EQ(t.MemSize<0>(), 6u);
  EXPECT_EQ(t.size(0), 6u);
  EXPECT_EQ(t.size(5), 6u);
  const Tensor<cpu, 1> part = t.Slice(2, 5);
  EXPECT_EQ(part.dptr_, memory + 2);
  EXPECT_EQ(part.shape_, Shape1(3));
  EXPECT_EQ(part.stride_, 3u);
  EXPECT_EQ(part.stream_, &stream);
  EXPECT_EQ(t.FlatTo1D().dptr_, memory);
  const Tensor<cpu, 2> matrix = t.FlatTo2D();
  EXPECT_EQ(matrix.shape_, Shape2(1, 6));
  EXPECT_EQ(matrix[0][5], 5.0f);
}

TEST(Tensor, FlatTo1D) {
  float memory[24] = {};
  const Tensor<cpu, 3> packed(memory, Shape3(2, 3, 4));
  EXPECT_EQ(packed.FlatTo1D().shape_, Shape1(24));
  EXPECT_EQ(packed.FlatTo1D().dptr_, memory);
  EXPECT_TRUE(packed.CheckContiguous());
#ifndef NDEBUG
  const Tensor<cpu, 2> padded(memory, Shape2(4, 5), 6, nullptr);
  EXPECT_THROW(padded.FlatTo1D(), mshadow::Error);
#endif
}

TEST(Tensor, AssigningATensorRebinds) {
  float a[6] = {1, 1, 1, 1, 1, 1};
  float b[4] = {2, 2, 2, 2};
  Stream<cpu> stream;
  Tensor<cpu, 2> t(a, Shape2(2, 3));
  const Tensor<cpu, 2> u(b, Shape2(1, 2), 4, &stream);
  t = u;  // another shape: a handle is never checked
  EXPECT_EQ(t.dptr_, b);
  EXPECT_EQ(t.shape_, Shape2(1, 2));
  EXPECT_EQ(t.stride_, 4u);
  EXPECT_EQ(t.stream_, &stream);
  EXPECT_EQ(a[0], 1.0f);
  Tensor<cpu, 2> copy(t);
  copy = 5.0f;
  EXPECT_EQ(b[0], 5.0f);
  t = Shape2(4, 4);
  EXPECT_EQ(t.dptr_, nullptr);
  EXPECT_EQ(t.shape_, Shape2(4, 4));
  mshadow::TensorContainer<cpu, 2> container(Shape2(3, 3), 9.0f);
  t = container;
  EXPECT_EQ(t.dptr_, container.dptr_);
}

TEST(Tensor, ViewsWithoutANameTakeElements) {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  Tensor<cpu, 2> m(memory, Shape2(2, 3));
  m[0] = m[1];
  EXPECT_EQ(memory[0], 3.0f);
  EXPECT_EQ(memory[2], 5.0f);
  m[0] += m[1];
  EXPECT_EQ(memory[2], 10.0f);
  m[0] = m[1] * 1.0f;
  EXPECT_EQ(memory[2], 5.0f);
  m.Slice(1, 2) = m.Slice(0, 1) - 1.0f;
  EXPECT_EQ(memory[5], 4.0f);
  m[1] = 7;
  EXPECT_EQ(memory[4], 7.0f);

  const mshadow::TensorContainer<cpu, 1> line(Shape1(3), 9.0f);
  m[0] = line;
  EXPECT_EQ(memory[1], 9.0f);
  mshadow::TensorContainer<cpu, 2> matrix(Shape2(2, 3), 6.0f);
  m.FlatTo2D() = matrix;
  EXPECT_EQ(memory[5], 6.0f);
  m.FlatTo1D() = Tensor<cpu, 1>(matrix.dptr_, Shape1(6));
  matrix = 4.0f;
  static_cast<Tensor<cpu, 2>>(m) = matrix;
  EXPECT_EQ(memory[0], 4.0f);
  matrix[1] = 5.0f;
  std::move(m) = matrix;
  EXPECT_EQ(m.dptr_, memory);
  EXPECT_EQ(memory[3], 5.0f);
  EXPECT_EQ(&memory[3], &(m[1] = matrix[0])[0]) << "gives the view";
  EXPECT_EQ(memory[3], 4.0f);
}

TEST(Tensor, PaddedPartsAreCopiedRowByRow) {
  Guarded<3, double> a(Shape3(4, 3, 5), 2, 1), b(Shape3(4, 3, 5), 3);
  b.FillIota();
  *a = 0.0;
  (*a).Slice(1, 3) = (*b).Slice(0, 2);
  (*a)[3] = (*b)[0];
  (*a)[0][1] = (*b)[3][2];
  for (std::size_t i = 0; i < 60; ++i) {
    const double expected = i >= 45                ? i - 45.0
                            : i >= 15              ? i - 15.0
                            : i >= 5 && i < 10     ? i + 50.0
                                                   : 0.0;
    EXPECT_EQ(a.At(i), expected) << i;
  }
  EXPECT_TRUE(a.Intact());
  EXPECT_TRUE(b.Intact());
}

TEST(Tensor, PartsThatOverlapAreCopiedAsIfBySteps) {
  for (const index_t pad : {0, 3}) {
    for (const int up : {0, 1}) {
      Guarded<2> a(Shape2(50, 7), pad);
      a.FillIota();
      const index_t from = up != 0 ? 0 : 3, to = up != 0 ? 3 : 0;
      (*a).Slice(to, to + 47) = (*a).Slice(from, from + 47);
      for (index_t i = 0; i < 47; ++i) {
        for (index_t j = 0; j < 7; ++j) {
          EXPECT_EQ((*a)[to + i][j], static_cast<float>((from + i) * 7 + j)) << i << " " << j;
        }
      }
      EXPECT_TRUE(a.Intact());
    }
  }
  float line[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const Tensor<cpu, 1> t(line, Shape1(9));
  t.Slice(1, 9) = t.Slice(0, 8);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(line[i], i == 0 ? 0.0f : i - 1.0f);
}

TEST(Tensor, CopiedPartsHaveOneShape) {
  float memory[12] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
  Tensor<cpu, 2> a(memory, Shape2(2, 3)), b(memory + 6, Shape2(3, 2));
  const std::string rows = ErrorOf([&] { a[0] = b[1]; });
  EXPECT_NE(rows.find("eshape: (2,) dshape:(3,)"), std::string::npos) << rows;
  const std::string parts = ErrorOf([&] { a.Slice(0, 1) = b; });
  EXPECT_NE(parts.find("eshape: (3,2) dshape:(1,3)"), std::string::npos) << parts;
  EXPECT_EQ(memory[0], 1.0f);
  a.Slice(0, 0) = a.Slice(1, 1);
  EXPECT_EQ(memory[0], 1.0f);
}

TEST(Tensor, NamedViewsAreRebound) {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  Tensor<cpu, 2> m(memory, Shape2(2, 3));
  Tensor<cpu, 1> a = m[0], b = m[1];
  std::swap(a, b);
  EXPECT_EQ(a.dptr_, memory + 3);
  EXPECT_EQ(b.dptr_, memory);
  a = m[0];
  EXPECT_EQ(a.dptr_, memory);
  std::vector<Tensor<cpu, 1>> rows = {m[1], m[0], m[1]};
  rows.erase(rows.begin());
  rows.insert(rows.begin(), m[1]);
  *rows.begin() = m[0];
  rows[2] = m[1].Slice(1, 2);
  std::sort(rows.begin(), rows.end(), [](const Tensor<cpu, 1>& x, const Tensor<cpu, 1>& y) {
    return x.dptr_ > y.dptr_;
  });
  EXPECT_EQ(rows[0].dptr_, memory + 4);
  EXPECT_EQ(rows[1].dptr_, memory);
  std::pair<Tensor<cpu, 1>, int> p(m[0], 1), q(m[1], 2);
  p = q;
  EXPECT_EQ(p.first.dptr_, memory + 3);
  p = std::make_pair(m[0], 3);
  EXPECT_EQ(p.first.dptr_, memory);
  int number = 0;
  std::tie(a, number) = q;
  EXPECT_EQ(a.dptr_, memory + 3);
  std::array<Tensor<cpu, 1>, 2> two = {m[0], m[1]}, other = {m[1], m[0]};
  two = std::move(other);
  EXPECT_EQ(two[0].dptr_, memory + 3);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(memory[i], i) << "no element is touched";
  static_assert(std::is_trivially_copy_assignable_v<Tensor<cpu, 2>>);
  static_assert(std::is_nothrow_copy_assignable_v<Tensor<cpu, 1>>);
}

TEST(Tensor, AssignmentOperators) {
  mshadow::testing::ForEachIsa([] {
    Guarded<2> guarded(Shape2(3, 17), 2, 1);
    Tensor<cpu, 2>& t = *guarded;
    t = 3;
    t += 1;
    t *= 2.0f;
    t -= 2.0;
    t /= 4;
    for (std::size_t i = 0; i < guarded.Size(); ++i) EXPECT_EQ(guarded.At(i), 1.5f);
    const Tensor<cpu, 2> same = t;  // as itself, clang warns of it
    t += same;
    t *= t + 1.0f;
    t -= t * 0.5f;
    t /= same;
    for (std::size_t i = 0; i < guarded.Size(); ++i) EXPECT_EQ(guarded.At(i), 1.0f);
    EXPECT_TRUE(guarded.Intact());
    static_assert(std::is_same_v<decltype(t = t + 1), Tensor<cpu, 2>&>);
    static_assert(std::is_same_v<decltype(t += 1), Tensor<cpu, 2>&>);
    static_assert(std::is_same_v<decltype(t = 1), Tensor<cpu, 2>&>);
    EXPECT_EQ(&(t = t + 1), &t);
  });
}

TEST(Tensor, EmptyTensorsAreLeftAlone) {
  float guard = 7.0f;
  Tensor<cpu, 2> none(&guard, Shape2(0, 5));
  Tensor<cpu, 2> thin(&guard, Shape2(5, 0));
  Tensor<cpu, 1> line(&guard, Shape1(0));
  none = 1.0f;
  thin += none.Slice(0, 0).size(0) + 1.0f;
  line = line + line;
  EXPECT_EQ(guard, 7.0f);
  // In 2.x an empty tensor counted as a scalar, and its memory was read.
  Tensor<cpu, 2> one(&guard, Shape2(1, 1));
  EXPECT_THROW(none = one * 2.0f, mshadow::Error);
  EXPECT_THROW(one += none, mshadow::Error);
  EXPECT_THROW(one = one + none, mshadow::Error);
  EXPECT_EQ(guard, 7.0f);
}

TEST(Tensor, ShapeMismatchNamesBothShapes) {
  float memory[12] = {};
  Tensor<cpu, 2> a(memory, Shape2(2, 3));
  Tensor<cpu, 2> b(memory + 6, Shape2(3, 2));
  try {
    a = b * 1.0f;
    FAIL();
  } catch (const mshadow::Error& error) {
    EXPECT_NE(std::string(error.what()).find("(2,3)"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("(3,2)"), std::string::npos) << error.what();
  }
}

#ifdef __linux__
TEST(Tensor, OffsetsAre64BitsWide) {
  // Addresses only, nothing is touched.
  const std::size_t bytes = std::size_t(5) << 30;
  void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                            -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no 5 GiB of address space";
  int8_t* const base = static_cast<int8_t*>(memory);
  Tensor<cpu, 3, int8_t> t(base, Shape3(70000, 7, 10000));
  EXPECT_EQ(t[70000 - 1].dptr_ - base, std::ptrdiff_t(69999) * 70000);
  EXPECT_EQ(t.Slice(69999, 70000).dptr_ - base, std::ptrdiff_t(69999) * 70000);
  EXPECT_EQ(t[69999][6].dptr_ - base, std::ptrdiff_t(69999) * 70000 + 60000);
  munmap(memory, bytes);
}
#endif

// ---- Tensor<Device, dim, const T> --------------------------------------------------------------

using ConstView = Tensor<cpu, 2, const float>;

TEST(ConstTensor, TensorsConvertToItAndNotBack) {
  static_assert(std::is_convertible_v<Tensor<cpu, 2>, ConstView>);
  static_assert(std::is_convertible_v<mshadow::TensorContainer<cpu, 2>, ConstView>);
  static_assert(!std::is_convertible_v<ConstView, Tensor<cpu, 2>>);
  static_assert(!std::is_constructible_v<Tensor<cpu, 2>, ConstView>);
  static_assert(!std::is_convertible_v<Tensor<cpu, 2, double>, ConstView>);
  static_assert(!std::is_convertible_v<Tensor<cpu, 1>, ConstView>);
  static_assert(std::is_trivially_copyable_v<ConstView> ==
                std::is_trivially_copyable_v<Tensor<cpu, 2>>);
  static_assert(sizeof(ConstView) == sizeof(Tensor<cpu, 2>));
  Stream<cpu> stream;
  float memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const Tensor<cpu, 2> t(memory, Shape2(2, 3), 4, &stream);
  ConstView view = t;
  EXPECT_EQ(view.dptr_, memory);
  EXPECT_EQ(view.shape_, t.shape_);
  EXPECT_EQ(view.stride_, 4u);
  EXPECT_EQ(view.stream_, &stream);
  const auto last = [](ConstView v) { return v[v.size(0) - 1][v.size(1) - 1]; };
  EXPECT_EQ(last(t), 6.0f);
  EXPECT_EQ(last(view), 6.0f);
  // A view with a name is bound anew.
  const float other[6] = {9, 9, 9, 9, 9, 9};
  view = ConstView(other, Shape2(2, 3));
  EXPECT_EQ(view.dptr_, other);
  view = t;
  EXPECT_EQ(view.dptr_, memory);
}

TEST(ConstTensor, HasTheAccessorsOfATensor) {
  const float memory[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const Tensor<cpu, 3, const float> cube(memory, Shape3(3, 2, 2));
  static_assert(std::is_same_v<decltype(cube[0]), ConstView>);
  static_assert(std::is_same_v<decltype(cube[0][0][0]), const float&>);
  Tensor<cpu, 1, const float> row = cube[2][1];
  static_assert(std::is_same_v<decltype(row[0]), const float&>);
  EXPECT_EQ(row[1], 11.0f);
  EXPECT_EQ(cube.Slice(1, 3).shape_, Shape3(2, 2, 2));
  EXPECT_EQ(cube.Slice(1, 3)[0][0][1], 5.0f);
  EXPECT_EQ(cube.FlatTo2D()[5][0], 10.0f);
  EXPECT_EQ(cube.FlatTo1D()[7], 7.0f);
  EXPECT_TRUE(cube.CheckContiguous());
  EXPECT_EQ(cube.MSize(), 12u);
  EXPECT_EQ(ToVector(cube.Slice(2, 3)), (std::vector<float>{8, 9, 10, 11}));
}

TEST(ConstTensor, IsReadInExpressions) {
  using namespace mshadow::expr;
  const float memory[8] = {1, 2, 3, -1, 4, 5, 6, -1};
  const ConstView c(memory, Shape2(2, 3), 4, nullptr);
  mshadow::TensorContainer<cpu, 2> a({{1, 1, 1}, {2, 2, 2}}), b;
  b = c + a;
  EXPECT_EQ(ToVector(b), (std::vector<float>{2, 3, 4, 6, 7, 8}));
  b = 2 * c - F<mshadow::op::square>(c);
  EXPECT_EQ(ToVector(b), (std::vector<float>{1, 0, -3, -8, -15, -24}));
  b = c;
  EXPECT_EQ(ToVector(b), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(b.CheckContiguous());
  EXPECT_NE(b.dptr_, memory);
  b += c;
  b[0] = c[1];
  EXPECT_EQ(ToVector(b), (std::vector<float>{4, 5, 6, 8, 10, 12}));
  mshadow::TensorContainer<cpu, 2> t = c.T();
  EXPECT_EQ(ToVector(t), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  mshadow::TensorContainer<cpu, 1> sums(Shape1(3));
  sums = sum_rows(c);
  EXPECT_EQ(ToVector(sums), (std::vector<float>{5, 7, 9}));
  t = swapaxis<1, 0>(c);
  EXPECT_EQ(t[2][1], 6.0f);
  EXPECT_EQ(eval(slice<1>(c, 1, 3))[1][1], 6.0f);
  static_assert(std::is_same_v<decltype(eval(c)), mshadow::TensorContainer<cpu, 2>>);
  EXPECT_EQ(eval(tcast<double>(c))[1][2], 6.0);
  EXPECT_THROW(b = c + t, mshadow::Error);
  const Tensor<cpu, 1, const float> bias(memory, Shape1(3));
  b = c - bias;
  EXPECT_EQ(ToVector(b), (std::vector<float>{0, 0, 0, 3, 3, 3}));
  // It is the memory of b: read before it is overwritten.
  mshadow::TensorContainer<cpu, 2> square({{1, 2}, {3, 4}});
  const ConstView same = square;
  square = same.T() + same;
  EXPECT_EQ(ToVector(square), (std::vector<float>{2, 5, 5, 8}));
}

TEST(ConstTensor, IsAnOperandOfProductsAndCopies) {
  using namespace mshadow::expr;
  const float memory[4] = {1, 2, 3, 4};
  const ConstView c(memory, Shape2(2, 2));
  const Tensor<cpu, 1, const float> v(memory, Shape1(2));
  mshadow::TensorContainer<cpu, 2> a({{1, 0}, {1, 1}}), b(Shape2(2, 2));
  mshadow::TensorContainer<cpu, 1> w(Shape1(2));
  b = dot(c, a);
  EXPECT_EQ(ToVector(b), (std::vector<float>{3, 2, 7, 4}));
  b = dot(a, c.T());
  EXPECT_EQ(ToVector(b), (std::vector<float>{1, 3, 3, 7}));
  b = dot(c.T(), c);
  EXPECT_EQ(ToVector(b), (std::vector<float>{10, 14, 14, 20}));
  w = dot(v, a);
  EXPECT_EQ(ToVector(w), (std::vector<float>{3, 2}));
  w = dot(c, v);
  EXPECT_EQ(ToVector(w), (std::vector<float>{5, 11}));
  b = dot(c, c) + dot(c + 1.0f, a);
  EXPECT_EQ(ToVector(b), (std::vector<float>{12, 13, 24, 27}));
  const Tensor<cpu, 3, const float> batch(memory, Shape3(1, 2, 2));
  EXPECT_EQ(ToVector(eval(batch_dot<false, true>(batch, batch + 1.0f))),
            (std::vector<float>{8, 14, 18, 32}));
  mshadow::Copy(b, c);
  EXPECT_EQ(ToVector(b), ToVector(c));
  mshadow::Copy(b[0], c[1]);
  EXPECT_EQ(b[0][1], 4.0f);
}

}  // namespace
