// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow/eigen.h>

#include "error_of.h"

namespace mshadow {
namespace {

using testing::ErrorOf;

TEST(Eigen, OfTensors) {
  float memory[3 * 8] = {};
  const Tensor<cpu, 2> x(memory, Shape2(3, 5), 8, nullptr);
  auto map = AsEigen(x);
  EXPECT_EQ(map.rows(), 3);
  EXPECT_EQ(map.cols(), 5);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 5; ++j) map(i, j) = static_cast<float>(10 * i + j);
  }
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 5; ++j) EXPECT_EQ(x[i][j], static_cast<float>(10 * i + j));
    EXPECT_EQ(memory[i * 8 + 5], 0.0f);
  }
  const Tensor<cpu, 1> row = x[1];
  EXPECT_EQ(AsEigen(row).sum(), 60.0f);
  const Tensor<cpu, 2, const float> read_only = x;
  EXPECT_EQ(AsEigen(read_only)(2, 4), 24.0f);
}

TEST(Eigen, AsTensors) {
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(3, 4);
  Eigen::MatrixXf columns(3, 4);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) rows(i, j) = columns(i, j) = static_cast<float>(10 * i + j);
  }
  const Tensor<cpu, 2> r = AsTensor(rows), c = AsTensor(columns);
  EXPECT_EQ(r.shape_, Shape2(3, 4));
  EXPECT_EQ(c.shape_, Shape2(4, 3));
  EXPECT_EQ(r.dptr_, rows.data());
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 4; ++j) {
      EXPECT_EQ(r[i][j], static_cast<float>(10 * i + j));
      EXPECT_EQ(c[j][i], static_cast<float>(10 * i + j));
    }
  }
  auto block = rows.block(1, 1, 2, 3);
  const Tensor<cpu, 2> b = AsTensor(block);
  EXPECT_EQ(b.shape_, Shape2(2, 3));
  EXPECT_EQ(b.stride_, 4u);
  EXPECT_EQ(b[1][2], 23.0f);
  Eigen::VectorXd vector = Eigen::VectorXd::LinSpaced(5, 0, 4);
  const Tensor<cpu, 1, double> v = AsTensor(vector);
  EXPECT_EQ(v.shape_, Shape1(5));
  EXPECT_EQ(v[3], 3.0);
  const Eigen::ArrayXXf read_only = Eigen::ArrayXXf::Constant(2, 3, 7.0f);
  const Tensor<cpu, 2, const float> a = AsTensor(read_only);
  EXPECT_EQ(a[2][1], 7.0f);
  auto column = rows.col(1);
  EXPECT_EQ(ErrorOf([&] { AsTensor(column); }),
            "AsTensor: elements of Eigen's vector have the distance 4, not 1");
  if (sizeof(index_t) == 4) {
    float element = 0;
    Eigen::Map<Eigen::MatrixXf> large(&element, 65536, 65536);
    EXPECT_NE(ErrorOf([&] { AsTensor(large); }).find("(65536, 65536) has more elements"),
              std::string::npos);
  }
  Eigen::MatrixXf none(0, 3);
  EXPECT_EQ(AsTensor(none).shape_, Shape2(3, 0));
}

TEST(Eigen, Views) {
  Eigen::MatrixXf m(3, 4);  // columns are contiguous
  for (int i = 0; i < 12; ++i) m(i / 4, i % 4) = static_cast<float>(i);
  const View<cpu, 2> v = AsView(m);
  EXPECT_EQ(v.shape_, Shape2(3, 4));
  EXPECT_EQ(&v(2, 1), &m(2, 1));
  TensorContainer<cpu, 2> x(v.shape_);
  x = v * 2.0f;
  EXPECT_EQ(x[2][1], 18.0f);
  const Eigen::Map<const Eigen::VectorXf, 0, Eigen::InnerStride<>> w(m.data(), 4,
                                                                     Eigen::InnerStride<>(3));
  EXPECT_EQ(sum(AsView(w)), 0.0f + 1 + 2 + 3);
}

}  // namespace
}  // namespace mshadow
