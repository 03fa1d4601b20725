// SPDX-License-Identifier: Apache-2.0
#include <mshadow/backend/cpu/function.h>
#include <mshadow/tensor/function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "testing.h"

namespace {

using namespace mshadow;  // NOLINT
using mshadow::testing::ForEachIsa;
using mshadow::testing::Guarded;
using mshadow::testing::TestDevice;

// An index in device memory is seen on the device alone, where nothing throws.
constexpr bool kThrowsForIndices = std::is_same_v<TestDevice, cpu>;

// CUDA has a name `half`.
using Half = mshadow::half::half_t;

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

/// softmax over axis 1 of (outer, classes, inner), in double.
template <int dim, typename DType>
std::vector<double> ExpectedSoftmax(Guarded<dim, DType>* src, std::size_t classes,
                                    std::size_t inner) {
  std::vector<double> result(src->Size());
  for (std::size_t i = 0; i < src->Size(); ++i) {
    if (i / inner % classes != 0) continue;
    double most = -1e300, sum = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      most = std::max(most, static_cast<double>(src->At(i + k * inner)));
    }
    for (std::size_t k = 0; k < classes; ++k) {
      result[i + k * inner] = std::exp(static_cast<double>(src->At(i + k * inner)) - most);
      sum += result[i + k * inner];
    }
    for (std::size_t k = 0; k < classes; ++k) result[i + k * inner] /= sum;
  }
  return result;
}

template <int dim, typename DType>
void CheckSoftmax(const Shape<dim>& shape, index_t pad, double tolerance) {
  SCOPED_TRACE(LogText(shape) + " pad " + std::to_string(pad));
  Guarded<dim, DType> src(shape, pad, 1), dst(shape, pad / 2, 2);
  src.FillRandom(-20, 20);
  const std::vector<double> expected =
      ExpectedSoftmax(&src, shape[dim == 1 ? 0 : 1], dim == 3 ? shape[2] : 1);
  Softmax(*dst, *src);
  for (std::size_t i = 0; i < src.Size(); ++i) {
    ASSERT_NEAR(static_cast<double>(dst.At(i)), expected[i], tolerance * expected[i] + 1e-7) << i;
  }
  Softmax(*src, *src);
  for (std::size_t i = 0; i < src.Size(); ++i) ASSERT_EQ(dst.At(i), src.At(i)) << i;
  EXPECT_TRUE(dst.Intact() && src.Intact());
}

TEST(Softmax, AgainstDouble) {
  ForEachIsa([] {
    for (index_t n : {1, 10, 64, 333}) {
      CheckSoftmax<1, float>(Shape1(n), 0, 1e-6);
      CheckSoftmax<2, float>(Shape2(7, n), 3, 1e-6);
      CheckSoftmax<3, float>(Shape3(3, n, 5), 3, 1e-6);
      CheckSoftmax<3, float>(Shape3(2, 3, n), 3, 1e-6);
    }
    CheckSoftmax<2, double>(Shape2(5, 130), 3, 1e-14);
    CheckSoftmax<3, double>(Shape3(2, 3, 300), 0, 1e-14);
    CheckSoftmax<2, Half>(Shape2(5, 130), 3, 1e-3);
    CheckSoftmax<3, bfloat::bf16_t>(Shape3(2, 7, 30), 3, 8e-3);
    CheckSoftmax<2, float>(Shape2(300, 300), 0, 1e-6);  // threads
    CheckSoftmax<3, float>(Shape3(3, 10, 2000), 0, 1e-6);
    // Rows that a warp, a block and a large block of a GPU hold, and one that none does.
    for (index_t n : {1000, 5000, 30000, 40000}) CheckSoftmax<2, float>(Shape2(3, n), 1, 4e-6);
  });
}

TEST(Softmax, HugeAndNan) {
  ForEachIsa([] {
    Guarded<2> t(Shape2(4, 3));
    const float values[] = {1e30f, -1e30f, 1e30f, 0, kNan, 0, -kInf, 0, 0, kInf, 0, 0};
    for (int i = 0; i < 12; ++i) t.At(i) = values[i];
    Softmax(*t, *t);
    EXPECT_EQ(t.At(0), 0.5f);
    EXPECT_EQ(t.At(1), 0);
    for (int i : {3, 4, 5, 9}) EXPECT_TRUE(std::isnan(t.At(i))) << i;
    EXPECT_EQ(t.At(6), 0);
    EXPECT_EQ(t.At(7), 0.5f);
  });
}

TEST(Softmax, EmptyAndMismatched) {
  Guarded<2> none(Shape2(0, 3)), narrow(Shape2(3, 0)), other(Shape2(3, 3));
  Softmax(*none, *none);
  Softmax(*narrow, *narrow);
  EXPECT_THROW(Softmax(*other, *none), Error);
  Guarded<3> empty(Shape3(2, 0, 3));
  Softmax(*empty, *empty);
}

TEST(SoftmaxGrad, TwoAxes) {
  ForEachIsa([] {
    Guarded<2> src(Shape2(6, 67), 3, 1), dst(Shape2(6, 67), 1, 2);
    Guarded<1> label(Shape1(6));
    src.FillRandom(0, 1);
    const float labels[] = {0, 66, 67, -1, kNan, 3.9f};
    const int hit[] = {0, 66, -1, -1, -1, 3};
    for (int y = 0; y < 6; ++y) label.At(y) = labels[y];
    SoftmaxGrad(*dst, *src, *label);
    for (int y = 0; y < 6; ++y) {
      for (int x = 0; x < 67; ++x) {
        ASSERT_EQ((*dst)[y][x], (*src)[y][x] - (x == hit[y] ? 1.0f : 0.0f)) << y << ' ' << x;
      }
    }
    SoftmaxGrad(*dst, *src, *label, -1);
    for (int x = 0; x < 67; ++x) {
      EXPECT_EQ((*dst)[3][x], 0);
      EXPECT_EQ((*dst)[2][x], (*src)[2][x]);
    }
    SmoothSoftmaxGrad(*dst, *src, *label, 3.0f, 0.33f);
    for (int x = 0; x < 67; ++x) {
      ASSERT_NEAR((*dst)[1][x], (*src)[1][x] - (x == 66 ? 0.67f : 0.005f), 1e-6);
      EXPECT_EQ((*dst)[5][x], 0);
    }
    EXPECT_TRUE(dst.Intact());
    SmoothSoftmaxGrad(*src, *src, *label, 3.0f, 0.33f);
    for (std::size_t i = 0; i < src.Size(); ++i) ASSERT_EQ(dst.At(i), src.At(i));
  });
}

TEST(SoftmaxGrad, ThreeAxes) {
  ForEachIsa([] {
    for (index_t m : {1, 5, 300}) {
      Guarded<3> src(Shape3(2, 4, m), 3, 1), dst(Shape3(2, 4, m), 1, 2);
      Guarded<2, int32_t> label(Shape2(2, m), 2);
      src.FillRandom(0, 1);
      for (std::size_t i = 0; i < label.Size(); ++i) label.At(i) = static_cast<int>(i % 6) - 1;
      const auto check = [&](double hit, double other, bool ignores) {
        for (std::size_t i = 0; i < src.Size(); ++i) {
          const int x = static_cast<int>(i % m), c = static_cast<int>(i / m % 4);
          const int k = label.At(i / m / 4 * m + x);
          const double expected = ignores && k == 2 ? 0 : src.At(i) - (c == k ? hit : other);
          ASSERT_NEAR(dst.At(i), expected, 1e-6) << i;
        }
        EXPECT_TRUE(dst.Intact());
      };
      SoftmaxGrad(*dst, *src, *label);
      check(1, 0, false);
      SoftmaxGrad(*dst, *src, *label, 2);
      check(1, 0, true);
      SmoothSoftmaxGrad(*dst, *src, *label, 0.3f);
      check(0.7, 0.1, false);
      SmoothSoftmaxGrad(*dst, *src, *label, 2, 0.3f);
      check(0.7, 0.1, true);
      SmoothSoftmaxGrad(*src, *src, *label, 2, 0.3f);
      for (std::size_t i = 0; i < src.Size(); ++i) ASSERT_EQ(dst.At(i), src.At(i));
    }
  });
}

TEST(SoftmaxGrad, ShapesAreChecked) {
  Guarded<2> src(Shape2(3, 4)), dst(Shape2(4, 3)), same(Shape2(3, 4));
  Guarded<1> label(Shape1(4));
  EXPECT_THROW(SoftmaxGrad(*dst, *src, *label), Error);
  EXPECT_THROW(SoftmaxGrad(*same, *src, *label), Error);
}

/// MeanVariance<keep> against two passes in double.
template <int keep, typename DType, int dim>
void CheckMeanVariance(const Shape<dim>& shape, index_t pad, double tolerance) {
  SCOPED_TRACE(LogText(shape) + " keep " + std::to_string(keep) + " pad " + std::to_string(pad));
  const std::size_t channels = shape[keep], inner = shape.ProdShape(keep + 1, dim);
  Guarded<dim, DType> src(shape, pad, 1);
  Guarded<1, DType> mean(Shape1(shape[keep]), 0, 2), variance(Shape1(shape[keep]), 0, 3);
  src.FillRandom(-1, 3);
  std::vector<double> sum(channels), squares(channels);
  const double count = static_cast<double>(src.Size() / channels);
  for (std::size_t i = 0; i < src.Size(); ++i) {
    sum[i / inner % channels] += static_cast<double>(src.At(i)) / count;
  }
  for (std::size_t i = 0; i < src.Size(); ++i) {
    const std::size_t c = i / inner % channels;
    squares[c] += std::pow(static_cast<double>(src.At(i)) - sum[c], 2) / count;
  }
  MeanVariance<keep>(*mean, *variance, *src);
  for (std::size_t c = 0; c < channels; ++c) {
    ASSERT_NEAR(static_cast<double>(mean.At(c)), sum[c], tolerance) << c;
    ASSERT_NEAR(static_cast<double>(variance.At(c)), squares[c], tolerance) << c;
  }
  EXPECT_TRUE(mean.Intact() && variance.Intact() && src.Intact());
}

TEST(MeanVariance, EveryAxisOfEveryRank) {
  ForEachIsa([] {
    for (index_t pad : {0, 3}) {
      CheckMeanVariance<0, float>(Shape1(37), pad, 2e-6);
      CheckMeanVariance<0, float>(Shape2(7, 131), pad, 2e-6);
      CheckMeanVariance<1, float>(Shape2(131, 7), pad, 2e-6);
      CheckMeanVariance<0, float>(Shape3(3, 5, 67), pad, 2e-6);
      CheckMeanVariance<1, float>(Shape3(3, 5, 67), pad, 2e-6);
      CheckMeanVariance<2, float>(Shape3(3, 5, 67), pad, 2e-6);
      CheckMeanVariance<0, float>(Shape4(2, 5, 3, 7), pad, 2e-6);
      CheckMeanVariance<1, float>(Shape4(2, 5, 3, 7), pad, 2e-6);
      CheckMeanVariance<2, float>(Shape4(2, 5, 3, 7), pad, 2e-6);
      CheckMeanVariance<3, float>(Shape4(2, 5, 3, 7), pad, 2e-6);
      CheckMeanVariance<0, float>(Shape5(2, 3, 5, 1, 7), pad, 2e-6);
      CheckMeanVariance<1, float>(Shape5(2, 3, 5, 1, 7), pad, 2e-6);
      CheckMeanVariance<2, float>(Shape5(2, 3, 5, 1, 7), pad, 2e-6);
      CheckMeanVariance<3, float>(Shape5(2, 3, 5, 1, 7), pad, 2e-6);
      CheckMeanVariance<4, float>(Shape5(2, 3, 5, 1, 7), pad, 2e-6);
    }
  });
}

TEST(MeanVariance, EveryTypeAccumulatesInFloatAtLeast) {
  ForEachIsa([] {
    for (index_t pad : {0, 3}) {
      CheckMeanVariance<1, double>(Shape4(4, 3, 7, 67), pad, 1e-14);
      CheckMeanVariance<2, double>(Shape3(4, 7, 67), pad, 1e-14);
      // Half an ulp of a variance in [1, 2).
      CheckMeanVariance<1, Half>(Shape4(4, 3, 57, 67), pad, 4.9e-4);
      CheckMeanVariance<1, Half>(Shape2(3000, 67), pad, 4.9e-4);
      CheckMeanVariance<1, bfloat::bf16_t>(Shape4(4, 3, 57, 67), pad, 4e-3);
      CheckMeanVariance<1, bfloat::bf16_t>(Shape2(3000, 67), pad, 4e-3);
    }
  });
}

TEST(MeanVariance, OfNothingIsNan) {
  Guarded<1> mean(Shape1(3)), variance(Shape1(3)), none(Shape1(0));
  const auto check = [&](auto run) {
    *mean = 1.0f;
    *variance = 1.0f;
    run();
    for (int c = 0; c < 3; ++c) EXPECT_TRUE(std::isnan(mean.At(c)) && std::isnan(variance.At(c)));
  };
  Guarded<4> no_images(Shape4(0, 3, 2, 2)), no_pixels(Shape4(2, 3, 0, 2));
  Guarded<4> no_channels(Shape4(2, 0, 2, 2));
  Guarded<2> no_rows(Shape2(0, 3));
  Guarded<2, Half> no_halves(Shape2(0, 1));
  Guarded<1, Half> one(Shape1(1)), other(Shape1(1));
  check([&] { MeanVariance<1>(*mean, *variance, *no_images); });
  check([&] { MeanVariance<1>(*mean, *variance, *no_pixels); });
  check([&] { MeanVariance<1>(*mean, *variance, *no_rows); });
  MeanVariance<1>(*one, *other, *no_halves);
  EXPECT_TRUE(isnan_typed::IsNan(one.At(0)) && isnan_typed::IsNan(other.At(0)));
  MeanVariance<1>(*none, *none, *no_channels);
}

TEST(MeanVariance, ShapesAreChecked) {
  Guarded<3> src(Shape3(2, 3, 4));
  Guarded<1> three(Shape1(3)), four(Shape1(4));
  src.FillIota();
  *three = 7.0f;
  *four = 7.0f;
  EXPECT_THROW(MeanVariance<1>(*four, *three, *src), Error);
  EXPECT_THROW(MeanVariance<2>(*four, *three, *src), Error);
  try {
    MeanVariance<1>(*three, *four, *src);
    FAIL() << "not refused";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("mean (3,) and variance (4,)"), std::string::npos) << text;
    EXPECT_NE(text.find("(2,3,4)"), std::string::npos) << text;
  }
  for (int c = 0; c < 3; ++c) EXPECT_EQ(three.At(c), 7);
  for (int c = 0; c < 4; ++c) EXPECT_EQ(four.At(c), 7);
}

TEST(VectorDot, EveryKindOfElement) {
  Guarded<1> f(Shape1(101)), one(Shape1(1)), two(Shape1(2));
  f.FillIota();
  VectorDot(*one, *f, *f);
  EXPECT_EQ((*one)[0], 338350);
  Guarded<1, int64_t> i(Shape1(101)), sum(Shape1(1));
  i.FillIota();
  VectorDot(*sum, *i, *i);
  EXPECT_EQ((*sum)[0], 338350);
  EXPECT_THROW(VectorDot(*two, *f, *f), Error);
  EXPECT_THROW(VectorDot(*one, *f, *two), Error);
}

TEST(AddTakeGrad, ClipsAndWraps) {
  ForEachIsa([] {
    Guarded<2> dst(Shape2(4, 37), 3, 1), temp_dst(Shape2(4, 37)), src(Shape2(6, 37), 1, 2);
    Guarded<2, double> temp(Shape2(4, 37));
    Guarded<1> index(Shape1(6));
    const float indices[] = {0, 9, -1, 2.7f, kNan, -9};
    const int clipped[] = {0, 3, 0, 2, 0, 0};
    for (int i = 0; i < 6; ++i) index.At(i) = indices[i];
    src.FillRandom(0, 1);
    *dst = 1.0f;
    *temp_dst = 1.0f;
    AddTakeGrad(*dst, *index, *src);
    AddTakeGrad(*temp_dst, *temp, *index, *src);
    std::vector<double> expected(4 * 37, 1);
    for (int i = 0; i < 6; ++i) {
      for (int x = 0; x < 37; ++x) expected[clipped[i] * 37 + x] += (*src)[i][x];
    }
    for (std::size_t i = 0; i < dst.Size(); ++i) {
      ASSERT_NEAR(dst.At(i), expected[i], 1e-6);
      ASSERT_NEAR(temp_dst.At(i), expected[i], 3e-7);
    }
    EXPECT_TRUE(dst.Intact());
    Guarded<1, int32_t> wrapped(Shape1(6));
    const int values[] = {0, 5, -1, -5, 4, 7};  // 0 1 3 3 0 3
    for (int i = 0; i < 6; ++i) wrapped.At(i) = values[i];
    *dst = 0.0f;
    *src = 1.0f;
    AddTakeGrad<false>(*dst, *wrapped, *src);
    const float counts[] = {2, 1, 0, 3};
    for (std::size_t i = 0; i < dst.Size(); ++i) ASSERT_EQ(dst.At(i), counts[i / 37]);
  });
  Guarded<2> none(Shape2(0, 3)), src(Shape2(2, 3));
  Guarded<1> index(Shape1(2)), longer(Shape1(3));
  EXPECT_THROW(AddTakeGrad(*none, *index, *src), Error);
  EXPECT_THROW(AddTakeGrad(*src, *longer, *src), Error);
}

TEST(AddTakeGradLargeBatch, AddsStretchesAndRefusesIndices) {
  ForEachIsa([] {
    Guarded<2, Half> dst(Shape2(3, 700), 1, 1), src(Shape2(5, 700), 3, 1);
    Guarded<1, int32_t> sorted(Shape1(3000)), index(Shape1(3000));
    for (int i = 0; i < 3000; ++i) {
      sorted.At(i) = i < 2900 ? 0 : 2;
      index.At(i) = i % 5;
    }
    *src = Half(1.0f);
    *dst = Half(4.0f);
    AddTakeGradLargeBatch(*dst, *sorted, *index, *src);
    // In half_t, 2048 + 1 is 2048: only sums in float get there.
    for (std::size_t i = 0; i < dst.Size(); ++i) {
      ASSERT_EQ(static_cast<float>(dst.At(i)), i < 700 ? 2904 : i < 1400 ? 4 : 104);
    }
    EXPECT_TRUE(dst.Intact());
    const auto refuses = [&](float left_out) {
      if constexpr (kThrowsForIndices) {
        EXPECT_THROW(AddTakeGradLargeBatch(*dst, *sorted, *index, *src), Error);
        EXPECT_EQ(static_cast<float>(dst.At(0)), 2904);
      } else {
        AddTakeGradLargeBatch(*dst, *sorted, *index, *src);
        EXPECT_EQ(static_cast<float>(dst.At(1400)), left_out);
      }
      EXPECT_TRUE(dst.Intact());
    };
    sorted.At(2999) = 3;
    refuses(203);
    sorted.At(2999) = 2;
    index.At(2950) = 5;
    refuses(302);
    index.At(2950) = -1;
    refuses(401);
    sorted.At(0) = -1;
    refuses(500);
  });
}

TEST(IndexFill, TheLastCountsAndHostileIndicesThrow) {
  Guarded<2> dst(Shape2(4, 5), 3), src(Shape2(3, 5), 1);
  Guarded<1, int64_t> index(Shape1(3));
  src.FillIota();
  *dst = -1.0f;
  index.At(0) = 2;
  index.At(1) = 0;
  index.At(2) = 2;
  IndexFill(*dst, *index, *src);
  for (int x = 0; x < 5; ++x) {
    EXPECT_EQ((*dst)[0][x], 5 + x);
    EXPECT_EQ((*dst)[1][x], -1);
    if constexpr (kThrowsForIndices) {
      EXPECT_EQ((*dst)[2][x], 10 + x);
    } else {
      EXPECT_TRUE((*dst)[2][x] == x || (*dst)[2][x] == 10 + x);
    }
  }
  for (int64_t bad : {int64_t(-1), int64_t(4), std::numeric_limits<int64_t>::max()}) {
    index.At(2) = bad;
    if constexpr (!kThrowsForIndices) {
      IndexFill(*dst, *index, *src);
      continue;
    }
    try {
      IndexFill(*dst, *index, *src);
      FAIL() << "not refused";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("index[2]"), std::string::npos) << e.what();
    }
  }
  EXPECT_EQ(dst.At(19), -1);
  EXPECT_TRUE(dst.Intact());
  Guarded<2> wide(Shape2(3, 6));
  EXPECT_THROW(IndexFill(*dst, *index, *wide), Error);
}

template <typename Key>
void CheckSort(index_t n, double low, double high) {
  for (bool ascending : {true, false}) {
    SCOPED_TRACE(std::to_string(n) + (ascending ? " ascending" : " descending"));
    Guarded<1, Key> keys(Shape1(n));
    Guarded<1, int32_t> values(Shape1(n));
    keys.FillRandom(low, high, n);
    values.FillIota();
    std::vector<std::pair<double, int>> expected;
    for (index_t i = 0; i < n; ++i) expected.emplace_back(static_cast<double>(keys.At(i)), i);
    std::stable_sort(expected.begin(), expected.end(), [ascending](const auto& a, const auto& b) {
      return ascending ? a.first < b.first : b.first < a.first;
    });
    SortByKey(*keys, *values, ascending);
    for (index_t i = 0; i < n; ++i) {
      ASSERT_EQ(static_cast<double>(keys.At(i)), expected[i].first) << i;
      ASSERT_EQ(values.At(i), expected[i].second) << i;
    }
    EXPECT_TRUE(keys.Intact() && values.Intact());
  }
}

TEST(SortByKey, EveryTypeIsStable) {
  for (index_t n : {0, 1, 2, 31, 33, 1000}) {
    CheckSort<float>(n, -5, 5);
    CheckSort<double>(n, -1e9, 1e9);
    CheckSort<Half>(n, -2, 2);
    CheckSort<bfloat::bf16_t>(n, -2, 2);
    CheckSort<int8_t>(n, -100, 100);
    CheckSort<uint8_t>(n, 0, 250);
    CheckSort<int16_t>(n, -30, 30);
    CheckSort<uint16_t>(n, 0, 60000);
    CheckSort<int32_t>(n, -1e9, 1e9);
    CheckSort<uint32_t>(n, 0, 4e9);
    CheckSort<int64_t>(n, -1e18, 1e18);
    CheckSort<uint64_t>(n, 0, 1e19);
  }
  CheckSort<float>(100000, -1000, 1000);
}

TEST(SortByKey, NanLastAndZerosEqual) {
  for (index_t n : {8, 48}) {
    Guarded<1> keys(Shape1(n)), values(Shape1(n));
    const float pattern[] = {kNan, 1, -0.0f, 0.0f, -kInf, kInf, -kNan, -0.0f};
    for (bool ascending : {true, false}) {
      for (index_t i = 0; i < n; ++i) keys.At(i) = pattern[i % 8];
      values.FillIota();
      SortByKey(*keys, *values, ascending);
      const index_t k = n / 8;
      for (index_t i = 0; i < k; ++i) EXPECT_EQ(keys.At(i), ascending ? -kInf : kInf);
      for (index_t i = n - 2 * k; i < n; ++i) EXPECT_TRUE(std::isnan(keys.At(i)));
      const index_t zeros = ascending ? k : 2 * k;
      for (index_t i = zeros; i < zeros + 3 * k; ++i) {
        EXPECT_EQ(keys.At(i), 0);
        if (i > zeros) {
          EXPECT_LT(values.At(i - 1), values.At(i));
        }
      }
    }
  }
  Guarded<1> keys(Shape1(3)), values(Shape1(4));
  EXPECT_THROW(SortByKey(*keys, *values), Error);
}

TEST(VectorizedSort, SegmentsThenValues) {
  Guarded<1> values(Shape1(200));
  Guarded<1, int32_t> segments(Shape1(200));
  values.FillRandom(0, 100);
  segments.FillRandom(0, 5, 3);
  std::vector<std::pair<int, float>> expected;
  for (int i = 0; i < 200; ++i) expected.emplace_back(segments.At(i), values.At(i));
  std::sort(expected.begin(), expected.end());
  VectorizedSort(*values, *segments);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(segments.At(i), expected[i].first);
    ASSERT_EQ(values.At(i), expected[i].second);
  }
}

// Indices that no std::ptrdiff_t holds.
TEST(RowsByIndex, Uint64) {
  for (uint64_t k : {uint64_t(1) << 63, (uint64_t(1) << 63) + 1, ~uint64_t(0), ~uint64_t(0) - 2}) {
    SCOPED_TRACE(k);
    Guarded<1, uint64_t> index(Shape1(2));
    index.At(0) = k;
    index.At(1) = 1;
    Guarded<2> dst(Shape2(5, 3)), src(Shape2(2, 3));
    *src = 1.0f;
    const auto check = [&](std::size_t row) {
      for (std::size_t i = 0; i < 15; ++i) {
        ASSERT_EQ(dst.At(i), (i / 3 == row ? 1 : 0) + (i / 3 == 1 ? 1 : 0)) << i;
      }
    };
    *dst = 0.0f;
    AddTakeGrad(*dst, *index, *src);
    check(4);
    *dst = 0.0f;
    AddTakeGrad<false>(*dst, *index, *src);
    check(static_cast<std::size_t>(k % 5));
    *dst = 0.0f;
    *dst = expr::take_grad(*index, *src, 5);
    check(5);
    Guarded<2> classes(Shape2(2, 5)), grad(Shape2(2, 5));
    *classes = 1.0f;
    SoftmaxGrad(*grad, *classes, *index);
    for (std::size_t i = 0; i < 10; ++i) ASSERT_EQ(grad.At(i), i == 6 ? 0 : 1) << i;
    SoftmaxGrad(*grad, *classes, *index, k - 1);  // another label that is no class
    for (std::size_t i = 0; i < 10; ++i) ASSERT_EQ(grad.At(i), i == 6 ? 0 : 1) << i;
    SoftmaxGrad(*grad, *classes, *index, k);
    for (std::size_t i = 0; i < 10; ++i) ASSERT_EQ(grad.At(i), i == 6 || i < 5 ? 0 : 1) << i;
    *grad = expr::take(*index, *classes);
    if (!kThrowsForIndices) continue;
    *dst = 2.0f;
    const std::string value = "[0] = " + std::to_string(k) + " is not one of 5 rows";
    for (bool fill : {true, false}) {
      try {
        if (fill) {
          IndexFill(*dst, *index, *src);
        } else {
          AddTakeGradLargeBatch(*dst, *index, *index, *src);
        }
        ADD_FAILURE() << "no Error";
      } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find(value), std::string::npos) << e.what();
      }
    }
    for (std::size_t i = 0; i < 15; ++i) ASSERT_EQ(dst.At(i), 2);
  }
}

TEST(Function, ContainersAreTensors) {
  TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f), b(Shape2(2, 3));
  TensorContainer<cpu, 1> label(Shape1(2), 1.0f);
  Softmax(b, a);
  SoftmaxGrad(b, b, label);
  EXPECT_NEAR(b[1][1], -2.0f / 3, 1e-6);
  TensorContainer<cpu, 1> mean(Shape1(3)), variance(Shape1(3));
  MeanVariance<-1>(mean, variance, a);
  EXPECT_EQ(mean[2], 1);
  EXPECT_EQ(variance[2], 0);
  VectorizedSort(label, label);
}

TEST(Function, OperandsMayBeConst) {
  const float memory[] = {1, 2, 3, 4, 5, 7};
  const int rows[] = {1, 0};
  const Tensor<cpu, 2, const float> src(memory, Shape2(2, 3));
  const Tensor<cpu, 1, const int> index(rows, Shape1(2));
  TensorContainer<cpu, 2> dst(Shape2(2, 3)), expected(Shape2(2, 3)), copy = src;
  Softmax(dst, src);
  Softmax(expected, copy);
  EXPECT_EQ(ToVector(dst), ToVector(expected));
  SoftmaxGrad(dst, src, index);
  EXPECT_EQ(ToVector(dst), (std::vector<float>{1, 1, 3, 3, 5, 7}));
  SoftmaxGrad(dst, src, index, 0);
  EXPECT_EQ(ToVector(dst), (std::vector<float>{1, 1, 3, 0, 0, 0}));
  SmoothSoftmaxGrad(dst, src, index, 0.5f);
  EXPECT_EQ(ToVector(dst), (std::vector<float>{0.75f, 1.5f, 2.75f, 3.5f, 4.75f, 6.75f}));
  TensorContainer<cpu, 1> mean(Shape1(2)), variance(Shape1(2)), product(Shape1(1));
  MeanVariance<0>(mean, variance, src);
  EXPECT_EQ(mean[0], 2.0f);
  EXPECT_NEAR(variance[0], 2.0 / 3, 1e-6);
  VectorDot(product, src[0], copy[1]);
  EXPECT_EQ(product[0], 1 * 4 + 2 * 5 + 3 * 7.0f);
  dst = 1.0f;
  AddTakeGrad(dst, index, src);
  EXPECT_EQ(ToVector(dst), (std::vector<float>{5, 6, 8, 2, 3, 4}));
  IndexFill(dst, index, src);
  EXPECT_EQ(ToVector(dst), (std::vector<float>{4, 5, 7, 1, 2, 3}));
  // Operands that are written: a copy of them is read.
  const Tensor<cpu, 2, const float> same = dst;
  IndexFill(dst, index, same);
  EXPECT_EQ(ToVector(dst), (std::vector<float>{1, 2, 3, 4, 5, 7}));
}

}  // namespace
