// SPDX-License-Identifier: Apache-2.0
// AllocSpace, FreeSpace, AllocHost, NewTensor and Copy.
#include <mshadow/tensor.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tensor/counting_device.h"
#include "testing.h"

using mshadow::cpu;
using mshadow::index_t;
using mshadow::Shape;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Shape3;
using mshadow::Stream;
using mshadow::Tensor;
using mshadow::testing::counting;
using mshadow::testing::Guarded;

namespace {

constexpr index_t kMax = std::numeric_limits<index_t>::max();

template <typename DType, int dim>
index_t StrideOf(const Shape<dim>& shape, bool pad) {
  Tensor<cpu, dim, DType> t(shape);
  AllocSpace(&t, pad);
  EXPECT_NE(t.dptr_, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.dptr_) % 16, 0u);
  const index_t stride = t.stride_;
  FreeSpace(&t);
  EXPECT_EQ(t.dptr_, nullptr);
  return stride;
}

TEST(AllocSpace, PadsRowsTo16Bytes) {
  EXPECT_EQ(StrideOf<float>(Shape2(2, 3), true), 4u);
  EXPECT_EQ(StrideOf<float>(Shape1(5), true), 8u);
  EXPECT_EQ(StrideOf<float>(Shape2(4, 10), true), 12u);
  EXPECT_EQ(StrideOf<float>(Shape3(2, 2, 8), true), 8u);
  EXPECT_EQ(StrideOf<double>(Shape2(2, 3), true), 4u);
  EXPECT_EQ(StrideOf<uint8_t>(Shape2(2, 3), true), 16u);
  EXPECT_EQ(StrideOf<mshadow::half::half_t>(Shape2(2, 9), true), 16u);
  EXPECT_EQ(StrideOf<float>(Shape2(2, 3), false), 3u);
  EXPECT_EQ(StrideOf<float>(Shape1(5), false), 5u);
  EXPECT_EQ(StrideOf<double>(Shape3(1, 1, 7), false), 7u);
}

TEST(AllocSpace, PadsByDefault) {
  Tensor<cpu, 2> t(Shape2(2, 3));
  AllocSpace(&t);
  EXPECT_EQ(t.stride_, MSHADOW_ALLOC_PAD ? 4u : 3u);
  FreeSpace(&t);
}

TEST(AllocSpace, IndexCountsThePaddingToo) {
  Tensor<cpu, 2, uint8_t> t(Shape2(1 << 27, 1));  // 2 GiB if rows are padded; untouched
  AllocSpace(&t, true);
  EXPECT_EQ(t.MSize(), sizeof(index_t) == 4 ? index_t{1} << 27 : t.stride_ * t.shape_[0]);
  FreeSpace(&t);
}

TEST(AllocSpace, EveryElementIsThere) {
  // AddressSanitizer watches the ends.
  for (bool pad : {false, true}) {
    Tensor<cpu, 3, double> t(Shape3(3, 5, 7));
    AllocSpace(&t, pad);
    std::memset(t.dptr_, 0, t.MSize() * sizeof(double));
    t = 4.0;
    for (index_t i = 0; i < 3; ++i) {
      for (index_t j = 0; j < 5; ++j) {
        for (index_t k = 0; k < 7; ++k) EXPECT_EQ(t[i][j][k], 4.0);
      }
    }
    FreeSpace(&t);
  }
}

TEST(AllocSpace, EmptyShapes) {
  for (const Shape<2>& shape : {Shape2(0, 5), Shape2(5, 0), Shape2(0, 0)}) {
    Tensor<cpu, 2> t(shape);
    AllocSpace(&t);
    t = 1.0f;
    FreeSpace(&t);
  }
}

TEST(AllocSpace, ImpossibleSizesThrowAndChangeNothing) {
  const Shape<3> shapes[] = {Shape3(kMax, kMax, kMax), Shape3(kMax, 1, 2), Shape3(1, 2, kMax),
                             Shape3(1, kMax, kMax)};
  for (const Shape<3>& shape : shapes) {
    Tensor<cpu, 3, double> t(shape);
    t.stride_ = 99;
    EXPECT_THROW(AllocSpace(&t), mshadow::Error) << shape;
    EXPECT_THROW(AllocSpace(&t, false), mshadow::Error) << shape;
    EXPECT_THROW(mshadow::AllocHost<cpu>(&t), mshadow::Error) << shape;
    EXPECT_EQ(t.dptr_, nullptr);
    EXPECT_EQ(t.stride_, 99u);
  }
  if (sizeof(index_t) == 8) {
    // Fits index_t, and wraps as a number of bytes.
    Tensor<cpu, 1, double> t(Shape1(kMax / 4 + 2));
    EXPECT_THROW(AllocSpace(&t), mshadow::Error);
    EXPECT_THROW(mshadow::AllocHost<cpu>(&t), mshadow::Error);
    Tensor<cpu, 2, uint8_t> bytes(Shape2(1, kMax));
    EXPECT_THROW(AllocSpace(&bytes), mshadow::Error);
  }
  if (std::is_signed_v<index_t>) {
    Tensor<cpu, 2> t(Shape<2>{{2, static_cast<index_t>(-1)}});
    EXPECT_THROW(AllocSpace(&t), mshadow::Error);
  }
}

TEST(AllocSpace, WithoutMemoryNothingChanges) {
  Tensor<counting, 2> t(Shape2(2, 3));
  t.stride_ = 99;
  counting::left = 0;
  EXPECT_THROW(AllocSpace(&t), mshadow::Error);
  counting::left = -1;
  EXPECT_EQ(t.dptr_, nullptr);
  EXPECT_EQ(t.stride_, 99u);
  EXPECT_EQ(counting::live, 0);
}

TEST(FreeSpace, OfNothingIsAllowed) {
  Tensor<cpu, 2> t;
  FreeSpace(&t);
  EXPECT_EQ(t.dptr_, nullptr);
}

TEST(AllocHost, IsContiguous) {
  Tensor<cpu, 2> t(Shape2(3, 5));
  mshadow::AllocHost<cpu>(&t);
  EXPECT_EQ(t.stride_, 5u);
  EXPECT_TRUE(t.CheckContiguous());
  t = 2.0f;
  EXPECT_EQ(t[2][4], 2.0f);
  mshadow::FreeHost<cpu>(&t);
  EXPECT_EQ(t.dptr_, nullptr);
  EXPECT_THROW(mshadow::FreeHost<cpu>(&t), mshadow::Error);
}

TEST(NewTensor, EveryFormOfTheCall) {
  Stream<cpu> stream;
  Stream<cpu>* const none = nullptr;
  const auto check = [](Tensor<cpu, 2> t, index_t stride, Stream<cpu>* expected, float value) {
    EXPECT_EQ(t.shape_, Shape2(2, 3));
    EXPECT_EQ(t.stride_, stride);
    EXPECT_EQ(t.stream_, expected);
    for (index_t i = 0; i < 2; ++i) {
      for (index_t j = 0; j < 3; ++j) EXPECT_EQ(t[i][j], value);
    }
    FreeSpace(&t);
  };
  const index_t stride = MSHADOW_ALLOC_PAD ? 4 : 3;
  check(mshadow::NewTensor<cpu>(Shape2(2, 3), 1.0f), stride, nullptr, 1.0f);
  check(mshadow::NewTensor<cpu, float>(Shape2(2, 3), 2), stride, nullptr, 2.0f);
  check(mshadow::NewTensor<cpu>(Shape2(2, 3), 1.0f, false), 3, nullptr, 1.0f);
  check(mshadow::NewTensor<cpu>(Shape2(2, 3), 1.0f, true), 4, nullptr, 1.0f);
  check(mshadow::NewTensor<cpu>(Shape2(2, 3), 1.0f, false, &stream), 3, &stream, 1.0f);
  check(mshadow::NewTensor<cpu>(Shape2(2, 3), 1.0f, &stream), stride, &stream, 1.0f);
  check(mshadow::NewTensor<cpu>(Shape2(2, 3), 1.0f, none), stride, nullptr, 1.0f);
  check(mshadow::NewTensor<cpu, float, 2>(Shape2(2, 3), 3.0f), stride, nullptr, 3.0f);
  Tensor<cpu, 1, int64_t> ints = mshadow::NewTensor<cpu, int64_t>(Shape1(3), 5);
  EXPECT_EQ(ints[2], 5);
  FreeSpace(&ints);
}

TEST(Copy, BetweenAnyTwoLayouts) {
  for (index_t dst_pad : {0, 1, 5}) {
    for (index_t src_pad : {0, 1, 5}) {
      Guarded<3, double> src(Shape3(2, 3, 5), src_pad, 1), dst(Shape3(2, 3, 5), dst_pad, 2);
      src.FillIota();
      *dst = -1.0;
      mshadow::Copy(*dst, *src);
      for (std::size_t i = 0; i < src.Size(); ++i) EXPECT_EQ(dst.At(i), src.At(i)) << i;
      EXPECT_TRUE(dst.Intact());
      EXPECT_TRUE(src.Intact());
    }
  }
}

TEST(Copy, OneAxisIgnoresTheStride) {
  float a[5] = {1, 2, 3, 4, 5}, b[5] = {};
  Stream<cpu> stream;
  mshadow::Copy(Tensor<cpu, 1>(b, Shape1(5), 8, nullptr), Tensor<cpu, 1>(a, Shape1(5), 3, nullptr),
                &stream);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(b[i], a[i]);
}

// The same elements, in place: rows move up, down, together and apart.
TEST(Copy, OverlappingRows) {
  constexpr int kRows = 7, kCols = 3;
  for (int src_pitch : {3, 4, 5}) {
    for (int dst_pitch : {3, 4, 5}) {
      for (int src_at : {0, 1, 4, 8, 15}) {
        for (int dst_at : {0, 1, 4, 8, 15}) {
          std::vector<int> memory(64);
          for (int i = 0; i < 64; ++i) memory[i] = i;
          const std::vector<int> before = memory;
          const Shape<2> shape = Shape2(kRows, kCols);
          mshadow::Copy(Tensor<cpu, 2, int>(memory.data() + dst_at, shape, dst_pitch, nullptr),
                        Tensor<cpu, 2, int>(memory.data() + src_at, shape, src_pitch, nullptr));
          std::vector<int> expected = before;
          for (int y = 0; y < kRows; ++y) {
            for (int x = 0; x < kCols; ++x) {
              expected[dst_at + y * dst_pitch + x] = before[src_at + y * src_pitch + x];
            }
          }
          EXPECT_EQ(memory, expected)
              << src_pitch << ' ' << dst_pitch << ' ' << src_at << ' ' << dst_at;
        }
      }
    }
  }
}

TEST(Copy, RefusesAnotherShape) {
  mshadow::TensorContainer<cpu, 2> a(Shape2(2, 3), 0.0f), b(Shape2(3, 2), 1.0f);
  try {
    mshadow::Copy(a, b);
    FAIL();
  } catch (const mshadow::Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("(2,3)"), std::string::npos) << text;
    EXPECT_NE(text.find("(3,2)"), std::string::npos) << text;
    EXPECT_NE(text.find("Copy:shape mismatch"), std::string::npos) << text;
  }
  EXPECT_EQ(a[0][0], 0.0f);
}

TEST(Copy, EmptyTensors) {
  float guard = 7.0f;
  mshadow::Copy(Tensor<cpu, 2>(&guard, Shape2(0, 4)), Tensor<cpu, 2>(nullptr, Shape2(0, 4)));
  mshadow::Copy(Tensor<cpu, 2>(&guard, Shape2(4, 0)), Tensor<cpu, 2>(nullptr, Shape2(4, 0)));
  EXPECT_EQ(guard, 7.0f);
}

TEST(Copy, BetweenDevices) {
  Guarded<2> host(Shape2(3, 5), 2, 1), back(Shape2(3, 5), 1, 0);
  host.FillIota();
  Stream<counting> stream;
  Tensor<counting, 2> there = mshadow::NewTensor<counting>(Shape2(3, 5), 0.0f, &stream);
  Tensor<counting, 2> other = mshadow::NewTensor<counting>(Shape2(3, 5), 0.0f, false);
  mshadow::Copy(there, *host, &stream);
  mshadow::Copy(other, there, &stream);
  mshadow::Copy(*back, other);
  for (std::size_t i = 0; i < host.Size(); ++i) EXPECT_EQ(back.At(i), host.At(i)) << i;
  EXPECT_TRUE(back.Intact());
  FreeSpace(&there);
  FreeSpace(&other);
  EXPECT_EQ(counting::live, 0);
}

}  // namespace
