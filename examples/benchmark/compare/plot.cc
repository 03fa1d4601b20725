// SPDX-License-Identifier: Apache-2.0
// The plot: a line for each statement, one panel for one thread and one for all, and on it a mark
// for each program at its speed relative to the library's.
#include <algorithm>
#include <cmath>
#include <ostream>

#include "figures.h"

namespace compare {
namespace {

constexpr double kLabels = 330, kPanel = 380, kGap = 48, kLine = 16, kTop = 96;
constexpr double kLeast = 1.0 / 64, kMost = 4;  // of the ratios shown; others lie on the border
// By column; the library itself is the line at 1.
const char* const kColors[] = {"", "", "#888888", "#d95f02", "#1b9e77", "#7570b3"};

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else if (c == '&')
      escaped += "&amp;";
    else
      escaped += c;
  }
  return escaped;
}

double Position(double ratio) {
  const double shown = std::min(std::max(ratio, kLeast), kMost);
  return kPanel * std::log(shown / kLeast) / std::log(kMost / kLeast);
}

void Text(std::ostream& out, double x, double y, const std::string& text, const char* style = "") {
  out << "<text x=\"" << x << "\" y=\"" << y << "\" " << style << ">" << Escaped(text)
      << "</text>\n";
}

void VerticalLine(std::ostream& out, double x, double y1, double y2, const char* color) {
  out << "<line x1=\"" << x << "\" x2=\"" << x << "\" y1=\"" << y1 << "\" y2=\"" << y2
      << "\" stroke=\"" << color << "\"/>\n";
}

void Axis(std::ostream& out, double left, double bottom, const std::string& title) {
  Text(out, left, kTop - 28, title, "font-weight=\"bold\"");
  for (double ratio = kLeast; ratio <= kMost; ratio *= 2) {
    const double x = left + Position(ratio);
    VerticalLine(out, x, kTop, bottom, ratio == 1 ? "#222222" : "#dddddd");
    const std::string label = ratio < 1 ? "1/" + std::to_string(std::lround(1 / ratio))
                                        : std::to_string(std::lround(ratio));
    Text(out, x, kTop - 8, label, "text-anchor=\"middle\"");
  }
}

void Marks(std::ostream& out, const Report& report, const Row& row, double left, double y) {
  for (std::size_t i = kHand; i < row.nanoseconds.size(); ++i) {
    if (row.nanoseconds[i] == 0) continue;
    const double ratio = row.nanoseconds[kOurs] / row.nanoseconds[i];
    out << "<circle cx=\"" << left + Position(ratio) << "\" cy=\"" << y << "\" r=\"4\" fill=\""
        << (i == kHand ? "none" : kColors[i]) << "\" stroke=\"" << kColors[i] << "\"><title>"
        << Escaped(report.programs[i].name) << " " << FigureText(ratio) << "</title></circle>\n";
  }
}

void Legend(std::ostream& out, const Report& report) {
  double x = 8;
  for (std::size_t i = kHand; i < report.programs.size(); ++i) {
    out << "<circle cx=\"" << x << "\" cy=\"40\" r=\"4\" fill=\""
        << (i == kHand ? "none" : kColors[i]) << "\" stroke=\"" << kColors[i] << "\"/>\n";
    Text(out, x + 8, 44, report.programs[i].name);
    x += 24 + 7 * static_cast<double>(report.programs[i].name.size());
  }
}

}  // namespace

void WriteSvg(std::ostream& out, const Report& report) {
  std::vector<std::vector<const Row*>> lines;  // rows of one statement and size
  for (const Row& row : report.rows) {
    const bool same = !lines.empty() && lines.back()[0]->what.name == row.what.name &&
                      lines.back()[0]->what.n == row.what.n;
    if (!same) lines.emplace_back();
    lines.back().push_back(&row);
  }
  const int panels = report.threads > 1 ? 2 : 1;
  const double width = kLabels + panels * (kPanel + kGap);
  const double bottom = kTop + kLine * static_cast<double>(lines.size());
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\""
      << bottom + 12 << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  Text(out, 8, 20,
       "Speed relative to mshadow, the line at 1; slower to the left. " + report.machine + ", " +
           report.date);
  Legend(out, report);
  for (int panel = 0; panel < panels; ++panel) {
    const double left = kLabels + panel * (kPanel + kGap);
    const int threads = panel == 0 ? 1 : report.threads;
    Axis(out, left, bottom, std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double y = kTop + kLine * (static_cast<double>(i) + 0.5);
      for (const Row* row : lines[i]) {
        if (row->threads == threads) Marks(out, report, *row, left, y);
      }
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Case& what = lines[i][0]->what;
    Text(out, 8, kTop + kLine * (static_cast<double>(i) + 0.75), what.text + ", " + what.size);
  }
  out << "</svg>\n";
}

}  // namespace compare
