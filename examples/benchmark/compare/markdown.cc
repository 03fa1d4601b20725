// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "figures.h"

namespace compare {
namespace {

void WriteCells(std::ostream& out, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) out << "| " << cell << " ";
  out << "|\n";
}

void WriteTable(std::ostream& out, const Report& report) {
  std::vector<std::string> cells = {"statement", "size", "threads", "unit"};
  std::vector<std::string> rules = {"---", "---", "---:", "---"};
  for (const Program& program : report.programs) cells.push_back(program.name);
  cells.insert(cells.end(), {"roofline", "ours/best peer", "ours/hand"});
  rules.resize(cells.size(), "---:");
  WriteCells(out, cells);
  WriteCells(out, rules);
  for (const Row& row : report.rows) {
    cells = {row.what.text, row.what.size, std::to_string(row.threads), UnitText(row.what.unit)};
    for (const double taken : row.nanoseconds) cells.push_back(FigureText(row.Figure(taken)));
    cells.push_back(FigureText(row.Figure(row.roof)));
    const double ratio = row.VersusPeers();
    cells.push_back(FigureText(ratio) + (ratio > 0 && ratio < 1 ? " *" : ""));
    cells.push_back(FigureText(row.VersusHand()));
    WriteCells(out, cells);
  }
}

void WriteMeans(std::ostream& out, const Report& report, int threads) {
  std::vector<double> peers, hand;
  for (const Row& row : report.rows) {
    if (row.threads != threads) continue;
    if (row.VersusPeers() > 0) peers.push_back(row.VersusPeers());
    if (row.VersusHand() > 0) hand.push_back(row.VersusHand());
  }
  if (peers.empty() && hand.empty()) return;
  out << "- " << threads << (threads == 1 ? " thread" : " threads") << ": ours/best peer "
      << FigureText(GeometricMean(peers)) << " in geometric mean of " << peers.size()
      << " rows, ours/hand " << FigureText(GeometricMean(hand)) << " of " << hand.size() << "\n";
}

void WriteShortfalls(std::ostream& out, const Report& report) {
  std::vector<const Row*> behind;
  for (const Row& row : report.rows) {
    if (row.VersusPeers() > 0 && row.VersusPeers() < 1) behind.push_back(&row);
  }
  std::sort(behind.begin(), behind.end(),
            [](const Row* a, const Row* b) { return a->VersusPeers() < b->VersusPeers(); });
  out << "\nBehind the best peer: " << behind.size() << " of " << report.rows.size()
      << " rows.\n\n";
  for (const Row* row : behind) {
    out << "- " << FigureText(row->VersusPeers()) << " " << row->what.text << ", " << row->what.size
        << ", threads: " << row->threads << "; best: " << report.programs[row->BestPeer()].name
        << "\n";
  }
}

}  // namespace

void WriteMarkdown(std::ostream& out, const Report& report) {
  out << report.machine << ", " << report.date << ". " << report.method << "\n\n";
  for (const Program& program : report.programs) {
    out << "- " << program.name << ": " << program.description << "\n";
  }
  out << "\nRatios are of speeds; * marks those under 1. A dash: the library has no such "
         "statement.\n\n";
  WriteTable(out, report);
  out << "\n";
  WriteMeans(out, report, 1);
  if (report.threads > 1) WriteMeans(out, report, report.threads);
  WriteAims(out, report);
  WriteShortfalls(out, report);
}

}  // namespace compare
