// SPDX-License-Identifier: Apache-2.0
// What all measured programs share: they make operands, prepare a statement and time it, as the
// driver asks over standard input and output.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_PEER_H_
#define MSHADOW_EXAMPLES_BENCHMARK_PEER_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "statements.h"

namespace compare {

/// Memory for operands; 64-byte aligned.
class Buffer {
 public:
  explicit Buffer(long bytes);
  void* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Free> data_;
};

/// A statement at one size, its operands and its result.
class Job {
 public:
  Job(const Case& the_case, int threads);
  const Case& what() const { return case_; }
  int threads() const { return threads_; }
  /// Number `axis` of the size, and the product of the first `axes` numbers.
  long size(int axis) const { return case_.shape[axis]; }
  long rows(int axes) const;
  /// Extent `axis` of operand i, and the number of its elements.
  long size(int i, int axis) const { return case_.in[i].shape[axis]; }
  long count(int i) const { return Product(case_.in[i].shape); }
  long count() const { return Product(case_.ResultShape()); }

  float* in(int i) const { return static_cast<float*>(in_[i].data()); }
  std::uint16_t* halves(int i) const { return static_cast<std::uint16_t*>(in_[i].data()); }
  std::int32_t* indices(int i) const { return static_cast<std::int32_t*>(in_[i].data()); }
  /// Where the result goes; operand 0 if the statement works in place.
  float* out() const { return static_cast<float*>(result_); }
  std::uint16_t* half_out() const { return static_cast<std::uint16_t*>(result_); }
  std::int32_t* index_out() const { return static_cast<std::int32_t*>(result_); }
  /// For libraries that hold their own memory.
  void ResultIsAt(void* result) { result_ = result; }

 private:
  Case case_;
  int threads_;
  std::vector<Buffer> in_;
  std::unique_ptr<Buffer> out_;
  void* result_;
};

/// The call that is timed. It owns or shares its memory, except for the Job's. Empty if the library
/// has no such statement at this size.
using Body = std::function<void()>;

/// A statement of the program: a function that makes its Body, or, if a few nanoseconds do not
/// matter, one that runs it.
struct Entry {
  using Make = Body (*)(Job& job);
  using Run = void (*)(Job& job);
  Entry(const char* name, Make of_job) : statement(name), make(of_job) {}
  Entry(const char* name, Run of_job) : statement(name), run(of_job) {}

  const char* statement;
  Make make = nullptr;
  Run run = nullptr;
};

/// Adds statements to those of the program. Each source file defines such an object.
struct Entries {
  Entries(std::initializer_list<Entry> entries);
};

/// Each program defines these. UseThreads sets threads other than those of OpenMP and OpenBLAS.
std::string Description();
void UseThreads(int threads);

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_PEER_H_
