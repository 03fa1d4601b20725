// SPDX-License-Identifier: Apache-2.0
// The same statement on other shapes of memory, and memory reordered.
#include <mshadow/tensor.h>

#include <vector>

#include "hand/loops.h"
#include "program.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace {

using report::Measurement;
using Matrix = TensorContainer<cpu, 2>;

constexpr float kEta = 0.01f, kLambda = 0.001f;

/// w = -eta*(g + lambda*w) on rows [skip, rows - skip) of a matrix.
void SgdOn(Measurement& m, Shape<2> shape, bool pad, index_t skip) {
  Matrix w(pad), g(pad);
  w.Resize(shape, 0.5f);
  g.Resize(shape, 0.25f);
  Tensor<cpu, 2> w_part = w.Slice(skip, shape[0] - skip), g_part = g.Slice(skip, shape[0] - skip);
  const std::ptrdiff_t rows = w_part.size(0), cols = w_part.size(1), stride = w.stride_;
  m.Bytes(12.0 * static_cast<double>(rows * cols), report::Roof::kTriad);
  m.Ours([=]() mutable { w_part = -kEta * (g_part + kLambda * w_part); });
  if (stride == cols) {
    m.Result(w_part.dptr_, rows * cols);
    m.Peer("loop", [=] { hand::Sgd(w_part.dptr_, g_part.dptr_, kEta, kLambda, rows * cols); });
  } else {
    m.Result(w_part.dptr_, (rows - 1) * stride + cols);
    m.Peer("loop over rows", [=] {
      hand::SgdRows(w_part.dptr_, g_part.dptr_, kEta, kLambda, rows, cols, stride);
    });
  }
  m.Run();
}

void Transpose(Measurement& m) {
  constexpr index_t kSide = 4096;
  Matrix a(Shape2(kSide, kSide)), o(Shape2(kSide, kSide));
  report::Fill(a.dptr_, kSide * kSide);
  report::Fill(o.dptr_, kSide * kSide);
  m.Bytes(8.0 * kSide * kSide, report::Roof::kCopy);
  m.Result(o.dptr_, kSide * kSide, 0);
  m.Ours([&] { o = a.T(); });
  m.Peer("16x16 tiles", [&] { hand::Transpose16(o.dptr_, a.dptr_, kSide, kSide); });
  m.Peer("64x64 tiles", [&] { hand::Transpose64(o.dptr_, a.dptr_, kSide, kSide); });
  m.Run();
}

/// `statement` in memory of the library's containers, which ask for pages of 2 MiB, beside the same
/// in memory of a std::vector, which does not.
template <typename Statement>
void Pages(Measurement& m, Statement statement) {
  const Shape<2> shape = Shape2(4096, 4096);
  Matrix a(shape), o(shape, 0.0f);
  std::vector<float> a_memory(shape.Size()), o_memory(shape.Size());
  const Tensor<cpu, 2> other_a(a_memory.data(), shape), other_o(o_memory.data(), shape);
  report::Fill(a.dptr_, shape.Size());
  report::Fill(other_a.dptr_, shape.Size());
  m.Bytes(8.0 * shape.Size(), report::Roof::kCopy);
  m.Ours([&] { statement(o, a); });
  m.Peer("in a std::vector", [&] { statement(other_o, other_a); });
  m.Run();
}

}  // namespace

void report::AddLayouts() {
  const char* const sgd = "w = -eta*(g + lambda*w)";
  const auto add = [&](const char* id, const char* size, Shape<2> shape, bool pad, index_t skip) {
    Add(id, sgd, size, Threads::kOneAndAll, kAnySize,
        [=](Measurement& m) { SgdOn(m, shape, pad, skip); });
  };
  add("sgd/narrow", "1000000x3", Shape2(1000000, 3), false, 0);
  add("sgd/narrow_padded", "1000000x3 of 4", Shape2(1000000, 3), true, 0);
  add("sgd/padded", "4096x1001 of 1004", Shape2(4096, 1001), true, 0);
  // Slice: rows 1 to 4095; without padding they start at no multiple of a vector.
  add("sgd/slice", "slice 4094x1003", Shape2(4096, 1003), false, 1);
  add("sgd/slice_padded", "slice of padded", Shape2(4096, 1001), true, 1);
  Add("transpose", "o = a.T()", "4096x4096", Threads::kOneAndAll, kAnySize, Transpose);
  Add("pages/map", "o = 2 * a + 1", "4096x4096", Threads::kOneAndAll, kNoAim, [](Measurement& m) {
    Pages(m, [](Tensor<cpu, 2> o, Tensor<cpu, 2> a) { o = 2.0f * a + 1.0f; });
  });
  Add("pages/transpose", "o = a.T()", "4096x4096", Threads::kOneAndAll, kNoAim,
      [](Measurement& m) { Pages(m, [](Tensor<cpu, 2> o, Tensor<cpu, 2> a) { o = a.T(); }); });
}
