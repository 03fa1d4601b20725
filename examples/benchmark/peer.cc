// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>

// An OpenBLAS with threads of its own does not ask OpenMP how many to use.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));

namespace compare {
namespace {

constexpr std::align_val_t kAlignment{64};

/// Random bits of element i; all programs draw the same.
std::uint32_t Bits(std::uint32_t seed, std::uint32_t i) {
  std::uint32_t bits = (i + seed * 0x9e3779b9u) * 2654435769u;
  bits = (bits ^ (bits >> 15)) * 2246822519u;
  bits = (bits ^ (bits >> 13)) * 3266489917u;
  return bits ^ (bits >> 16);
}

void Fill(const Operand& operand, std::uint32_t seed, void* data) {
  const long count = Product(operand.shape);
  for (long i = 0; i < count; ++i) {
    const std::uint32_t bits = Bits(seed, static_cast<std::uint32_t>(i));
    switch (operand.kind) {
      case Kind::kFloat:
        static_cast<float*>(data)[i] =
            operand.scale * static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-31f;
        break;
      case Kind::kBool:
        static_cast<float*>(data)[i] = static_cast<float>(bits >> 31);
        break;
      case Kind::kHalf:  // of either sign, from 2^-8 to 2
        static_cast<std::uint16_t*>(data)[i] =
            static_cast<std::uint16_t>((bits & 0x83ff) | (7 + (bits >> 16) % 9) << 10);
        break;
      case Kind::kBfloat:  // likewise
        static_cast<std::uint16_t*>(data)[i] =
            static_cast<std::uint16_t>((bits & 0x807f) | (119 + (bits >> 16) % 9) << 7);
        break;
      case Kind::kIndex:
        static_cast<std::int32_t*>(data)[i] =
            static_cast<std::int32_t>(bits % static_cast<std::uint32_t>(operand.limit));
    }
  }
}

std::vector<Entry>& AllEntries() {
  static std::vector<Entry> entries;
  return entries;
}

/// Hides from the compiler what a call reads and writes.
inline void Clobber() { asm volatile("" ::: "memory"); }

/// Calls a statement, and times it: on one thread by the time that the processor gives this thread,
/// so that other programs may use the machine as well.
struct Timer {
  clockid_t clock;
  explicit Timer(int threads) : clock(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) {}
  double Now() const {
    timespec now;
    clock_gettime(clock, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
  }
  double Nanoseconds(const Body& body, long calls) const {
    const double start = Now();
    for (long i = 0; i < calls; ++i) {
      body();
      Clobber();
    }
    return Now() - start;
  }
};

/// Calls that take at least `least` nanoseconds together.
long BatchFor(const Timer& timer, const Body& body, double least) {
  for (long calls = 1;;) {
    double taken = timer.Nanoseconds(body, calls);
    // Another program may have had the processor meanwhile: believed when seen three times.
    for (int i = 0; i < 2 && taken >= least; ++i) {
      taken = std::min(taken, timer.Nanoseconds(body, calls));
    }
    if (taken >= least || calls > 100000000) return calls;
    const double factor = std::min(10.0, 1.2 * least / std::max(taken, 1.0));
    calls = static_cast<long>(static_cast<double>(calls) * factor) + 1;
  }
}

class Worker {
 public:
  std::string Answer(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "prepare") {
      std::string name, size, path;
      int threads = 1;
      words >> name >> size >> threads >> path;
      return Prepare(name, size, threads, path);
    }
    if (command == "time") {
      double milliseconds = 1;
      words >> milliseconds;
      return Time(milliseconds * 1e6);
    }
    if (command == "drop") {
      body_ = nullptr;
      job_.reset();
      return "ok";
    }
    return "error: no command " + command;
  }

 private:
  /// Builds the statement, and writes what its first call gives to the file, if one is named.
  std::string Prepare(const std::string& name, const std::string& size, int threads,
                      const std::string& path) {
    const std::vector<Entry>& entries = AllEntries();
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& e) { return name == e.statement; });
    if (entry == entries.end()) return "unsupported";
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
    UseThreads(threads);
    job_ = std::make_unique<Job>(MakeCase(name, size), threads);
    body_ = entry->make != nullptr ? entry->make(*job_)
                                   : [job = job_.get(), run = entry->run] { run(*job); };
    if (!body_) return "unsupported";
    body_();
    Clobber();
    batch_ = 0;
    if (path.empty()) return "ok";
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return "error: cannot write " + path;
    const auto bytes =
        static_cast<std::size_t>(Bytes(job_->what().ResultShape(), job_->what().result));
    const bool written = std::fwrite(job_->out(), 1, bytes, file) == bytes;
    return std::fclose(file) == 0 && written ? "ok" : "error: cannot write " + path;
  }

  /// Runs batches until `budget` nanoseconds are spent: their median, and the shortest.
  std::string Time(double budget) {
    if (!body_) return "error: nothing is prepared";
    // A tenth or so of the budget wakes threads and brings operands back into caches.
    const Timer timer(job_->threads());
    if (batch_ == 0) batch_ = BatchFor(timer, body_, budget / 16);
    timer.Nanoseconds(body_, batch_);
    std::vector<double> times;
    for (double spent = 0; times.empty() || spent < budget;) {
      const double taken = timer.Nanoseconds(body_, batch_);
      times.push_back(taken / static_cast<double>(batch_));
      spent += taken;
    }
    std::sort(times.begin(), times.end());
    return std::to_string(times[times.size() / 2]) + " " + std::to_string(times[0]);
  }

  std::unique_ptr<Job> job_;
  Body body_;
  long batch_ = 0;
};

}  // namespace

Buffer::Buffer(long bytes) : data_(::operator new(static_cast<std::size_t>(bytes), kAlignment)) {}
void Buffer::Free::operator()(void* p) const { ::operator delete(p, kAlignment); }

Job::Job(const Case& the_case, int threads) : case_(the_case), threads_(threads) {
  std::uint32_t seed = 1;
  for (const Operand& operand : case_.in) {
    in_.emplace_back(Bytes(operand.shape, operand.kind));
    Fill(operand, seed++, in_.back().data());
  }
  if (case_.out.empty()) {
    result_ = in_[0].data();
    return;
  }
  const long bytes = Bytes(case_.out, case_.result);
  out_ = std::make_unique<Buffer>(bytes);
  result_ = out_->data();
  std::fill_n(static_cast<char*>(result_), bytes, '\0');
}

long Job::rows(int axes) const {
  return Product(Extents(case_.shape.begin(), case_.shape.begin() + axes));
}

Entries::Entries(std::initializer_list<Entry> entries) {
  AllEntries().insert(AllEntries().end(), entries);
}

}  // namespace compare

int main() {
  compare::Worker worker;
  std::cout << compare::Description() << std::endl;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    std::string answer;
    try {
      answer = worker.Answer(line);
    } catch (const std::exception& error) {
      answer = error.what();
      std::replace(answer.begin(), answer.end(), '\n', ' ');
      answer = "error: " + answer;
    }
    std::cout << answer << std::endl;
  }
}
