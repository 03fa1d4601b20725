// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "figures.h"

namespace compare {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string Number(double value) { return value == 0 ? "null" : std::to_string(value); }

void WriteRow(std::ostream& out, const Report& report, const Row& row) {
  out << "    {\"statement\": " << Quoted(row.what.name) << ", \"text\": " << Quoted(row.what.text)
      << ", \"n\": " << row.what.n << ", \"threads\": " << row.threads
      << ", \"work\": " << static_cast<long>(row.what.work)
      << ", \"unit\": " << Quoted(UnitText(row.what.unit)) << ",\n"
      << "     \"nanoseconds\": {";
  for (std::size_t i = 0; i < row.nanoseconds.size(); ++i) {
    out << (i == 0 ? "" : ", ") << Quoted(report.programs[i].name) << ": "
        << Number(row.nanoseconds[i]);
  }
  out << "}, \"roofline\": " << Number(row.roof)
      << ",\n     \"versus_best_peer\": " << Number(row.VersusPeers())
      << ", \"versus_hand\": " << Number(row.VersusHand()) << "}";
}

}  // namespace

void WriteJson(std::ostream& out, const Report& report) {
  out << "{\n  \"machine\": " << Quoted(report.machine) << ",\n  \"date\": " << Quoted(report.date)
      << ",\n  \"method\": " << Quoted(report.method) << ",\n  \"programs\": {";
  for (std::size_t i = 0; i < report.programs.size(); ++i) {
    const Program& program = report.programs[i];
    out << (i == 0 ? "" : ",") << "\n    " << Quoted(program.name) << ": "
        << Quoted(program.description);
  }
  out << "},\n  \"rows\": [\n";
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    WriteRow(out, report, report.rows[i]);
    out << (i + 1 < report.rows.size() ? ",\n" : "\n");
  }
  out << "  ]\n}\n";
}

}  // namespace compare
