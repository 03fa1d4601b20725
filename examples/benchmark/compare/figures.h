// SPDX-License-Identifier: Apache-2.0
// What was measured, and how it is shown.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_COMPARE_FIGURES_H_
#define MSHADOW_EXAMPLES_BENCHMARK_COMPARE_FIGURES_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "statements.h"

namespace compare {

/// The columns: the library, the same compiled for this machine alone, hand-written loops, and then
/// the other libraries.
constexpr std::size_t kOurs = 0, kNative = 1, kHand = 2, kFirstPeer = 3;

struct Program {
  std::string name, description;
};

/// A statement at one size on some threads.
struct Row {
  Case what;
  int threads = 1;
  std::vector<double> nanoseconds;  // of a call, one for each program; 0: it has no such statement
  double roof = 0;                  // nanoseconds that memory needs; 0: not measured

  /// In the unit of the statement; 0 for none.
  double Figure(double taken) const;
  /// The fastest of the other libraries; 0 if none has the statement.
  std::size_t BestPeer() const;
  /// Our speed over that of the best of the others, over that of the loop; 0 for none.
  double VersusPeers() const;
  double VersusHand() const;
};

struct Report {
  std::string machine, date, method;
  int threads = 1;  // what "all threads" are
  std::vector<Program> programs;
  std::vector<Row> rows;
};

double GeometricMean(const std::vector<double>& values);

/// "GB/s", or how else a figure is to be read.
const char* UnitText(Unit unit);
/// A figure with three digits or so; "-" for 0.
std::string FigureText(double figure);

/// What the library is meant to reach, and what it does.
void WriteAims(std::ostream& out, const Report& report);
void WriteMarkdown(std::ostream& out, const Report& report);
void WriteJson(std::ostream& out, const Report& report);
void WriteSvg(std::ostream& out, const Report& report);

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_COMPARE_FIGURES_H_
