// SPDX-License-Identifier: Apache-2.0
#include <mshadow/nn.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../error_of.h"
#include "reference.h"

#ifndef MSHADOW_TEST_DEVICE  // others have no products
namespace mshadow {
namespace attention_test {  // several tests are one file of a batch
namespace {

using namespace expr;
using namespace testing;

/// softmax(scale q k^T + mask) v of one batch, in double.
struct Case {
  index_t batch, rows, columns, width, depth;
  bool is_causal;
  double scale;
  bool is_masked;
  double MaskAt(index_t i, index_t j) const {
    if (!is_masked) return 0;
    return (i + 2 * j) % 5 == 0 && j > 0 ? -std::numeric_limits<double>::infinity()
                                         : 0.25 * static_cast<double>(j % 3);
  }
  template <typename Q, typename K, typename V>
  std::vector<double> Expected(Q& q, K& k, V& v) const {
    const double factor = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(width));
    std::vector<double> out(static_cast<std::size_t>(batch * rows * depth));
    for (index_t n = 0; n < batch; ++n) {
      for (index_t i = 0; i < rows; ++i) {
        std::vector<double> p(columns);
        double most = -std::numeric_limits<double>::infinity(), sum = 0;
        for (index_t j = 0; j < columns; ++j) {
          for (index_t e = 0; e < width; ++e) {
            p[j] += static_cast<double>(q.At((n * rows + i) * width + e)) *
                    static_cast<double>(k.At((n * columns + j) * width + e));
          }
          p[j] = p[j] * factor + MaskAt(i, j);
          if (is_causal && j > i) p[j] = -std::numeric_limits<double>::infinity();
          most = std::fmax(most, p[j]);
        }
        for (double& x : p) sum += x = std::exp(x - most);
        for (index_t j = 0; j < columns; ++j) {
          for (index_t d = 0; d < depth; ++d) {
            out[(n * rows + i) * depth + d] +=
                p[j] / sum * static_cast<double>(v.At((n * columns + j) * depth + d));
          }
        }
      }
    }
    return out;
  }
};

template <typename DType>
void CheckAttention(const Case& c) {
  SCOPED_TRACE(std::to_string(c.rows) + " x " + std::to_string(c.columns));
  for (index_t padding : {0, 3}) {
    Guarded<3, DType> q(Shape3(c.batch, c.rows, c.width), padding, 1),
        k(Shape3(c.batch, c.columns, c.width), padding, 1),
        v(Shape3(c.batch, c.columns, c.depth), padding, 1),
        out(Shape3(c.batch, c.rows, c.depth), padding, 1);
    FillWhole(q, 7, 1);
    FillWhole(k, 5, 2);
    FillWhole(v, 6, 3);
    const auto expected = c.Expected(q, k, v);
    if (c.is_masked) {
      TensorContainer<cpu, 2, DType> mask(Shape2(c.rows, c.columns));
      for (index_t i = 0; i < c.rows; ++i) {
        for (index_t j = 0; j < c.columns; ++j) mask[i][j] = static_cast<DType>(c.MaskAt(i, j));
      }
      *out = scaled_dot_product_attention(*q, *k, *v, mask, c.is_causal, c.scale);
    } else {
      *out = scaled_dot_product_attention(*q, *k, *v, c.is_causal, c.scale);
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double got = static_cast<double>(out.At(static_cast<index_t>(i)));
      ASSERT_NEAR(got, expected[i],
                  (sizeof(DType) == 8 ? 1e-12 : 1e-5) * (1 + std::fabs(expected[i])))
          << i;
    }
  }
}

TEST(Attention, AsTheLoops) {
  for (bool is_causal : {false, true}) {
    for (bool is_masked : {false, true}) {
      CheckAttention<float>({2, 5, 7, 3, 4, is_causal, 0, is_masked});
      CheckAttention<double>({3, 7, 5, 4, 1, is_causal, 0.3, is_masked});
      CheckAttention<float>({1, 1, 1, 1, 1, is_causal, 0, is_masked});
      CheckAttention<double>({1, 9, 1, 2, 3, is_causal, 0, is_masked});
    }
  }
  CheckAttention<float>({0, 4, 3, 2, 2, false, 0, false});
  CheckAttention<float>({2, 0, 3, 2, 2, true, 0, false});
}
TEST(Attention, InSeveralBlocksOfRows) {
  CheckAttention<double>({2, 70, 1030, 4, 3, true, 0, false});
  CheckAttention<double>({1, 70, 1030, 4, 3, false, 0, true});
}
TEST(Attention, TwoAxesAndFour) {
  TensorContainer<cpu, 4> q(Shape4(2, 3, 6, 4)), k(Shape4(2, 3, 5, 4)), v(Shape4(2, 3, 5, 2)),
      out(Shape4(2, 3, 6, 2));
  q = reshape(sin(range<float>(0, 144)), q.shape_);
  k = reshape(cos(range<float>(0, 120)), k.shape_);
  v = reshape(sin(range<float>(0, 60) * 0.3f), v.shape_);
  out = scaled_dot_product_attention(q, k, v, true);
  for (index_t b = 0; b < 2; ++b) {
    for (index_t h = 0; h < 3; ++h) {
      TensorContainer<cpu, 2> one(Shape2(6, 2));
      one = scaled_dot_product_attention(q[b][h], k[b][h], v[b][h], true) * 2.0f;
      for (index_t i = 0; i < 12; ++i) {
        EXPECT_FLOAT_EQ(one[i / 2][i % 2], 2 * out[b][h][i / 2][i % 2]) << i;
      }
    }
  }
}
TEST(Attention, OfItself) {
  TensorContainer<cpu, 2> x(Shape2(4, 4)), y(Shape2(4, 4));
  x = reshape(sin(range<float>(0, 16)), x.shape_);
  y = scaled_dot_product_attention(x, x, x);
  x = scaled_dot_product_attention(x, x, x);
  for (index_t i = 0; i < 16; ++i) EXPECT_EQ(x[i / 4][i % 4], y[i / 4][i % 4]) << i;
}
TEST(Attention, NothingSeenIsNaN) {  // as PyTorch's
  TensorContainer<cpu, 2> q(Shape2(1, 2), 1.0f), out(Shape2(1, 2)), mask(Shape2(1, 1));
  mask = -std::numeric_limits<float>::infinity();
  out = scaled_dot_product_attention(q, q, q, mask);
  EXPECT_TRUE(std::isnan(out[0][0]));
}
TEST(Attention, Errors) {
  TensorContainer<cpu, 3> q(Shape3(2, 4, 3)), k(Shape3(2, 5, 4)), v(Shape3(2, 5, 2)),
      out(Shape3(2, 4, 2));
  EXPECT_NE(ErrorOf([&] {
              out = scaled_dot_product_attention(q, k, v);
            }).find("q (2,4,3), k (2,5,4) and v (2,5,2)"),
            std::string::npos);
  k.Resize(Shape3(2, 0, 3));
  v.Resize(Shape3(2, 0, 2));
  EXPECT_NE(ErrorOf([&] { out = scaled_dot_product_attention(q, k, v); }).find("has no row"),
            std::string::npos);
  k.Resize(Shape3(2, 5, 3));
  v.Resize(Shape3(2, 5, 2));
  TensorContainer<cpu, 2> mask(Shape2(5, 4));
  EXPECT_NE(ErrorOf([&] {
              out = scaled_dot_product_attention(q, k, v, mask);
            }).find("mask (5,4) is not (L, S), (4,5)"),
            std::string::npos);
}

}  // namespace
}  // namespace attention_test
}  // namespace mshadow
#endif
