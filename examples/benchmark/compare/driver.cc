// SPDX-License-Identifier: Apache-2.0
// Runs the same statements on the same data in every program that was built, in alternation, checks
// that their results agree, and writes the figures as a table, as JSON and as a plot.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <regex>
#include <sstream>
#include <thread>

#include "agreement.h"
#include "figures.h"
#include "options.h"
#include "process.h"

namespace compare {
namespace {

namespace fs = std::filesystem;

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
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
    for (const char* const name : {"mshadow", "native", "hand", "eigen", "xtensor", "torch"}) {
      const fs::path path = here / (std::string("compare_") + name);
      if (!fs::exists(path)) continue;
      processes_.push_back(std::make_unique<Process>(path));
      report_.programs.push_back({name, processes_.back()->description()});
    }
    if (processes_.size() < kFirstPeer) {
      throw std::runtime_error("the programs to compare are not beside this one");
    }
    memory_ = std::make_unique<Process>(here / "compare_hand");
    report_.machine = Machine();
    report_.date = Today();
    report_.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
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
    Write();
    if (disagreements_ > 0) {
      std::cerr << disagreements_ << " results do not agree\n";
    } else {
      std::cerr << "all results agree\n";
    }
    return disagreements_ == 0 ? 0 : 1;
  }

 private:
  /// Prepares the statement in every program; which of them have it.
  std::vector<std::size_t> Prepare(const Case& what, int threads) {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      const fs::path file = scratch_ / report_.programs[i].name;
      const std::string answer =
          processes_[i]->Ask("prepare " + what.name + " " + std::to_string(what.n) + " " +
                             std::to_string(threads) + " " + file.string());
      if (answer == "unsupported") continue;
      std::string problem = answer == "ok" ? "" : answer;
      if (problem.empty() && i != kOurs) {
        problem = Disagreement(what, scratch_ / report_.programs[kOurs].name, file);
      }
      if (problem.empty()) {
        able.push_back(i);
      } else {
        ++disagreements_;
        std::cerr << "DISAGREE: " << what.text << ", " << what.size << ", threads: " << threads
                  << ", " << report_.programs[i].name << ": " << problem << "\n";
      }
      if (i != kOurs) fs::remove(file);
    }
    return able;
  }

  void Measure(const Case& what, int threads) {
    const std::vector<std::size_t> able = Prepare(what, threads);
    if (!options_.quick) Time(what, threads, able);
    for (const auto& process : processes_) process->Ask("drop");
  }

  void Time(const Case& what, int threads, const std::vector<std::size_t>& able) {
    std::vector<Process*> contenders;
    for (const std::size_t i : able) contenders.push_back(processes_[i].get());
    const bool has_roof = what.roof != Roof::kNone;
    if (has_roof) {
      const char* const names[] = {"", "read", "write", "copy", "triad"};
      memory_->Ask(std::string("prepare ") + names[static_cast<int>(what.roof)] + " " +
                   std::to_string(static_cast<long>(what.work)) + " " + std::to_string(threads));
      contenders.push_back(memory_.get());
    }
    std::vector<std::vector<double>> times(contenders.size());
    for (int round = 0; round < options_.rounds; ++round) {
      for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
        const std::size_t i = (turn + static_cast<std::size_t>(round)) % contenders.size();
        std::istringstream answer(
            contenders[i]->Ask("time " + std::to_string(options_.milliseconds)));
        double median = 0, shortest = 0;
        if (!(answer >> median >> shortest)) throw std::runtime_error(answer.str());
        times[i].push_back(options_.shortest ? shortest : median);
      }
    }
    const auto typical = [&](const std::vector<double>& of) {
      return options_.shortest ? *std::min_element(of.begin(), of.end()) : Median(of);
    };
    Row row;
    row.what = what;
    row.threads = threads;
    row.nanoseconds.assign(processes_.size(), 0);
    for (std::size_t i = 0; i < able.size(); ++i) row.nanoseconds[able[i]] = typical(times[i]);
    if (has_roof) {
      row.roof = typical(times.back());
      memory_->Ask("drop");
    }
    std::cerr << what.name << "/" << what.size << ", threads: " << threads << ": ours/best peer "
              << FigureText(row.VersusPeers()) << ", ours/hand " << FigureText(row.VersusHand())
              << "\n";
    report_.rows.push_back(row);
  }

  void Write() const {
    if (options_.quick) return;
    const auto write = [&](const std::string& path, void (*what)(std::ostream&, const Report&)) {
      if (path.empty()) return;
      std::ofstream file(path);
      what(file, report_);
      if (!file) throw std::runtime_error("cannot write " + path);
    };
    if (options_.markdown.empty()) WriteMarkdown(std::cout, report_);
    write(options_.markdown, WriteMarkdown);
    write(options_.json, WriteJson);
    write(options_.svg, WriteSvg);
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
  compare::Options options;
  try {
    options = compare::ParseOptions(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "benchmark_compare: " << error.what() << "\n" << compare::kUsage;
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);  // a program that has ended is an error of its own
  try {
    return compare::Driver(options).Run();
  } catch (const std::exception& error) {
    std::cerr << "benchmark_compare: " << error.what() << "\n";
    return 1;
  }
}
