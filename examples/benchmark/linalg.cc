// SPDX-License-Identifier: Apache-2.0
// Linear algebra beside Eigen and LAPACK called directly, one thread each: the best of several
// runs.
//
//   benchmark_linalg            all sizes
//   benchmark_linalg 256        n = 256 alone
#include <mshadow/linalg.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#if __has_include(<Eigen/Dense>)
#include <Eigen/Dense>
#define HAS_EIGEN 1
#else
#define HAS_EIGEN 0
#endif

#if MSHADOW_USE_LAPACK
extern "C" {
void dgesv_(const int* n, const int* k, double* a, const int* lda, int* pivots, double* b,
            const int* ldb, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dsyevd_(const char* job, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* size, int* iwork, const int* isize, int* info);
void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* size,
             int* iwork, int* info);
}
#endif

namespace {

using namespace mshadow;  // NOLINT

/// Seconds of the fastest of up to 50 runs that take half a second.
template <typename F>
double Best(const F& f) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double best = 1e30;
  for (int run = 0; run < 50; ++run) {
    const auto start = Clock::now();
    f();
    const auto end = Clock::now();
    const double time = std::chrono::duration<double>(end - start).count();
    if (time < best) best = time;
    if (run > 1 && std::chrono::duration<double>(end - begin).count() > 0.5) break;
  }
  return best;
}

void Print(const char* name, long long n, double ours, double eigen, double lapack, double unit,
           const char* text) {
  std::printf("%-16s %5lld %10.1f", name, n, ours / unit);
  for (double other : {eigen, lapack}) {
    if (other > 0) {
      std::printf(" %10.1f %5.2f", other / unit, other / ours);
    } else {
      std::printf(" %10s %5s", "", "");
    }
  }
  std::printf("  %s\n", text);
}

float Random() {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return static_cast<float>(state >> 8) / (1 << 24) - 0.5f;
}

void Small() {
  const int count = 100000;
  TensorContainer<cpu, 3> a(Shape3(count, 3, 3)), inverse;
  TensorContainer<cpu, 2> b(Shape2(count, 3)), x;
  for (int m = 0; m < count; ++m) {
    for (int i = 0; i < 3; ++i) {
      b(m, i) = Random();
      for (int j = 0; j <= i; ++j) a(m, i, j) = a(m, j, i) = Random() + (i == j ? 3.0f : 0.0f);
    }
  }
  const double each = count;
  double eigen[3] = {};
#if HAS_EIGEN
  std::vector<Eigen::Matrix3f> matrices(count), inverses(count);
  std::vector<Eigen::Vector3f> right(count), solutions(count);
  for (int m = 0; m < count; ++m) {
    for (int i = 0; i < 3; ++i) {
      right[static_cast<std::size_t>(m)](i) = b(m, i);
      for (int j = 0; j < 3; ++j) matrices[static_cast<std::size_t>(m)](i, j) = a(m, i, j);
    }
  }
  eigen[0] = Best([&] {
    for (std::size_t m = 0; m < matrices.size(); ++m) {
      solutions[m] = matrices[m].partialPivLu().solve(right[m]);
    }
  });
  eigen[1] = Best([&] {
    for (std::size_t m = 0; m < matrices.size(); ++m) inverses[m] = matrices[m].inverse();
  });
  eigen[2] = Best([&] {
    for (std::size_t m = 0; m < matrices.size(); ++m) {
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver(matrices[m]);
      solutions[m] = solver.eigenvalues();
      inverses[m] = solver.eigenvectors();
    }
  });
#endif
  Print("solve, float", 3, Best([&] { x = solve(a, b); }) / each, eigen[0] / each, 0, 1e-9, "ns");
  Print("inv, float", 3, Best([&] { inverse = inv(a); }) / each, eigen[1] / each, 0, 1e-9, "ns");
  Print("eigh, float", 3, Best([&] { const auto f = eigh(a); }) / each, eigen[2] / each, 0, 1e-9,
        "ns");
}

void Large(int n) {
  using Matrix = TensorContainer<cpu, 2, double>;
  Matrix a(Shape2(n, n)), s(Shape2(n, n)), b(Shape2(n, 1));
  for (int i = 0; i < n; ++i) {
    b(i, 0) = Random();
    for (int j = 0; j < n; ++j) a(i, j) = Random();
  }
  s = dot(a, a.T()) + eye<double>(n);
  double eigen[6] = {}, lapack[6] = {};
#if HAS_EIGEN
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<Rows, 0, Eigen::OuterStride<>> map_a(a.dptr_, n, n,
                                                        Eigen::OuterStride<>(a.stride_)),
      map_s(s.dptr_, n, n, Eigen::OuterStride<>(s.stride_));
  const Eigen::MatrixXd ea = map_a, es = map_s;
  Eigen::VectorXd eb(n);
  for (int i = 0; i < n; ++i) eb(i) = b(i, 0);
  Eigen::MatrixXd result;
  eigen[0] = Best([&] { result = ea.partialPivLu().solve(eb); });
  eigen[1] = Best([&] { result = ea.inverse(); });
  eigen[2] = Best([&] { result = es.llt().matrixL(); });
  eigen[3] = Best([&] {
    const Eigen::HouseholderQR<Eigen::MatrixXd> f(ea);
    result = f.householderQ() * Eigen::MatrixXd::Identity(n, n);
  });
  eigen[4] =
      Best([&] { result = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(es).eigenvectors(); });
  eigen[5] = Best([&] {
    result =
        Eigen::BDCSVD<Eigen::MatrixXd>(ea, Eigen::ComputeThinU | Eigen::ComputeThinV).matrixU();
  });
#endif
#if MSHADOW_USE_LAPACK
  const std::size_t size = static_cast<std::size_t>(n * n);
  std::vector<double> da(size), copy(size), u(size), vt(size), w(static_cast<std::size_t>(n)),
      work(8 * size + 1000);
  std::vector<int> iwork(static_cast<std::size_t>(8 * n + 100));
  const int one = 1, work_size = static_cast<int>(work.size()),
            iwork_size = static_cast<int>(iwork.size());
  int info = 0;
  const auto take = [&](const Matrix& m) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) copy[static_cast<std::size_t>(i * n + j)] = m(i, j);
    }
  };
  lapack[0] = Best([&] {
    take(a);
    for (int i = 0; i < n; ++i) w[static_cast<std::size_t>(i)] = b(i, 0);
    dgesv_(&n, &one, copy.data(), &n, iwork.data(), w.data(), &n, &info);
  });
  lapack[2] = Best([&] {
    take(s);
    dpotrf_("L", &n, copy.data(), &n, &info);
  });
  lapack[4] = Best([&] {
    take(s);
    dsyevd_("V", "L", &n, copy.data(), &n, w.data(), work.data(), &work_size, iwork.data(),
            &iwork_size, &info);
  });
  lapack[5] = Best([&] {
    take(a);
    dgesdd_("S", &n, &n, copy.data(), &n, w.data(), u.data(), &n, vt.data(), &n, work.data(),
            &work_size, iwork.data(), &info);
  });
#endif
  const auto print = [&](const char* name, int i, double ours) {
    Print(name, n, ours, eigen[i], lapack[i], 1e-6, "us");
  };
  Matrix x;
  print("solve", 0, Best([&] { x = solve(a, b); }));
  print("inv", 1, Best([&] { x = inv(a); }));
  print("cholesky", 2, Best([&] { x = cholesky(s); }));
  print("qr", 3, Best([&] {
          const auto f = qr(a);
          x = f.Q();
        }));
  print("eigh", 4, Best([&] { const auto f = eigh(s); }));
  print("svd", 5, Best([&] { const auto f = svd(a); }));
}

}  // namespace

int main(int argc, char** argv) {
  SetThreads(1);
  std::printf("%s\n%-16s %5s %10s %10s %5s %10s %5s\n",
              MSHADOW_USE_LAPACK ? "mshadow with LAPACK" : "mshadow, builtin", "", "n", "mshadow",
              "Eigen", "x", "LAPACK", "x");
  if (argc > 1) {
    Large(std::atoi(argv[1]));
    return 0;
  }
  Small();
  for (int n : {16, 64, 256}) Large(n);
  return 0;
}
