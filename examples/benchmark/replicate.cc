// SPDX-License-Identifier: Apache-2.0
// Elements repeated, moved within their rows, chosen or limited.
#include <mshadow/tensor.h>

#include "hand/loops.h"
#include "program.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace {

using report::Measurement;
using Roof = report::Roof;

constexpr index_t kImages = 32, kChannels = 64, kSide = 56, kPlanes = kImages * kChannels;
constexpr index_t kRows = kPlanes * kSide, kCount = kRows * kSide;

template <int dim>
TensorContainer<cpu, dim> Filled(const Shape<dim>& shape) {
  TensorContainer<cpu, dim> t(false);
  t.Resize(shape);
  report::Fill(t.dptr_, t.shape_.Size());
  return t;
}
TensorContainer<cpu, 4> Images(index_t side) {
  return Filled(Shape4(kImages, kChannels, side, side));
}
template <int dim>
double BytesOf(const TensorContainer<cpu, dim>& t) {
  return sizeof(float) * static_cast<double>(t.shape_.Size());
}

/// A statement that reads `read` bytes and writes all of o, beside a loop.
template <int dim, typename Statement, typename Loop>
void Compare(Measurement& m, TensorContainer<cpu, dim>& o, double read, Statement statement,
             Loop loop) {
  m.Bytes(read + BytesOf(o), read < BytesOf(o) / 2 ? Roof::kWrite : Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours(statement);
  m.Peer("loop", loop);
  m.Run();
}

void PadOne(Measurement& m) {
  auto a = Images(kSide), o = Images(kSide + 2);
  Compare(m, o, BytesOf(a), [&] { o = pad(a, 1); },
          [&] { hand::Pad(o.dptr_, a.dptr_, kPlanes, kSide, kSide, 1); });
}
void Upsample(Measurement& m) {
  auto a = Images(kSide / 2), o = Images(kSide);
  Compare(m, o, BytesOf(a), [&] { o = upsampling_nearest(a, 2); },
          [&] { hand::UpsampleNearest2(o.dptr_, a.dptr_, kRows / 2, kSide / 2); });
}
void Flip(Measurement& m) {
  auto a = Images(kSide), o = Images(kSide);
  Compare(m, o, BytesOf(a), [&] { o = flip(a, 3); },
          [&] { hand::MirrorRows(o.dptr_, a.dptr_, kRows, kSide); });
}
void FlipTarget(Measurement& m) {
  auto a = Images(kSide), o = Images(kSide);
  Compare(m, o, BytesOf(a), [&] { flip(o, 3) = a; },
          [&] { hand::MirrorRows(o.dptr_, a.dptr_, kRows, kSide); });
}
void Roll(Measurement& m) {
  auto a = Images(kSide), o = Images(kSide);
  Compare(m, o, BytesOf(a), [&] { o = roll(a, 5, 3); },
          [&] { hand::RollRows(o.dptr_, a.dptr_, kRows, kSide, 5); });
}
void Tile(Measurement& m) {
  auto a = Filled(Shape4(kImages, 1, kSide, kSide));
  auto o = Images(kSide);
  Compare(m, o, BytesOf(a), [&] { o = tile(a, Shape4(1, kChannels, 1, 1)); },
          [&] { hand::RepeatRows(o.dptr_, a.dptr_, kImages, kChannels, kSide * kSide); });
}
void NewAxis(Measurement& m) {
  auto a = Filled(Shape3(kImages, kSide, kSide));
  auto o = Images(kSide);
  Compare(m, o, BytesOf(a), [&] { o = broadcast_with_axis(a, 0, kChannels); },
          [&] { hand::RepeatRows(o.dptr_, a.dptr_, kImages, kChannels, kSide * kSide); });
}
void Keepdim(Measurement& m) {
  auto a = Filled(Shape4(kImages, kChannels, kSide, 1));
  auto o = Images(kSide);
  Compare(m, o, BytesOf(a), [&] { o = broadcast_keepdim(a, 3, kSide); },
          [&] { hand::RepeatElements(o.dptr_, a.dptr_, kRows, kSide); });
}
void BroadcastTo(Measurement& m) {
  auto a = Filled(Shape4(kImages, kChannels, 1, 1));
  auto o = Images(kSide);
  Compare(m, o, BytesOf(a), [&] { o = broadcast_to(a, o.shape_); },
          [&] { hand::RepeatElements(o.dptr_, a.dptr_, kPlanes, kSide * kSide); });
}
void Scalar(Measurement& m) {
  TensorContainer<cpu, 1> a(Shape1(1), 2.0f);
  auto o = Images(kSide);
  Compare(m, o, 4, [&] { o = broadcast_scalar(a, o.shape_); },
          [&] { hand::RepeatElements(o.dptr_, a.dptr_, 1, kCount); });
}
void Repmat(Measurement& m) {
  auto a = Filled(Shape1(1000));
  auto o = Filled(Shape2(kCount / 1000, 1000));
  Compare(m, o, BytesOf(a), [&] { o = repmat(a, kCount / 1000); },
          [&] { hand::RepeatRows(o.dptr_, a.dptr_, 1, kCount / 1000, 1000); });
}
/// What stands for a TShape of two axes.
struct TwoNumbers {
  index_t item[2];
  index_t ndim() const { return 2; }
  index_t operator[](int i) const { return item[i]; }
};
void MultiAxes(Measurement& m) {
  auto a = Filled(Shape4(kImages, 1, kSide, 1));
  auto o = Images(kSide);
  auto row = Filled(Shape2(kImages * kSide, kSide));
  const TwoNumbers axes{{1, 3}}, sizes{{kChannels, kSide}};
  Compare(m, o, BytesOf(a), [&] { o = broadcast_with_multi_axes(a, axes, sizes); },
          [&] {
            hand::RepeatElements(row.dptr_, a.dptr_, kImages * kSide, kSide);
            hand::RepeatRows(o.dptr_, row.dptr_, kImages, kChannels, kSide * kSide);
          });
}
void Unpad(Measurement& m) {
  auto a = Images(kSide), o = Images(kSide - 2);
  Compare(m, o, BytesOf(o), [&] { o = unpad(a, 1); },
          [&] {
            hand::Crop(o.dptr_, a.dptr_, kPlanes, kSide, kSide, kSide - 2, kSide - 2, 1, 1);
          });
}
void Reshape(Measurement& m) {
  auto a = Images(kSide);
  auto o = Filled(Shape2(kImages * 8, kCount / (kImages * 8)));
  Compare(m, o, BytesOf(a), [&] { o = reshape(a, o.shape_); },
          [&] { hand::Copy(o.dptr_, a.dptr_, kCount); });
}
void Mask(Measurement& m) {
  auto a = Filled(Shape2(kRows, kSide)), o = Filled(Shape2(kRows, kSide));
  auto factor = Filled(Shape1(kRows));
  Compare(m, o, BytesOf(a), [&] { o = mask(factor, a); },
          [&] { hand::ScaleRows(o.dptr_, a.dptr_, factor.dptr_, kRows, kSide); });
}
void Where(Measurement& m) {
  auto a = Images(kSide), b = Images(kSide), c = Images(kSide), o = Images(kSide);
  c = F<op::gt>(a, 0.5f);
  Compare(m, o, 3 * BytesOf(a), [&] { o = where(c, a, b); },
          [&] { hand::Where(o.dptr_, c.dptr_, a.dptr_, b.dptr_, kCount); });
}
void Clip(Measurement& m) {
  auto a = Images(kSide), o = Images(kSide);
  Compare(m, o, BytesOf(a), [&] { o = clip(a, 0.25f, 0.75f); },
          [&] { hand::Clip(o.dptr_, a.dptr_, 0.25f, 0.75f, kCount); });
}
void Range(Measurement& m) {
  auto o = Filled(Shape1(kCount));
  Compare(m, o, 0, [&] { o = range<float>(3, 3 + 0.5f * kCount, 0.5f); },
          [&] { hand::Range(o.dptr_, 3, 0.5f, kCount); });
}

}  // namespace

void report::AddReplications() {
  const auto add = [](const char* name, const char* statement, void (*run)(Measurement&)) {
    Add(name, statement, "32x64x56x56", Threads::kOneAndAll, Aim{0.9, 0}, run);
  };
  add("pad", "o = pad(a, 1)", PadOne);
  add("upsampling_nearest", "o = upsampling_nearest(a, 2)", Upsample);
  add("flip", "o = flip(a, 3)", Flip);
  add("flip_target", "flip(o, 3) = a", FlipTarget);
  add("roll", "o = roll(a, 5, 3)", Roll);
  add("tile", "o = tile(a, (1, 64, 1, 1))", Tile);
  add("broadcast_with_axis", "o = broadcast_with_axis(a, 0, 64)", NewAxis);
  add("broadcast_keepdim", "o = broadcast_keepdim(a, 3, 56)", Keepdim);
  add("broadcast_to", "o = broadcast_to(a, shape)", BroadcastTo);
  add("broadcast_scalar", "o = broadcast_scalar(a, shape)", Scalar);
  add("broadcast_with_multi_axes", "o = broadcast_with_multi_axes(a, (1, 3), (64, 56))", MultiAxes);
  add("repmat", "o = repmat(a, 6422)", Repmat);
  add("unpad", "o = unpad(a, 1)", Unpad);
  add("reshape", "o = reshape(a, shape)", Reshape);
  add("mask", "o = mask(c, a)", Mask);
  add("where", "o = where(c, a, b)", Where);
  add("clip", "o = clip(a, 0.25f, 0.75f)", Clip);
  add("range", "o = range(3, end, 0.5f)", Range);
}
