// SPDX-License-Identifier: Apache-2.0
// The program of README.md written with Eigen, for compile_time.sh. It prints the same.
#include <Eigen/Core>
#include <iostream>

int main() {
  using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Matrix x(2, 3), w = Matrix::Constant(3, 2, 0.5f);
  x << 0, 1, 2, 3, 4, 5;
  Eigen::ArrayXf bias(2);
  bias << -2, 1;
  Matrix y = ((x.matrix() * w.matrix()).array().rowwise() + bias.transpose()).max(0.0f);
  const Eigen::IOFormat format(6, 0, " ", "\n ", "[", "]", "[", "]");
  const Eigen::IOFormat row(6, 0, " ", " ", "", "", "[", "]");
  std::cout << y.format(format) << "\n" << y.colwise().mean().format(row) << "\n";
  y.colwise() -= y.rowwise().mean().eval();
  y = y.unaryExpr([](float a) { return a > 0 ? a : a / 4; }).eval();
  std::cout << y.format(format) << "\n";
}
