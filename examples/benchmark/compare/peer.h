// SPDX-License-Identifier: Apache-2.0
// The frame of a program that is compared: it makes operands, builds what a statement needs, and
// times it, as the driver asks it to over its standard input and output.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_COMPARE_PEER_H_
#define MSHADOW_EXAMPLES_BENCHMARK_COMPARE_PEER_H_

#include <cstdint>
#include <functional>
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
  long n() const { return case_.n; }
  int threads() const { return threads_; }
  /// Extent `axis` of operand i.
  long size(int i, int axis) const { return case_.in[i].shape[axis]; }
  long count(int i) const { return Product(case_.in[i].shape); }

  float* in(int i) const { return static_cast<float*>(in_[i].data()); }
  std::uint16_t* halves(int i) const { return static_cast<std::uint16_t*>(in_[i].data()); }
  std::int32_t* indices(int i) const { return static_cast<std::int32_t*>(in_[i].data()); }
  /// Where the result goes; operand 0 if the statement works in place.
  float* out() const { return static_cast<float*>(result_); }
  std::uint16_t* half_out() const { return static_cast<std::uint16_t*>(result_); }
  /// For libraries that hold their own memory.
  void ResultIsAt(void* result) { result_ = result; }
  long ResultBytes() const;

 private:
  Case case_;
  int threads_;
  std::vector<Buffer> in_;
  std::unique_ptr<Buffer> out_;
  void* result_;
};

/// What is timed; it owns, or shares, what it works on, except for the Job's memory.
using Body = std::function<void()>;
using Make = Body (*)(Job& job);

struct Entry {
  const char* statement;
  Make make;
};

/// Hides from the compiler what a call reads and writes.
inline void Clobber() { asm volatile("" ::: "memory"); }

/// The main program. `use_threads` sets the number of threads for all that follows; it is called
/// before a statement is made.
int RunPeer(const std::vector<Entry>& entries, const std::string& description,
            const std::function<void(int)>& use_threads);

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_COMPARE_PEER_H_
