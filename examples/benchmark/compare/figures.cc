// SPDX-License-Identifier: Apache-2.0
#include "figures.h"

#include <cmath>
#include <cstdio>

namespace compare {

double Row::Figure(double taken) const {
  if (taken == 0) return 0;
  return what.unit == Unit::kNanoseconds ? taken : what.work / taken;
}

std::size_t Row::BestPeer() const {
  std::size_t best = 0;
  for (std::size_t i = kFirstPeer; i < nanoseconds.size(); ++i) {
    if (nanoseconds[i] > 0 && (best == 0 || nanoseconds[i] < nanoseconds[best])) best = i;
  }
  return best;
}

double Row::VersusPeers() const {
  const std::size_t best = BestPeer();
  return best == 0 ? 0 : nanoseconds[best] / nanoseconds[kOurs];
}

double Row::VersusHand() const { return nanoseconds[kHand] / nanoseconds[kOurs]; }

double GeometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

const char* UnitText(Unit unit) {
  return unit == Unit::kNanoseconds ? "ns" : unit == Unit::kGigaflops ? "GFLOP/s" : "GB/s";
}

std::string FigureText(double figure) {
  if (figure == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), figure < 1 ? "%.3f" : figure < 100 ? "%.2f" : "%.0f", figure);
  return text;
}

}  // namespace compare
