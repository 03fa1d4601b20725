// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <algorithm>
#include <stdexcept>

namespace compare {

const char kUsage[] =
    "usage: benchmark_compare [--filter REGEX] [--threads 1|all|both] [--rounds N] [--ms N]\n"
    "         [--shortest] [--markdown FILE] [--json FILE] [--svg FILE] [--quick]\n"
    "  --filter    statements and sizes, as in 'sgd/64' or 'dot/.*'\n"
    "  --rounds    turns of each program for each row\n"
    "  --ms        length of a turn\n"
    "  --shortest  figures from the shortest times, for machines that others use as well\n"
    "  --quick     small sizes, results only\n";

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
      return argv[++i];
    };
    if (name == "--filter")
      options.filter = value();
    else if (name == "--threads")
      options.threads = value();
    else if (name == "--rounds")
      options.rounds = std::max(1, std::stoi(value()));
    else if (name == "--ms")
      options.milliseconds = std::stod(value());
    else if (name == "--json")
      options.json = value();
    else if (name == "--markdown")
      options.markdown = value();
    else if (name == "--svg")
      options.svg = value();
    else if (name == "--quick")
      options.quick = true;
    else if (name == "--shortest")
      options.shortest = true;
    else
      throw std::invalid_argument("no option " + name);
  }
  if (options.threads != "1" && options.threads != "all" && options.threads != "both") {
    throw std::invalid_argument("--threads is 1, all or both");
  }
  return options;
}

}  // namespace compare
