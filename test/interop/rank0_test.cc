// SPDX-License-Identifier: Apache-2.0
// Tensors of rank 0 in files, other libraries' memory, TBlobs and text.
#include <gtest/gtest.h>
#include <mshadow/dlpack.h>
#include <mshadow/npy.h>
#include <mshadow/print.h>
#include <mshadow/rank0.h>
#include <mshadow/safetensors.h>
#include <mshadow/span.h>
#include <mshadow/tensor_blob.h>

#include <sstream>
#include <utility>
#include <vector>

#include "error_of.h"
#include "interop/temporary_file.h"

namespace mshadow {
namespace {

using testing::ErrorOf;
using testing::TemporaryFile;

template <typename DType>
class Rank0OfType : public ::testing::Test {};
using DTypes = ::testing::Types<float, double, half::half_t, uint8_t, int64_t, bool>;
TYPED_TEST_SUITE(Rank0OfType, DTypes);

TYPED_TEST(Rank0OfType, Files) {
  using DType = TypeParam;
  const DType one = static_cast<DType>(1);
  const TensorContainer<cpu, 0, DType> s(one);
  const TemporaryFile npy, safetensors;
  SaveNpy(npy.path, s);
  EXPECT_NE(npy.Read().find("'shape': ()"), std::string::npos);
  EXPECT_EQ(npy.Read().size() % 64, sizeof(DType));
  EXPECT_EQ((LoadNpy<0, DType>(npy.path).item()), one);
  EXPECT_EQ((NpyFile(npy.path).View<0, DType>().item()), one);
  SafetensorsWriter out(safetensors.path);
  out.Add("s", s);
  out.Add("t", TensorContainer<cpu, 0, DType>(s));
  out.Close();
  EXPECT_NE(safetensors.Read().find("\"shape\":[]"), std::string::npos);
  const SafetensorsFile in(safetensors.path);
  EXPECT_EQ((in.Read<0, DType>("s").item()), one);
  EXPECT_EQ((in.View<0, DType>("t").item()), one);
}

TEST(Rank0, FilesOfOtherRanks) {
  const TemporaryFile file;
  SaveNpy(file.path, TensorContainer<cpu, 0>(2.0f) * 3);
  EXPECT_EQ(LoadNpy<0>(file.path).item(), 6);
  EXPECT_EQ(LoadNpy<1>(file.path)[0], 6);  // as a vector of one
  EXPECT_NE(ErrorOf([&] { LoadNpy<2>(file.path); })
                .find("has the shape (), so its rank is 0, not the 2 of Read<2>"),
            std::string::npos);
  SaveNpy(file.path, TensorContainer<cpu, 1>(Shape1(1), 2.0f));
  EXPECT_NE(ErrorOf([&] { LoadNpy<0>(file.path); })
                .find("has the shape (1), so its rank is 1, not the 0 of Read<0>"),
            std::string::npos);
}

TYPED_TEST(Rank0OfType, DLPack) {
  using DType = TypeParam;
  TensorContainer<cpu, 0, DType> s(static_cast<DType>(1));
  const DType* const memory = s.dptr_;
  auto* const managed = ToDLPack(std::move(s));
  EXPECT_EQ(managed->dl_tensor.ndim, 0);
  EXPECT_NE(ErrorOf([&] { DLPackTensor<cpu, 1, DType> wrong(managed); })
                .find("the tensor has rank 0, not 1"),
            std::string::npos);
  const DLPackTensor<cpu, 0, DType> y(managed);
  EXPECT_EQ(y.tensor().dptr_, memory);
  EXPECT_EQ(y.tensor().item(), static_cast<DType>(1));
}

TEST(Rank0, DLPackViewsWithoutShape) {
  // As NumPy gives a 0-d array: no extents, no strides.
  float value = 3;
  dlpack::DLManagedTensor managed{
      {&value, {dlpack::kDLCPU, 0}, 0, dlpack::TypeOf<float>(), nullptr, nullptr, 0},
      nullptr,
      nullptr};
  const DLPackView<cpu, 0> view(&managed);
  View<cpu, 0> v = view.view();
  v *= 2;
  EXPECT_EQ(value, 6);
  const DLPackView<cpu, 0, const float> read_only(&managed);
  EXPECT_EQ(read_only.view().item(), 6);
}

/// The members of a std::mdspan of no axes.
struct Span0 {
  float* at;
  static constexpr std::size_t rank() { return 0; }
  float* data_handle() const { return at; }
};

TEST(Rank0, MemoryOfOthers) {
  std::vector<float> memory(1, 3.0f);
  AsView(Span0{memory.data()}) += 1;
  EXPECT_EQ(memory[0], 4);
  Tensor<cpu, 0> t = AsTensor(memory, Shape<0>());
  EXPECT_EQ(t.item(), 4);
  std::vector<float> two(2);
  EXPECT_EQ(ErrorOf([&] { AsTensor(two, Shape<0>()); }),
            "AsTensor: a container of 2 elements is none of shape ()");
#ifdef __cpp_lib_mdspan
  EXPECT_EQ(AsMdspan(t)[], 4);
  AsView(AsMdspan(t)) = 5;
  EXPECT_EQ(memory[0], 5);
#endif
}

TEST(Rank0, Blobs) {
  TensorContainer<cpu, 0> s(3.0f);
  const TBlob blob(s);
  EXPECT_EQ(blob.ndim(), 0u);
  EXPECT_EQ(blob.Size(), 1u);
  Tensor<cpu, 0> t = blob.get<cpu, 0, float>();
  t += 1;
  EXPECT_EQ(s.item(), 4);
  const Shape<0> none;
  EXPECT_EQ((blob.get_with_shape<cpu, 0, float>(none).dptr_), s.dptr_);
  EXPECT_EQ((blob.get_with_shape<cpu, 2, float>(Shape2(1, 1))[0][0]), 4);
  EXPECT_NE(ErrorOf([&] { blob.get<cpu, 1, float>(); }), "");
  TensorContainer<cpu, 1> v(Shape1(2), 5.0f);
  const TBlob vector(v);
  EXPECT_NE(ErrorOf([&] { vector.get<cpu, 0, float>(); })
                .find("the shape (2,) has 1 axes, asked for 0"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { vector.get_with_shape<cpu, 0, float>(none); })
                .find("shape () asked for, shape (2,) has another number of elements"),
            std::string::npos);
}

TEST(Rank0, Text) {
  const TensorContainer<cpu, 0> s(3.0f);
  const TensorContainer<cpu, 0, int32_t> i(3);
  std::ostringstream text;
  text << s << ' ' << i << ' ' << s / 2 << ' ' << LogText(s.shape_);
  EXPECT_EQ(text.str(), "3.0 3 1.5 ()");
  EXPECT_EQ(ToString(Tensor<cpu, 0, const float>(s)), "3.0");
  TensorContainer<cpu, 2> y(Shape2(2, 3));
  EXPECT_NE(describe(lazy(y) = y * s).find("b: () float"), std::string::npos);
}

}  // namespace
}  // namespace mshadow
