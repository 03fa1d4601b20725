// SPDX-License-Identifier: Apache-2.0
// A program that is compared, as a child that answers lines. It stands still between questions:
// threads that wait in its pools take no time from another's turn.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_PROCESS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_PROCESS_H_

#include <sys/types.h>

#include <string>

namespace compare {

class Process {
 public:
  /// Starts `path`; its first line says what it is.
  explicit Process(const std::string& path);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const std::string& description() const { return description_; }
  /// Sends a line and waits for the answer; throws std::runtime_error if the child has ended.
  std::string Ask(const std::string& line);

 private:
  std::string ReadLine();

  std::string path_, description_, read_;
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_PROCESS_H_
