// SPDX-License-Identifier: Apache-2.0
// Parts, joins and permutations of tensors, and elements that an index names.
#include <mshadow/tensor.h>

#include "hand/loops.h"
#include "program.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace {

using report::Measurement;
using Roof = report::Roof;
using Images = TensorContainer<cpu, 4>;
using Matrix = TensorContainer<cpu, 2>;

constexpr index_t kImages = 32, kChannels = 64, kSide = 56;

template <int dim>
TensorContainer<cpu, dim> Filled(const Shape<dim>& shape) {
  TensorContainer<cpu, dim> t(false);
  t.Resize(shape);
  report::Fill(t.dptr_, t.shape_.Size());
  return t;
}
Images Filled(index_t channels) { return Filled(Shape4(kImages, channels, kSide, kSide)); }

/// Whole numbers below `n` in disorder.
TensorContainer<cpu, 1, int32_t> Indices(index_t count, index_t n) {
  TensorContainer<cpu, 1, int32_t> index(Shape1(count), 0);
  for (index_t i = 0; i < count; ++i) {
    index[i] = static_cast<int32_t>((i * 2654435761u >> 7) % n);
  }
  return index;
}

template <int dim>
double BytesOf(const TensorContainer<cpu, dim>& t) {
  return sizeof(float) * static_cast<double>(t.shape_.Size());
}

/// Measures a statement that writes all of o once, beside a loop.
template <int dim, typename Statement, typename Loop>
void Compare(Measurement& m, TensorContainer<cpu, dim>& o, double bytes, const char* name,
             Statement statement, Loop loop) {
  m.Bytes(bytes, Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours(statement);
  m.Peer(name, loop);
  m.Run();
}

// ---- Parts and joins ----

void SliceChannels(Measurement& m) {
  Images a = Filled(kChannels), o = Filled(kChannels / 2);
  const ptrdiff_t plane = kSide * kSide, part = kChannels / 2 * plane;
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = slice<1>(a, 16, 48); }, [&] {
    hand::CopyRows(o.dptr_, part, a.dptr_ + 16 * plane, kChannels * plane, kImages, part);
  });
}

void SliceColumns(Measurement& m) {
  Images a = Filled(kChannels), o = Filled(Shape4(kImages, kChannels, kSide, 48));
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = slice<3>(a, 4, 52); }, [&] {
    hand::CopyRows(o.dptr_, 48, a.dptr_ + 4, kSide, kImages * kChannels * kSide, 48);
  });
}

void IntoSlice(Measurement& m) {
  Images o = Filled(kChannels), a = Filled(Shape4(kImages, kChannels, kSide, 48));
  Compare(m, o, 2 * BytesOf(a), "loop", [&] { slice<3>(o, 4, 52) = a; }, [&] {
    hand::CopyRows(o.dptr_ + 4, kSide, a.dptr_, 48, kImages * kChannels * kSide, 48);
  });
}

void SliceBox(Measurement& m) {
  Images a = Filled(kChannels), o = Filled(Shape4(16, kChannels, 48, 48));
  const Shape<4> begin = Shape4(8, 0, 4, 4), end = Shape4(24, kChannels, 52, 52);
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = slice(a, begin, end); }, [&] {
    hand::Crop(o.dptr_, a.dptr_ + 8 * kChannels * kSide * kSide, 16 * kChannels, kSide, kSide, 48,
               48, 4, 4);
  });
}

void SliceSteps(Measurement& m) {
  Images a = Filled(kChannels), o = Filled(Shape4(kImages, kChannels, kSide / 2, kSide / 2));
  const Shape<4> begin = Shape4(0, 0, 1, 1), step = Shape4(1, 1, 2, 2);
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = slice(a, begin, a.shape_, step); }, [&] {
    hand::EverySecond(o.dptr_, a.dptr_, kImages * kChannels, kSide, kSide);
  });
}

void ConcatChannels(Measurement& m) {
  Images a = Filled(kChannels / 2), b = Filled(kChannels / 2), o = Filled(kChannels);
  const ptrdiff_t part = kChannels / 2 * kSide * kSide;
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = concat<1>(a, b); }, [&] {
    hand::Concat(o.dptr_, a.dptr_, b.dptr_, kImages, part, part);
  });
}

void ConcatColumns(Measurement& m) {
  const Shape<4> half = Shape4(kImages, kChannels, kSide, kSide / 2);
  Images a = Filled(half), b = Filled(half), o = Filled(kChannels);
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = concat<3>(a, b); }, [&] {
    hand::Concat(o.dptr_, a.dptr_, b.dptr_, kImages * kChannels * kSide, kSide / 2, kSide / 2);
  });
}

void ConcatThree(Measurement& m) {
  Images a = Filled(16), b = Filled(16), c = Filled(32), o = Filled(kChannels);
  const ptrdiff_t plane = kSide * kSide, all = kChannels * plane;
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = concat<1>(a, b, c); }, [&] {
    hand::CopyRows(o.dptr_, all, a.dptr_, 16 * plane, kImages, 16 * plane);
    hand::CopyRows(o.dptr_ + 16 * plane, all, b.dptr_, 16 * plane, kImages, 16 * plane);
    hand::CopyRows(o.dptr_ + 32 * plane, all, c.dptr_, 32 * plane, kImages, 32 * plane);
  });
}

void IntoConcat(Measurement& m) {
  const Shape<4> half = Shape4(kImages, kChannels, kSide, kSide / 2);
  Images a = Filled(half), b = Filled(half), x = Filled(kChannels);
  Compare(m, a, 2 * BytesOf(x), "loop", [&] { concat<3>(a, b) = x; }, [&] {
    hand::Split(a.dptr_, b.dptr_, x.dptr_, kImages * kChannels * kSide, kSide / 2, kSide / 2);
  });
}

// ---- Permutations ----

void SwapRows(Measurement& m) {
  Images a = Filled(kChannels), o = Filled(Shape4(kImages, kSide, kChannels, kSide));
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = swapaxis<2, 1>(a); }, [&] {
    hand::SwapRows(o.dptr_, a.dptr_, kImages, kChannels, kSide, kSide);
  });
}

void SwapColumns(Measurement& m) {
  Images a = Filled(kChannels), o = Filled(Shape4(kImages, kSide, kSide, kChannels));
  Compare(m, o, 2 * BytesOf(o), "tiles", [&] { o = swapaxis<3, 1>(a); }, [&] {
    hand::SwapColumns(o.dptr_, a.dptr_, kImages, kChannels, kSide, kSide);
  });
}

void TransposeRows(Measurement& m) {
  Images a = Filled(kChannels), o = Filled(Shape4(kImages, kSide, kChannels, kSide));
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = transpose(a, Shape4(0, 2, 1, 3)); }, [&] {
    hand::SwapRows(o.dptr_, a.dptr_, kImages, kChannels, kSide, kSide);
  });
}

void ChannelsLast(Measurement& m) {
  Images a = Filled(kChannels), o = Filled(Shape4(kImages, kSide, kSide, kChannels));
  Compare(m, o, 2 * BytesOf(o), "tiles", [&] { o = transpose(a, Shape4(0, 2, 3, 1)); }, [&] {
    hand::TransposeEach(o.dptr_, a.dptr_, kImages, kChannels, kSide * kSide);
  });
}

void ChannelsFirst(Measurement& m) {
  Images a = Filled(Shape4(kImages, kSide, kSide, kChannels)), o = Filled(kChannels);
  Compare(m, o, 2 * BytesOf(o), "tiles", [&] { o = transpose(a, Shape4(0, 3, 1, 2)); }, [&] {
    hand::TransposeEach(o.dptr_, a.dptr_, kImages, kSide * kSide, kChannels);
  });
}

void TransposeMatrix(Measurement& m) {
  constexpr index_t kLarge = 4096;
  Matrix a = Filled(Shape2(kLarge, kLarge)), o = Filled(Shape2(kLarge, kLarge));
  m.Bytes(2 * BytesOf(o), Roof::kCopy);
  m.Result(o.dptr_, o.shape_.Size(), 0);
  m.Ours([&] { o = transpose(a, Shape2(1, 0)); });
  m.Peer("16x16 tiles", [&] { hand::Transpose16(o.dptr_, a.dptr_, kLarge, kLarge); });
  m.Peer("64x64 tiles", [&] { hand::Transpose64(o.dptr_, a.dptr_, kLarge, kLarge); });
  m.Run();
}

void TransposeIndices(Measurement& m) {
  constexpr index_t kCount = 1 << 20;
  TensorContainer<cpu, 1, int32_t> index = Indices(kCount, kImages * kChannels * kSide * kSide);
  TensorContainer<cpu, 1, int32_t> o(index.shape_, 0);
  const Shape<4> shape = Shape4(kImages, kChannels, kSide, kSide);
  m.Bytes(8.0 * kCount, Roof::kCopy);
  m.Result(o.dptr_, kCount, 0);
  m.Ours([&] { o = transpose_indices(index, shape, Shape4(0, 2, 3, 1)); });
  m.Peer("loop", [&] {
    hand::ChannelsLastIndices(o.dptr_, index.dptr_, kCount, kChannels, kSide * kSide);
  });
  m.Run();
}

// ---- Rows and elements that an index names ----

constexpr index_t kBatch = 8192, kClasses = 1000, kWords = 30000, kWidth = 256;

void Choose(Measurement& m) {
  Matrix a = Filled(Shape2(kBatch, kClasses));
  TensorContainer<cpu, 1> o(Shape1(kBatch), 0.0f);
  const auto index = Indices(kBatch, kClasses);
  Compare(m, o, 12.0 * kBatch, "loop", [&] { o = mat_choose_row_element(a, index); }, [&] {
    hand::Choose(o.dptr_, a.dptr_, index.dptr_, kBatch, kClasses);
  });
}

void FillElements(Measurement& m) {
  Matrix a = Filled(Shape2(kBatch, kClasses)), o = Filled(a.shape_);
  TensorContainer<cpu, 1> val(Shape1(kBatch), 2.0f);
  const auto index = Indices(kBatch, kClasses);
  Compare(m, o, 2 * BytesOf(o), "copy, fill",
          [&] { o = mat_fill_row_element(a, val, index); }, [&] {
            hand::Copy(o.dptr_, a.dptr_, kBatch * kClasses);
            hand::FillElements(o.dptr_, val.dptr_, index.dptr_, kBatch, kClasses);
          });
}

void OneHot(Measurement& m) {
  Matrix o = Filled(Shape2(kBatch, kClasses));
  TensorContainer<cpu, 1> ones(Shape1(kBatch), 1.0f);
  const auto index = Indices(kBatch, kClasses);
  Compare(m, o, BytesOf(o), "zeros, fill", [&] { o = one_hot_encode(index, kClasses); }, [&] {
    hand::Write(o.dptr_, 0, kBatch * kClasses);
    hand::FillElements(o.dptr_, ones.dptr_, index.dptr_, kBatch, kClasses);
  });
}

void Take(Measurement& m) {
  Matrix w = Filled(Shape2(kWords, kWidth)), o = Filled(Shape2(kBatch, kWidth));
  const auto index = Indices(kBatch, kWords);
  Compare(m, o, 2 * BytesOf(o), "loop", [&] { o = take(index, w); }, [&] {
    hand::TakeRows(o.dptr_, w.dptr_, index.dptr_, kBatch, kWidth);
  });
}

void TakeGrad(Measurement& m) {
  Matrix o = Filled(Shape2(kWords, kWidth)), g = Filled(Shape2(kBatch, kWidth));
  const auto index = Indices(kBatch, kWords);
  Compare(m, o, BytesOf(o) + BytesOf(g), "zeros, loop",
          [&] { o = take_grad(index, g, kWords); }, [&] {
            hand::Write(o.dptr_, 0, kWords * kWidth);
            hand::AddRows(o.dptr_, g.dptr_, index.dptr_, kBatch, kWidth);
          });
}

}  // namespace

void report::AddIndexing() {
  const auto add = [](const char* id, const char* statement, const char* size,
                      void (*body)(Measurement&)) {
    Add(id, statement, size, Threads::kOneAndAll, kAnySize, body);
  };
  const char* const images = "32x64x56x56";
  add("slice_channels", "o = slice<1>(a, 16, 48)", images, SliceChannels);
  add("slice_columns", "o = slice<3>(a, 4, 52)", images, SliceColumns);
  add("into_slice", "slice<3>(o, 4, 52) = a", images, IntoSlice);
  add("slice_box", "o = slice(a, begin, end)", images, SliceBox);
  add("slice_steps", "o = slice(a, begin, end, Shape4(1, 1, 2, 2))", images, SliceSteps);
  add("concat_channels", "o = concat<1>(a, b)", images, ConcatChannels);
  add("concat_columns", "o = concat<3>(a, b)", images, ConcatColumns);
  add("concat_three", "o = concat<1>(a, b, c)", images, ConcatThree);
  add("into_concat", "concat<3>(a, b) = x", images, IntoConcat);
  add("swapaxis_rows", "o = swapaxis<2, 1>(a)", images, SwapRows);
  add("swapaxis_columns", "o = swapaxis<3, 1>(a)", images, SwapColumns);
  add("transpose_rows", "o = transpose(a, Shape4(0, 2, 1, 3))", images, TransposeRows);
  add("transpose_nhwc", "o = transpose(a, Shape4(0, 2, 3, 1))", images, ChannelsLast);
  add("transpose_nchw", "o = transpose(a, Shape4(0, 3, 1, 2))", images, ChannelsFirst);
  add("transpose_matrix", "o = transpose(a, Shape2(1, 0))", "4096x4096", TransposeMatrix);
  add("transpose_indices", "o = transpose_indices(i, shape, Shape4(0, 2, 3, 1))", "1M",
      TransposeIndices);
  add("choose", "o = mat_choose_row_element(a, i)", "8192x1000", Choose);
  add("fill", "o = mat_fill_row_element(a, v, i)", "8192x1000", FillElements);
  add("one_hot", "o = one_hot_encode(i, 1000)", "8192x1000", OneHot);
  add("take", "o = take(i, w)", "8192 of 30000x256", Take);
  add("take_grad", "o = take_grad(i, g, 30000)", "8192 to 30000x256", TakeGrad);
}
