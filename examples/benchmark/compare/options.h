// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_BENCHMARK_COMPARE_OPTIONS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_COMPARE_OPTIONS_H_

#include <string>

namespace compare {

struct Options {
  std::string filter = ".*", threads = "both";  // "1", "all" or "both"
  std::string json, markdown, svg;              // files; empty: none, but Markdown is printed
  int rounds = 7;
  double milliseconds = 20;
  bool quick = false, shortest = false;
};

extern const char kUsage[];
/// Throws std::invalid_argument.
Options ParseOptions(int argc, char** argv);

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_COMPARE_OPTIONS_H_
