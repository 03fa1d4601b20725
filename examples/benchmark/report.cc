// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <benchmark/benchmark.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "hand/loops.h"
#include "program.h"

// An OpenBLAS with threads of its own does not ask OpenMP how many to use.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));

namespace report {
namespace {

double Seconds(const Repeated& run, ptrdiff_t n) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  run(n);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Shortest(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What stands for the times of a contender.
double Typical(const std::vector<double>& seconds) {
  return GetOptions().shortest ? Shortest(seconds) : Median(seconds);
}

/// Calls that take `least` seconds together.
ptrdiff_t BatchFor(const Repeated& run, double least) {
  for (ptrdiff_t n = 1;;) {
    const double seconds = Seconds(run, n);
    if (seconds >= least || n > 100000000) return n;
    const double factor = std::min(10.0, 1.2 * least / std::max(seconds, 1e-9));
    n = static_cast<ptrdiff_t>(static_cast<double>(n) * factor) + 1;
  }
}

void UseThreads(int threads) {
#ifdef _OPENMP
  omp_set_num_threads(threads);
#endif
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

struct AlignedDelete {
  void operator()(float* p) const { ::operator delete(p, std::align_val_t(64)); }
};

}  // namespace

int MaxThreads() {
#ifdef _OPENMP
  static const int most = omp_get_max_threads();
  return most;
#else
  return 1;
#endif
}

Measurement::Measurement(benchmark::State* state, std::string statement, std::string size,
                         int threads, Aim aim)
    : state_(state),
      statement_(std::move(statement)),
      size_(std::move(size)),
      threads_(threads),
      aim_(aim) {}

void Measurement::Bytes(double bytes, Roof roof) {
  work_ = bytes;
  is_bytes_ = true;
  roof_ = roof;
}

void Measurement::Operations(double operations) { work_ = operations; }

bool Measurement::ResultsAgree() {
  if (result_.data == nullptr) return true;
  const std::size_t bytes = static_cast<std::size_t>(result_.count) * result_.size;
  std::vector<char> before(bytes), ours(bytes);
  std::memcpy(before.data(), result_.data, bytes);
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    contenders_[i].run(1);
    if (i == 0) std::memcpy(ours.data(), result_.data, bytes);
    for (ptrdiff_t j = 0; j < result_.count && i > 0; ++j) {
      const std::size_t offset = static_cast<std::size_t>(j) * result_.size;
      const char* const theirs = static_cast<const char*>(result_.data) + offset;
      if (std::memcmp(ours.data() + offset, theirs, result_.size) == 0) continue;
      const double a = result_.at(ours.data(), j), b = result_.at(result_.data, j);
      if (!(std::fabs(a - b) <= result_.tolerance * (1 + std::fabs(b)))) {
        Row row;
        row.statement = statement_;
        row.size = size_;
        row.threads = threads_;
        row.error = "element " + std::to_string(j) + " is " + std::to_string(a) + ", but " +
                    std::to_string(b) + " by " + contenders_[i].name;
        AddRow(row);
        return false;
      }
    }
    std::memcpy(result_.data, before.data(), bytes);
  }
  return true;
}

void Measurement::AddRoof() {
  if (roof_ == Roof::kNone) return;
  const int streams = roof_ == Roof::kTriad ? 3 : roof_ == Roof::kCopy ? 2 : 1;
  const ptrdiff_t n = std::max(ptrdiff_t{1}, static_cast<ptrdiff_t>(work_) / 4 / streams);
  const std::size_t bytes = static_cast<std::size_t>(n * streams) * sizeof(float);
  const std::shared_ptr<float> memory(
      static_cast<float*>(::operator new(bytes, std::align_val_t(64))), AlignedDelete());
  Fill(memory.get(), n * streams);
  const auto run = [memory, n, roof = roof_] {
    float* const p = memory.get();
    switch (roof) {
      case Roof::kRead: benchmark::DoNotOptimize(hand::Read(p, n)); break;
      case Roof::kWrite: hand::Write(p, 1, n); break;
      case Roof::kCopy: hand::Copy(p, p + n, n); break;
      default: hand::Triad(p, p + n, p + 2 * n, 0.5f, n);
    }
  };
  const char* const names[] = {"", "read", "write", "copy", "triad"};
  contenders_.push_back(Contender{names[static_cast<int>(roof_)], Repeat(run), 1, {}});
}

void Measurement::Run() {
  UseThreads(threads_);
  if (!ResultsAgree()) {
    state_->SkipWithError("the results of mshadow and of a peer differ");
    return;
  }
  AddRoof();
  for (Contender& c : contenders_) c.batch = BatchFor(c.run, GetOptions().seconds);
  std::size_t first = 0;  // each contender comes after each other one in turn
  for (auto _ : *state_) {
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      Contender& c = contenders_[(i + first) % contenders_.size()];
      c.seconds.push_back(Seconds(c.run, c.batch) / static_cast<double>(c.batch));
    }
    state_->SetIterationTime(contenders_[0].seconds.back());
    ++first;
  }
  UseThreads(MaxThreads());
  Summarize();
}

void Measurement::Summarize() {
  Row row;
  row.statement = statement_;
  row.size = size_;
  row.threads = threads_;
  row.aim = aim_;
  const bool as_time = aim_.extra > 0;
  row.unit = as_time ? Unit::kNanoseconds : is_bytes_ ? Unit::kGigabytes : Unit::kGigaflops;
  const auto figure = [&](double seconds) {
    return as_time ? seconds * 1e9 : work_ / seconds * 1e-9;
  };
  const std::vector<double>& ours = contenders_[0].seconds;
  row.ours = figure(Typical(ours));

  const std::size_t peers = contenders_.size() - (roof_ == Roof::kNone ? 0 : 1);
  const Contender* best = nullptr;
  for (std::size_t i = 1; i < peers; ++i) {
    const Contender& c = contenders_[i];
    if (best == nullptr || Typical(c.seconds) < Typical(best->seconds)) best = &c;
  }
  if (best != nullptr) {
    // Shortest times meet in no round; otherwise what disturbed a round stays within it.
    const auto compare = [&](double mine, double theirs) {
      return as_time ? (mine - theirs) * 1e9 : theirs / mine;
    };
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ratios.push_back(compare(ours[i], best->seconds[i]));
    }
    row.peer = best->name;
    row.hand = figure(Typical(best->seconds));
    row.ratio = GetOptions().shortest ? compare(Shortest(ours), Shortest(best->seconds))
                                      : Median(ratios);
    state_->counters["peer_seconds"] = Typical(best->seconds);
    state_->counters[as_time ? "extra_ns" : "ratio"] = row.ratio;
  }
  if (roof_ != Roof::kNone) {
    row.roof_name = contenders_.back().name;
    row.roof = work_ / Typical(contenders_.back().seconds) * 1e-9;
    state_->counters["roofline"] = row.roof;
  }
  AddRow(row);
}

void Add(const std::string& id, const std::string& statement, const std::string& size,
         Threads threads, Aim aim, std::function<void(Measurement&)> body) {
  for (const int count : {1, MaxThreads()}) {
    if (count == 1 || (threads == Threads::kOneAndAll && MaxThreads() > 1)) {
      const std::string name = id + "/threads_" + std::to_string(count);
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        Measurement measurement(&state, statement, size, count, aim);
        body(measurement);
      })->Iterations(GetOptions().rounds)->UseManualTime();
    }
    if (MaxThreads() == 1) break;
  }
}

}  // namespace report
