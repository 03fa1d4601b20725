// SPDX-License-Identifier: Apache-2.0
// The threads of softmax, its gradient, and functions that go by an index, run on the host.
#include <mshadow/backend/gpu/function/rows.h>
#include <mshadow/backend/gpu/function/softmax_channels.h>
#include <mshadow/backend/gpu/function/softmax_grad.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using testing::Guarded;

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(SoftmaxChannels, AsOnTheHost) {
  Guarded<3> a(Shape3(2, 5, 7), 1), expected(Shape3(2, 5, 7)), out(Shape3(2, 5, 7), 2);
  a.FillRandom(-90, 90);
  for (int c = 0; c < 5; ++c) a.At(c * 7 + 1) = c == 2 ? 1.0f : -kInf;  // one number among -inf
  for (int c = 0; c < 5; ++c) a.At(c * 7 + 2) = -kInf;                  // nothing else: NaN
  a.At(3 * 7 + 3) = kInf;                                               // NaN
  Softmax(*expected, *a);
  const cuda::SoftmaxChannels<float> body{out->dptr_, a->dptr_, 9, 8, 2, 5, 7};
  for (std::ptrdiff_t t = 0; t < 3; ++t) body(t, 3);
  for (std::size_t i = 0; i < out.Size(); ++i) {
    if (std::isnan(expected.At(i))) {
      EXPECT_TRUE(std::isnan(out.At(i))) << i;
    } else {
      EXPECT_NEAR(out.At(i), expected.At(i), 1e-6) << i;
    }
  }
  EXPECT_TRUE(std::isnan(out.At(2)) && std::isnan(out.At(3)));
  EXPECT_EQ(out.At(2 * 7 + 1), 1.0f);
  EXPECT_TRUE(out.Intact());
}

TEST(SoftmaxGradPlan, TwoAndThreeAxes) {
  Guarded<2> src(Shape2(4, 3), 1), expected(Shape2(4, 3));
  src.FillRandom(0, 1);
  Guarded<1, int32_t> label(Shape1(4));
  for (int i = 0; i < 4; ++i) label.At(i) = i - 1;  // -1: no class; 2: ignored below
  SmoothSoftmaxGrad(*expected, *src, *label, 2, 0.1f);
  cuda::SoftmaxGradPlan<float, int32_t> plan{src->dptr_, label->dptr_, 4,    0,     3,
                                             0.05f,      0.9f,         true, false, 2};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(plan.Row(i / 3).Eval(i % 3), expected.At(i)) << i;

  Guarded<3> src3(Shape3(2, 3, 4), 1), expected3(Shape3(2, 3, 4));
  src3.FillRandom(0, 1);
  Guarded<2, int32_t> label3(Shape2(2, 4), 3);
  for (int i = 0; i < 8; ++i) label3.At(i) = i % 4;
  SoftmaxGrad(*expected3, *src3, *label3);
  cuda::SoftmaxGradPlan<float, int32_t> plan3{src3->dptr_, label3->dptr_, 5,     7,    3,
                                              0.0f,        1.0f,          false, true, 0};
  for (int i = 0; i < 24; ++i) EXPECT_EQ(plan3.Row(i / 4).Eval(i % 4), expected3.At(i)) << i;
}

template <typename Body>
void RunItems(const Body& body, std::ptrdiff_t items, std::ptrdiff_t cols) {
  for (std::ptrdiff_t i = items; i-- > 0;) {
    for (std::ptrdiff_t x = 0; x < cols; ++x) body(i, x);
  }
}

TEST(RowBodies, AddFillAndLeaveOut) {
  Guarded<2> src(Shape2(5, 3)), dst(Shape2(4, 3), 1), expected(Shape2(4, 3), 1);
  src.FillIota();
  Guarded<1, int32_t> index(Shape1(5));
  for (int i = 0; i < 5; ++i) index.At(i) = i * 3 - 4;  // -4 -1 2 5 8

  for (auto* t : {&dst, &expected}) **t = 1.0f;
  AddTakeGrad(*expected, *index, *src);
  RunItems(cuda::AddTakeGradBody<true, float, int32_t, float>{dst->dptr_, index->dptr_, src->dptr_,
                                                              4, 3, 4},
           5, 3);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(dst.At(i), expected.At(i)) << i;

  for (auto* t : {&dst, &expected}) **t = 1.0f;
  AddTakeGrad<false>(*expected, *index, *src);
  RunItems(cuda::AddTakeGradBody<false, float, int32_t, float>{dst->dptr_, index->dptr_,
                                                               src->dptr_, 4, 3, 4},
           5, 3);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(dst.At(i), expected.At(i)) << i;

  *dst = 1.0f;
  RunItems(cuda::IndexFillBody<float, int32_t>{dst->dptr_, index->dptr_, src->dptr_, 4, 3, 4}, 5,
           3);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(dst.At(i), i / 3 == 2 ? src.At(6 + i % 3) : 1.0f) << i;
  }
  EXPECT_TRUE(dst.Intact());

  Guarded<1, int32_t> sorted(Shape1(5)), from(Shape1(5));
  const int targets[] = {0, 0, 2, 3, 9}, rows[] = {4, 1, 0, 7, 2};
  for (int i = 0; i < 5; ++i) {
    sorted.At(i) = targets[i];
    from.At(i) = rows[i];
  }
  *dst = 1.0f;
  RunItems(cuda::AddSortedRowsBody<float, int32_t>{dst->dptr_, sorted->dptr_, from->dptr_,
                                                   src->dptr_, 4, 3, 4, 5, 5},
           5, 3);
  for (int x = 0; x < 3; ++x) {
    EXPECT_EQ(dst.At(x), 1 + src.At(12 + x) + src.At(3 + x));
    EXPECT_EQ(dst.At(6 + x), 1 + src.At(x));
    EXPECT_EQ(dst.At(9 + x), 1);  // its source row is none of src
  }
  EXPECT_TRUE(dst.Intact());
}

// No value of an index reaches memory outside of dst and src: a sanitizer would see it.
template <typename IndexType>
void CheckHostileIndices(const std::vector<IndexType>& values) {
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(values.size());
  std::vector<IndexType> index(values), good(values.size(), IndexType(1));
  std::vector<float> dst(2 * 3, 1.0f), src(values.size() * 3, 1.0f);
  const auto run = [&](const auto& body) { RunItems(body, n, 3); };
  run(cuda::AddTakeGradBody<true, float, IndexType, float>{dst.data(), index.data(), src.data(), 3,
                                                           3, 2});
  run(cuda::AddTakeGradBody<false, float, IndexType, float>{dst.data(), index.data(), src.data(), 3,
                                                            3, 2});
  float sum = 0;
  for (float element : dst) sum += element;
  EXPECT_EQ(sum, 6.0f + 2 * 3 * static_cast<float>(n)) << "each row went to a row of dst";
  run(cuda::IndexFillBody<float, IndexType>{dst.data(), index.data(), src.data(), 3, 3, 2});
  const std::vector<float> before = dst;
  run(cuda::AddSortedRowsBody<float, IndexType>{dst.data(), index.data(), good.data(), src.data(),
                                                3, 3, 2, n, n});
  run(cuda::AddSortedRowsBody<float, IndexType>{dst.data(), good.data(), index.data(), src.data(),
                                                3, 3, 2, n, n});
  EXPECT_EQ(dst, before) << "a row out of range was added";
}

TEST(RowBodies, HostileIndices) {
  CheckHostileIndices<int64_t>({INT64_MIN, INT64_MIN + 1, -1000000, 1000000, INT64_MAX});
  CheckHostileIndices<int32_t>({INT32_MIN, -1000000, 1000000, INT32_MAX});
  CheckHostileIndices<uint64_t>({1000000, UINT64_MAX / 2, UINT64_MAX});
  CheckHostileIndices<uint8_t>({200, 255});
  CheckHostileIndices<float>({-kInf, -1e30f, -1e9f, 1e9f, 1e30f, kInf, std::nanf("")});
  CheckHostileIndices<double>({-1e300, -9.3e18, 9.3e18, 1e300, std::nan("")});
}

// Labels that are no class hit none.
TEST(SoftmaxGradPlan, HostileLabels) {
  const std::vector<float> labels = {-kInf, -1e30f, -1, 3, 1e30f, kInf, std::nanf("")};
  const std::vector<float> src(labels.size() * 3, 0.25f);
  const cuda::SoftmaxGradPlan<float, float> plan{src.data(), labels.data(), 3,     0,     3,
                                                 0.0f,       1.0f,          false, false, 0};
  for (std::size_t i = 0; i < src.size(); ++i) {
    EXPECT_EQ(plan.Row(static_cast<std::ptrdiff_t>(i / 3)).Eval(i % 3), 0.25f) << i;
  }
}

}  // namespace
}  // namespace mshadow
