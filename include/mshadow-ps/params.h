// SPDX-License-Identifier: Apache-2.0
// The parameters of the models.
#ifndef MSHADOW_PS_PARAMS_H_
#define MSHADOW_PS_PARAMS_H_

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../mshadow/core/config.h"
#include "../mshadow/core/logging.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// | name | default | meaning |
/// |---|---|---|
/// | `push_op[KEY]` | sum | `gather`: a pull gives what all devices pushed, device after device |
/// | `update_on_server` | 0 | 1: the updater runs, and a pull gives the weights |
/// | `test_on_server` | 0 | 1: the updater runs too, for CheckWeight; a pull gives the sum |
/// | `bigarray_bound` | 1000000 | sums of more elements use threads; "dist" splits such keys |
/// | `reduce_thread` | 8 | the most threads of such a sum |
/// | `use_pin_memory` | 1 | gpu: the host's copies lie in page-locked memory |
/// | `pull_thread`, `push_thread` | ndev | `one`: one thread for all devices |
///
/// Names that begin with "msg:" are ignored. All others are the updater's.
struct Params {
  enum class Op { kSum, kGather };

  bool update_on_server = false, test_on_server = false, use_pin_memory = true;
  bool thread_per_push_device = true, thread_per_pull_device = true;
  std::size_t bigarray_bound = 1000000;
  int reduce_threads = 8;
  std::map<int, Op> push_op;
  /// In the order in which they came.
  std::vector<std::pair<std::string, std::string>> of_updater;

  /// True if the updater runs.
  bool HasUpdater() const { return update_on_server || test_on_server; }
  Op OpOf(int key) const {
    const auto it = push_op.find(key);
    return it == push_op.end() ? Op::kSum : it->second;
  }
  /// True if the parameter is the updater's. Throws Error for a value that `name` does not take,
  /// and once the model has started for what comes too late.
  bool Set(const std::string& name, const std::string& value, bool started) {
    Params changed = *this;
    const bool for_updater = changed.SetUnchecked(name, value);
    const bool early = !for_updater && name.compare(0, 8, "push_op[") != 0 &&
                       name.compare(0, 4, "msg:") != 0;
    MSHADOW_CHECK(!started || !early) << "mshadow::ps: SetParam(\"" << name
                                      << "\") must come before Init";
    *this = std::move(changed);
    return for_updater;
  }

 private:
  bool SetUnchecked(const std::string& name, const std::string& value) {
    if (name.compare(0, 4, "msg:") == 0) return false;
    if (name.compare(0, 8, "push_op[") == 0 && name.back() == ']') {
      const std::string key = name.substr(8, name.size() - 9);
      push_op[static_cast<int>(Number(name, key, std::numeric_limits<int>::min()))] =
          OneOf(name, value, "sum", "gather") ? Op::kSum : Op::kGather;
    } else if (name == "update_on_server") {
      update_on_server = Number(name, value, 0) != 0;
    } else if (name == "test_on_server") {
      test_on_server = Number(name, value, 0) != 0;
    } else if (name == "use_pin_memory") {
      use_pin_memory = Number(name, value, 0) != 0;
    } else if (name == "bigarray_bound") {
      bigarray_bound = static_cast<std::size_t>(
          Number(name, value, 0, std::numeric_limits<long long>::max()));
    } else if (name == "reduce_thread") {
      reduce_threads = static_cast<int>(Number(name, value, 1));
    } else if (name == "push_thread") {
      thread_per_push_device = OneOf(name, value, "ndev", "one");
    } else if (name == "pull_thread") {
      thread_per_pull_device = OneOf(name, value, "ndev", "one");
    } else {
      of_updater.emplace_back(name, value);
      return true;
    }
    return false;
  }
  [[noreturn]] static void Refuse(const std::string& name, const std::string& value,
                                  const std::string& want) {
    throw Error("mshadow::ps: parameter " + name + " is " + want + ", not \"" + value + "\"");
  }
  /// The whole number `value`, from `least` to `most`.
  static long long Number(const std::string& name, const std::string& value, long long least,
                          long long most = std::numeric_limits<int>::max()) {
    char* end = nullptr;
    const long long number = std::strtoll(value.c_str(), &end, 10);
    if (value.empty() || *end != '\0' || number < least || number > most) {
      Refuse(name, value,
             "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return number;
  }
  /// True for the first of two values, false for the second.
  static bool OneOf(const std::string& name, const std::string& value, const char* yes,
                    const char* no) {
    if (value != yes && value != no) Refuse(name, value, std::string(yes) + " or " + no);
    return value == yes;
  }
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_PARAMS_H_
