// SPDX-License-Identifier: Apache-2.0
// The table that the program prints, row by row, as text or as Markdown.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_TABLE_H_
#define MSHADOW_EXAMPLES_BENCHMARK_TABLE_H_

#include <string>
#include <vector>

#include "report.h"

namespace report {

enum class Unit { kGigabytes, kGigaflops, kNanoseconds };

struct Row {
  std::string statement, size, peer, roof_name, error;
  int threads = 1;
  Unit unit = Unit::kGigabytes;
  Aim aim;
  double ours = 0, hand = 0, roof = 0;  // in `unit`; hand, roof: 0 where there is none
  double ratio = 0;                     // or, in kNanoseconds, the difference
  bool MeetsAim() const;
};

class Table {
 public:
  explicit Table(bool markdown) : markdown_(markdown) {}
  /// What a reader must know: machine, compilers, flags, how ratios are made.
  void PrintPreamble(int max_threads) const;
  void Print(const Row& row);
  /// The rows that miss their aim, and those in error.
  void PrintSummary() const;

 private:
  void PrintCells(const std::vector<std::string>& cells) const;

  bool markdown_;
  std::vector<Row> rows_;
};

}  // namespace report
#endif  // MSHADOW_EXAMPLES_BENCHMARK_TABLE_H_
