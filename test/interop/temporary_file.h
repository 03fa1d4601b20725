// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_TEST_INTEROP_TEMPORARY_FILE_H_
#define MSHADOW_TEST_INTEROP_TEMPORARY_FILE_H_

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace mshadow {
namespace testing {

/// A file of its own in the working directory, removed in the end.
struct TemporaryFile {
  std::string path = "interop_test_" + std::to_string(::getpid()) + "_" + std::to_string(Next());
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(path.c_str()); }
  void Write(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::string Read() const {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  static int Next() {
    static int count = 0;
    return ++count;
  }
};

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_INTEROP_TEMPORARY_FILE_H_
