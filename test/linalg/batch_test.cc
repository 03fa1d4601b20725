// SPDX-License-Identifier: Apache-2.0
// How matrices are shared among threads.
#include <mshadow/fft.h>

#include <mutex>
#include <type_traits>

#include "matrices.h"

namespace mshadow {
namespace {

using namespace testing;  // NOLINT

// Files with OpenMP and without have forms of their own of what runs threads.
static_assert(std::is_same_v<LU<2, float>, MSHADOW_THREADS_NAMESPACE::LU<2, float>>);
static_assert(std::is_same_v<
              decltype(MSHADOW_THREADS_NAMESPACE::inv(std::declval<const LU<2, float>&>().L())),
              TensorContainer<cpu, 2, float>>);
static_assert(std::is_same_v<decltype(expr::adl::MSHADOW_THREADS_NAMESPACE::fft(
                                 std::declval<const TensorContainer<cpu, 1, float>&>())),
                             TensorContainer<cpu, 1, std::complex<float>>>);

/// The lengths of the parts that ForMatrices makes, the longest and the sum.
std::pair<int, int> PartsOf(int count, double flops, int inner) {
  std::mutex mutex;
  int longest = 0, sum = 0;
  detail::linalg::MSHADOW_THREADS_NAMESPACE::ForMatrices(
      count, flops, inner, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        const std::lock_guard<std::mutex> lock(mutex);
        longest = (std::max)(longest, static_cast<int>(end - begin));
        sum += static_cast<int>(end - begin);
      });
  return {longest, sum};
}

TEST(Batch, FewMatricesLeaveTheThreadsToWhatRunsInside) {
  using Parts = std::pair<int, int>;
  const int before = MaxThreads();
  SetThreads(4);
  if (MaxThreads() == 4) {
    EXPECT_EQ(PartsOf(2, 1e9, 4), Parts(2, 2));
    EXPECT_EQ(PartsOf(2, 1e9, 3), Parts(1, 2));
    EXPECT_EQ(PartsOf(2, 1e9, 1), Parts(1, 2));
    EXPECT_EQ(PartsOf(4, 1e9, 4), Parts(1, 4));
  }
  EXPECT_EQ(PartsOf(0, 1e9, 4), Parts(0, 0));
  SetThreads(1);
  EXPECT_EQ(PartsOf(2, 1e9, 1), Parts(2, 2));
  SetThreads(before);
}

TEST(Batch, ThreadsInsideAreThoseOfLargeMatrices) {
  using namespace detail::linalg;  // NOLINT
  const int before = MaxThreads();
  SetThreads(4);
  const int most = MaxThreads();
  // Two of 150 x 150: what svd, eigh and eig do with them costs many times this, on one thread.
  for (const Index n : {9, 150}) {
    const double volume = Volume(n, n, n);
    EXPECT_EQ(ThreadsOfLapack(volume), 1);
    EXPECT_EQ(ThreadsOfProducts(volume), 1);
    EXPECT_EQ(InnerThreads(n, volume), 1);
    if (most == 4) {
      EXPECT_EQ(PartsOf(2, 20 * volume, ThreadsOfLapack(volume)).first, n == 9 ? 2 : 1);
    }
  }
  const double volume = Volume(1000, 1000, 1000);
  EXPECT_LE(ThreadsOfProducts(volume), most);
#if MSHADOW_USE_LAPACK
  // LAPACK gets the threads, and gives them back.
  EXPECT_LE(ThreadsOfLapack(volume), most);
#if defined(OPENBLAS_THREAD)
  const int inside = ThreadsOfLapack(volume);
  if (inside > 1) {
    {
      const LapackThreads threads(volume);
      EXPECT_EQ(openblas_get_num_threads(), inside);
    }
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
#endif
#else
  EXPECT_EQ(ThreadsOfLapack(volume), 1);
#endif
#if !MSHADOW_USE_CBLAS
  EXPECT_EQ(ThreadsOfProducts(volume), most);
#endif
  SetThreads(1);
  EXPECT_EQ(ThreadsOfLapack(volume), 1);
  EXPECT_EQ(ThreadsOfProducts(volume), 1);
  SetThreads(before);
}

TEST(Batch, LargeMatricesOnThreads) {
  const int n = 280, before = MaxThreads();
  TensorContainer<cpu, 3, float> a(Shape3(2, n, n)), b(Shape3(2, n, 1));
  for (int m = 0; m < 2; ++m) {
    a[m] = Of<float>(Make(Kind::kRandom, n, n, static_cast<uint32_t>(m + 1))) + eye(n) * 20.0f;
    b[m] = Of<float>(Make(Kind::kRandom, n, 1, static_cast<uint32_t>(m + 1)));
  }
  SetThreads(4);
  const auto x = solve(a, b);
  TensorContainer<cpu, 2, float> product;
  product = dot(a[0], x[0]);  // LAPACK has given the threads back
  SetThreads(before);
  EXPECT_LE(Size(In(product) - In(b[0])), Bound<float>(n, Size(In(b[0]))));
  EXPECT_LE(Size(In(a[1]) * In(x[1]) - In(b[1])), Bound<float>(n, Size(In(b[1]))));
}

}  // namespace
}  // namespace mshadow
