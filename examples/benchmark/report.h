// SPDX-License-Identifier: Apache-2.0
// What was measured, and the table that shows it.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_REPORT_H_
#define MSHADOW_EXAMPLES_BENCHMARK_REPORT_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "statements.h"

namespace compare {

/// Which column a program is: the library, the loops by hand, the library as another program has
/// it, or another library.
enum class Role { kOurs, kHand, kBefore, kPeer };
struct Program {
  std::string name, description;
  Role role;
};

/// Nanoseconds of a call, one for each round; none where a program has no such statement.
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

  /// The time that stands for the rounds.
  double Typical(const Times& times) const;
  /// Speed of the first program over that of another; 0 where there are no `theirs`. Medians are of
  /// the quotients of each round: what disturbed a round stays within it.
  double Ratio(const Row& row, const Times& theirs) const;
  /// The times of the fastest program of a role; none if there are none.
  const Times& Best(const Row& row, Role role) const;
};

/// One line about a row, and all of it as Markdown.
void WriteRatios(std::ostream& out, const Report& report, const Row& row);
void WriteMarkdown(std::ostream& out, const Report& report);

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_REPORT_H_
