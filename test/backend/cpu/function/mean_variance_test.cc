// SPDX-License-Identifier: Apache-2.0
// Shapes of each way to cut the work, and data that cost digits; tensor/function_test.cc has the
// rest.
#include <mshadow/backend/cpu/function/mean_variance.h>
#include <mshadow/tensor.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "testing.h"

namespace mshadow {
namespace {

using testing::ForEachIsa;
using testing::Guarded;

struct Moments {
  std::vector<double> mean, variance;
};

/// Two passes in long double; `keep` is the axis that is kept.
template <int dim, typename DType>
Moments Expected(Guarded<dim, DType>* src, const Shape<dim>& shape, int keep) {
  const std::size_t channels = shape[keep], inner = shape.ProdShape(keep + 1, dim);
  const long double count = static_cast<long double>(src->Size() / channels);
  std::vector<double> value(src->Size());
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<double>(src->At(i));
  std::vector<long double> sum(channels), squares(channels);
  for (std::size_t i = 0; i < value.size(); ++i) sum[i / inner % channels] += value[i];
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::size_t c = i / inner % channels;
    const long double deviation = value[i] - sum[c] / count;
    squares[c] += deviation * deviation;
  }
  Moments moments;
  for (std::size_t c = 0; c < channels; ++c) {
    moments.mean.push_back(static_cast<double>(sum[c] / count));
    moments.variance.push_back(static_cast<double>(squares[c] / count));
  }
  return moments;
}

// Up to 800 additions meet in a sum, each of which may be off by half an ulp: 5e-5 of a variance in
// float, if all errors had one sign. They have not: the largest error seen is 4e-7.
template <typename DType>
constexpr double kTolerance = std::is_same_v<DType, double> ? 4e-15 : 2e-6;

/// Data of the given mean and of a standard deviation near 1; E[x^2] - E[x]^2 in the precision of
/// DType would lose all digits of the variance where mean^2 is 1e8.
template <int keep, typename DType, int dim>
void Check(const Shape<dim>& shape, index_t pad, double mean) {
  SCOPED_TRACE(LogText(shape) + " keep " + std::to_string(keep) + " pad " + std::to_string(pad) +
               " mean " + std::to_string(mean));
  Guarded<dim, DType> src(shape, pad, 1);
  Guarded<1, DType> m(Shape1(shape[keep]), 0, 2), v(Shape1(shape[keep]), 0, 3);
  src.FillRandom(-1.7, 1.8, 3);
  // A channel differs from its neighbours.
  const std::size_t channels = shape[keep], inner = shape.ProdShape(keep + 1, dim);
  for (std::size_t i = 0; i < src.Size(); ++i) {
    src.At(i) += static_cast<DType>(mean + static_cast<double>(i / inner % channels % 5));
  }
  const Moments expected = Expected(&src, shape, keep);
  MeanVariance<keep>(*m, *v, *src);
  const double ulp = static_cast<double>(std::numeric_limits<DType>::epsilon());
  // Blocks are merged in double.
  const double merged = std::numeric_limits<double>::epsilon() * std::abs(mean);
  for (std::size_t c = 0; c < channels; ++c) {
    ASSERT_NEAR(static_cast<double>(m.At(c)), expected.mean[c],
                ulp * std::abs(expected.mean[c]) + kTolerance<DType> + 3 * merged)
        << c;
    ASSERT_NEAR(static_cast<double>(v.At(c)), expected.variance[c],
                kTolerance<DType> * expected.variance[c] + merged)
        << c;
  }
  EXPECT_TRUE(m.Intact() && v.Intact());
}

template <typename DType>
void CheckShapes(double mean) {
  // Side by side: rows joined, with a rest; several groups; several blocks and parts.
  Check<1, DType>(Shape2(1000, 3), 0, mean);
  Check<1, DType>(Shape2(100003, 3), 0, mean);
  Check<1, DType>(Shape2(1003, 3), 2, mean);
  Check<1, DType>(Shape2(3, 700), 0, mean);
  Check<1, DType>(Shape2(700, 700), 1, mean);
  Check<1, DType>(Shape4(5, 7, 3, 3), 0, mean);
  Check<1, DType>(Shape4(3, 150, 7, 7), 0, mean);
  Check<1, DType>(Shape4(1100, 2, 8, 8), 0, mean);
  Check<0, DType>(Shape2(150, 11), 0, mean);
  // Rows: around the lanes and blocks; several segments; several parts, which start within a row.
  for (index_t n : {1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1025, 16383, 16384, 16449}) {
    Check<0, DType>(Shape2(3, n), 0, mean);
  }
  Check<1, DType>(Shape3(40, 3, 1001), 0, mean);
  Check<1, DType>(Shape4(5, 3, 11, 7), 1, mean);
  Check<1, DType>(Shape4(51, 3, 60, 61), 3, mean);
  Check<0, DType>(Shape2(2, 200003), 0, mean);
}

TEST(MeanVariance, EveryCutOfTheWork) {
  ForEachIsa([] {
    CheckShapes<float>(0);
    CheckShapes<double>(0);
  });
  // Channels of an image in turn: several images and channels a task, with rests; more channels
  // than are at hand; planes of several blocks.
  Check<1, float>(Shape4(37, 11, 61, 47), 1, 3);
  Check<1, float>(Shape4(2, 1501, 32, 35), 0, 3);
  Check<1, double>(Shape3(5, 7, 33333), 0, 3);
}

TEST(MeanVariance, LargeMeansCostNoDigits) {
  ForEachIsa([] {
    CheckShapes<float>(1e4);
    CheckShapes<float>(-1e6);
    CheckShapes<double>(1e7);
  });
}

/// `first` in front of noise in [-1, 1), and a ramp over all that rises by `ramp`.
template <int keep>
void CheckHard(const Shape<2>& shape, float first, double ramp) {
  SCOPED_TRACE(LogText(shape) + " first " + std::to_string(first));
  Guarded<2> src(shape);
  Guarded<1> m(Shape1(shape[keep])), v(Shape1(shape[keep]));
  src.FillRandom(-1, 1);
  for (std::size_t i = 0; i < src.Size(); ++i) {
    src.At(i) +=
        static_cast<float>(ramp * static_cast<double>(i) / static_cast<double>(src.Size()));
  }
  for (index_t c = 0; c < shape[keep]; ++c) (*src)[keep == 0 ? c : 0][keep == 0 ? 0 : c] += first;
  const Moments expected = Expected(&src, shape, keep);
  MeanVariance<keep>(*m, *v, *src);
  for (index_t c = 0; c < shape[keep]; ++c) {
    // The shift is up to 4 standard deviations off, which costs up to 17 times the error above.
    ASSERT_NEAR(v.At(c), expected.variance[c], 2e-5 * expected.variance[c]) << c;
    ASSERT_NEAR(m.At(c), expected.mean[c], 1e-5 * std::sqrt(expected.variance[c])) << c;
  }
}

TEST(MeanVariance, OutliersAndRamps) {
  ForEachIsa([] {
    for (index_t n : {100, 1000, 16384, 20000, 150000}) {
      CheckHard<0>(Shape2(2, n), 1e6f, 0);
      CheckHard<0>(Shape2(1, n), 0, 1e6);
      CheckHard<1>(Shape2(n, 7), 1e6f, 0);
      CheckHard<1>(Shape2(n, 7), 0, 1e6);
    }
    CheckHard<1>(Shape2(1000, 300), 1e6f, 0);
  });
}

TEST(MeanVariance, ConstantsVaryByNothing) {
  ForEachIsa([] {
    for (index_t n : {7, 100, 1000, 20000}) {
      for (float scale : {1.0f, 1e-15f}) {  // of the smaller, squared errors are subnormal
        const auto value = [&](std::size_t c) { return scale / static_cast<float>(c + 3); };
        Guarded<2> columns(Shape2(n, 150)), rows(Shape2(150, n));
        Guarded<1> m(Shape1(150)), v(Shape1(150));
        for (std::size_t i = 0; i < columns.Size(); ++i) {
          columns.At(i) = value(i % 150);
          rows.At(i) = value(i / n);
        }
        const auto check = [&] {
          for (int c = 0; c < 150; ++c) {
            const double square = static_cast<double>(value(c)) * static_cast<double>(value(c));
            ASSERT_FLOAT_EQ(m.At(c), value(c));
            ASSERT_FALSE(std::signbit(v.At(c)));
            ASSERT_LE(v.At(c), 1e-12 * square + 1e-44);
          }
        };
        MeanVariance<1>(*m, *v, *columns);
        check();
        MeanVariance<0>(*m, *v, *rows);
        check();
      }
    }
  });
}

/// Elements near `mean` and `mean` + `step` in turn.
template <typename DType>
void CheckLargeElements(double mean, double step, double error) {
  for (const index_t channels : {2, 40}) {
    for (const index_t inner : {3, 700}) {
      const Shape<3> shape = Shape3(41, channels, inner);
      Guarded<3, DType> src(shape, 1);
      for (std::size_t i = 0; i < src.Size(); ++i) {
        src.At(i) = static_cast<DType>(i % 2 == 0 ? mean : mean + step);
      }
      Guarded<1, DType> m(Shape1(channels)), v(Shape1(channels));
      MeanVariance<1>(*m, *v, *src);
      for (index_t c = 0; c < channels; ++c) {
        double count = 0, total = 0;
        for (index_t n = 0; n < 41; ++n) {
          for (index_t x = 0; x < inner; ++x) {
            const index_t i = (n * channels + c) * inner + x;
            total += i % 2;
            ++count;
          }
        }
        const double part = total / count;
        const double big = static_cast<double>(static_cast<DType>(mean + step));
        const double small = static_cast<double>(static_cast<DType>(mean));
        const double variance = (big - small) * (part * (1 - part)) * (big - small);
        EXPECT_NEAR(static_cast<double>(m.At(c)) / (small + (big - small) * part), 1, error);
        if (step == 0) {
          EXPECT_EQ(static_cast<double>(v.At(c)), 0);
        } else {
          EXPECT_NEAR(static_cast<double>(v.At(c)) / variance, 1, 4 * error);
        }
      }
    }
  }
}
TEST(MeanVariance, FiniteWhereResultsAre) {
  CheckLargeElements<float>(3e38, 0, 1e-6);
  CheckLargeElements<float>(-3e38, 0, 1e-6);
  CheckLargeElements<float>(3e18, 3e18, 1e-6);
  CheckLargeElements<float>(-3e18, 7e18, 1e-6);
  CheckLargeElements<double>(1.7e308, 0, 1e-14);
  CheckLargeElements<double>(3e153, 3e153, 1e-14);
  CheckLargeElements<bfloat::bf16_t>(static_cast<double>(2.0e38f), 0, 1e-2);
}

TEST(MeanVariance, InfinityAndNan) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ForEachIsa([&] {
    // At the start of a block, where the shift comes from, within it, and in a later one.
    for (index_t at : {0, 9000, 19000}) {
      Guarded<2> src(Shape2(20000, 5));
      Guarded<1> m(Shape1(5)), v(Shape1(5));
      const auto check = [&] {
        EXPECT_EQ(m.At(0), inf);
        EXPECT_EQ(m.At(1), -inf);
        EXPECT_TRUE(std::isnan(m.At(2)));
        EXPECT_TRUE(std::isnan(m.At(3)));
        EXPECT_EQ(m.At(4), 2);
        for (int c = 0; c < 4; ++c) EXPECT_TRUE(std::isnan(v.At(c))) << c;
        EXPECT_EQ(v.At(4), 0);
      };
      Guarded<2> turned(Shape2(5, 20000));
      *src = 2.0f;
      const float values[] = {inf, -inf, nan, inf};
      for (int c = 0; c < 4; ++c) (*src)[at][c] = values[c];
      (*src)[19999][3] = -inf;
      MeanVariance<1>(*m, *v, *src);
      check();
      for (index_t y = 0; y < 20000; ++y) {
        for (index_t c = 0; c < 5; ++c) (*turned)[c][y] = (*src)[y][c];
      }
      MeanVariance<0>(*m, *v, *turned);
      check();
    }
  });
}

#ifdef _OPENMP
/// The same bits on 1, 2 and 3 threads.
template <int keep, typename DType, int dim>
void CheckThreads(const Shape<dim>& shape, index_t pad) {
  SCOPED_TRACE(LogText(shape));
  Guarded<dim, DType> src(shape, pad);
  src.FillRandom(9, 11);
  const int before = omp_get_max_threads();
  std::vector<DType> first;
  for (int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    Guarded<1, DType> m(Shape1(shape[keep])), v(Shape1(shape[keep]));
    MeanVariance<keep>(*m, *v, *src);
    std::vector<DType> result;
    for (std::size_t c = 0; c < m.Size(); ++c) {
      result.push_back(m.At(c));
      result.push_back(v.At(c));
    }
    if (threads == 1) first = result;
    EXPECT_EQ(std::memcmp(first.data(), result.data(), result.size() * sizeof(DType)), 0)
        << threads << " threads";
  }
  omp_set_num_threads(before);
}

/// In double, results of other parts differ in the last digits; float mostly rounds that away.
template <typename DType>
void CheckThreadsOfShapes() {
  CheckThreads<1, DType>(Shape4(8, 5, 61, 67), 0);
  CheckThreads<1, DType>(Shape4(8, 5, 61, 67), 5);
  CheckThreads<1, DType>(Shape4(9, 31, 61, 67), 1);
  CheckThreads<1, DType>(Shape4(64, 70, 7, 7), 0);
  CheckThreads<1, DType>(Shape2(1003, 1100), 0);
  CheckThreads<1, DType>(Shape2(200003, 3), 0);
  CheckThreads<0, DType>(Shape2(5, 200003), 0);
  CheckThreads<0, DType>(Shape2(1, 500009), 0);
  CheckThreads<0, DType>(Shape2(5001, 64), 0);
}

TEST(MeanVariance, ThreadsAgree) {
  CheckThreadsOfShapes<double>();
  CheckThreadsOfShapes<float>();
}
#endif

}  // namespace
}  // namespace mshadow
