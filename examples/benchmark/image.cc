// SPDX-License-Identifier: Apache-2.0
// What a convolutional network and its input do with images.
#include <mshadow/tensor.h>

#include "hand/loops.h"
#include "program.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace {

using report::Measurement;
using Roof = report::Roof;
using Images = TensorContainer<cpu, 4>;

constexpr index_t kImages = 32, kChannels = 64, kSide = 56, kPlanes = kImages * kChannels;

Images Filled(const Shape<4>& shape) {
  Images images(false);
  images.Resize(shape);
  report::Fill(images.dptr_, images.shape_.Size());
  return images;
}
Images Filled(index_t height, index_t width) {
  return Filled(Shape4(kImages, kChannels, height, width));
}

double BytesOf(const Images& t) { return sizeof(float) * static_cast<double>(t.shape_.Size()); }

/// As many elements in images of another side: in narrow ones, what is done once a row counts.
constexpr index_t ChannelsOf(index_t side) { return kChannels * kSide * kSide / (side * side); }
Images FilledSquare(index_t images, index_t source_side, index_t side) {
  return Filled(Shape4(images, ChannelsOf(source_side), side, side));
}

template <index_t side>
void MaxPool2(Measurement& m) {
  Images a = FilledSquare(kImages, side, side), o = FilledSquare(kImages, side, side / 2);
  m.Bytes(BytesOf(a) + BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours([&] { o = pool<red::maximum>(a, 2, 2, 2); });
  m.Peer("loop", [&] { hand::MaxPool2(o.dptr_, a.dptr_, kImages * ChannelsOf(side), side, side); });
  m.Run();
}

template <index_t side>
void MaxPool3(Measurement& m) {
  constexpr index_t kPlanesOfSide = kImages * ChannelsOf(side);
  Images a = FilledSquare(kImages, side, side);
  Images o = FilledSquare(kImages, side, (side - 3) / 2 + 1);
  m.Bytes(BytesOf(a) + BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours([&] { o = pool<red::maximum>(a, 3, 3, 2); });
  m.Peer("loop", [&] { hand::MaxPool3(o.dptr_, a.dptr_, kPlanesOfSide, side, side); });
  m.Peer("two passes", [&] { hand::MaxPool3TwoPass(o.dptr_, a.dptr_, kPlanesOfSide, side, side); });
  m.Run();
}

template <index_t side>
void Unpool2(Measurement& m) {
  Images a = FilledSquare(kImages, side, side), o = FilledSquare(kImages, side, side);
  Images most = FilledSquare(kImages, side, side / 2), grad = FilledSquare(kImages, side, side / 2);
  most = pool<red::maximum>(a, 2, 2, 2);
  m.Bytes(2 * BytesOf(a) + 2 * BytesOf(most), Roof::kTriad);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours([&] { o = unpool<red::maximum>(a, most, grad, 2, 2, 2); });
  m.Peer("loop", [&] {
    hand::Unpool2(o.dptr_, a.dptr_, most.dptr_, grad.dptr_, kImages * ChannelsOf(side), side, side);
  });
  m.Run();
}

template <index_t side>
void UnpackPatches(Measurement& m) {
  constexpr index_t kBatch = 8, kPatches = kBatch * (side - 2) * (side - 2);
  Images a = FilledSquare(kBatch, side, side);
  TensorContainer<cpu, 2> o(Shape2(ChannelsOf(side) * 9, kPatches), 0.0f);
  m.Bytes(BytesOf(a) + 4.0 * ChannelsOf(side) * 9 * kPatches, Roof::kWrite);
  m.Result(o.dptr_, o.MSize(), 0);
  m.Ours([&] { o = unpack_patch2col(a, 3, 3, 1); });
  m.Peer("loop", [&] { hand::Im2Col3(o.dptr_, a.dptr_, kBatch, ChannelsOf(side), side, side); });
  m.Run();
}

void PackPatches(Measurement& m) {
  constexpr index_t kBatch = 8, kPatches = kBatch * (kSide - 2) * (kSide - 2);
  Images o = Filled(Shape4(kBatch, kChannels, kSide, kSide));
  TensorContainer<cpu, 2> a(Shape2(kChannels * 9, kPatches));
  report::Fill(a.dptr_, a.MSize());
  m.Bytes(BytesOf(o) + 4.0 * kChannels * 9 * kPatches, Roof::kRead);
  m.Result(o.dptr_, o.shape_.Size());
  m.Ours([&] { o = pack_col2patch(a, o.shape_, 3, 3, 1); });
  m.Peer("loop", [&] { hand::Col2Im3(o.dptr_, a.dptr_, kBatch, kChannels, kSide, kSide); });
  m.Run();
}

void Crop(Measurement& m) {
  constexpr index_t kOut = 48, kStart = (kSide - kOut) / 2;
  Images a = Filled(kSide, kSide), o = Filled(kOut, kOut);
  m.Bytes(2 * BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours([&] { o = crop(a, Shape2(kOut, kOut)); });
  m.Peer("loop", [&] {
    hand::Crop(o.dptr_, a.dptr_, kPlanes, kSide, kSide, kOut, kOut, kStart, kStart);
  });
  m.Run();
}

void Mirror(Measurement& m) {
  Images a = Filled(kSide, kSide), o = Filled(kSide, kSide);
  m.Bytes(2 * BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours([&] { o = mirror(a); });
  m.Peer("loop", [&] { hand::Mirror(o.dptr_, a.dptr_, kPlanes * kSide, kSide); });
  m.Run();
}

void Resize(Measurement& m) {
  constexpr index_t kOut = 112, kBatch = 8;
  Images a = Filled(Shape4(kBatch, kChannels, kSide, kSide));
  Images o = Filled(Shape4(kBatch, kChannels, kOut, kOut));
  m.Bytes(BytesOf(a) + BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size());
  m.Ours([&] { o = resize(a, kOut, kOut); });
  m.Peer("rows, then columns", [&] {
    hand::Resize(o.dptr_, a.dptr_, kBatch * kChannels, kSide, kSide, kOut, kOut);
  });
  m.Run();
}

void MaxPool2By1(Measurement& m) {
  Images a = Filled(kSide, kSide), o = Filled(kSide - 1, kSide - 1);
  m.Bytes(BytesOf(a) + BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours([&] { o = pool<red::maximum>(a, 2, 2, 1); });
  m.Peer("loop", [&] { hand::MaxPool2By1(o.dptr_, a.dptr_, kPlanes, kSide, kSide); });
  m.Run();
}

void AvgPool3(Measurement& m) {
  Images a = Filled(kSide, kSide), o = Filled(kSide / 2, kSide / 2);
  m.Bytes(BytesOf(a) + BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size());
  m.Ours([&] { o = avg_pool(a, 3, 3, 2, 2, 1, 1); });
  m.Peer("columns, then rows", [&] { hand::AvgPool3(o.dptr_, a.dptr_, kPlanes, kSide, kSide); });
  m.Run();
}

void GlobalAverage(Measurement& m) {
  constexpr index_t kSmall = 7;
  Images a = FilledSquare(kImages, 14, kSmall), o = FilledSquare(kImages, 14, 1);
  m.Bytes(BytesOf(a) + BytesOf(o), Roof::kRead);
  m.Result(o.dptr_, o.shape_.Size());
  m.Ours([&] { o = avg_pool(a, kSmall, kSmall, 1, 1, 0, 0); });
  m.Peer("loop", [&] {
    hand::MeanOfRows(o.dptr_, a.dptr_, kImages * ChannelsOf(14), kSmall * kSmall);
  });
  m.Run();
}

void AvgUnpool2(Measurement& m) {
  Images grad = Filled(kSide / 2, kSide / 2), o = Filled(kSide, kSide);
  m.Bytes(BytesOf(grad) + BytesOf(o), Roof::kWrite);
  m.Result(o.dptr_, o.shape_.Size());
  m.Ours([&] { o = avg_unpool(grad, Shape2(kSide, kSide), 2, 2, 2, 2); });
  m.Peer("loop", [&] { hand::AvgUnpool2(o.dptr_, grad.dptr_, kPlanes, kSide, kSide); });
  m.Run();
}

constexpr index_t kDepth = 16, kVolumes = kPlanes / kDepth;

void MaxPool3d2(Measurement& m) {
  Images a = Filled(Shape4(kVolumes, kDepth, kSide, kSide));
  Images o = Filled(Shape4(kVolumes, kDepth / 2, kSide / 2, kSide / 2));
  const Shape<3> two = Shape3(2, 2, 2);
  m.Bytes(BytesOf(a) + BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours([&] { o = pool3d<red::maximum>(a, two, two); });
  m.Peer("loop", [&] { hand::MaxPool3d2(o.dptr_, a.dptr_, kVolumes, kDepth, kSide, kSide); });
  m.Run();
}

void Unpool3d2(Measurement& m) {
  Images a = Filled(Shape4(kVolumes, kDepth, kSide, kSide)), o = Filled(a.shape_);
  Images most = Filled(Shape4(kVolumes, kDepth / 2, kSide / 2, kSide / 2));
  Images grad = Filled(most.shape_);
  const Shape<3> two = Shape3(2, 2, 2);
  most = pool3d<red::maximum>(a, two, two);
  m.Bytes(2 * BytesOf(a) + 2 * BytesOf(most), Roof::kTriad);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours([&] { o = unpool3d<red::maximum>(a, most, grad, two, two); });
  m.Peer("loop", [&] {
    hand::Unpool3d2(o.dptr_, a.dptr_, most.dptr_, grad.dptr_, kVolumes, kDepth, kSide, kSide);
  });
  m.Run();
}

void ResizeCubic(Measurement& m) {
  constexpr index_t kOut = 112, kBatch = 8;
  Images a = Filled(Shape4(kBatch, kChannels, kSide, kSide));
  Images o = Filled(Shape4(kBatch, kChannels, kOut, kOut));
  m.Bytes(BytesOf(a) + BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 1e-4);
  m.Ours([&] { o = resize(a, kOut, kOut, resize_kernel::kBicubic); });
  m.Peer("rows, then columns", [&] {
    hand::ResizeCubic(o.dptr_, a.dptr_, kBatch * kChannels, kSide, kSide, kOut, kOut);
  });
  m.Run();
}

}  // namespace

void report::AddImages() {
  const auto add = [](const char* id, const char* statement, const char* size,
                      void (*body)(Measurement&)) {
    Add(id, statement, size, Threads::kOneAndAll, kAnySize, body);
  };
  add("max_pool_2x2", "o = pool<red::maximum>(a, 2, 2, 2)", "32x64x56x56", MaxPool2<kSide>);
  add("max_pool_2x2_narrow", "o = pool<red::maximum>(a, 2, 2, 2)", "32x1024x14x14",
      MaxPool2<14>);
  add("max_pool_3x3", "o = pool<red::maximum>(a, 3, 3, 2)", "32x64x56x56", MaxPool3<kSide>);
  add("max_pool_3x3_narrow", "o = pool<red::maximum>(a, 3, 3, 2)", "32x1024x14x14",
      MaxPool3<14>);
  add("max_pool_2x2_by_1", "o = pool<red::maximum>(a, 2, 2, 1)", "32x64x56x56", MaxPool2By1);
  add("avg_pool", "o = avg_pool(a, 3, 3, 2, 2, 1, 1)", "32x64x56x56", AvgPool3);
  add("avg_pool_global", "o = avg_pool(a, 7, 7, 1, 1, 0, 0)", "32x1024x7x7", GlobalAverage);
  add("avg_unpool", "o = avg_unpool(g, shape, 2, 2, 2, 2)", "32x64x56x56", AvgUnpool2);
  add("pool3d", "o = pool3d<red::maximum>(a, two, two)", "128x16x56x56", MaxPool3d2);
  add("unpool3d", "o = unpool3d<red::maximum>(a, m, g, two, two)", "128x16x56x56", Unpool3d2);
  add("unpool_2x2", "o = unpool<red::maximum>(a, m, g, 2, 2, 2)", "32x64x56x56", Unpool2<kSide>);
  add("unpool_2x2_narrow", "o = unpool<red::maximum>(a, m, g, 2, 2, 2)", "32x1024x14x14",
      Unpool2<14>);
  add("unpack_patch2col", "o = unpack_patch2col(a, 3, 3, 1)", "8x64x56x56", UnpackPatches<kSide>);
  add("unpack_patch2col_narrow", "o = unpack_patch2col(a, 3, 3, 1)", "8x1024x14x14",
      UnpackPatches<14>);
  add("pack_col2patch", "o = pack_col2patch(a, shape, 3, 3, 1)", "8x64x56x56", PackPatches);
  add("crop", "o = crop(a, Shape2(48, 48))", "32x64x56x56", Crop);
  add("mirror", "o = mirror(a)", "32x64x56x56", Mirror);
  add("resize", "o = resize(a, 112, 112)", "8x64x56x56", Resize);
  add("resize_bicubic", "o = resize(a, 112, 112, resize_kernel::kBicubic)", "8x64x56x56",
      ResizeCubic);
}
