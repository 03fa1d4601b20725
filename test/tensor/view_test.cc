// SPDX-License-Identifier: Apache-2.0
// Tensor as a view: fields, constructors, accessors, and what copies a handle or elements.
#include <mshadow/tensor.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

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

TEST(Tensor, RowsAreHandlesExpressionsAreNot) {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  Tensor<cpu, 2> m(memory, Shape2(2, 3));
  m[0] = m[1];  // rebinds a temporary
  EXPECT_EQ(memory[0], 0.0f);
  m[0] = m[1] * 1.0f;
  EXPECT_EQ(memory[0], 3.0f);
  EXPECT_EQ(memory[2], 5.0f);
  m[0] += m[1];
  EXPECT_EQ(memory[2], 10.0f);
  m.Slice(1, 2) = m.Slice(0, 1) - 1.0f;
  EXPECT_EQ(memory[5], 9.0f);
  m[1] = 7;
  EXPECT_EQ(memory[4], 7.0f);
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

}  // namespace
