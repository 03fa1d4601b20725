// SPDX-License-Identifier: Apache-2.0
// Runs the same statements on the same data in every program that was built, in alternation, checks
// that their results agree, and prints the figures as a table.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "process.h"
#include "report.h"

namespace compare {
namespace {

namespace fs = std::filesystem;

const char kUsage[] =
    "usage: benchmark_compare [--filter REGEX] [--threads 1|all|both] [--rounds N] [--ms N]\n"
    "         [--shortest] [--before PROGRAM] [--quick]\n"
    "  --filter    statements and sizes, as in 'sgd/64' or 'dot/.*'\n"
    "  --rounds    turns of each program for each row\n"
    "  --ms        length of a turn\n"
    "  --shortest  figures from the shortest times, for machines that others use as well\n"
    "  --before    another compare_mshadow, of an older version or other flags, as a column\n"
    "  --quick     small sizes, results only\n";

struct Options {
  std::string filter = ".*", threads = "both", before;
  int rounds = 7;
  double milliseconds = 20;
  bool quick = false, shortest = false;

  /// Throws std::invalid_argument.
  Options(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string name = argv[i];
      const auto value = [&]() -> std::string {
        if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
        return argv[++i];
      };
      if (name == "--filter") {
        filter = value();
      } else if (name == "--threads") {
        threads = value();
      } else if (name == "--rounds") {
        rounds = std::max(1, std::stoi(value()));
      } else if (name == "--ms") {
        milliseconds = std::stod(value());
      } else if (name == "--before") {
        before = value();
      } else if (name == "--quick") {
        quick = true;
      } else if (name == "--shortest") {
        shortest = true;
      } else {
        throw std::invalid_argument("no option " + name);
      }
    }
    if (threads != "1" && threads != "all" && threads != "both") {
      throw std::invalid_argument("--threads is 1, all or both");
    }
  }
};

/// Returns element i of a result.
double Value(const std::vector<char>& data, Kind kind, long i) {
  const char* const at = data.data() + i * Bytes({1}, kind);
  if (kind == Kind::kIndex) return *reinterpret_cast<const std::int32_t*>(at);
  std::uint32_t bits = *reinterpret_cast<const std::uint16_t*>(at);
  if (kind == Kind::kHalf) {
    const int exponent = static_cast<int>(bits >> 10 & 31),
              mantissa = static_cast<int>(bits & 1023);
    const double size =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
    return bits >> 15 != 0 ? -size : size;
  }
  bits <<= 16;
  float value;
  std::memcpy(&value, kind == Kind::kBfloat ? static_cast<const void*>(&bits) : at, sizeof(value));
  return static_cast<double>(value);
}

std::vector<char> Load(const fs::path& path, long bytes) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> data(static_cast<std::size_t>(bytes));
  if (!file.read(data.data(), bytes)) throw std::runtime_error("cannot read " + path.string());
  return data;
}

/// Names the first element in which the results in two files differ by more than the tolerance;
/// empty if there is none.
std::string Disagreement(const Case& what, const fs::path& ours, const fs::path& theirs) {
  const long bytes = Bytes(what.ResultShape(), what.result);
  const std::vector<char> a = Load(ours, bytes), b = Load(theirs, bytes);
  for (long i = 0; i < Product(what.ResultShape()); ++i) {
    const double x = Value(a, what.result, i), y = Value(b, what.result, i);
    if (!(std::fabs(x - y) <= what.tolerance * (1 + std::fabs(x)))) {
      return "element " + std::to_string(i) + " is " + std::to_string(y) + ", but " +
             std::to_string(x) + " by mshadow";
    }
  }
  return "";
}

std::string Machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string model = "a machine";
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  }
  std::string load;
  std::ifstream("/proc/loadavg") >> load;  // of the last minute
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) +
         " hardware threads, load " + load + " at the start";
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", std::gmtime(&now));
  return text;
}

class Driver {
 public:
  explicit Driver(const Options& options)
      : options_(options),
        scratch_(fs::temp_directory_path() / ("compare-" + std::to_string(getpid()))) {
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    const auto start = [&](const char* name, const fs::path& path, Role role) {
      if (role == Role::kPeer && !fs::exists(path)) return;
      processes_.push_back(std::make_unique<Process>(path));
      report_.programs.push_back({name, processes_.back()->description(), role});
    };
    start("mshadow", here / "compare_mshadow", Role::kOurs);
    if (!options.before.empty()) start("before", options.before, Role::kBefore);
    start("hand", here / "compare_hand", Role::kHand);
    start("eigen", here / "compare_eigen", Role::kPeer);
    start("xtensor", here / "compare_xtensor", Role::kPeer);
    start("torch", here / "compare_torch", Role::kPeer);
    memory_ = std::make_unique<Process>(here / "compare_hand");
    report_.machine = Machine();
    report_.date = Today();
    report_.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    report_.shortest = options.shortest;
    std::ostringstream method;
    method << (options.shortest ? "The shortest of the times of " : "Medians over ")
           << options.rounds << " rounds, in each of which every program has a turn of "
           << options.milliseconds << " ms; GB/s count every element read or written once.";
    report_.method = method.str();
    fs::create_directory(scratch_);
  }
  ~Driver() {
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
  }

  int Run() {
    std::vector<int> counts;
    if (options_.threads != "all") counts.push_back(1);
    if (options_.threads != "1" && report_.threads > 1) counts.push_back(report_.threads);
    const std::regex filter(options_.filter);
    for (const Case& what : AllCases(options_.quick)) {
      if (!std::regex_search(what.name + "/" + what.size, filter)) continue;
      for (const int threads : counts) Measure(what, threads);
    }
    if (!options_.quick) WriteMarkdown(std::cout, report_);
    if (disagreements_ > 0) {
      std::cerr << disagreements_ << " results do not agree\n";
    } else {
      std::cerr << "all results agree\n";
    }
    return disagreements_ == 0 ? 0 : 1;
  }

 private:
  /// Prepares the statement in every program; returns those that have it and agree.
  std::vector<std::size_t> Prepare(const Case& what, int threads) {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      const Program& program = report_.programs[i];
      const fs::path file = scratch_ / program.name;
      const std::string answer = processes_[i]->Ask("prepare " + what.name + " " + what.size + " " +
                                                    std::to_string(threads) + " " + file.string());
      if (answer == "unsupported" && program.role != Role::kOurs) continue;
      std::string problem = answer == "ok" ? "" : answer;
      if (problem.empty() && program.role != Role::kOurs) {
        problem = Disagreement(what, scratch_ / report_.programs[0].name, file);
        fs::remove(file);
      }
      if (problem.empty()) {
        able.push_back(i);
      } else {
        ++disagreements_;
        std::cerr << "DISAGREE: " << what.name << "/" << what.size << ", threads: " << threads
                  << ", " << program.name << ": " << problem << "\n";
        if (program.role == Role::kOurs) break;
      }
    }
    return able;
  }

  void Measure(const Case& what, int threads) {
    const std::vector<std::size_t> able = Prepare(what, threads);
    if (!options_.quick && !able.empty()) Time(what, threads, able);
    for (const auto& process : processes_) process->Ask("drop");
  }

  void Time(const Case& what, int threads, const std::vector<std::size_t>& able) {
    Row row;
    row.what = what;
    row.threads = threads;
    row.times.resize(processes_.size());
    std::vector<std::pair<Process*, Times*>> contenders;
    for (const std::size_t i : able) contenders.emplace_back(processes_[i].get(), &row.times[i]);
    if (what.roof != Roof::kNone) {
      const char* const names[] = {"", "read", "write", "copy", "triad"};
      memory_->Ask(std::string("prepare ") + names[static_cast<int>(what.roof)] + " " +
                   std::to_string(static_cast<long>(what.work)) + " " + std::to_string(threads));
      contenders.emplace_back(memory_.get(), &row.roof);
    }
    for (int round = 0; round < options_.rounds; ++round) {
      for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
        const auto& [process, times] =
            contenders[(turn + static_cast<std::size_t>(round)) % contenders.size()];
        std::istringstream answer(process->Ask("time " + std::to_string(options_.milliseconds)));
        double median = 0, shortest = 0;
        if (!(answer >> median >> shortest)) throw std::runtime_error(answer.str());
        times->push_back(options_.shortest ? shortest : median);
      }
    }
    memory_->Ask("drop");
    WriteRatios(std::cerr, report_, row);
    report_.rows.push_back(std::move(row));
  }

  Options options_;
  fs::path scratch_;
  Report report_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::unique_ptr<Process> memory_;  // the roofline
  int disagreements_ = 0;
};

}  // namespace
}  // namespace compare

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a program that has ended is an error of its own
  try {
    return compare::Driver(compare::Options(argc, argv)).Run();
  } catch (const std::invalid_argument& error) {
    std::cerr << "benchmark_compare: " << error.what() << "\n" << compare::kUsage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "benchmark_compare: " << error.what() << "\n";
    return 1;
  }
}
