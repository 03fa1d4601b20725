// SPDX-License-Identifier: Apache-2.0
#include <mshadow/expr/dot_engine.h>

#include "testing.h"

namespace mshadow {
namespace {

using namespace mshadow::expr;
using mshadow::testing::Guarded;

TEST(DotEngine, CalledByNameAsOperatorsOfOldDo) {
  Guarded<2> a(Shape2(2, 3)), b(Shape2(3, 2)), c(Shape2(2, 2));
  a.FillIota();
  b.FillIota();
  DotEngine<sv::saveto, cpu, 2, 2, 2, false, false, float>::Eval(&*c, *a, *b, 2.0f);
  EXPECT_EQ(c.At(3), 2.0f * (3 * 1 + 4 * 3 + 5 * 5));
  DotEngine<sv::minusto, cpu, 2, 2, 2, true, true, float>::Eval(&*c, *b, *a, 0.0f);
  EXPECT_EQ(c.At(3), 2.0f * (3 * 1 + 4 * 3 + 5 * 5));
}

// Column-major: element (i, j) of a matrix with leading dimension ld lies at [j * ld + i].
TEST(BLASEngine, TakesColumnMajorArguments) {
  const int m = 3, n = 2, k = 4;
  std::vector<double> a(m * k), b(k * n), c(m * n, 1.0);
  for (int i = 0; i < m * k; ++i) a[i] = i - 3;
  for (int i = 0; i < k * n; ++i) b[i] = 2 * i + 1;
  using Engine = BLASEngine<cpu, double>;
  Engine::SetStream(nullptr);
  Engine::gemm(nullptr, Engine::GetT(false), Engine::GetT(false), m, n, k, 2.0, a.data(), m,
               b.data(), k, 3.0, c.data(), m);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += a[l * m + i] * b[j * k + l];
      EXPECT_EQ(c[j * m + i], 2 * sum + 3);
    }
  }

  std::vector<double> y(m, 1.0), x = {1, -2, 3, 4};
  Engine::gemv(nullptr, false, m, k, 1.0, a.data(), m, x.data(), 1, 0.0, y.data(), 1);
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int l = 0; l < k; ++l) sum += a[l * m + i] * x[l];
    EXPECT_EQ(y[i], sum);
  }
  std::vector<double> z(k, 5.0);
  Engine::gemv(nullptr, true, m, k, 2.0, a.data(), m, y.data(), 1, 1.0, z.data(), 1);
  for (int l = 0; l < k; ++l) {
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += a[l * m + i] * y[i];
    EXPECT_EQ(z[l], 2 * sum + 5);
  }

  std::vector<double> outer(m * k, 1.0);
  Engine::ger(nullptr, m, k, 2.0, y.data(), 1, x.data(), 1, outer.data(), m);
  EXPECT_EQ(outer[2 * m + 1], 1 + 2 * y[1] * x[2]);

  double inner = 0;
  Engine::dot(nullptr, k, x.data(), 1, x.data(), 1, &inner);
  EXPECT_EQ(inner, 1 + 4 + 9 + 16.0);
}

TEST(BLASEngine, Batches) {
  const int m = 2, n = 3, k = 2, batch = 3;
  std::vector<float> a(batch * m * k), b(batch * k * n), c(batch * m * n, 0.0f);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5);
  using Engine = BLASEngine<cpu, float>;
  Engine::batched_gemm(nullptr, false, false, m, n, k, 1.0f, a.data(), m, b.data(), k, 0.0f,
                       c.data(), m, batch, nullptr);
  for (int s = 0; s < batch; ++s) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int l = 0; l < k; ++l) sum += a[s * m * k + l * m + i] * b[s * k * n + j * k + l];
        EXPECT_EQ(c[s * m * n + j * m + i], sum);
      }
    }
  }
  std::vector<float> x(batch * k, 2.0f), y(batch * m, 0.0f), outer(batch * m * k, 0.0f);
  Engine::batched_gemv(nullptr, false, m, k, 1.0f, a.data(), m, x.data(), 1, 0.0f, y.data(), 1,
                       batch);
  EXPECT_EQ(y[2 * m + 1], 2.0f * (a[2 * m * k + 1] + a[2 * m * k + m + 1]));
  Engine::batched_ger(nullptr, m, k, 1.0f, y.data(), 1, x.data(), 1, outer.data(), m, batch);
  EXPECT_EQ(outer[m * k + 1], y[m + 1] * 2.0f);
}

TEST(GetBatchedView, PointsAtEveryMatrix) {
  float memory[12];
  float* rows[3];
  GetBatchedView(rows, memory, 3, 4, static_cast<Stream<cpu>*>(nullptr));
  EXPECT_EQ(rows[2], memory + 8);
}

}  // namespace
}  // namespace mshadow
