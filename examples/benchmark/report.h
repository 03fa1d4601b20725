// SPDX-License-Identifier: Apache-2.0
// What was measured, and the table that shows it.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_REPORT_H_
#define MSHADOW_EXAMPLES_BENCHMARK_REPORT_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "statements.h"

namespace compare {

/// The library, the hand-written loops, another build of the library, or another library.
enum class Role { kOurs, kHand, kBefore, kPeer };
struct Program {
  std::string name, description;
  Role role;
};

/// Nanoseconds of a call in each round; empty if a program has no such statement.
using Times = std::vector<double>;

/// A statement at one size on some threads.
struct Row {
  Case what;
  int threads = 1;
  std::vector<Times> times;  // of each program
  Times roof;                // of a memory stream over as many bytes
};

struct Report {
  std::string machine, date, method;
  int threads = 1;        // what "all threads" are
  bool shortest = false;  // figures are of the shortest times, otherwise medians
  std::vector<Program> programs;
  std::vector<Row> rows;

  /// Returns the median or the shortest time.
  double Typical(const Times& times) const;
  /// Returns the speed of the library over that of another program; 0 if `theirs` is empty.
  /// Medians are those of the quotients in each round: a disturbance affects all turns of a round.
  double Ratio(const Row& row, const Times& theirs) const;
  /// Returns the times of the fastest program of a role; empty if there is none.
  const Times& Best(const Row& row, Role role) const;
};

/// Writes one line about a row, and the whole report as Markdown.
void WriteRatios(std::ostream& out, const Report& report, const Row& row);
void WriteMarkdown(std::ostream& out, const Report& report);

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_REPORT_H_
