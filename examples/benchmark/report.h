// SPDX-License-Identifier: Apache-2.0
// Times a statement of the library and its hand-written loops in turn, in one run, and prints one
// row of a table for each. Machines are noisy; what is done twice within milliseconds compares.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_REPORT_H_
#define MSHADOW_EXAMPLES_BENCHMARK_REPORT_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace benchmark {
class State;
}

namespace report {

using std::ptrdiff_t;

struct Options {
  int rounds = 21;        // of every row: each contender once, in turn
  double seconds = 0.002;  // least time that a contender runs in a round
  bool shortest = false;   // figures from the shortest times; on machines that others use as well
  bool markdown = false;
  bool quick = false;  // one short round of everything but the largest sizes, to see that it works
};
const Options& GetOptions();
/// The threads that the program may use.
int MaxThreads();

/// The streams of memory that bound a statement; timed in the same rounds on as many bytes.
enum class Roof { kNone, kRead, kWrite, kCopy, kTriad };

/// What the ratio of a row is meant to reach.
struct Aim {
  double ratio = 0;  // speed over that of the best hand-written loop; 0: none
  double extra = 0;  // nanoseconds more than the loop; 0: the row reports a ratio
};
constexpr Aim kNoAim{0, 0}, kAnySize{0.8, 0}, kLarge{0.95, 0}, kSmall{0, 15};

/// Calls something n times.
using Repeated = std::function<void(ptrdiff_t n)>;
template <typename F>
Repeated Repeat(F f) {
  return [f](ptrdiff_t n) mutable {
    for (ptrdiff_t i = 0; i < n; ++i) {
      f();
      asm volatile("" ::: "memory");  // the next call may not know what this one wrote
    }
  };
}

/// One row. Its function says what a call is worth, names the contenders, and ends with Run().
class Measurement {
 public:
  Measurement(benchmark::State* state, std::string statement, std::string size, int threads,
              Aim aim);
  int threads() const { return threads_; }

  /// Useful bytes of one call: every element read or written counts once.
  void Bytes(double bytes, Roof roof);
  /// Multiplications and additions of one call.
  void Operations(double operations);
  /// What the contenders write; every peer must write what the statement does, to `tolerance`
  /// relative to 1 + |value|, or the row is an error.
  template <typename T>
  void Result(T* data, ptrdiff_t count, double tolerance = 1e-5) {
    result_ = {data, count, sizeof(T), tolerance,
               [](const void* p, ptrdiff_t i) { return double(static_cast<const T*>(p)[i]); }};
  }
  template <typename F>
  void Ours(F f) {
    contenders_.insert(contenders_.begin(), Contender{"mshadow", Repeat(f), 1, {}});
  }
  template <typename F>
  void Peer(const char* name, F f) {
    contenders_.push_back(Contender{name, Repeat(f), 1, {}});
  }
  void Run();

 private:
  struct Contender {
    std::string name;
    Repeated run;
    ptrdiff_t batch;
    std::vector<double> seconds;  // of a call, one value a round
  };
  struct ResultArea {
    void* data = nullptr;
    ptrdiff_t count = 0;
    size_t size = 0;
    double tolerance = 0;
    double (*at)(const void*, ptrdiff_t) = nullptr;
  };
  bool ResultsAgree();
  void AddRoof();
  void Summarize();

  benchmark::State* state_;
  std::string statement_, size_;
  int threads_;
  Aim aim_;
  double work_ = 0;
  bool is_bytes_ = false;
  Roof roof_ = Roof::kNone;
  ResultArea result_;
  std::vector<Contender> contenders_;
};

/// Which thread counts a row is measured with.
enum class Threads { kOne, kOneAndAll };

/// Registers a row with Google Benchmark as `id` (what --benchmark_filter sees).
void Add(const std::string& id, const std::string& statement, const std::string& size,
         Threads threads, Aim aim, std::function<void(Measurement&)> body);

/// The same numbers in [-scale, scale) every time.
template <typename T>
void Fill(T* data, ptrdiff_t count, float scale = 1.0f) {
  for (ptrdiff_t i = 0; i < count; ++i) {
    unsigned bits = static_cast<unsigned>(i) * 2654435769u;
    bits = (bits ^ (bits >> 15)) * 2246822519u;
    bits ^= bits >> 13;
    const float unit = static_cast<float>(static_cast<int>(bits >> 8) - (1 << 23)) / (1 << 23);
    data[i] = static_cast<T>(scale * unit);
  }
}

}  // namespace report
#endif  // MSHADOW_EXAMPLES_BENCHMARK_REPORT_H_
