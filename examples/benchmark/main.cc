// SPDX-License-Identifier: Apache-2.0
// Speed of the library's statements beside hand-written loops; every option of Google Benchmark
// works too:
//
//   benchmark_statements [--quick] [--markdown] [--rounds=21] [--batch_ms=2] [--shortest]
//                        [--benchmark_filter=sgd/.*threads_2] [--benchmark_format=json] ...
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "program.h"

namespace report {
namespace {

Options options;
std::vector<Row> waiting;

/// Prints what was measured since the last call.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  TableReporter() : table_(options.markdown) {}
  bool ReportContext(const Context&) override {
    table_.PrintPreamble(MaxThreads());
    return true;
  }
  void ReportRuns(const std::vector<Run>&) override {
    for (const Row& row : waiting) table_.Print(row);
    waiting.clear();
  }
  void Finalize() override { table_.PrintSummary(); }

 private:
  Table table_;
};

bool any_error = false;

const char* ValueOf(const char* argument, const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

bool Parse(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      options.quick = true;
      options.rounds = 1;
      options.seconds = 1e-5;
    } else if (std::strcmp(argv[i], "--markdown") == 0) {
      options.markdown = true;
    } else if (std::strcmp(argv[i], "--shortest") == 0) {
      options.shortest = true;
    } else if (const char* const rounds = ValueOf(argv[i], "--rounds=")) {
      options.rounds = std::atoi(rounds);
    } else if (const char* const batch = ValueOf(argv[i], "--batch_ms=")) {
      options.seconds = std::atof(batch) * 1e-3;
    } else {
      std::fprintf(stderr,
                   "%s is unknown. Options: --quick --markdown --rounds=N --batch_ms=T --shortest, "
                   "and those of Google Benchmark (--help)\n",
                   argv[i]);
      return false;
    }
  }
  if (options.rounds < 1) {
    std::fprintf(stderr, "--rounds must be at least 1\n");
    return false;
  }
  return true;
}

int Main(int argc, char** argv) {
  bool other_format = false;
  for (int i = 1; i < argc; ++i) {
    if (ValueOf(argv[i], "--benchmark_format=") != nullptr) other_format = true;
  }
  benchmark::Initialize(&argc, argv);  // takes its own options away
  if (!Parse(argc, argv)) return 2;
  AddMaps();
  AddLayouts();
  AddImages();
  AddIndexing();
  AddReductions();
  AddRandom();
  AddReplications();
  AddAxes();
  AddProducts();
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(other_format ? nullptr : &reporter);
  return any_error ? 1 : 0;
}

}  // namespace

const Options& GetOptions() { return options; }

void AddRow(const Row& row) {
  waiting.push_back(row);
  if (!row.error.empty()) any_error = true;
}

}  // namespace report

int main(int argc, char** argv) { return report::Main(argc, argv); }
