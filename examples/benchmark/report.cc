// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace compare {
namespace {

/// What the library is compared with, and the ratio below which a row falls short. A statement on
/// 64 elements may instead take kMoreNanoseconds more than the loop.
struct Rival {
  Role role;
  const char* name;
  double aim;
};
constexpr Rival kRivals[] = {{Role::kHand, "the hand-written loop", 0.9},
                             {Role::kPeer, "the best peer", 1},
                             {Role::kBefore, "the program before", 0.93}};
constexpr double kMoreNanoseconds = 15;

std::string Text(double figure) {
  if (figure == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof(text), figure < 1 ? "%.3f" : figure < 100 ? "%.2f" : "%.0f", figure);
  return text;
}

/// Returns the speed in the unit of the statement; 0 if there are no times.
double Figure(const Report& report, const Row& row, const Times& times) {
  if (times.empty()) return 0;
  const double taken = report.Typical(times);
  return row.what.unit == Unit::kNanoseconds ? taken : row.what.work / taken;
}

double RatioTo(const Report& report, const Row& row, Role role) {
  return report.Ratio(row, report.Best(row, role));
}

bool FallsShort(const Report& report, const Row& row, const Rival& rival) {
  const double ratio = RatioTo(report, row, rival.role);
  if (ratio == 0 || ratio >= rival.aim) return false;
  if (rival.role != Role::kHand || row.what.unit != Unit::kNanoseconds) return true;
  const double more = report.Typical(row.times[0]) - report.Typical(report.Best(row, Role::kHand));
  return more > kMoreNanoseconds;
}

void WriteCells(std::ostream& out, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) out << "| " << cell << " ";
  out << "|\n";
}

void WriteTable(std::ostream& out, const Report& report) {
  std::vector<std::string> cells = {"statement", "size", "threads", "unit"};
  std::vector<std::string> rules = {"---", "---", "---:", "---"};
  for (const Program& program : report.programs) cells.push_back(program.name);
  cells.insert(cells.end(), {"roofline", "ours/roofline", "ours/hand", "ours/best peer"});
  const bool has_before =
      std::any_of(report.programs.begin(), report.programs.end(),
                  [](const Program& program) { return program.role == Role::kBefore; });
  if (has_before) cells.push_back("ours/before");
  rules.resize(cells.size(), "---:");
  WriteCells(out, cells);
  WriteCells(out, rules);
  const char* const units[] = {"GB/s", "GFLOP/s", "ns"};
  for (const Row& row : report.rows) {
    cells = {"`" + row.what.text + "`", row.what.size, std::to_string(row.threads),
             units[static_cast<int>(row.what.unit)]};
    for (const Times& times : row.times) cells.push_back(Text(Figure(report, row, times)));
    cells.push_back(Text(Figure(report, row, row.roof)));
    cells.push_back(Text(report.Ratio(row, row.roof)));
    for (const Rival& rival : kRivals) {
      if (rival.role == Role::kBefore && !has_before) continue;
      cells.push_back(Text(RatioTo(report, row, rival.role)) +
                      (FallsShort(report, row, rival) ? " *" : ""));
    }
    WriteCells(out, cells);
  }
}

void WriteMeans(std::ostream& out, const Report& report, const Rival& rival, int threads) {
  double logarithms = 0, least = INFINITY;
  int count = 0;
  for (const Row& row : report.rows) {
    const double ratio = RatioTo(report, row, rival.role);
    if (row.threads != threads || ratio == 0) continue;
    logarithms += std::log(ratio);
    least = std::min(least, ratio);
    ++count;
  }
  if (count == 0) return;
  out << "- " << threads << (threads == 1 ? " thread" : " threads") << ", beside " << rival.name
      << ": " << Text(std::exp(logarithms / count)) << " in geometric mean of " << count
      << " rows, the least " << Text(least) << "\n";
}

/// Lists the rows that fall short, the worst first.
void WriteShortfalls(std::ostream& out, const Report& report, const Rival& rival) {
  std::vector<const Row*> rows;
  for (const Row& row : report.rows) {
    if (FallsShort(report, row, rival)) rows.push_back(&row);
  }
  if (rows.empty()) return;
  std::sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) {
    return RatioTo(report, *a, rival.role) < RatioTo(report, *b, rival.role);
  });
  out << "\nBelow " << Text(rival.aim) << " of " << rival.name << ": " << rows.size() << " of "
      << report.rows.size() << " rows.\n\n";
  for (const Row* row : rows) {
    out << "- " << Text(RatioTo(report, *row, rival.role)) << " `" << row->what.text << "`, "
        << row->what.size << ", threads: " << row->threads << "\n";
  }
}

}  // namespace

double Report::Typical(const Times& times) const {
  if (shortest) return *std::min_element(times.begin(), times.end());
  Times sorted = times;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

double Report::Ratio(const Row& row, const Times& theirs) const {
  const Times& ours = row.times[0];
  if (theirs.empty() || ours.empty()) return 0;
  if (shortest) return Typical(theirs) / Typical(ours);
  Times ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(theirs[i] / ours[i]);
  return Typical(ratios);
}

const Times& Report::Best(const Row& row, Role role) const {
  static const Times none;
  const Times* best = &none;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Times& times = row.times[i];
    if (programs[i].role != role || times.empty()) continue;
    if (best->empty() || Typical(times) < Typical(*best)) best = &times;
  }
  return *best;
}

void WriteRatios(std::ostream& out, const Report& report, const Row& row) {
  out << row.what.name << "/" << row.what.size << ", threads: " << row.threads << ": "
      << Text(report.Ratio(row, row.roof)) << " of the roofline";
  for (const Rival& rival : kRivals) {
    const double ratio = RatioTo(report, row, rival.role);
    if (ratio > 0) out << ", " << Text(ratio) << " of " << rival.name;
  }
  out << std::endl;
}

void WriteMarkdown(std::ostream& out, const Report& report) {
  out << report.machine << ", " << report.date << ". " << report.method << "\n\n";
  for (const Program& program : report.programs) {
    out << "- " << program.name << ": " << program.description << "\n";
  }
  out << "\nRoofline: a memory stream over as many bytes, in the same rounds. Ratios are of "
         "speeds; "
         "`*` marks those\nthat fall short. A dash: there is no such statement.\n\n";
  WriteTable(out, report);
  out << "\n";
  for (const Rival& rival : kRivals) {
    WriteMeans(out, report, rival, 1);
    if (report.threads > 1) WriteMeans(out, report, rival, report.threads);
  }
  for (const Rival& rival : kRivals) WriteShortfalls(out, report, rival);
}

}  // namespace compare
