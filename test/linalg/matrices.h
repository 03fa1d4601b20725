// SPDX-License-Identifier: Apache-2.0
// Matrices that linear algebra is tested on, and residuals.
#ifndef MSHADOW_TEST_LINALG_MATRICES_H_
#define MSHADOW_TEST_LINALG_MATRICES_H_

#include <gtest/gtest.h>
#include <mshadow/linalg.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "error_of.h"
#include "testing.h"

namespace mshadow {
namespace testing {

/// A row-major matrix in double, or of complex numbers.
template <typename N>
struct Dense {
  int rows = 0, cols = 0;
  std::vector<N> at;
  Dense(int m, int n) : rows(m), cols(n), at(static_cast<std::size_t>(m * n)) {}
  N& operator()(int i, int j) { return at[static_cast<std::size_t>(i * cols + j)]; }
  const N& operator()(int i, int j) const { return at[static_cast<std::size_t>(i * cols + j)]; }
};
using Matrix = Dense<double>;

/// Numbers in [-1, 1), the same ones for the same seed.
inline double Noise(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return static_cast<double>(*state >> 8) / (1 << 23) - 1;
}

enum class Kind { kRandom, kHilbert, kVandermonde, kGraded, kAlmostSingular };
constexpr Kind kKinds[] = {Kind::kRandom, Kind::kHilbert, Kind::kVandermonde, Kind::kGraded,
                           Kind::kAlmostSingular};

inline Matrix Make(Kind kind, int m, int n, uint32_t seed = 1) {
  Matrix a(m, n);
  uint32_t state = seed * 2654435761u + static_cast<uint32_t>(m * 31 + n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const double noise = Noise(&state);
      switch (kind) {
        case Kind::kRandom:
          a(i, j) = noise;
          break;
        case Kind::kHilbert:
          a(i, j) = 1.0 / (i + j + 1);
          break;
        case Kind::kVandermonde:
          a(i, j) = std::pow((i + 1.0) / m, j);
          break;
        case Kind::kGraded:
          a(i, j) = noise * std::pow(10.0, -6.0 * (i + j) / (m + n));
          break;
        case Kind::kAlmostSingular:
          a(i, j) = 1 + i + j + 1e-3 * noise;
          break;
      }
    }
  }
  return a;
}
/// M M^T + I of a random M, or a symmetric one: (M + M^T) / 2.
inline Matrix Positive(int n, uint32_t seed = 1) {
  const Matrix m = Make(Kind::kRandom, n, n, seed);
  Matrix a(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      a(i, j) = i == j ? 1 : 0;
      for (int k = 0; k < n; ++k) a(i, j) += m(i, k) * m(j, k);
    }
  }
  return a;
}
inline Matrix SymmetricOf(const Matrix& m) {
  Matrix a(m.rows, m.rows);
  for (int i = 0; i < m.rows; ++i) {
    for (int j = 0; j < m.rows; ++j) a(i, j) = (m(i, j) + m(j, i)) / 2;
  }
  return a;
}

template <typename T>
TensorContainer<cpu, 2, T> Of(const Matrix& a) {
  TensorContainer<cpu, 2, T> t(Shape2(a.rows, a.cols));
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < a.cols; ++j) t(i, j) = static_cast<T>(a(i, j));
  }
  return t;
}
template <typename T>
Dense<T> Back(const Tensor<cpu, 2, T>& t) {
  Dense<T> a(static_cast<int>(t.size(0)), static_cast<int>(t.size(1)));
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < a.cols; ++j) a(i, j) = t(i, j);
  }
  return a;
}
template <typename N>
Dense<N> Wider(const Dense<N>& a) {
  return a;
}
inline Matrix Wider(const Dense<float>& a) {
  Matrix b(a.rows, a.cols);
  for (std::size_t i = 0; i < a.at.size(); ++i) b.at[i] = a.at[i];
  return b;
}
inline Dense<std::complex<double>> Wider(const Dense<std::complex<float>>& a) {
  Dense<std::complex<double>> b(a.rows, a.cols);
  for (std::size_t i = 0; i < a.at.size(); ++i) b.at[i] = a.at[i];
  return b;
}
template <typename T>
auto In(const Tensor<cpu, 2, T>& t) {
  return Wider(Back(t));
}

template <typename N>
Dense<N> operator*(const Dense<N>& a, const Dense<N>& b) {
  EXPECT_EQ(a.cols, b.rows);
  Dense<N> c(a.rows, b.cols);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = 0; k < a.cols; ++k) {
      for (int j = 0; j < b.cols; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}
template <typename N>
Dense<N> operator-(Dense<N> a, const Dense<N>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  for (std::size_t i = 0; i < a.at.size(); ++i) a.at[i] -= b.at[i];
  return a;
}
template <typename N>
Dense<N> Transposed(const Dense<N>& a) {
  Dense<N> b(a.cols, a.rows);
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < a.cols; ++j) b(j, i) = a(i, j);
  }
  return b;
}
inline Matrix Identity(int n) {
  Matrix a(n, n);
  for (int i = 0; i < n; ++i) a(i, i) = 1;
  return a;
}
/// The Frobenius norm.
template <typename N>
double Size(const Dense<N>& a) {
  double sum = 0;
  for (const N& x : a.at) sum += std::norm(x);
  return std::sqrt(sum);
}

/// 10 n epsilon of T times `size`.
template <typename T>
double Bound(int n, double size) {
  return 10.0 * (n + 1) * static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
}
/// |q^T q - I|
inline double FromOrthonormal(const Matrix& q) {
  return Size(Transposed(q) * q - Identity(q.cols));
}
template <int dim, typename T>
bool AllNaN(const Tensor<cpu, dim, T>& t) {
  const auto rows = t.FlatTo2D();
  for (index_t y = 0; y < rows.size(0); ++y) {
    for (index_t x = 0; x < rows.size(1); ++x) {
      if (std::abs(rows(y, x)) == std::abs(rows(y, x))) return false;
    }
  }
  return true;
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_LINALG_MATRICES_H_
