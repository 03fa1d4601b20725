// SPDX-License-Identifier: Apache-2.0
// SaveBinary and LoadBinary: the bytes, and what they make of data that are wrong.
#include <mshadow/io.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "mshadow/interop/bytes.h"
#include "tensor/counting_device.h"
#include "testing.h"

using mshadow::cpu;
using mshadow::index_t;
using mshadow::Shape;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Shape3;
using mshadow::Tensor;
using mshadow::TensorContainer;
using mshadow::testing::counting;
using mshadow::testing::Guarded;

namespace {

/// Hands out at most `chunk` bytes a call.
class Memory : public mshadow::utils::IStream {
 public:
  explicit Memory(const std::string& bytes = "", std::size_t chunk = 1u << 30)
      : bytes_(bytes), chunk_(chunk) {}
  std::size_t Read(void* ptr, std::size_t size) override {
    std::size_t count = bytes_.size() - position_;
    if (count > size) count = size;
    if (count > chunk_) count = chunk_;
    std::memcpy(ptr, bytes_.data() + position_, count);
    position_ += count;
    return count;
  }
  void Write(const void* ptr, std::size_t size) override {
    bytes_.append(static_cast<const char*>(ptr), size);
    writes_.push_back(size);
  }
  std::string bytes_;
  std::vector<std::size_t> writes_;
  std::size_t position_ = 0;

 private:
  std::size_t chunk_;
};

/// A type that only has the two members.
struct Plain {
  std::string bytes;
  std::size_t position = 0;
  int Read(void* ptr, std::size_t size) {
    if (position + size > bytes.size()) return -1;
    std::memcpy(ptr, bytes.data() + position, size);
    position += size;
    return static_cast<int>(size);
  }
  std::size_t Write(const void* ptr, std::size_t size) {
    bytes.append(static_cast<const char*>(ptr), size);
    return size;
  }
};

std::string Header(std::initializer_list<index_t> extents) {
  return std::string(reinterpret_cast<const char*>(extents.begin()),
                     extents.size() * sizeof(index_t));
}

template <int dim, typename DType>
void ExpectEqual(const Tensor<cpu, dim, DType>& a, Guarded<dim, DType>* b) {
  ASSERT_EQ(a.shape_, (*b)->shape_);
  const std::size_t cols = a.shape_[dim - 1];
  for (std::size_t i = 0; i < b->Size(); ++i) {
    EXPECT_EQ(a.dptr_[(dim == 1 ? 0 : i / cols * a.stride_) + i % cols], b->At(i)) << i;
  }
}

TEST(SaveBinary, GoldenBytes) {
  const TensorContainer<cpu, 2> t(Shape2(2, 3), 2.5f);
  Memory stream;
  SaveBinary(stream, t);
  std::string expected = Header({2, 3});
  for (int i = 0; i < 6; ++i) {
    expected.append(reinterpret_cast<const char*>(&t.dptr_[0]), sizeof(float));
  }
  EXPECT_EQ(stream.bytes_, expected);
  if (sizeof(index_t) == 4) {
    const char* const extents = mshadow::interop::IsLittleEndian() ? "\2\0\0\0\3\0\0\0"
                                                                   : "\0\0\0\2\0\0\0\3";
    EXPECT_EQ(stream.bytes_.substr(0, 8), std::string(extents, 8));
    EXPECT_EQ(stream.bytes_.size(), 32u);
  }
  EXPECT_EQ(stream.writes_, (std::vector<std::size_t>{2 * sizeof(index_t), 12, 12}));
  Memory member;
  t.SaveBinary(member);
  EXPECT_EQ(member.bytes_, expected);
}

template <typename DType>
class RoundTrip : public ::testing::Test {};
using DTypes = ::testing::Types<float, double, mshadow::half::half_t, mshadow::bfloat::bf16_t,
                                uint8_t, int8_t, int32_t, int64_t>;
TYPED_TEST_SUITE(RoundTrip, DTypes);

TYPED_TEST(RoundTrip, EveryLayout) {
  for (index_t pad : {0, 3}) {
    Guarded<3, TypeParam> src(Shape3(2, 3, 5), pad, 1);
    src.FillRandom(0, 100);
    Memory stream;
    SaveBinary(stream, *src);
    EXPECT_EQ(stream.bytes_.size(), 3 * sizeof(index_t) + 30 * sizeof(TypeParam));
    for (std::size_t chunk : {std::size_t(1), std::size_t(7), std::size_t(1) << 20}) {
      Memory again(stream.bytes_, chunk);
      Tensor<cpu, 3, TypeParam> loaded;
      LoadBinary(again, &loaded, false);
      ExpectEqual(loaded, &src);
      EXPECT_EQ(again.position_, stream.bytes_.size());
      FreeSpace(&loaded);

      Guarded<3, TypeParam> given(Shape3(2, 3, 5), 1, 2);
      TypeParam* const memory = given->dptr_;
      Memory third(stream.bytes_, chunk);
      LoadBinary(third, &*given, true);
      EXPECT_EQ(given->dptr_, memory);
      ExpectEqual(*given, &src);
      EXPECT_TRUE(given.Intact());
    }
  }
}

TEST(LoadBinary, OneAxisAndDefaultPadding) {
  Guarded<1> src(Shape1(5));
  src.FillIota();
  Plain stream;
  SaveBinary(stream, *src);
  SaveBinary(stream, *src);
  Tensor<cpu, 1> loaded;
  LoadBinary(stream, &loaded, false);
  EXPECT_EQ(loaded.stride_, MSHADOW_ALLOC_PAD ? 8u : 5u);
  ExpectEqual(loaded, &src);
  LoadBinary(stream, &loaded, true);  // several tensors follow each other
  ExpectEqual(loaded, &src);
  EXPECT_THROW(LoadBinary(stream, &loaded, true), mshadow::Error);
  FreeSpace(&loaded);
}

TEST(LoadBinary, Containers) {
  Guarded<2> src(Shape2(3, 5), 1);
  src.FillIota();
  Memory stream;
  SaveBinary(stream, *src);
  TensorContainer<cpu, 2> c(false);
  c.Resize(Shape2(4, 6));
  const float* const memory = c.dptr_;
  Memory first(stream.bytes_, 2);
  c.LoadBinary(first);
  EXPECT_EQ(c.dptr_, memory);
  EXPECT_EQ(c.stride_, 5u);
  ExpectEqual(static_cast<const Tensor<cpu, 2>&>(c), &src);
  // The free function keeps the container in charge of its memory.
  TensorContainer<cpu, 2> d;
  Memory second(stream.bytes_);
  mshadow::LoadBinary(second, &d, false);
  ExpectEqual(static_cast<const Tensor<cpu, 2>&>(d), &src);
  d = 0.0f;
  Memory third(stream.bytes_);
  mshadow::LoadBinary(third, &d, true);
  ExpectEqual(static_cast<const Tensor<cpu, 2>&>(d), &src);
}

TEST(LoadBinary, NothingInTheShape) {
  const Shape<2> shapes[] = {Shape2(5, 0), Shape2(0, 5), Shape2(0, 0)};
  for (const Shape<2>& shape : shapes) {
    const TensorContainer<cpu, 2> empty(shape);
    Memory stream;
    empty.SaveBinary(stream);
    EXPECT_EQ(stream.bytes_.size(), 2 * sizeof(index_t));
    stream.bytes_ += "what follows";
    Tensor<cpu, 2> loaded;
    LoadBinary(stream, &loaded, false);
    EXPECT_EQ(loaded.shape_, shape);
    EXPECT_EQ(stream.position_, 2 * sizeof(index_t));
    FreeSpace(&loaded);
    stream.position_ = 0;
    TensorContainer<cpu, 2> c(Shape2(2, 2), 1.0f);
    c.LoadBinary(stream);
    EXPECT_EQ(c.shape_, shape);
  }
  // As many rows of nothing as there can be take no time.
  Memory rows(Header({std::numeric_limits<index_t>::max(), 0}));
  TensorContainer<cpu, 2> c(Shape2(2, 2), 1.0f);
  c.LoadBinary(rows);
  c.SaveBinary(rows);
}

TEST(LoadBinary, TruncatedAtEveryByte) {
  Guarded<2> src(Shape2(3, 4), 1);
  src.FillIota();
  Memory whole;
  SaveBinary(whole, *src);
  for (std::size_t length = 0; length < whole.bytes_.size(); ++length) {
    for (std::size_t chunk : {std::size_t(1), std::size_t(1000)}) {
      const std::string bytes = whole.bytes_.substr(0, length);
      float guard = 7.0f;
      Tensor<cpu, 2> fresh(&guard, Shape2(1, 1), 9, nullptr);
      Memory a(bytes, chunk), b(bytes, chunk), c(bytes, chunk);
      EXPECT_THROW(LoadBinary(a, &fresh, false), mshadow::Error) << length;
      EXPECT_EQ(fresh.dptr_, &guard);
      EXPECT_EQ(fresh.shape_, Shape2(1, 1));
      EXPECT_EQ(fresh.stride_, 9u);
      Guarded<2> given(Shape2(3, 4), 2);
      *given = -1.0f;
      EXPECT_THROW(LoadBinary(b, &*given, true), mshadow::Error) << length;
      for (std::size_t i = 0; i < given.Size(); ++i) EXPECT_EQ(given.At(i), -1.0f);
      TensorContainer<cpu, 2> container(Shape2(2, 2), 3.0f);
      EXPECT_THROW(container.LoadBinary(c), mshadow::Error) << length;
      EXPECT_EQ(container.shape_, Shape2(2, 2));
      EXPECT_EQ(container[1][1], 3.0f);
    }
  }
}

TEST(LoadBinary, AnotherShapeThanTheMemoryNamesBoth) {
  const TensorContainer<cpu, 2> src(Shape2(2, 3), 1.0f);
  Memory stream;
  src.SaveBinary(stream);
  TensorContainer<cpu, 2> dst(Shape2(3, 2), 0.0f);
  try {
    mshadow::LoadBinary(stream, &dst, true);
    FAIL();
  } catch (const mshadow::Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("(2,3)"), std::string::npos) << text;
    EXPECT_NE(text.find("(3,2)"), std::string::npos) << text;
  }
  EXPECT_EQ(dst[0][0], 0.0f);
}

// ---- Headers that lie ------------------------------------------------------------------------

/// Loads into every kind of destination; all refuse, and take next to no memory.
template <int dim, typename DType>
void ExpectRefused(const std::string& bytes) {
  counting::largest = 0;
  Tensor<cpu, dim, DType> fresh;
  Memory a(bytes), b(bytes), c(bytes);
  EXPECT_THROW(LoadBinary(a, &fresh, false), mshadow::Error);
  EXPECT_EQ(fresh.dptr_, nullptr);
  TensorContainer<cpu, dim, DType> container;
  EXPECT_THROW(container.LoadBinary(b), mshadow::Error);
  EXPECT_EQ(container.dptr_, nullptr);
  // The counting device as the host: what is taken to read.
  mshadow::detail::HostBuffer<counting> buffer;
  EXPECT_THROW(buffer.ReadFrom(c, std::numeric_limits<std::size_t>::max() / 2), mshadow::Error);
  EXPECT_LE(counting::largest, std::size_t(16) << 20);
}

TEST(LoadBinary, HeadersThatClaimTheImpossible) {
  const index_t max = std::numeric_limits<index_t>::max();
  const index_t k2To15 = 1 << 15, k2To30 = 1 << 30;
  const std::string data(1000, 'x');
  ExpectRefused<4, float>(Header({k2To15, k2To15, k2To15, k2To15}) + data);  // 2^60
  ExpectRefused<2, float>(Header({k2To30, k2To30}) + data);                  // 2^60
  ExpectRefused<1, float>(Header({max}) + data);
  ExpectRefused<1, double>(Header({max}) + data);
  ExpectRefused<1, uint8_t>(Header({max}) + data);
  ExpectRefused<2, double>(Header({1, max}) + data);
  ExpectRefused<2, double>(Header({max, 1}) + data);
  ExpectRefused<2, float>(Header({max, max}) + data);
  ExpectRefused<3, float>(Header({max, max, max}) + data);
  ExpectRefused<5, float>(Header({max, max, max, max, max}) + data);
  ExpectRefused<2, float>(Header({1 << 16, 1 << 16}) + data);  // 2^32: 0 in 32 bits
  ExpectRefused<1, float>(std::string(sizeof(index_t), '\xff') + data);
  ExpectRefused<2, float>(std::string(2 * sizeof(index_t), '\xff') + data);
  ExpectRefused<3, float>(std::string(3 * sizeof(index_t), '\x80') + data);
  ExpectRefused<1, double>(Header({index_t{32} << (8 * sizeof(index_t) - 8)}) + data);
  if (std::is_signed_v<index_t>) {
    ExpectRefused<2, float>(Header({static_cast<index_t>(-2), static_cast<index_t>(-3)}) + data);
    ExpectRefused<2, float>(Header({static_cast<index_t>(-1), 0}) + data);
    ExpectRefused<1, float>(Header({std::numeric_limits<index_t>::min()}) + data);
    Memory negative(Header({static_cast<index_t>(-1), 0}));
    TensorContainer<cpu, 2> container;
    try {
      container.LoadBinary(negative);
      FAIL();
    } catch (const mshadow::Error& error) {
      EXPECT_NE(std::string(error.what()).find("claim the shape (-1,0)"), std::string::npos)
          << error.what();
    }
  }
}

TEST(LoadBinary, MemoryGrowsAsDataArrive) {
  // 40 MB arrive, 2^40 are claimed.
  counting::largest = 0;
  mshadow::detail::HostBuffer<counting> buffer;
  Memory stream(std::string(40000000, 'x'), 100000);
  EXPECT_THROW(buffer.ReadFrom(stream, std::size_t(1) << 40), mshadow::Error);
  EXPECT_LE(counting::largest, 80000000u);
}

TEST(LoadBinary, LargerThanTheFirstStep) {
  Guarded<2, uint16_t> src(Shape2(3001, 1999), 1);
  uint32_t state = 1;
  for (std::size_t i = 0; i < src.Size(); ++i) {
    state = state * 1664525u + 1013904223u;
    src.At(i) = static_cast<uint16_t>(state >> 16);
  }
  Memory stream;
  SaveBinary(stream, *src);
  TensorContainer<cpu, 2, uint16_t> loaded;
  loaded.LoadBinary(stream);
  ASSERT_EQ(loaded.shape_, src->shape_);
  bool same = true;
  for (index_t y = 0; y < 3001; ++y) {
    same = same && std::memcmp(loaded[y].dptr_, (*src)[y].dptr_, 1999 * sizeof(uint16_t)) == 0;
  }
  EXPECT_TRUE(same);
}

// ---- Other devices ---------------------------------------------------------------------------

TEST(OtherDevices, GoThroughTheHost) {
  {
    Guarded<2> src(Shape2(3, 5), 1);
    src.FillIota();
    mshadow::Stream<counting> work;
    TensorContainer<counting, 2> there(true);
    there.set_stream(&work);
    there.Resize(Shape2(3, 5));
    mshadow::Copy(there, *src, &work);
    Memory stream, expected;
    counting::waits = 0;
    there.SaveBinary(stream);
    EXPECT_GE(counting::waits, 1) << "the data must have arrived before they are written";
    SaveBinary(expected, *src);
    EXPECT_EQ(stream.bytes_, expected.bytes_);

    TensorContainer<counting, 2> back;
    counting::waits = 0;
    back.LoadBinary(stream);
    EXPECT_GE(counting::waits, 1) << "the host memory must not go before the copy is done";
    Guarded<2> host(Shape2(3, 5));
    mshadow::Copy(*host, back);
    ExpectEqual(*host, &src);

    Tensor<counting, 2> fresh;
    stream.position_ = 0;
    LoadBinary(stream, &fresh, false);
    stream.position_ = 0;
    LoadBinary(stream, &fresh, true);
    mshadow::Copy(*host, fresh);
    ExpectEqual(*host, &src);
    FreeSpace(&fresh);
    EXPECT_EQ(counting::live, 2);

    // No memory there, or no way there: nothing is changed and nothing is lost.
    stream.position_ = 0;
    counting::left = 0;
    EXPECT_THROW(LoadBinary(stream, &fresh, false), mshadow::Error);
    counting::left = -1;
    stream.position_ = 0;
    counting::copy_fails = true;
    EXPECT_THROW(LoadBinary(stream, &fresh, false), mshadow::Error);
    counting::copy_fails = false;
    EXPECT_EQ(fresh.dptr_, nullptr);
    EXPECT_EQ(counting::live, 2);
  }
  EXPECT_EQ(counting::live, 0);
}

}  // namespace
