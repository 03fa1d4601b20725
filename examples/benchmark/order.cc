// SPDX-License-Identifier: Apache-2.0
// Order and selection beside the standard library's algorithms and plain loops, on one thread: the
// shortest of many interleaved runs, in milliseconds of the thread's own time.
#include <mshadow/index.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;

namespace {

double Now() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A line of the table: f() beside peer(), which `prepare` comes before.
template <typename Prepare, typename Peer, typename F>
void Row(const char* name, const char* peer_name, int rounds, const Prepare& prepare,
         const Peer& peer, const F& f) {
  double by_peer = 1e30, ours = 1e30;
  for (int i = 0; i < rounds; ++i) {
    prepare();
    const double begin = Now();
    peer();
    const double middle = Now();
    f();
    const double end = Now();
    by_peer = std::min(by_peer, middle - begin);
    ours = std::min(ours, end - middle);
  }
  std::printf("%-32s %8.2f   %-28s %8.2f %6.2f\n", name, ours, peer_name, by_peer, ours / by_peer);
}
const auto kNothing = [] {};

void Sorts(index_t n) {
  Random<cpu> random(1);
  TensorContainer<cpu, 1> x{Shape1(n)};
  random.SampleGaussian(&x);
  std::vector<float> work;
  std::vector<int64_t> places(n);
  const auto copy = [&] { work.assign(x.begin(), x.end()); };
  const auto iota = [&] { std::iota(places.begin(), places.end(), int64_t{0}); };
  const auto by_value = [&](int64_t a, int64_t b) { return x.dptr_[a] < x.dptr_[b]; };
  Row(
      "sort", "std::sort", 15, copy, [&] { std::sort(work.begin(), work.end()); },
      [&] { sort(x); });
  Row(
      "argsort", "std::stable_sort of indices", 5, iota,
      [&] { std::stable_sort(places.begin(), places.end(), by_value); }, [&] { argsort(x); });
  Row(
      "topk 10", "std::partial_sort", 15, copy,
      [&] {
        std::partial_sort(work.begin(), work.begin() + 10, work.end(), std::greater<float>());
      },
      [&] { topk(x, 10); });
  Row(
      "partition", "std::nth_element", 15, copy,
      [&] { std::nth_element(work.begin(), work.begin() + n / 2, work.end()); },
      [&] { partition(x, n / 2); });
  Row(
      "median", "std::nth_element", 15, copy,
      [&] { std::nth_element(work.begin(), work.begin() + n / 2, work.end()); },
      [&] { median(x); });
  Row(
      "unique", "std::sort, std::unique", 15, copy,
      [&] {
        std::sort(work.begin(), work.end());
        work.erase(std::unique(work.begin(), work.end()), work.end());
      },
      [&] { unique(x); });
  const TensorContainer<cpu, 2> rows(reshape(x, Shape2(n / 32, 32)));
  Row(
      "sort, rows of 32", "std::sort", 15, copy,
      [&] {
        for (auto i = work.begin(); i + 32 <= work.end(); i += 32) std::sort(i, i + 32);
      },
      [&] { sort(rows); });
  std::vector<float> column(n / 32);
  Row(
      "sort, axis 0 of 32 columns", "std::sort of copies", 5, copy,
      [&] {
        for (std::size_t c = 0; c < 32; ++c) {
          for (std::size_t i = 0; i < column.size(); ++i) column[i] = work[32 * i + c];
          std::sort(column.begin(), column.end());
          for (std::size_t i = 0; i < column.size(); ++i) work[32 * i + c] = column[i];
        }
      },
      [&] { sort(rows, 0); });
}

void Bins(index_t n) {
  Random<cpu> random(1);
  Random<cpu, int> integers(2);
  TensorContainer<cpu, 1> x{Shape1(n)}, few(Shape1(1000));
  TensorContainer<cpu, 1, int> labels{Shape1(n)};
  random.SampleUniform(&x);
  random.SampleUniform(&few);
  integers.SampleUniform(&labels, 0, 999);
  std::vector<int64_t> counts(1000);
  std::vector<std::size_t> places(n);
  Row(
      "bincount, 1000", "a plain loop", 25, kNothing,
      [&] {
        std::fill(counts.begin(), counts.end(), int64_t{0});
        for (index_t i = 0; i < n; ++i) ++counts[static_cast<std::size_t>(labels.dptr_[i])];
      },
      [&] { bincount(labels); });
  Row(
      "histogram, 100 bins", "a plain loop", 15, kNothing,
      [&] {
        std::fill(counts.begin(), counts.end(), int64_t{0});
        for (index_t i = 0; i < n; ++i) ++counts[static_cast<std::size_t>(x.dptr_[i] * 100.0f)];
      },
      [&] {
        histogram(x, 100, {0, 1});
      });
  const auto sorted = sort(few);
  Row(
      "searchsorted, 1000", "std::lower_bound", 15, kNothing,
      [&] {
        for (index_t i = 0; i < n; ++i) {
          places[i] = static_cast<std::size_t>(
              std::lower_bound(sorted.begin(), sorted.end(), x.dptr_[i]) - sorted.begin());
        }
      },
      [&] { searchsorted(sorted, x); });
  Row(
      "isin, 1000", "std::binary_search", 15, kNothing,
      [&] {
        for (index_t i = 0; i < n; ++i) {
          places[i] = std::binary_search(sorted.begin(), sorted.end(), x.dptr_[i]) ? 1 : 0;
        }
      },
      [&] { isin(x, few); });
  Row(
      "permutation", "a shuffle by rand()", 5, kNothing,
      [&] {
        std::iota(places.begin(), places.end(), std::size_t{0});
        for (index_t i = n; i > 1; --i) {
          std::swap(places[i - 1], places[static_cast<std::size_t>(std::rand()) % i]);
        }
      },
      [&] { permutation(random, n); });
}

void Selections(index_t n) {
  Random<cpu> random(1);
  TensorContainer<cpu, 1> x{Shape1(n)};
  random.SampleGaussian(&x);
  const TensorContainer<cpu, 1, bool> mask(tcast<bool>(x > 0.0f));
  Row(
      "select, half", "a copy in new memory", 9, kNothing,
      [&] { const TensorContainer<cpu, 1> y(x); }, [&] { select(x, mask); });
  Row(
      "select, x > 0", "a copy in new memory", 9, kNothing,
      [&] { const TensorContainer<cpu, 1> y(x); }, [&] { select(x, x > 0.0f); });
  Row(
      "nonzero", "a plain loop", 9, kNothing,
      [&] {
        TensorContainer<cpu, 1, int64_t> y(x.shape_);
        index_t k = 0;
        for (index_t i = 0; i < n; ++i) {
          y.dptr_[k] = static_cast<int64_t>(i);
          k += mask.dptr_[i] ? 1 : 0;
        }
      },
      [&] { nonzero(mask); });
}

}  // namespace

int main() {
  SetThreads(1);
  std::printf("%-32s %8s   %-28s %8s %6s\n", "ms, 2^20 floats", "mshadow", "beside", "", "ratio");
  Sorts(1 << 20);
  Bins(1 << 20);
  std::printf("2^24 floats\n");
  Selections(1 << 24);
  return 0;
}
