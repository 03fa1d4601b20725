// SPDX-License-Identifier: Apache-2.0
#include <mshadow/tblob.h>
#include <mshadow/tensor_blob.h>

#include <string>
#include <type_traits>

#include "testing.h"

using mshadow::cpu;
using mshadow::gpu;
using mshadow::index_t;
using mshadow::Shape1;
using mshadow::Shape2;
using mshadow::Shape3;
using mshadow::Shape4;
using mshadow::Stream;
using mshadow::TBlob;
using mshadow::Tensor;
using mshadow::TensorContainer;
using mshadow::TShape;

namespace {

/// Does f() throw an Error whose text holds both parts?
template <typename F>
::testing::AssertionResult Names(const F& f, const std::string& a, const std::string& b) {
  try {
    f();
  } catch (const mshadow::Error& error) {
    const std::string text = error.what();
    if (text.find(a) != std::string::npos && text.find(b) != std::string::npos) {
      return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure() << text;
  }
  return ::testing::AssertionFailure() << "nothing was thrown";
}

class BlobTest : public ::testing::Test {
 protected:
  BlobTest() {
    for (int i = 0; i < 120; ++i) memory_[i] = static_cast<float>(i);
  }
  float memory_[120];
  TBlob blob_{memory_, TShape(Shape4(2, 3, 4, 5)), cpu::kDevMask};
};

TEST_F(BlobTest, Fields) {
  const TBlob empty;
  EXPECT_EQ(empty.dptr_, nullptr);
  EXPECT_EQ(empty.dev_mask_, cpu::kDevMask);
  EXPECT_EQ(empty.type_flag_, mshadow::kFloat32);
  EXPECT_EQ(empty.ndim(), 0u);
  EXPECT_EQ(blob_.dptr_, memory_);
  EXPECT_EQ(blob_.shape_, Shape4(2, 3, 4, 5));
  EXPECT_EQ(blob_.stride_, 5u);
  EXPECT_EQ(blob_.type_flag_, mshadow::kFloat32);
  EXPECT_EQ(blob_.dev_mask(), cpu::kDevMask);
  EXPECT_EQ(blob_.ndim(), 4u);
  EXPECT_EQ(blob_.size(2), 4u);
  EXPECT_THROW(blob_.size(4), mshadow::Error);
  try {
    blob_.size(-1);
    FAIL();
  } catch (const mshadow::Error& error) {
    EXPECT_NE(std::string(error.what()).find("TBlob.size: axis -1 of shape ("), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(blob_.Size(), 120u);
  EXPECT_TRUE(blob_.CheckContiguous());
  void* const raw = memory_;
  const TBlob typed(raw, TShape(Shape2(3, 5)), gpu::kDevMask, mshadow::kFloat64);
  EXPECT_EQ(typed.type_flag_, mshadow::kFloat64);
  EXPECT_EQ(typed.dev_mask_, gpu::kDevMask);
  EXPECT_EQ(typed.stride_, 5u);
}

TEST_F(BlobTest, FromTensorsAndBack) {
  Stream<cpu> stream;
  const Tensor<cpu, 2> tensor(memory_, Shape2(10, 10), 12, nullptr);
  TBlob blob = tensor;
  EXPECT_EQ(blob.stride_, 12u);
  EXPECT_FALSE(blob.CheckContiguous());
  const Tensor<cpu, 2> back = blob.get<cpu, 2, float>(&stream);
  EXPECT_EQ(back.dptr_, memory_);
  EXPECT_EQ(back.shape_, Shape2(10, 10));
  EXPECT_EQ(back.stride_, 12u);
  EXPECT_EQ(back.stream_, &stream);
  EXPECT_EQ((blob.FlatTo2D<cpu, float>().stride_), 12u);
  TensorContainer<cpu, 3, double> container(Shape3(2, 2, 2), 1.5);
  blob = container;
  EXPECT_EQ(blob.type_flag_, mshadow::kFloat64);
  EXPECT_EQ((blob.get<cpu, 3, double>()[1][1][1]), 1.5);
  TBlob of_container(container);
  EXPECT_EQ(of_container.dptr_, container.dptr_);
  blob = Tensor<gpu, 1, mshadow::half::half_t>(Shape1(3));
  EXPECT_EQ(blob.dev_mask_, gpu::kDevMask);
  EXPECT_EQ(blob.type_flag_, mshadow::kFloat16);
  const auto takes_blob = [](const TBlob& b) { return b.ndim(); };
  EXPECT_EQ(takes_blob(tensor), 2u);
}

TEST_F(BlobTest, Views) {
  EXPECT_EQ((blob_.get<cpu, 4, float>()[1][2][3][4]), 119.0f);
  EXPECT_EQ(blob_.dptr<float>(), memory_);
  EXPECT_EQ((blob_.FlatTo1D<cpu, float>().shape_), Shape1(120));
  EXPECT_EQ((blob_.FlatTo2D<cpu, float>().shape_), Shape2(24, 5));
  EXPECT_EQ((blob_.FlatTo3D<cpu, float>(1).shape_), Shape3(2, 3, 20));
  EXPECT_EQ((blob_.FlatTo3D<cpu, float>(1, 2).shape_), Shape3(2, 12, 5));
  EXPECT_EQ((blob_.FlatToKD<cpu, 3, float>().shape_), Shape3(6, 4, 5));
  EXPECT_EQ((blob_.FlatToKD<cpu, 1, float>().shape_), Shape1(120));
  EXPECT_EQ((blob_.FlatToKD<cpu, 4, float>().shape_), Shape4(2, 3, 4, 5));
  EXPECT_EQ((blob_.FlatToKD<cpu, 5, float>().shape_), mshadow::Shape5(1, 2, 3, 4, 5));
  EXPECT_EQ((blob_.get_with_shape<cpu, 2, float>(Shape2(8, 15))[7][14]), 119.0f);
  const TBlob other = blob_.reshape(TShape(Shape3(4, 5, 6)));
  EXPECT_EQ(other.shape_, Shape3(4, 5, 6));
  EXPECT_EQ(other.stride_, 6u);
  EXPECT_EQ(other.type_flag_, blob_.type_flag_);
  EXPECT_EQ(other.dptr_, memory_);
}

TEST_F(BlobTest, EveryViewTakesAStream) {
  Stream<cpu> stream;
  EXPECT_EQ((blob_.FlatTo1D<cpu, float>(&stream).stream_), &stream);
  EXPECT_EQ((blob_.FlatTo2D<cpu, float>(&stream).stream_), &stream);
  EXPECT_EQ((blob_.FlatTo3D<cpu, float>(1, &stream).stream_), &stream);
  EXPECT_EQ((blob_.FlatTo3D<cpu, float>(1, 2, &stream).stream_), &stream);
  EXPECT_EQ((blob_.FlatToKD<cpu, 2, float>(&stream).stream_), &stream);
  EXPECT_EQ((blob_.get_with_shape<cpu, 2, float>(Shape2(8, 15), &stream).stream_), &stream);
}

TEST_F(BlobTest, NoAxes) {
  const TBlob scalar(memory_, TShape(), cpu::kDevMask);
  EXPECT_EQ(scalar.Size(), 1u);
  EXPECT_TRUE(scalar.CheckContiguous());
  EXPECT_EQ((scalar.FlatTo1D<cpu, float>().shape_), Shape1(1));
  EXPECT_EQ((scalar.FlatToKD<cpu, 2, float>().shape_), Shape2(1, 1));
  EXPECT_THROW((scalar.get<cpu, 1, float>()), mshadow::Error);
}

TEST_F(BlobTest, OneAxisIsContiguousWhateverItsPitch) {
  TensorContainer<cpu, 1> line(Shape1(5), 2.0f);
  const TBlob blob = line;
  EXPECT_EQ(blob.stride_, line.stride_);
  EXPECT_TRUE(blob.CheckContiguous());
  EXPECT_EQ((blob.get_with_shape<cpu, 2, float>(Shape2(5, 1)).stride_), 1u);
}

TEST_F(BlobTest, ErrorsNameWhatIsThereAndWhatWasAskedFor) {
  EXPECT_TRUE(Names([&] { blob_.get<gpu, 4, float>(); }, "cpu", "gpu"));
  EXPECT_TRUE(Names([&] { blob_.FlatTo2D<gpu, float>(); }, "cpu", "gpu"));
  EXPECT_TRUE(Names([&] { blob_.get<cpu, 4, double>(); }, "float", "double"));
  EXPECT_TRUE(Names([&] { blob_.FlatTo2D<cpu, int32_t>(); }, "float", "int"));
  EXPECT_TRUE(Names([&] { blob_.dptr<mshadow::half::half_t>(); }, "float", "half"));
  EXPECT_TRUE(Names([&] { blob_.get<cpu, 3, float>(); }, "(2,3,4,5)", "4 vs. 3"));
  EXPECT_TRUE(Names([&] { blob_.get_with_shape<cpu, 2, float>(Shape2(7, 17)); }, "(2,3,4,5)",
                    "(7,17)"));
  EXPECT_TRUE(Names([&] { blob_.reshape(TShape(Shape2(7, 17))); }, "(2,3,4,5)", "(7,17)"));
  EXPECT_TRUE(Names([&] { blob_.FlatTo3D<cpu, float>(4); }, "(2,3,4,5)", "4"));
  EXPECT_TRUE(Names([&] { blob_.FlatTo3D<cpu, float>(2, 1); }, "(2,3,4,5)", "[2, 1]"));
  TBlob padded = blob_;
  padded.stride_ = 8;
  EXPECT_TRUE(Names([&] { padded.FlatTo1D<cpu, float>(); }, "(2,3,4,5)", "8"));
  const TBlob empty(memory_, TShape(Shape2(0, 4)), cpu::kDevMask);
  EXPECT_TRUE(Names([&] { empty.get_with_shape<cpu, 4, float>(Shape4(65536, 65536, 65536, 65536)); },
                    "65536", "more elements than index_t can count"));
  EXPECT_TRUE(Names([&] { padded.get_with_shape<cpu, 2, float>(Shape2(8, 15)); }, "(8,15)", "8"));
  EXPECT_TRUE(Names([&] { padded.reshape(TShape(Shape2(8, 15))); }, "(8,15)", "8"));
  EXPECT_TRUE(Names([&] { TBlob(memory_, TShape(Shape1(3)), 1 << 4).get<cpu, 1, float>(); },
                    "device 16", "cpu"));
}

}  // namespace
