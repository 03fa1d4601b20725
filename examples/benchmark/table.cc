// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <mshadow/base.h>
#include <mshadow/simd/isa.h>

#include <cstdio>
#include <fstream>

namespace report {
namespace {

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  return text;
}

std::string Quantity(double value, Unit unit) {
  if (value == 0) return "-";
  const char* const name =
      unit == Unit::kGigabytes ? " GB/s" : unit == Unit::kGigaflops ? " GFLOP/s" : " ns";
  return Number(value) + name;
}

std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown CPU";
}

const std::vector<std::string> kTitles = {"statement", "size",  "threads",  "mshadow",
                                          "best peer", "ratio", "aim",      "roofline",
                                          "peer"};
constexpr int kWidths[] = {42, 18, 7, 13, 13, 9, 8, 17, 0};

}  // namespace

bool Row::MeetsAim() const {
  if (hand == 0) return true;
  if (aim.extra > 0) return ratio <= aim.extra;
  return ratio >= aim.ratio;
}

void Table::PrintPreamble(int max_threads) const {
  const char* const item = markdown_ ? "- " : "";
  std::printf("%s%s, %d thread%s; mshadow runs on %s.\n", item, CpuName().c_str(), max_threads,
              max_threads == 1 ? "" : "s",
              mshadow::simd::IsaName(mshadow::simd::ActiveIsa()));
  std::printf("%smshadow is compiled by %s.\n", item, MSHADOW_BENCHMARK_FLAGS);
  std::printf("%sHand-written loops: the same compiler with %s in files of their own\n"
              "  (and -ffast-math where they call expf or tanhf).\n",
              item, MSHADOW_BENCHMARK_HAND_FLAGS);
  std::printf("%sAll of a row takes turns within milliseconds; figures and ratios are %s\n", item,
              GetOptions().shortest ? "of the shortest times" : "medians");
  std::printf("  over %d rounds. Ratio: speed over that of the best peer; for 64 elements,\n"
              "  nanoseconds more than it. GB/s: every element read or written counts once.\n"
              "  Roofline: memory streams over as many bytes, in the same rounds.\n\n",
              GetOptions().rounds);
  PrintCells(kTitles);
  if (markdown_) std::printf("|---|---|--:|--:|--:|--:|--:|--:|---|\n");
}

void Table::PrintCells(const std::vector<std::string>& cells) const {
  std::string line = markdown_ ? "|" : "";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (markdown_) {
      line += (i == 0 && &cells != &kTitles) ? " `" + cells[i] + "` |" : " " + cells[i] + " |";
      continue;
    }
    const std::size_t width = static_cast<std::size_t>(kWidths[i]);
    const std::string blanks(cells[i].size() < width ? width - cells[i].size() : 0, ' ');
    const bool is_text = i < 2 || i + 1 == cells.size();
    line += is_text ? cells[i] + blanks : blanks + cells[i];
    line += "  ";
  }
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

void Table::Print(const Row& row) {
  rows_.push_back(row);
  std::string ratio = "-", aim = "-";
  if (row.hand > 0) {
    ratio = row.aim.extra > 0 ? (row.ratio < 0 ? "-" : "+") +
                                    Number(row.ratio < 0 ? -row.ratio : row.ratio) + " ns"
                              : Number(row.ratio);
    if (row.aim.extra > 0) aim = "+" + Number(row.aim.extra) + " ns";
    if (row.aim.ratio > 0) aim = Number(row.aim.ratio);
  }
  if (!row.MeetsAim()) ratio += " *";
  std::string roof = Quantity(row.roof, Unit::kGigabytes);
  if (row.roof > 0) roof = row.roof_name + " " + roof;
  PrintCells({row.statement, row.size, std::to_string(row.threads), Quantity(row.ours, row.unit),
              Quantity(row.hand, row.unit), ratio, aim, roof,
              row.error.empty() ? row.peer : "ERROR: " + row.error});
}

void Table::PrintSummary() const {
  int missed = 0, errors = 0;
  for (const Row& row : rows_) {
    if (!row.error.empty()) {
      ++errors;
    } else if (!row.MeetsAim()) {
      ++missed;
    }
  }
  std::printf("\n%zu rows; %d miss their aim (*); %d in error.\n", rows_.size(), missed, errors);
}

}  // namespace report
