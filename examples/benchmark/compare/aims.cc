// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <ostream>

#include "figures.h"

namespace compare {
namespace {

using Chosen = std::function<bool(const Row&)>;

/// Our speed over that of `program` in the rows that are chosen.
std::vector<double> Ratios(const Report& report, std::size_t program, const Chosen& chosen) {
  std::vector<double> ratios;
  for (const Row& row : report.rows) {
    if (chosen(row) && row.nanoseconds[program] > 0) {
      ratios.push_back(row.nanoseconds[program] / row.nanoseconds[kOurs]);
    }
  }
  return ratios;
}

void WriteRatios(std::ostream& out, const char* aim, const std::vector<double>& ratios) {
  if (ratios.empty()) return;
  out << "- " << aim << ": " << FigureText(GeometricMean(ratios))
      << " in geometric mean, the least "
      << FigureText(*std::min_element(ratios.begin(), ratios.end())) << ", of " << ratios.size()
      << " rows\n";
}

const Row* Find(const Report& report, const std::string& name, long n, int threads) {
  for (const Row& row : report.rows) {
    if (row.what.name == name && row.what.n == n && row.threads == threads) return &row;
  }
  return nullptr;
}

/// Speeds of pairs of rows, that of `second` over that of `first`.
double Quotient(const Row* first, const Row* second) {
  return first->nanoseconds[kOurs] / second->nanoseconds[kOurs];
}

bool IsElementwise(const Row& row) {
  return row.what.in[0].shape.size() == 1 && row.what.in[0].shape == row.what.ResultShape();
}

void WriteSmall(std::ostream& out, const Report& report) {
  double most = 0;
  const Row* worst = nullptr;
  for (const Row& row : report.rows) {
    if (row.what.unit != Unit::kNanoseconds || row.nanoseconds[kHand] == 0) continue;
    const double extra = row.nanoseconds[kOurs] - row.nanoseconds[kHand];
    if (worst == nullptr || extra > most) {
      most = extra;
      worst = &row;
    }
  }
  if (worst == nullptr) return;
  out << "- 64 elements in at most 15 ns over the loop: at most " << FigureText(most) << " ns, "
      << worst->what.text << "\n";
}

}  // namespace

void WriteAims(std::ostream& out, const Report& report) {
  out << "\nAims:\n\n";
  const auto of_size = [](long least, long most) {
    return [=](const Row& row) {
      return IsElementwise(row) && row.what.n >= least && row.what.n <= most;
    };
  };
  WriteRatios(out, "16 Mi elements, 0.95 of the loop",
              Ratios(report, kHand, of_size(1 << 24, 1 << 24)));
  WriteRatios(out, "4 Ki to 64 Ki elements, 0.9 of the loop",
              Ratios(report, kHand, of_size(1 << 12, 1 << 16)));
  WriteRatios(out, "no -march, 0.95 of -march=native",
              Ratios(report, kNative, [](const Row&) { return true; }));
  WriteSmall(out, report);

  std::vector<double> views, scaling;
  for (const int threads : {1, report.threads}) {
    const Row* const whole = Find(report, "whole", 4096, threads);
    for (const char* const name : {"padded", "sliced"}) {
      const Row* const view = Find(report, name, 4096, threads);
      if (whole != nullptr && view != nullptr) views.push_back(Quotient(whole, view));
    }
    if (report.threads == 1) break;
  }
  WriteRatios(out, "views, 0.95 of a whole array", views);
  for (const char* const name : {"sigmoid", "tanh", "exp", "gelu", "chain"}) {
    const Row* const one = Find(report, name, 1 << 16, 1);
    const Row* const all = Find(report, name, 1 << 16, report.threads);
    if (one != nullptr && all != nullptr && report.threads > 1) {
      scaling.push_back(Quotient(one, all));
    }
  }
  const std::string aim = std::to_string(report.threads) + " threads over one, functions of 64 Ki" +
                          " elements, 1.8 for two";
  WriteRatios(out, aim.c_str(), scaling);
}

}  // namespace compare
